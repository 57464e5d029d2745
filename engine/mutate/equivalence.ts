/**
 * Proofs that a mutant answers every event as the original does: it is compiled to the same, each of its conditions follows from those of the original and the other way
 * round, no event reaches the rule, or what was changed decides nothing. Null is no proof of the opposite.
 */
import { prematchOffset, readsBehind } from '../decoders/reads-behind.js'
import { isImplied, type OwnedCondition } from '../diff/implication.js'
import type { Side } from '../diff/side.js'
import type { DecoderDefinition } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { CannotFireProver } from '../generate/cannot-fire.js'
import { areSameTexts } from '../generate/exclusion.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { changedDecoder } from './changed-decoder.js'
import type { Mutant, MutatedItem } from './mutant.js'

/** Places of a rule for which its conditions are compared with those above it. */
const PLACES_LIMIT = 16

/** Why a mutant is equivalent. */
export type Proof = 'same_compiled' | 'same_events' | 'never_matches' | 'decides_nothing'

export function proveEquivalent(item: MutatedItem, mutant: Mutant, original: Side, changed: Side): Proof | null {
  return item.kind === 'rule' ? proveRule(item.rule, mutant, original, changed) : proveDecoder(item.definition, original, changed)
}

function proveRule(rule: CompiledRule, { operator }: Mutant, original: Side, changed: Side): Proof | null {
  const other = changed.ruleset.rules.find(rule.id)
  const isPlaced = operator === 'parent' || operator === 'drop_overwrite'
  if (other !== undefined && operator !== 'delete' && !isPlaced) {
    const hasSameRest = restOf(rule, original) === restOf(other, changed)
    if (hasSameRest && areSame(rule.conditions, other.conditions)) return 'same_compiled'
    if (hasSameRest && hasSameEvents(rule, original, other, changed)) return 'same_events'
    // A rule that never answers has a level that nobody sees, if its place is the same.
    if (operator === 'level' && rule.definition.noalert && hasSamePlaces(rule.id, original, changed)) return 'decides_nothing'
  }
  return [original, changed].every((side) => neverMatches(side, rule.id)) ? 'never_matches' : null
}

/** All that decides what a rule does, beside its conditions and its place. */
function restOf(rule: CompiledRule, side: Side): string {
  const { definition, lists, search, level, rank, identity, same, different, sameKeys, differentKeys } = rule
  const { frequency, timeframe, ignore, noalert, ifFts, checkDiff, globalFrequency, options, groups } = definition
  const names = side.ruleset.fieldNames.names()
  const target = search?.kind === 'rule' ? side.ruleset.rules.inOrder()[search.target]?.id : search?.kind === 'memory' ? search.expression?.pattern : null
  return JSON.stringify([
    lists.map(({ path, subject, lookup, check }) => [path, side.subjectName(subject), lookup, check?.pattern]),
    [search?.kind, target, level, rank, identity, frequency, timeframe, ignore, noalert, ifFts, checkDiff, globalFrequency, [...options], groups],
    [same, different, [sameKeys, differentKeys].map((keys) => keys.map((key) => names[key]))],
  ])
}

function areSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each))
}

/** Whether the conditions of each of the two follow from those of the other, and of the rules above them, in all places. */
function hasSameEvents(rule: CompiledRule, original: Side, other: CompiledRule, changed: Side): boolean {
  const owned = (each: CompiledRule, side: Side): OwnedCondition[] => each.conditions.map((condition) => ({ condition, side }))
  const placements = original.ruleset.rules.placements(rule.id)
  if (placements.length === 0 || placements.length > PLACES_LIMIT) return false
  return placements.every((node) => {
    const above = original
      .pathTo(node)
      .slice(0, -1)
      .flatMap((each) => owned(each, original))
    const [before, after] = [owned(rule, original), owned(other, changed)]
    const follow = (wanted: readonly OwnedCondition[], given: readonly OwnedCondition[]): boolean =>
      wanted.every(({ condition, side }) => given.some((known) => known.condition === condition) || isImplied({ condition, side }, given))
    return follow(after, [...before, ...above]) && follow(before, [...after, ...above])
  })
}

function hasSamePlaces(id: number, original: Side, changed: Side): boolean {
  const neighbours = ({ ruleset: { rules } }: Side): string =>
    rules
      .placements(id)
      .map((node) => (rules.parentOf(node)?.children ?? rules.top).map(({ rule }) => rule.id).join())
      .join(';')
  return neighbours(original) === neighbours(changed)
}

/** Whether it is proven that no event matches a rule that has none below it. */
function neverMatches({ ruleset }: Side, id: number): boolean {
  const rule = ruleset.rules.find(id)
  if (rule === undefined) return true
  return !rule.definition.noalert && ruleset.rules.placements(id).every(({ children }) => children.length === 0) && new CannotFireProver(ruleset).prove(rule) !== null
}

function proveDecoder(definition: DecoderDefinition, original: Side, changed: Side): Proof | null {
  const { before, after } = changedDecoder(definition, original.ruleset, changed.ruleset)
  if (before === undefined || after === undefined) return null
  const orders = [before, after].map(({ order, plugin, ftsKeys }) => JSON.stringify([order?.map(({ name, staticIndex }) => [staticIndex, name.toLowerCase()]), plugin, ftsKeys]))
  if (orders[0] !== orders[1] || before.regexOffset !== after.regexOffset || before.regex !== after.regex) return null
  if (before.programName === after.programName && before.prematch === after.prematch && prematchOffset(before) === prematchOffset(after)) return 'same_compiled'
  // Where a prematch ends decides what is read behind it, and its groups may become fields.
  const isPlain =
    !readsBehind(before) && prematchOffset(before) === prematchOffset(after) && [before.prematch, after.prematch].every((pattern) => pattern?.pattern.includes('(') !== true)
  const areAlike = (one: Expression | null, other: Expression | null): boolean => one === other || (one !== null && other !== null && areSameTexts(original.bounds, one, other))
  return isPlain && prematchOffset(before) === 'none' && areAlike(before.prematch, after.prematch) && areAlike(before.programName, after.programName) ? 'same_events' : null
}
