/** Lists of all rules and decoders with what depends on what. Counts are of the loaded ruleset, all layers together. */
import type { CompiledDecoder, DecoderDefinition } from '../decoders/decoder.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { DecoderCatalogItem, RuleCatalogItem } from '../logtest/contract.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { SUBJECT_LIST_USER, SUBJECT_STATIC, SUBJECT_USER } from '../rules/condition.js'
import { isComposite } from '../rules/rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'

/**
 * Every rule in load order; an overwritten one in its original place, as it is now.
 *
 * - `dependency_count`: other rules that this one hangs on: its parents in the tree and the rule whose events it counts. Standing under the
 *   template of a category is no dependency.
 * - `dependent_rule_count`: rules that hang on this one, in the same sense.
 * - `field_matcher_count`: conditions on decoded fields, static or dynamic; list look-ups count.
 * - `uses_frequency`: it counts events (it has `frequency`, or searches history without one).
 * - `uses_correlation`: it has any `if_matched_*`, `same_*` or `different_*`.
 */
export function ruleCatalog(ruleset: CompiledRuleset): RuleCatalogItem[] {
  const { rules } = ruleset
  const loaded = rules
    .inOrder()
    .map(({ id }) => rules.find(id))
    .filter((rule) => rule !== undefined)
  const byIndex = new Map(loaded.map((rule) => [rule.index, rule]))
  const dependencies = new Map(loaded.map((rule) => [rule.id, dependenciesOf(rule, rules.placements(rule.id), byIndex)]))
  const dependents = new Map<number, number>()
  for (const ids of dependencies.values()) for (const id of ids) dependents.set(id, (dependents.get(id) ?? 0) + 1)
  return loaded.map((rule): RuleCatalogItem => {
    const { definition } = rule
    return {
      rule_id: String(rule.id),
      level: rule.level,
      description: fromByteString(definition.description ?? ''),
      groups: rule.groups.map(fromByteString),
      decoded_as: definition.decodedAs === null ? null : fromByteString(definition.decodedAs.name),
      source_file: definition.source.filename,
      source_line: definition.span.line,
      dependency_count: dependencies.get(rule.id)?.size ?? 0,
      dependent_rule_count: dependents.get(rule.id) ?? 0,
      field_matcher_count: fieldMatchers(rule),
      uses_frequency: definition.frequency !== null || rule.search !== null,
      uses_correlation: isComposite(definition) || comparisons(rule) > 0,
      noalert: definition.noalert,
      attack_ids: rule.mitreIds.map(fromByteString),
    }
  })
}

function dependenciesOf(rule: CompiledRule, placements: readonly RuleNode[], byIndex: ReadonlyMap<number, CompiledRule>): Set<number> {
  const ids = new Set<number>()
  for (const { parent } of placements) if (parent !== null && parent.parent !== null) ids.add(parent.rule.id)
  // A top-level rule counts where it is asked for by number.
  const written = new Set((rule.definition.ifSid ?? '').split(/[ ,]+/).map(Number))
  for (const { parent } of placements) if (parent !== null && written.has(parent.rule.id)) ids.add(parent.rule.id)
  const counted = rule.search?.kind === 'rule' ? byIndex.get(rule.search.target) : undefined
  if (counted !== undefined) ids.add(counted.id)
  ids.delete(rule.id)
  return ids
}

function fieldMatchers({ conditions, lists }: CompiledRule): number {
  const onFields = conditions.filter(({ subject }) => subject >= SUBJECT_STATIC || subject === SUBJECT_USER || subject === SUBJECT_LIST_USER)
  return onFields.length + lists.length
}

function comparisons({ same, different, sameKeys, differentKeys }: CompiledRule): number {
  return same.length + different.length + sameKeys.length + differentKeys.length
}

/**
 * Every decoder in load order, under its name as written.
 *
 * - `child_count`: decoders that it tries when it was chosen; 0 for children.
 * - `referenced_rule_count`: rules that ask for the name it answers with (`decoded_as`); children without `use_own_name` answer with their
 *   parent's.
 * - `reachable_from_rule`: one of these rules also stands in the tree of the decoder's type; elsewhere it never sees the decoder's events.
 * - `chain_depth`: steps from the root: 0 for roots, 1 for children.
 */
export function decoderCatalog(ruleset: CompiledRuleset): DecoderCatalogItem[] {
  const { decoders, rules, identities } = ruleset
  const compiled = new Map<DecoderDefinition, CompiledDecoder>()
  for (const root of [...decoders.programRoots, ...decoders.plainRoots]) {
    compiled.set(root.definition, root)
    for (const child of root.children) compiled.set(child.definition, child)
  }
  const references = new Map<number, number>()
  for (const { id } of rules.inOrder()) {
    const identity = rules.find(id)?.identity ?? -1
    if (identity >= 0) references.set(identity, (references.get(identity) ?? 0) + 1)
  }
  const reachable = identitiesByCategory(rules.top)
  return decoders.definitions.map((definition): DecoderCatalogItem => {
    const { name, parent, source, span, order, regex, fts, type, useOwnName } = definition
    const identity = identities.find(parent === null || useOwnName ? name : parent)
    return {
      name: fromByteString(name),
      parent: parent === null ? null : fromByteString(parent),
      source_file: source.filename,
      source_line: span.line,
      order: (order ?? []).map((word) => fromByteString(word.name)),
      child_count: parent === null ? (compiled.get(definition)?.children.length ?? 0) : 0,
      referenced_rule_count: references.get(identity) ?? 0,
      reachable_from_rule: reachable.get(type)?.has(identity) ?? false,
      has_regex: regex !== null,
      chain_depth: parent === null ? 0 : 1,
      fts_fields: fts === null ? [] : ftsFields(fts),
    }
  })
}

function ftsFields({ statics, location, name, dynamic }: NonNullable<DecoderDefinition['fts']>): string[] {
  return [...statics.map((index) => STATIC_FIELDS[index]), ...(location ? ['location'] : []), ...(name ? ['name'] : []), ...dynamic.map(fromByteString)]
}

/** For each category: the decoder numbers that some rule in its tree asks for. */
function identitiesByCategory(top: readonly RuleNode[]): Map<string, Set<number>> {
  const byCategory = new Map<string, Set<number>>()
  for (const node of top) {
    const found = byCategory.get(node.rule.category) ?? new Set<number>()
    byCategory.set(node.rule.category, found)
    const open: RuleNode[] = [node]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.rule.identity >= 0) found.add(next.rule.identity)
      open.push(...next.children)
    }
  }
  return byCategory
}
