/**
 * What two rulesets have differently, item by item: rules and decoders that only one of them has, options that mean something else, and what follows for the tree of
 * rules (places, order among siblings, events that composites count). Changes of which it is proven that no answer depends on them are marked.
 */
import { longestRise } from '../describe/longest-rise.js'
import { compareSemantics, type ItemComparison } from '../describe/compare-semantics.js'
import { describeSemantics } from '../describe/semantics.js'
import type { DecoderDefinition } from '../event/decoder.js'
import type { CdbList } from '../lists/list.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { RULE_OPTIONS } from '../rules/options/index.js'
import { fromByteString } from '../source/byte-string.js'
import type { RuleDefinition } from '../rules/rule.js'
import type { RuleTree } from '../rules/tree.js'
import { areSameTexts } from '../generate/exclusion.js'
import { isImplied } from './implication.js'
import type { Side } from './side.js'

/** What is different beside the options themselves. */
export const PLACEMENT = 'placement'
export const ORDER = 'order'
export const FEEDS = 'counted_by'
export const LISTS = 'list_entries'
/** The text alone is different, and means the same. */
export const NOTATION = 'notation'

/** Options that no answer depends on: texts and labels of the alert. */
const LABELS: ReadonlySet<string> = new Set(['description', 'info', 'cve', 'mitre', 'options', 'ftscomment', NOTATION])
/** Options that decide only where a rule stands and which composites count it. The trees are compared instead. */
const PLACING: ReadonlySet<string> = new Set(['group', 'if_sid', 'if_group', 'if_level', 'overwrite', 'position'])
/** Keys of a list that are compared: each may need an event. */
const KEYS_LIMIT = 5_000
const TOP = 'top'

/** Whether a change is one of labels, or of what the trees of rules show. */
export function isLabel(change: string): boolean {
  return LABELS.has(change) || PLACING.has(change)
}

export interface ItemName {
  readonly kind: 'rule' | 'decoder'
  /** Id of the rule, name of the decoder. */
  readonly name: string
}

export interface DirectChange extends ItemName {
  readonly how: 'added' | 'removed' | 'changed'
  /** Options, and what else is different; sorted. */
  readonly changes: readonly string[]
  /** Those of them that may change an answer. None: it is proven that the item itself behaves as before. */
  readonly effective: ReadonlySet<string>
}

/** Entries of a list that only one of the rulesets has, or that have another value. */
export interface ChangedList {
  readonly path: string
  readonly keys: readonly string[]
}

export interface DirectChanges {
  readonly items: readonly DirectChange[]
  readonly lists: ReadonlyMap<string, ChangedList>
}

export function findDirectChanges(before: Side, after: Side): DirectChanges {
  const { rules, decoders } = compareSemantics(describeSemantics(before.ruleset, null), describeSemantics(after.ruleset, null))
  const lists = changedLists(before.ruleset.lists, after.ruleset.lists)
  return { items: [...decoderChanges(decoders, before, after), ...ruleChanges(rules, lists, before, after)], lists }
}

function decoderChanges({ added, removed, changed }: ItemComparison, before: Side, after: Side): DirectChange[] {
  const found = new Map<string, DirectChange>()
  const note = (name: string, how: DirectChange['how'], changes: readonly string[], effective: readonly string[]): void => {
    const known = found.get(name)
    // Decoders of one name are one item.
    if (known === undefined) return void found.set(name, { kind: 'decoder', name, how, changes, effective: new Set(effective) })
    const both = { changes: [...new Set([...known.changes, ...changes])].sort(), effective: new Set([...known.effective, ...effective]) }
    found.set(name, { ...known, how: known.how === how ? how : 'changed', ...both })
  }
  for (const { before: old, changes } of changed)
    note(
      old.name,
      'changed',
      changes,
      changes.filter((change) => !LABELS.has(change) && !isSamePattern(change, changes, old.name, before, after)),
    )
  const left = new Set(before.ruleset.decoders.definitions.map(({ name }) => fromByteString(name)))
  const now = new Set(after.ruleset.decoders.definitions.map(({ name }) => fromByteString(name)))
  const [texts, textsNow] = [textsOf(before.ruleset.decoders.definitions), textsOf(after.ruleset.decoders.definitions)]
  for (const [name, text] of textsNow) if (!found.has(name) && texts.has(name) && texts.get(name) !== text) note(name, 'changed', [NOTATION], [])
  for (const { name } of added) note(name, left.has(name) ? 'changed' : 'added', ['added'], ['added'])
  for (const { name } of removed) note(name, now.has(name) ? 'changed' : 'removed', ['removed'], ['removed'])
  return [...found.values()]
}

/** The texts of all decoders of a name, as they are written. */
function textsOf(definitions: readonly DecoderDefinition[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { name, source, element } of definitions) {
    const key = fromByteString(name)
    texts.set(key, (texts.get(key) ?? '') + source.bytes.slice(element.start, element.end))
  }
  return texts
}

/** Whether a prematch or program name accepts the same texts as before. Where another pattern begins behind it, the place at which it ends matters as well. */
function isSamePattern(change: string, changes: readonly string[], name: string, before: Side, after: Side): boolean {
  if (change !== 'program_name' && (change !== 'prematch' || changes.length > 1)) return false
  const patternsOf = ({ ruleset: { decoders } }: Side) =>
    [...decoders.programRoots, ...decoders.plainRoots]
      .flatMap((root) => [root, ...root.children])
      .filter(({ definition }) => fromByteString(definition.name) === name || (definition.parent !== null && fromByteString(definition.parent) === name))
  const [old, now] = [patternsOf(before), patternsOf(after)]
  const isRead = (decoder: (typeof old)[number]): boolean => decoder.definition.regex?.offset !== 'none' && decoder.definition.regex !== null
  if (change === 'prematch' && [...old, ...now].some((decoder) => isRead(decoder) || decoder.definition.plugin !== null || decoder.definition.prematch?.offset === 'after_parent'))
    return false
  if (old.length !== now.length) return false
  return old.every((decoder, at) => {
    const [one, other] = change === 'prematch' ? [decoder.prematch, now[at].prematch] : [decoder.programName, now[at].programName]
    return one === null || other === null ? one === other : areSameTexts(before.bounds, one, other)
  })
}

function ruleChanges({ added, removed, changed }: ItemComparison, lists: ReadonlyMap<string, ChangedList>, before: Side, after: Side): DirectChange[] {
  const found = new Map<number, { how: DirectChange['how']; changes: Set<string>; effective: Set<string> }>()
  const at = (id: number, how: DirectChange['how'] = 'changed') => {
    let entry = found.get(id)
    if (entry === undefined) found.set(id, (entry = { how, changes: new Set(), effective: new Set() }))
    return entry
  }
  const note = (id: number, change: string): void => {
    const entry = at(id)
    entry.changes.add(change)
    entry.effective.add(change)
  }
  for (const { name } of added) at(Number(name), 'added').effective.add('added')
  for (const { name } of removed) at(Number(name), 'removed').effective.add('removed')
  for (const { before: old, changes } of changed) {
    const id = Number(old.name)
    const kept = changes.filter((change) => change !== 'position')
    const own = kept.filter((change) => !LABELS.has(change) && !PLACING.has(change))
    if (kept.length === 0) continue
    const entry = at(id)
    for (const change of kept) entry.changes.add(change)
    const [one, other] = [before.ruleset.rules.find(id), after.ruleset.rules.find(id)]
    const isEqual = own.length > 0 && one !== undefined && other !== undefined && areSameConditions(one, before, other, after, new Set(own))
    if (!isEqual) for (const change of own) entry.effective.add(change)
  }
  const [old, now] = [before.ruleset.rules, after.ruleset.rules]
  const both = old.inOrder().filter(({ id }) => now.find(id) !== undefined)
  for (const { id, definition } of both) {
    const other = now.find(id)?.definition
    if (other !== undefined && other !== definition && !found.has(id) && writtenText(definition) !== writtenText(other)) at(id).changes.add(NOTATION)
  }
  for (const { id } of both) if (parentsOf(old, id) !== parentsOf(now, id)) note(id, PLACEMENT)
  for (const id of movedRules(old, now)) note(id, ORDER)
  const [feeds, feedsNow] = [feedsOf(old), feedsOf(now)]
  for (const { id } of both) if (feeds.get(id) !== feedsNow.get(id)) note(id, FEEDS)
  for (const { id, search } of both) if (searchOf(old, search) !== searchOf(now, now.find(id)?.search ?? null)) note(id, 'search')
  for (const { id, lists: lookups } of now.inOrder()) if (old.find(id) !== undefined && lookups.some(({ path }) => lists.has(path))) note(id, LISTS)
  return [...found].map(([id, { how, changes, effective }]) => ({ kind: 'rule', name: String(id), how, changes: [...changes].sort(), effective }))
}

function writtenText({ source, element }: RuleDefinition): string {
  return source.bytes.slice(element.start, element.end)
}

function parentsOf(tree: RuleTree, id: number): string {
  return tree
    .placements(id)
    .map((node) => tree.parentOf(node)?.rule.id ?? TOP)
    .sort()
    .join()
}

/** Rules of which the order among common siblings is another. */
function movedRules(old: RuleTree, now: RuleTree): Set<number> {
  const moved = new Set<number>()
  const compare = (before: readonly { readonly rule: CompiledRule }[], after: readonly { readonly rule: CompiledRule }[]): void => {
    const places = new Map(before.map(({ rule }, place) => [rule.id, place]))
    const common = after.flatMap(({ rule: { id } }) => (places.has(id) ? [id] : []))
    const stayed = longestRise(common.map((id) => places.get(id) ?? 0))
    common.forEach((id, index) => {
      if (!stayed.has(index)) moved.add(id)
    })
  }
  compare(old.top, now.top)
  for (const { id } of old.inOrder()) {
    const [before] = old.placements(id)
    const [after] = now.placements(id)
    if (before !== undefined && after !== undefined && before !== after) compare(before.children, after.children)
  }
  return moved
}

/** For each rule the composites that count its events. */
function feedsOf(tree: RuleTree): ReadonlyMap<number, string> {
  const rules = tree.inOrder()
  const feeds = new Map<number, string>()
  for (const [index, counted] of tree.wiring.feeds) {
    const rule = rules[index]
    if (rule !== undefined) feeds.set(rule.id, counted.map(({ composite, times }) => `${rules[composite]?.id} ${times}`).join())
  }
  for (const index of tree.wiring.matched) {
    const rule = rules[index]
    if (rule !== undefined) feeds.set(rule.id, 'itself')
  }
  return feeds
}

function searchOf(tree: RuleTree, search: CompiledRule['search']): string {
  if (search === null) return ''
  return search.kind === 'rule' ? `rule ${tree.inOrder()[search.target]?.id}` : search.kind
}

function changedLists(before: ReadonlyMap<string, CdbList>, after: ReadonlyMap<string, CdbList>): ReadonlyMap<string, ChangedList> {
  const found = new Map<string, ChangedList>()
  const none: ReadonlyMap<string, string> = new Map()
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path)?.entries ?? none, after.get(path)?.entries ?? none]
    if (old === now) continue
    const keys: string[] = []
    for (const [key, value] of now) if (old.get(key) !== value && keys.length < KEYS_LIMIT) keys.push(key)
    for (const key of old.keys()) if (!now.has(key) && keys.length < KEYS_LIMIT) keys.push(key)
    if (keys.length > 0) found.set(path, { path, keys })
  }
  return found
}

/** A condition by what it tests: equal for equal conditions of both rulesets. */
export function conditionKey(condition: Condition, rule: CompiledRule, side: Side): string {
  const { subject, test, option } = condition
  const name = side.subjectName(subject)
  if (test.kind === 'pattern') return JSON.stringify([name, test.negate, test.expression.dialect, test.expression.pattern])
  if (test.kind === 'exact') return JSON.stringify([name, test.negate, 'exact', test.text])
  const known = RULE_OPTIONS.find((each) => each.name === option.name)
  return JSON.stringify([name, option.name, known?.meaning(rule.definition) ?? rule.definition.conditions.find(({ kind }) => kind === option)?.value ?? null])
}

/** Conditions that only one of two rules has. */
export function differentConditions(
  one: CompiledRule,
  side: Side,
  other: CompiledRule,
  otherSide: Side,
): { readonly first: readonly Condition[]; readonly second: readonly Condition[] } {
  const keys = new Set(one.conditions.map((condition) => conditionKey(condition, one, side)))
  const others = new Set(other.conditions.map((condition) => conditionKey(condition, other, otherSide)))
  return {
    first: one.conditions.filter((condition) => !others.has(conditionKey(condition, one, side))),
    second: other.conditions.filter((condition) => !keys.has(conditionKey(condition, other, otherSide))),
  }
}

/**
 * Whether two rules provably accept the same events, if nothing but the named options is different. Each pattern of one follows from those of the other on the same
 * text: no text has the latter without the former.
 */
function areSameConditions(one: CompiledRule, side: Side, other: CompiledRule, otherSide: Side, changed: ReadonlySet<string>): boolean {
  const { first, second } = differentConditions(one, side, other, otherSide)
  const explained = new Set([...first, ...second].map(({ option }) => option.name))
  // Another option than these conditions may matter as well.
  if ([...changed].some((name) => !explained.has(name))) return false
  const owned = (rule: CompiledRule, from: Side) => rule.conditions.map((condition) => ({ condition, side: from }))
  return (
    second.every((condition) => isImplied({ condition, side: otherSide }, owned(one, side))) && first.every((condition) => isImplied({ condition, side }, owned(other, otherSide)))
  )
}
