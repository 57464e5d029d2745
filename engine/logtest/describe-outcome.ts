/** Converts results of the engine to plain data in Unicode. */
import type { CompiledDecoder } from '../event/decoder.js'
import type { DecoderTree } from '../decoders/link.js'
import type { Event } from '../event/event.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { expandDescription } from '../match/describe-rule.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import { FREQUENCY_MINIMUM } from '../rules/attributes.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleTree } from '../rules/tree.js'
import { fromByteString } from '../source/byte-string.js'
import type { DecoderRecord, FinalRuleRecord, MatchedRuleRecord, PredecodedRecord } from '../records/records.js'
import type { DetectedFormat } from './detect-format.js'

/** Describes the header that was cut off. @param message the received event */
export function describePredecoding(event: Event, message: string, format: DetectedFormat): PredecodedRecord {
  return {
    timestamp: textOrNull(event.timestamp),
    hostname: textOrNull(event.hostname),
    program_name: textOrNull(event.programName),
    location: fromByteString(event.location),
    raw_message: message,
    detected_format: format,
  }
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : fromByteString(text)
}

/** @param tree the tree of the decoder; its family defines which `order` words may be set */
export function describeDecoder(decoder: CompiledDecoder | null, tree: DecoderTree): DecoderRecord | null {
  if (decoder === null) return null
  let known = DECODER_FACTS.get(tree)
  if (known === undefined) DECODER_FACTS.set(tree, (known = new WeakMap()))
  let facts = known.get(decoder)
  if (facts === undefined) {
    const { definition } = decoder
    const words = decodersThatRan(decoder, tree).flatMap(({ definition: { order } }) => (order ?? []).map(({ name }) => fromByteString(name)))
    facts = { name: fromByteString(decoder.name), parent: definition.parent === null ? null : fromByteString(definition.parent), order: [...new Set(words)] }
    known.set(decoder, facts)
  }
  return facts
}

/** Decoders are immutable, so the description of one is constant in one tree; a layer may add to its family. */
const DECODER_FACTS = new WeakMap<DecoderTree, WeakMap<CompiledDecoder, DecoderRecord>>()

/**
 * Returns the decoders that ran when this one was reported, from the tree: for a reported child, it and its family; for a root, its first child without
 * prematch and that child's family; for a root without children, itself (BEHAVIOUR.md#choice-of-decoders).
 */
export function decodersThatRan(reported: CompiledDecoder, tree: DecoderTree): readonly CompiledDecoder[] {
  const { parent } = reported.definition
  if (parent === null) {
    const { children } = reported
    return children.length === 0 ? [reported] : familyFrom(children, firstUnconditional(children))
  }
  for (const root of [...tree.programRoots, ...tree.plainRoots]) {
    const at = root.definition.name === parent ? root.children.indexOf(reported) : -1
    if (at >= 0) return familyFrom(root.children, at)
  }
  return [reported]
}

/** Returns the position of the child that is entered if every earlier prematch fails; a family is skipped if its first prematch fails. */
function firstUnconditional(children: readonly CompiledDecoder[]): number {
  for (let i = 0; i < children.length; i++) {
    if (children[i].prematch === null) return i
    while (i < children.length && children[i].continues) i++
  }
  return children.length
}

function familyFrom(children: readonly CompiledDecoder[], entry: number): readonly CompiledDecoder[] {
  let end = entry
  while (end < children.length && children[end].continues) end++
  return children.slice(entry, end + 1)
}

/** A static field hides a dynamic one of the same name; the first of equal dynamic names is used. Empty values are kept. */
export function describeFields({ statics, names, values }: Event): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let i = 0; i < statics.length; i++) {
    const value = statics[i]
    if (value !== undefined) fields[STATIC_FIELDS[i]] = fromByteString(value)
  }
  for (let i = 0; i < names.length; i++) {
    const name = fromByteString(names[i])
    if (Object.hasOwn(fields, name)) continue
    const value = fromByteString(values[i])
    // A field may have the name `__proto__`.
    if (name === '__proto__') Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
    else fields[name] = value
  }
  return fields
}

/** The description of a rule that does not depend on the event. */
type RuleFacts = Omit<MatchedRuleRecord, 'matched' | 'level' | 'description'>

interface KnownRule {
  readonly facts: RuleFacts
  /** The record if it is the same for every event. */
  readonly record: MatchedRuleRecord | null
}

/** Rules are immutable, and a placed rule has no further parents. */
const RULE_FACTS = new WeakMap<CompiledRule, KnownRule>()

/** What a report says about a rule for every event. */
export function describeRule(rule: CompiledRule, tree: RuleTree): RuleFacts {
  return factsOf(rule, tree).facts
}

function factsOf(rule: CompiledRule, tree: RuleTree): KnownRule {
  const known = RULE_FACTS.get(rule)
  if (known !== undefined) return known
  const parents = new Set(tree.placements(rule.id).flatMap(({ parent }) => (parent === null ? [] : [String(parent.rule.id)])))
  const facts: RuleFacts = {
    id: String(rule.id),
    groups: rule.groups.map(fromByteString),
    attack_ids: rule.mitreIds.map(fromByteString),
    parent_ids: [...parents],
    filename: rule.definition.source.filename,
    line: rule.definition.span.line,
  }
  const description = rule.fixedDescription
  const found: KnownRule = { facts, record: description === null ? null : matchedRule(rule, facts, fromByteString(description)) }
  RULE_FACTS.set(rule, found)
  return found
}

function matchedRule({ level }: CompiledRule, { id, groups, attack_ids, parent_ids, filename, line }: RuleFacts, description: string): MatchedRuleRecord {
  return { id, matched: true, level, description, groups, attack_ids, parent_ids, filename, line }
}

/** The final rule with its expanded description. The event must be the runner's current one. */
export function describeFinalRule({ rule, description, firedTimes }: Outcome, { ruleset }: EventRunner): FinalRuleRecord | null {
  if (rule === null) return null
  const { id, groups, attack_ids, parent_ids, filename, line } = factsOf(rule, ruleset.rules).facts
  const { firedtimes, frequency } = describeCounts(rule, firedTimes)
  return { id, matched: true, level: rule.level, description: fromByteString(description), groups, attack_ids, parent_ids, filename, line, firedtimes, frequency }
}

/** Returns the fields that only the final rule of an event has. */
export function describeCounts({ wired, definition }: CompiledRule, firedTimes: number): Pick<FinalRuleRecord, 'firedtimes' | 'frequency'> {
  return {
    firedtimes: definition.options.has('no_counter') ? null : firedTimes,
    // Also if check_diff disables the search.
    frequency: wired === null ? null : Math.max(definition.frequency ?? FREQUENCY_MINIMUM, FREQUENCY_MINIMUM),
  }
}

/** The rules that matched, in evaluation order. */
export function matchedRules({ rule, path }: Outcome): readonly CompiledRule[] {
  // An imported alert names its rule, and no rule is tried.
  return path.length === 0 && rule !== null ? [rule] : path
}

/** The rules that matched, with their expanded descriptions. The event must be the runner's current one. */
export function describePath(outcome: Outcome, { ruleset, evaluator }: EventRunner): readonly MatchedRuleRecord[] {
  return matchedRules(outcome).map((matched) => {
    const { facts, record } = factsOf(matched, ruleset.rules)
    return record ?? matchedRule(matched, facts, fromByteString(expandDescription(matched, evaluator)))
  })
}
