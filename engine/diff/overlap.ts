/** Whether two rules can match one event. */
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { RuleTree } from '../rules/tree.js'
import { areDisjointTests } from './implication.js'
import type { Side } from './side.js'

/** Places of a rule whose siblings are looked at: below `if_group` it may have thousands. */
export const PLACES_LIMIT = 64

/** Whether it is proven that no event matches both: they want other decoders, or texts that exclude each other. Both rules are of the ruleset. */
export function areDisjoint({ bounds }: Side, one: CompiledRule, other: CompiledRule): boolean {
  if (one.identity >= 0 && other.identity >= 0 && one.identity !== other.identity) return true
  for (const subject of new Set(one.conditions.map(({ subject }) => subject))) {
    const [first, second] = [one, other].map(({ conditions }) => conditions.filter((condition) => condition.subject === subject))
    if (areDisjointTests(bounds, first, second)) return true
  }
  return false
}

/** What is tried for the events that a placement leaves: the siblings behind it, and those behind each rule above it that alerts for none of its own. */
export function* behind(tree: RuleTree, placement: RuleNode): Generator<RuleNode> {
  for (let node: RuleNode | null = placement; node !== null; ) {
    const parent: RuleNode | null = tree.parentOf(node)
    const siblings = parent?.children ?? tree.top
    for (let at = siblings.indexOf(node) + 1; at < siblings.length; at++) if (siblings[at].rule.category === node.rule.category) yield siblings[at]
    node = parent?.rule.definition.noalert === true ? parent : null
  }
}

/** The rules that are tried for the events that a rule leaves, in any of its places. */
export function rulesBehind(side: Side, id: number): CompiledRule[] {
  const { rules } = side.ruleset
  const found = new Map<number, CompiledRule>()
  for (const placement of rules.placements(id).slice(0, PLACES_LIMIT))
    for (const { rule } of behind(rules, placement)) if (rule.id !== id) found.set(rule.id, found.get(rule.id) ?? rule)
  return [...found.values()]
}
