/** Compares the conditions of a rule with those of its ancestors: rules that no event reaches, and conditions that are redundant. */
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { field } from '../rules/options/field.js'
import type { RuleTree } from '../rules/tree.js'
import { fromByteString } from '../source/byte-string.js'
import { PLACEMENT_LIMIT, placesAbove } from './decoder-facts.js'
import type { RuleReporter } from '../rules/reporter.js'
import { placeOf } from '../xml/definition-reporter.js'

/** Maximum number of compared pairs of alternatives. Pattern lists of feeds have thousands. */
const COMPARED_LIMIT = 10_000

export function checkReachability(reporter: RuleReporter): void {
  const { rule, nodes, tree } = reporter
  if (nodes.length === 0 || nodes.length > PLACEMENT_LIMIT) return
  const own = ownContradiction(rule)
  if (own !== null) {
    reporter.at('rule_unreachable', own.tag, { reason: own.reason })
    return
  }
  const contradictions = nodes.map((node) => contradictionOf(rule, node, tree))
  const [first] = contradictions
  if (first !== null && contradictions.every((found) => found !== null)) {
    reporter.at('rule_unreachable', first.tag, { reason: first.reason }, { related: [placeOf(first.ancestor.definition)] })
    return
  }
  checkRedundant(reporter, nodes)
}

interface Contradiction {
  readonly tag: string
  readonly reason: string
}

function ownContradiction({ conditions }: CompiledRule): Contradiction | null {
  for (let i = 0; i < conditions.length; i++) {
    for (let j = 0; j < i; j++) {
      if (exclude(conditions[i], conditions[j])) return { tag: conditions[i].option.name, reason: `${nameOf(conditions[j])} and ${nameOf(conditions[i])} exclude each other` }
    }
  }
  return null
}

function contradictionOf(rule: CompiledRule, node: RuleNode, tree: RuleTree): (Contradiction & { ancestor: CompiledRule }) | null {
  for (const { rule: ancestor } of placesAbove(tree, node)) {
    if (rule.identity >= 0 && ancestor.identity >= 0 && ancestor.identity !== rule.identity) {
      const name = fromByteString(ancestor.definition.decodedAs?.name ?? '')
      return { tag: 'decoded_as', reason: `rule ${ancestor.id} above it takes events of decoder "${name}" only`, ancestor }
    }
    for (const condition of rule.conditions) {
      const other = ancestor.conditions.find((above) => exclude(condition, above))
      if (other !== undefined)
        return { tag: condition.option.name, reason: `${nameOf(condition)} and ${nameOf(other)} of rule ${ancestor.id} above it exclude each other`, ancestor }
    }
  }
  return null
}

function nameOf({ option: { name }, field }: Condition): string {
  return field === null ? `<${name}>` : `<${name} name="${fromByteString(field)}">`
}

/** Whether no text can pass both conditions. */
function exclude(a: Condition, b: Condition): boolean {
  if (a.subject !== b.subject || a === b) return false
  if (a.test.kind === 'pattern' && b.test.kind === 'pattern' && a.test.expression === b.test.expression) return a.test.negate !== b.test.negate
  if (a.prefilter === null || b.prefilter === null) return false
  // A pattern that matches nothing by itself is reported as such.
  if (a.prefilter.values.length === 0 || b.prefilter.values.length === 0) return false
  if (a.prefilter.values.length * b.prefilter.values.length > COMPARED_LIMIT) return false
  if (a.prefilter.kind === 'exact') return excludesExact(a.prefilter.values, b.prefilter)
  return b.prefilter.kind === 'exact' && excludesExact(b.prefilter.values, a.prefilter)
}

function excludesExact(texts: readonly string[], { kind, values }: NonNullable<Condition['prefilter']>): boolean {
  return !texts.some((text) => values.some((value) => (kind === 'exact' ? text === value : text.includes(value))))
}

/** Reports a condition that every path to the rule already contains. */
function checkRedundant(reporter: RuleReporter, nodes: readonly RuleNode[]): void {
  const { rule } = reporter
  for (const condition of rule.conditions) {
    const owners = nodes.map((node) => ancestorThat(reporter.tree, node, (above) => above.conditions.includes(condition)))
    const [owner] = owners
    if (owner === undefined || owners.includes(undefined)) continue
    reporter.report(
      'rule_condition_redundant',
      elementOf(reporter, condition),
      { tag: condition.option.name, reason: `rule ${owner.id} above it already tests the same` },
      { related: [placeOf(owner.definition)] },
    )
  }
}

function ancestorThat(tree: RuleTree, node: RuleNode, wanted: (rule: CompiledRule) => boolean): CompiledRule | undefined {
  for (const { rule } of placesAbove(tree, node)) if (wanted(rule)) return rule
  return undefined
}

/** The first element that a condition was written in, or the rule. */
export function elementOf(reporter: RuleReporter, { option, field: dynamic }: Condition): RuleReporter['owner'] {
  const { definition } = reporter.rule
  if (dynamic !== null) return definition.valueOf(field)?.accepted.find(({ name }) => name === dynamic)?.elements[0] ?? reporter.owner
  return definition.places.get(option.name) ?? reporter.owner
}
