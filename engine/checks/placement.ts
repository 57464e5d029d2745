/** Checks the placement of a rule as far as its own text decides it: parents, categories, containers (BEHAVIOUR.md#rule-placement, #silent-rule-mistakes). */
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { isComposite } from '../rules/rule.js'
import { type RuleTree, TOP_LEVEL_IDS } from '../rules/tree.js'
import { foldCase } from '../source/byte-string.js'
import { trimBytes } from '../source/white-space.js'
import type { CheckContext } from './context.js'
import type { DecoderFacts } from './decoder-facts.js'
import { PLACEMENT_LIMIT, placesAbove } from './decoder-facts.js'
import type { RuleReporter } from '../rules/reporter.js'

/** Maximum number of group names that a diagnostic quotes. */
const GROUPS_QUOTED = 4

const PARENT_TAGS = ['if_sid', 'if_level', 'if_group'] as const
export function checkPlacement(reporter: RuleReporter, facts: DecoderFacts, context: CheckContext): void {
  const { rule, nodes } = reporter
  // An overwriting rule keeps the parents of the overwritten one; the loader reports different ones.
  if (rule.definition.original === null) checkParents(reporter, nodes)
  checkDecoder(reporter, facts, nodes)
  checkConditions(reporter, nodes, context)
}

function checkParents(reporter: RuleReporter, nodes: readonly RuleNode[]): void {
  const { definition, id } = reporter.rule
  const { places } = definition
  const written = PARENT_TAGS.filter((tag) => places.has(tag))
  if (written.length > 1) reporter.at('rule_several_parent_kinds', written[1], { tag: written[0], other: written[1] })
  const parent = written[0] ?? ['if_matched_sid', 'if_matched_group'].find((tag) => places.has(tag))
  if (definition.category !== null && parent !== undefined && id >= TOP_LEVEL_IDS) reporter.at('rule_category_ignored', 'category', { tag: parent })
  if (written[0] === 'if_level' && nodes.length > 0) reporter.at('rule_if_level_matches_everything', 'if_level', { count: nodes.length })
  if (written[0] === 'if_group') checkGroupWords(reporter, nodes)
}

/** `if_group` matches its text anywhere. A word that only occurs inside other words was probably meant to be a whole group. */
function checkGroupWords(reporter: RuleReporter, nodes: readonly RuleNode[]): void {
  if (nodes.length > PLACEMENT_LIMIT) return
  const parents = new Set(nodes.map((node) => reporter.tree.parentOf(node)?.rule))
  for (const word of foldCase(reporter.rule.definition.ifGroup ?? '').split('|')) {
    if (word === '' || word.startsWith('^') || word.includes(',')) continue
    const found = new Set<string>()
    let whole = false
    for (const parent of parents) {
      for (const group of parent?.groups ?? []) {
        const folded = foldCase(group)
        if (trimBytes(folded) === word) whole = true
        else if (folded.includes(word)) found.add(group)
      }
    }
    // `web` for `web_scan` and `web_attack` is a common use of prefixes.
    if (whole || found.size === 0 || [...found].some((group) => foldCase(group).startsWith(word) && /[^a-z0-9]/.test(group.charAt(word.length)))) continue
    reporter.at('rule_if_group_accidental_substring', 'if_group', { value: word, found: [...found].slice(0, GROUPS_QUOTED).join(', ') })
  }
}

function checkDecoder(reporter: RuleReporter, facts: DecoderFacts, nodes: readonly RuleNode[]): void {
  const { rule } = reporter
  const named = rule.definition.decodedAs
  if (named === null) return
  if (!facts.isReported(rule.identity)) {
    reporter.report('rule_decoded_as_child_decoder', named.element, { value: named.name })
    return
  }
  if (facts.isBuiltIn(rule.identity) || nodes.length === 0 || nodes.length > PLACEMENT_LIMIT) return
  const { types } = facts.of(rule.identity)
  const categories = new Set(nodes.map((node) => categoryOf(reporter.tree, node)))
  if ([...categories].some((category) => category === null || types.has(category))) return
  reporter.report('rule_category_decoder_mismatch', named.element, { decoder: named.name, found: [...types].join(', '), category: [...categories].join(', ') })
}

/** The category of the rule's top-level ancestor; null when it is too far up. */
function categoryOf(tree: RuleTree, node: RuleNode): string | null {
  let at = node
  for (const above of placesAbove(tree, node)) at = above
  return tree.parentOf(at) === null ? at.rule.category : null
}

/** Reports a rule that has no conditions, or none that matter. */
function checkConditions(reporter: RuleReporter, nodes: readonly RuleNode[], { placesKnown, awaitedParents }: CheckContext): void {
  const { rule } = reporter
  if (rule.id < TOP_LEVEL_IDS || nodes.length === 0 || rule.definition.unsure.size > 0) return
  const childless = nodes.every((node) => node.children.length === 0)
  const parents = nodes.map((node) => reporter.tree.parentOf(node))
  const top = parents.every((parent) => parent !== null && reporter.tree.parentOf(parent) === null)
  const free = hasNoCondition(rule)
  if (top && free && rule.level > 0 && !rule.definition.noalert && rule.definition.category === null) {
    reporter.at('rule_no_condition', null, {})
    return
  }
  if (!placesKnown || !childless || [String(rule.id), ...rule.groups].some((name) => awaitedParents.has(name))) return
  if (rule.definition.noalert) {
    reporter.at('rule_container_without_children', null, {})
    return
  }
  if (rule.level === 0 && silencesNothing(reporter.tree, parents)) {
    reporter.at('rule_level_zero_leaf', null, {})
    return
  }
  if (top && !free && rule.level > 0 && rule.identity < 0 && isDetached(rule)) reporter.at('rule_orphan', null, {})
}

function hasNoCondition(rule: CompiledRule): boolean {
  const { definition } = rule
  return rule.conditions.length === 0 && rule.identity < 0 && rule.lists.length === 0 && !isComposite(definition) && !definition.ifFts && !definition.checkDiff
}

/** Whether the rule names no parent and has no condition that ties it to one program. */
function isDetached({ definition }: CompiledRule): boolean {
  if (PARENT_TAGS.some((tag) => definition.places.has(tag)) || isComposite(definition) || definition.original !== null) return false
  return definition.category === null && !['program_name', 'hostname', 'location'].some((tag) => definition.places.has(tag))
}

/** Whether the event would cause no alert without the rule, and no sibling would match it. */
function silencesNothing(tree: RuleTree, parents: readonly (RuleNode | null)[]): boolean {
  if (parents.length > PLACEMENT_LIMIT) return false
  return parents.every((parent) => {
    if (parent === null || parent.rule.level > 0) return false
    return parent.children.length === 1 && (tree.parentOf(parent) !== null || parent.rule.id >= TOP_LEVEL_IDS)
  })
}
