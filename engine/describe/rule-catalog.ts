/** Lists a ruleset's rules with their dependencies. Counts are of the loaded ruleset, all layers together. */
import type { RuleCatalogItem } from '../records/records.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { SUBJECT_LIST_USER, SUBJECT_STATIC, SUBJECT_USER } from '../rules/condition.js'
import { isComposite, type RuleDefinition } from '../rules/rule.js'
import { TOP_LEVEL_IDS } from '../rules/tree.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { FileScope } from '../source/source-file.js'

/**
 * Lists every rule in load order. An overwritten rule is listed at its original position, with its current content.
 *
 * - `dependency_count`: rules that this one depends on (`depends_on`): the parents that it names by id, group or level, and the rules whose events it
 *   counts. The template of its category is not a dependency.
 * - `dependent_rule_count`: rules that depend on this one in the same sense.
 * - `field_matcher_count`: conditions on decoded fields, static or dynamic, including list lookups.
 * - `uses_frequency`: whether it counts events (it has `frequency`, or searches history without one).
 * - `uses_correlation`: whether it has any `if_matched_*`, `same_*` or `different_*`.
 * - `source_*`: location of the current definition; `overwrites`: location of the original one.
 *
 * @param scopes list only rules whose definition is of these scopes; the counts still cover the whole ruleset
 */
export function ruleCatalog(ruleset: CompiledRuleset, scopes: ReadonlySet<FileScope> | null = null): RuleCatalogItem[] {
  const { rules } = ruleset
  const loaded = rules.inOrder()
  const originals = rules.originals()
  const byIndex = new Map(loaded.map((rule) => [rule.index, rule]))
  const counted = countedRules(ruleset, byIndex)
  const dependencies = loaded.map((rule) => dependenciesOf(rule, rules.placements(rule.id), byIndex, counted.get(rule.index) ?? []))
  const dependents = new Map<number, number>()
  for (const ids of dependencies) for (const id of ids) dependents.set(id, (dependents.get(id) ?? 0) + 1)
  return loaded.flatMap((rule, at): RuleCatalogItem[] => {
    const { definition } = rule
    const { source } = definition
    if (scopes !== null && !scopes.has(source.scope)) return []
    const original = originals[at]
    return [
      {
        rule_id: String(rule.id),
        level: rule.level,
        description: fromByteString(definition.description ?? ''),
        groups: rule.groups.map(fromByteString),
        decoded_as: definition.decodedAs === null ? null : fromByteString(definition.decodedAs.name),
        source_file: source.filename,
        source_line: definition.span.line,
        source_scope: source.scope,
        // A repeated top-level id adds a rule.
        overwrites: original === definition || rule.id < TOP_LEVEL_IDS ? null : placeOf(original),
        dependency_count: dependencies[at].size,
        depends_on: [...dependencies[at]].sort((a, b) => a - b).map(String),
        dependent_rule_count: dependents.get(rule.id) ?? 0,
        field_matcher_count: fieldMatchers(rule),
        uses_frequency: definition.frequency !== null || rule.search !== null,
        uses_correlation: isComposite(definition) || comparisons(rule) > 0,
        noalert: definition.noalert,
        attack_ids: rule.mitreIds.map(fromByteString),
      },
    ]
  })
}

function placeOf({ source, span }: RuleDefinition): NonNullable<RuleCatalogItem['overwrites']> {
  return { source_file: source.filename, source_line: span.line, source_scope: source.scope }
}

/** For each composite, by index: the rules whose events it counts because of their group. */
export function countedRules({ rules: { wiring } }: CompiledRuleset, byIndex: ReadonlyMap<number, CompiledRule>): ReadonlyMap<number, readonly number[]> {
  const counted = new Map<number, number[]>()
  for (const [index, feeds] of wiring.feeds) {
    const fed = byIndex.get(index)
    if (fed === undefined) continue
    for (const { composite } of feeds) {
      // A composite that was overwritten by a plain rule no longer counts.
      if (byIndex.get(composite)?.search?.kind !== 'group') continue
      const ids = counted.get(composite)
      if (ids === undefined) counted.set(composite, [fed.id])
      else ids.push(fed.id)
    }
  }
  return counted
}

function dependenciesOf(rule: CompiledRule, placements: readonly RuleNode[], byIndex: ReadonlyMap<number, CompiledRule>, counted: readonly number[]): Set<number> {
  const ids = new Set<number>(counted)
  if (namesParents(rule.definition)) for (const { parent } of placements) if (parent !== null) ids.add(parent.rule.id)
  const target = rule.search?.kind === 'rule' ? byIndex.get(rule.search.target) : undefined
  if (target !== undefined) ids.add(target.id)
  ids.delete(rule.id)
  return ids
}

/** Whether the rule names its parents. Otherwise it is placed below the template of its category. */
function namesParents({ ifSid, ifLevel, ifGroup }: RuleDefinition): boolean {
  return (ifSid !== null && ifSid !== '') || ifLevel !== null || ifGroup !== null
}

function fieldMatchers({ conditions, lists }: CompiledRule): number {
  const onFields = conditions.filter(({ subject }) => subject >= SUBJECT_STATIC || subject === SUBJECT_USER || subject === SUBJECT_LIST_USER)
  return onFields.length + lists.length
}

function comparisons({ same, different, sameKeys, differentKeys }: CompiledRule): number {
  return same.length + different.length + sameKeys.length + differentKeys.length
}
