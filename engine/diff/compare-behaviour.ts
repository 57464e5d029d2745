/**
 * What two rulesets do differently: for each rule and decoder that a change touches an event that shows the difference, a proof that there is none, or the word that none was
 * found. Invariants:
 *  1. every event that is shown was run on both rulesets, in a fresh session, and the shown answers are those of these runs
 *  2. `proven` is said only where no answer can depend on what is different: labels of alerts, patterns that accept the same texts by an exhausted search
 *  3. each item has a limited number of runs and compositions, and the whole the time of its caller; what was not searched for is said to be unknown
 *  4. the same rulesets have the same answers, unless the time ends
 */
import { CannotFireProver } from '../generate/cannot-fire.js'
import { findText } from '../generate/find-text.js'
import { fieldName } from '../generate/goal.js'
import { plansOf } from '../generate/decode-plan.js'
import { PatternCache, patternsOf } from '../generate/text-tests.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { wordsIn } from '../expressions/pattern-nodes.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { isComposite } from '../rules/rule.js'
import { time } from '../rules/options/time.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import { composeDecoded, composeEvents, type SearchBudget, type Wishes, witnessOf } from './compose.js'
import { type DirectChange, differentConditions, findDirectChanges, isLabel, type ItemName, LISTS } from './direct-changes.js'
import { HEADER, nearAddresses, nearSequences, nearTexts, otherTimes } from './near-events.js'
import { siblingsBehind } from './overlap.js'
import { shrinkEvents } from './shrink.js'
import { type BehaviourAnswer, type BehaviourEvent, type Observation, Side } from './side.js'
import { findTouched, keyOf, type Link, type Touched } from './touched.js'

/** Runs of sequences for one item that was changed, and for one that is touched through another. */
const RUNS_OF_CHANGED = 3_000
const RUNS_OF_TOUCHED = 250
/** Events that are composed for an item: each is a search of a limited number of steps. */
const COMPOSITIONS_OF_CHANGED = 60
const COMPOSITIONS_OF_TOUCHED = 10
/** Trials for a smaller witness. */
const SHRINK_TRIALS = 250
/** Places of a rule for which events are composed. */
const PLACES_TRIED = 3
/** Siblings for which an event is composed that a changed rule matches too. */
const SIBLINGS_TRIED = 12
/** Keys of a changed list that are tried. */
const KEYS_TRIED = 12
/** Addresses at the edges of networks that are tried. */
const ADDRESSES_TRIED = 24
/** Words of compared patterns that are put into events. */
const WORDS_LIMIT = 24
/** Events of a sequence that is made of one event. */
const EVENTS_LIMIT = 60
/** Rules that are named because they read a field that is gone. */
const READERS_SHOWN = 20
/** Ends of a log that showed a change. */
const ENDS_TRIED = 3
/** Events whose neighbours are tried. */
const SEEDS_TRIED = 6

export type BehaviourResult = 'equal' | 'differs' | 'unknown'
/**
 * Why an item is equal or unknown: only labels are different, the same texts are accepted, it matches nothing, for instance because rules before it take all of its events, no event
 * differed, none differed in what it is touched through, no event reached it, the time was over.
 */
export type BehaviourReason = 'labels' | 'same_texts' | 'never_matches' | 'searched' | 'not_passed_on' | 'not_reached' | 'deadline'

/** A step from a change to an item: the item that is touched, and how. */
export interface BehaviourCause extends ItemName {
  readonly link: Link
}

export interface BehaviourDifference {
  readonly events: readonly BehaviourEvent[]
  /** Of the last event; null: no rule answers. Where neither ruleset has one, both have their decoder and fields. */
  readonly old: BehaviourAnswer | null
  readonly new: BehaviourAnswer | null
  /** Whether the last event alerts, before and after. */
  readonly alert: { readonly old: boolean; readonly new: boolean }
  /** Fields of the last event that only the old ruleset sets. */
  readonly lostFields: readonly LostField[]
}

export interface LostField {
  readonly name: string
  /** A field that only the new ruleset sets, with the same value; null: there is none. */
  readonly renamed: string | null
  /** Ids of rules of the new ruleset that read the field that is gone. */
  readonly readers: readonly string[]
}

export interface BehaviourItem extends ItemName {
  readonly result: BehaviourResult
  readonly proven: boolean
  /** Null where the item differs: its witness is the reason. */
  readonly reason: BehaviourReason | null
  readonly how: DirectChange['how'] | 'touched'
  /** Options that were changed. */
  readonly changes: readonly string[]
  /** From the change to the item; only the item itself where it was changed. */
  readonly cause: readonly BehaviourCause[]
  readonly difference: BehaviourDifference | null
}

export interface BehaviourComparison {
  readonly items: readonly BehaviourItem[]
  /** Items that are touched through others beyond the limit. */
  readonly more: number
  /** Whether there was time for all. */
  readonly complete: boolean
  /** Sequences that were run on both rulesets. */
  readonly runs: number
}

export interface CompareOptions {
  /** Whether there is time for another search. */
  readonly mayGoOn: () => boolean
  /** Sequences that are run beside those that are made, such as the cases of a project. */
  readonly seeds?: readonly (readonly BehaviourEvent[])[]
  readonly onProgress?: (done: number, total: number) => void
  /** The items whose answers are wanted: they are searched for, and what touches them. Absent: all. */
  readonly isWanted?: (item: ItemName) => boolean
}

export function compareBehaviour(before: CompiledRuleset, after: CompiledRuleset, options: CompareOptions): BehaviourComparison {
  return new Comparison(before, after, options).run()
}

/** A sequence whose last event shows a difference. */
interface Found {
  readonly events: readonly BehaviourEvent[]
  readonly size: number
}

class Comparison {
  readonly #old: Side
  readonly #new: Side
  readonly #options: CompareOptions
  readonly #provers: readonly CannotFireProver[]
  /** The best sequence for each item, by its key. */
  readonly #found = new Map<string, Found>()
  /** Sides on which some event reached the item: 1, 2 or both. */
  readonly #reached = new Map<string, number>()
  /** Items beside the touched ones whose part in an answer is another. */
  readonly #observed = new Map<string, Touched>()
  readonly #proven = new Set<string>()
  /** Keys of the touched items. */
  readonly #items = new Set<string>()
  #runs = 0
  /** Runs that are left for the current item. */
  #left = 0
  #current: Touched | null = null
  readonly #tried = new Set<string>()

  constructor(before: CompiledRuleset, after: CompiledRuleset, options: CompareOptions) {
    const cache = new PatternCache()
    this.#old = new Side(before, cache)
    this.#new = new Side(after, cache)
    this.#options = options
    this.#provers = [before, after].map((ruleset) => new CannotFireProver(ruleset))
  }

  run(): BehaviourComparison {
    const direct = findDirectChanges(this.#old, this.#new)
    const { items: touched, more, again } = findTouched(direct, this.#old, this.#new)
    const items = this.#wanted(touched)
    for (const item of items) this.#items.add(keyOf(item))
    // Another decoder may lead any event to any rule.
    const hasDecoders = touched.some(({ kind, change }) => kind === 'decoder' && change !== null && change.effective.size > 0)
    if (again !== null && !hasDecoders) for (const item of items) if (item.change?.effective.size === 0 && !again.has(keyOf(item))) this.#proven.add(keyOf(item))
    for (const events of this.#options.seeds ?? []) {
      if (!this.#options.mayGoOn()) break
      this.#left = 1
      this.#try(events)
    }
    const unsearched = new Set<string>()
    let done = 0
    for (const item of items) {
      if (!this.#options.mayGoOn()) unsearched.add(keyOf(item))
      else if (!this.#proven.has(keyOf(item)) && !this.#found.has(keyOf(item)) && this.#isPassedOn(item)) {
        if (item.change === null && this.#neverMatches(item)) this.#proven.add(keyOf(item))
        else this.#search(item, direct.lists)
        if (!this.#options.mayGoOn()) unsearched.add(keyOf(item))
      }
      this.#options.onProgress?.(++done, items.length)
    }
    const all = [...items, ...[...this.#observed.values()].filter((item) => this.#found.has(keyOf(item)))]
    return { items: all.map((item) => this.#describe(item, unsearched)), more, complete: unsearched.size === 0, runs: this.#runs }
  }

  /** The wanted items, each with those through which it is touched. */
  #wanted(items: readonly Touched[]): readonly Touched[] {
    const { isWanted } = this.#options
    if (isWanted === undefined) return items
    const kept = new Set<Touched>()
    for (const item of items) if (isWanted(item)) for (let at: Touched | null = item; at !== null && !kept.has(at); at = at.from) kept.add(at)
    return items.filter((item) => kept.has(item))
  }

  /** Whether what an item is touched through showed a difference: only then can there be one in the item. A change itself may hide what it passes on. */
  #isPassedOn({ from }: Touched): boolean {
    return from === null || from.change !== null || this.#found.has(keyOf(from))
  }

  // What is tried

  /** Runs a sequence on both rulesets, and notes each item whose part in an answer is another. Returns whether the current item has a witness. */
  #try(events: readonly BehaviourEvent[]): boolean {
    const key = events.map(({ event, advance, location }) => `${advance ?? ''} ${location ?? ''} ${event}`).join('\n')
    if (this.#left <= 0 || this.#tried.has(key)) return this.#isDone()
    this.#tried.add(key)
    this.#left--
    this.#runs++
    const [old, now] = [this.#old.run(events), this.#new.run(events)]
    for (let at = 0; at < events.length; at++) this.#note(events, at, old[at], now[at])
    return this.#isDone()
  }

  #isDone(): boolean {
    return this.#current !== null && this.#found.has(keyOf(this.#current))
  }

  #note(events: readonly BehaviourEvent[], at: number, old: Observation, now: Observation): void {
    const differs = isDifferent(old, now)
    const size = (at + 1) * 10_000 + events[at].event.length
    for (const id of new Set([...old.path, ...now.path])) {
      const item: ItemName = { kind: 'rule', name: String(id) }
      this.#reach(item, (old.path.has(id) ? 1 : 0) | (now.path.has(id) ? 2 : 0))
      if (differs && hasOtherPart(item, old, now)) this.#offer(item, events, at, size, old, now)
    }
    for (const name of new Set([...old.decoders, ...now.decoders])) {
      const item: ItemName = { kind: 'decoder', name }
      this.#reach(item, (old.decoders.has(name) ? 1 : 0) | (now.decoders.has(name) ? 2 : 0))
      if (differs && hasOtherPart(item, old, now)) this.#offer(item, events, at, size, old, now)
    }
  }

  #reach(item: ItemName, sides: number): void {
    const key = keyOf(item)
    this.#reached.set(key, (this.#reached.get(key) ?? 0) | sides)
  }

  #offer(item: ItemName, events: readonly BehaviourEvent[], at: number, size: number, old: Observation, now: Observation): void {
    const key = keyOf(item)
    if (this.#proven.has(key)) return
    if (!this.#items.has(key)) {
      // Only what answers is an item of its own.
      const answers = item.kind === 'rule' ? Number(item.name) === old.rule || Number(item.name) === now.rule : false
      if (!answers) return
      if (!this.#observed.has(key)) this.#observed.set(key, { ...item, change: null, from: this.#current, link: 'observed' })
    }
    const known = this.#found.get(key)
    if (known === undefined || size < known.size) this.#found.set(key, { events: events.slice(0, at + 1), size })
  }

  // The search for one item

  #search(item: Touched, lists: ReadonlyMap<string, { readonly keys: readonly string[] }>): void {
    const isChanged = item.change !== null
    this.#current = item
    this.#left = isChanged ? RUNS_OF_CHANGED : RUNS_OF_TOUCHED
    const budget: SearchBudget = { compositions: isChanged ? COMPOSITIONS_OF_CHANGED : COMPOSITIONS_OF_TOUCHED, mayGoOn: this.#options.mayGoOn }
    const seeds: (readonly BehaviourEvent[])[] = []
    const candidates = item.kind === 'rule' ? this.#candidatesOfRule(item, budget, lists, seeds) : this.#candidatesOfDecoder(item, budget, seeds)
    for (const events of candidates) {
      if (this.#try(events) || this.#left <= 0 || !this.#options.mayGoOn()) break
    }
    this.#current = null
  }

  *#candidatesOfRule(
    item: Touched,
    budget: SearchBudget,
    lists: ReadonlyMap<string, { readonly keys: readonly string[] }>,
    seeds: (readonly BehaviourEvent[])[],
  ): Generator<readonly BehaviourEvent[]> {
    const id = Number(item.name)
    const [old, now] = [this.#old.ruleset.rules.find(id), this.#new.ruleset.rules.find(id)]
    const sides = [
      { side: this.#old, rule: old, other: this.#new, counterpart: now },
      { side: this.#new, rule: now, other: this.#old, counterpart: old },
    ]
    const seed = (events: readonly BehaviourEvent[]): readonly BehaviourEvent[] => {
      seeds.push(events)
      return events
    }
    const origin = originOf(item)
    // What competes with the item comes before events of its own, which it has on both sides.
    if (item.link === 'sibling' && origin.kind === 'rule') yield* this.#contested(id, Number(origin.name), budget)
    if (item.link === 'counts' && item.from !== null) {
      for (const events of this.#repeated(item.from, now ?? old)) yield seed(events)
      // What else a composite counts takes long to find, and a difference begins with what is counted.
      if (item.from.change === null && item.from.link !== 'below') return yield* this.#aroundSeeds(seeds, [], item)
    }
    for (const { side, rule } of sides) {
      if (rule === undefined) continue
      const witness = witnessOf(side, rule, item.change !== null, budget.mayGoOn)
      if (witness !== null) yield seed(witness)
    }
    for (const { side, rule, other, counterpart } of sides) {
      if (rule === undefined) continue
      for (const path of pathsOf(side, id)) {
        for (const event of limited(composeEvents(side, path, {}, budget), 2)) yield seed([event])
        for (const wishes of this.#partings(path, side, other, counterpart)) for (const event of limited(composeEvents(side, path, wishes, budget), 3)) yield seed([event])
        for (const wishes of addressWishes(rule, counterpart)) for (const event of limited(composeEvents(side, path, wishes, budget), 1)) yield seed([event])
        if (item.change?.effective.has(LISTS) === true) {
          for (const wishes of keyWishes(rule, lists)) for (const event of limited(composeEvents(side, path, wishes, budget), 1)) yield seed([event])
        }
      }
    }
    if (item.change !== null) for (const { side } of sides) for (const sibling of siblingsBehind(side, id).slice(0, SIBLINGS_TRIED)) yield* this.#contested(sibling.id, id, budget)
    const rules = [old, now].flatMap((rule) => (rule === undefined ? [] : [rule]))
    yield* this.#aroundSeeds(seeds, rules, item)
  }

  /** The event that showed a difference in what a composite counts, as often as the composite asks for it. */
  *#repeated(counted: Touched, composite: CompiledRule | undefined): Generator<readonly BehaviourEvent[]> {
    const event = this.#found.get(keyOf(counted))?.events.at(-1)
    const count = Math.min((composite?.definition.frequency ?? 2) + 1, EVENTS_LIMIT)
    if (event !== undefined) yield Array.from({ length: count }, () => event)
  }

  /** Events of one rule that another matches too. */
  *#contested(id: number, rival: number, budget: SearchBudget): Generator<readonly BehaviourEvent[]> {
    for (const [side, other] of [
      [this.#old, this.#new],
      [this.#new, this.#old],
    ]) {
      for (const owner of [side, other]) {
        const rule = owner.ruleset.rules.find(rival)
        if (rule === undefined) continue
        const must = rule.conditions.flatMap((condition) => side.translate(condition, owner) ?? [])
        for (const path of pathsOf(side, id).slice(0, 1)) for (const event of limited(composeEvents(side, path, { must }, budget), 2)) yield [event]
      }
    }
  }

  /** What an event should have or lack, so that a rule on the path matches on one side only. */
  #partings(path: readonly CompiledRule[], side: Side, other: Side, counterpart: CompiledRule | undefined): Wishes[] {
    const wishes: Wishes[] = []
    for (const rule of path) {
      const match = rule === path[path.length - 1] ? counterpart : other.ruleset.rules.find(rule.id)
      if (match === undefined || match.definition === rule.definition) continue
      for (const condition of differentConditions(rule, side, match, other).second) {
        const own = side.translate(condition, other)
        if (own !== null) wishes.push({ mustNot: [own] })
      }
    }
    return wishes
  }

  *#candidatesOfDecoder(item: Touched, budget: SearchBudget, seeds: (readonly BehaviourEvent[])[]): Generator<readonly BehaviourEvent[]> {
    const bytes = toByteString(item.name)
    const [old, now] = [this.#old, this.#new].map((side) =>
      plansOf(side.ruleset.decoders).filter(({ root, entry, members }) => [root, entry, ...members].some((one) => one?.definition.name === bytes)),
    )
    for (const [side, plans, others] of [
      [this.#old, old, now],
      [this.#new, now, old],
    ] as const) {
      for (const plan of plans.slice(0, PLACES_TRIED)) {
        for (const event of limited(composeDecoded(side, plan, [], budget), 3)) {
          seeds.push([event])
          yield [event]
        }
        const patterns = new Set(others.flatMap(({ root, entry, members }) => [root, entry, ...members]).flatMap((one) => patternsOfDecoder(one, bytes)))
        for (const pattern of [...patterns].slice(0, PLACES_TRIED))
          for (const event of limited(composeDecoded(side, plan, [pattern], budget), 2)) {
            seeds.push([event])
            yield [event]
          }
      }
    }
    const readers = [this.#old, this.#new].flatMap((side) =>
      side.ruleset.rules
        .inOrder()
        .filter(({ definition }) => definition.decodedAs?.name === bytes)
        .slice(0, PLACES_TRIED)
        .map((rule) => ({ side, rule })),
    )
    for (const { side, rule } of readers) {
      const witness = witnessOf(side, rule, item.change !== null, budget.mayGoOn)
      if (witness === null) continue
      seeds.push(witness)
      yield witness
    }
    yield* this.#aroundSeeds(seeds, [], item)
  }

  /** What differs a little from events that reach the item. */
  *#aroundSeeds(seeds: readonly (readonly BehaviourEvent[])[], rules: readonly CompiledRule[], item: Touched): Generator<readonly BehaviourEvent[]> {
    const isChanged = item.change !== null
    const tried = seeds.slice(0, isChanged ? SEEDS_TRIED : 1)
    const timeframes = [...new Set(rules.filter(({ definition }) => isComposite(definition)).map(({ definition }) => definition.timeframe))]
    const isTimed = rules.some(({ conditions }) => conditions.some(({ test }) => test.kind === 'event'))
    const minutes = rules.flatMap(({ definition }) => minutesIn(JSON.stringify(definition.valueOf(time) ?? '')))
    if (isTimed) for (const events of tried) yield* otherTimes(events, minutes)
    const values = (events: readonly BehaviourEvent[]): string[] => [this.#old, this.#new].flatMap((side) => Object.values(side.run(events).at(-1)?.answer.fields ?? {}))
    for (const events of tried) {
      if (isChanged || events.length > 1) yield* nearSequences(events, [...new Set(values(events))], timeframes)
    }
    const words = [...this.#wordsOfOrigin(item), ...this.#wordsOf(rules)]
    for (const events of tried) {
      const last = events[events.length - 1]
      for (const event of nearTexts(last.event, words)) yield [...events.slice(0, -1), { ...last, event }]
    }
  }

  /** What a change that touches the item was found by: its log, and the ends of it. */
  #wordsOfOrigin(item: Touched): string[] {
    const log =
      this.#found
        .get(keyOf(originOf(item)))
        ?.events.at(-1)
        ?.event.replace(HEADER, '') ?? ''
    if (item.change !== null || log === '') return []
    const tokens = log.split(' ')
    return Array.from({ length: Math.min(ENDS_TRIED, tokens.length) }, (_, at) => tokens.slice(at).join(' '))
  }

  /** Texts that the patterns of rules look for. */
  #wordsOf(rules: readonly CompiledRule[]): string[] {
    const words = new Set<string>()
    const add = (expression: Expression): void => {
      const { wanted, unwanted } = patternsOf(this.#old.cache, expression, false)
      const found = findText(wanted, unwanted, this.#old.cache.budget)
      if (found !== null && found !== '') words.add(fromByteString(found))
      // Alternatives are texts in one dialect, and words in the others.
      const texts = expression.dialect === 'osmatch' ? expression.pattern.split('|').map((text) => text.replace(/^[!^]+|\$$/g, '')) : wordsIn(expression.pattern)
      for (const text of texts) if (text !== '') words.add(fromByteString(text))
    }
    for (const { conditions } of rules)
      for (const { test } of conditions) {
        if (words.size >= WORDS_LIMIT) break
        if (test.kind === 'pattern') add(test.expression)
        else if (test.kind === 'exact') words.add(fromByteString(test.text))
      }
    return [...words].slice(0, WORDS_LIMIT)
  }

  // What is said

  #describe(item: Touched, unsearched: ReadonlySet<string>): BehaviourItem {
    const { kind, name, change } = item
    const key = keyOf(item)
    const about = { kind, name, how: change?.how ?? 'touched', changes: change?.changes ?? [], cause: causeOf(item) } as const
    const found = this.#found.get(key)
    if (found !== undefined) return { ...about, result: 'differs', proven: true, reason: null, difference: this.#witness(item, found.events) }
    if (this.#proven.has(key)) {
      const reason = change === null ? 'never_matches' : change.changes.every(isLabel) ? 'labels' : 'same_texts'
      return { ...about, result: 'equal', proven: true, reason, difference: null }
    }
    const wanted = this.#sidesOf(item)
    const isReached = wanted !== 0 && ((this.#reached.get(key) ?? 0) & wanted) === wanted
    if (!isReached && change !== null && this.#neverMatches(item)) return { ...about, result: 'equal', proven: true, reason: 'never_matches', difference: null }
    if (unsearched.has(key)) return { ...about, result: 'unknown', proven: false, reason: 'deadline', difference: null }
    if (!this.#isPassedOn(item) && item.from !== null) {
      const { result } = this.#describe(item.from, unsearched)
      return { ...about, result, proven: false, reason: 'not_passed_on', difference: null }
    }
    return { ...about, result: isReached ? 'equal' : 'unknown', proven: false, reason: isReached ? 'searched' : 'not_reached', difference: null }
  }

  /** Whether a rule is proven to match no event on either side. A rule with others below it may match and not answer. */
  #neverMatches({ kind, name }: ItemName): boolean {
    if (kind !== 'rule') return false
    const id = Number(name)
    return [this.#old, this.#new].every((side, at) => {
      const { rules } = side.ruleset
      const rule = rules.find(id)
      if (rule === undefined) return true
      return !rule.definition.noalert && rules.placements(id).every(({ children }) => children.length === 0) && this.#provers[at].prove(rule) !== null
    })
  }

  /** Sides that have the item: 1, 2 or both. */
  #sidesOf({ kind, name }: ItemName): number {
    const has = ({ ruleset }: Side): boolean =>
      kind === 'rule' ? ruleset.rules.find(Number(name)) !== undefined : ruleset.decoders.definitions.some((definition) => definition.name === toByteString(name))
    return (has(this.#old) ? 1 : 0) | (has(this.#new) ? 2 : 0)
  }

  /** The smallest events that show the same, and the answers of their last run. */
  #witness(item: ItemName, events: readonly BehaviourEvent[]): BehaviourDifference {
    const lastOf = (sequence: readonly BehaviourEvent[]): readonly [Observation, Observation] => [
      this.#old.run(sequence)[sequence.length - 1],
      this.#new.run(sequence)[sequence.length - 1],
    ]
    const [first, second] = lastOf(events)
    const isSame = (smaller: readonly BehaviourEvent[]): boolean => {
      const [old, now] = lastOf(smaller)
      return (
        isDifferent(old, now) &&
        hasOtherPart(item, old, now) &&
        old.rule === first.rule &&
        now.rule === second.rule &&
        old.answer.decoder === first.answer.decoder &&
        now.answer.decoder === second.answer.decoder
      )
    }
    const small = this.#options.mayGoOn() ? shrinkEvents(events, isSame, { trials: SHRINK_TRIALS, characters: false }) : events
    const [old, now] = lastOf(small)
    const isDecoding = old.rule === null && now.rule === null
    return {
      events: small,
      old: old.rule === null && !isDecoding ? null : old.answer,
      new: now.rule === null && !isDecoding ? null : now.answer,
      alert: { old: old.alert, new: now.alert },
      lostFields: this.#lostFields(old.answer, now.answer),
    }
  }

  #lostFields({ fields: old, decoder }: BehaviourAnswer, { fields: now, decoder: decoderNow }: BehaviourAnswer): LostField[] {
    // Another decoder sets other fields.
    if (decoder !== decoderNow) return []
    const arrived = Object.keys(now).filter((name) => !Object.hasOwn(old, name))
    return Object.keys(old)
      .filter((name) => !Object.hasOwn(now, name))
      .map((name) => ({ name, renamed: arrived.find((other) => now[other] === old[name]) ?? null, readers: this.#readersOf(name) }))
  }

  /** Rules of the new ruleset that read a field. */
  #readersOf(name: string): string[] {
    const found: string[] = []
    for (const { id, conditions, lists } of this.#new.ruleset.rules.inOrder()) {
      if (![...conditions, ...lists].some(({ subject }) => this.#new.fieldOf(subject) === foldCase(toByteString(name)))) continue
      if (found.push(String(id)) >= READERS_SHOWN) break
    }
    return found
  }
}

function isDifferent(old: Observation, now: Observation): boolean {
  return old.key !== now.key || old.alert !== now.alert
}

/** Whether an item has another part in two answers that differ. */
function hasOtherPart({ kind, name }: ItemName, old: Observation, now: Observation): boolean {
  if (kind === 'decoder') return old.decoders.has(name) !== now.decoders.has(name) || (old.decoders.has(name) && isOtherwiseDecoded(old, now))
  const id = Number(name)
  return old.path.has(id) !== now.path.has(id) || (old.rule === id) !== (now.rule === id) || old.rule === id
}

function isOtherwiseDecoded({ answer: old }: Observation, { answer: now }: Observation): boolean {
  const names = new Set([...Object.keys(old.fields), ...Object.keys(now.fields)])
  return old.decoder !== now.decoder || [...names].some((name) => old.fields[name] !== now.fields[name])
}

function originOf(item: Touched): Touched {
  let origin = item
  while (origin.from !== null) origin = origin.from
  return origin
}

function causeOf(item: Touched): BehaviourCause[] {
  const chain: BehaviourCause[] = []
  for (let at: Touched | null = item; at !== null; at = at.from) chain.unshift({ kind: at.kind, name: at.name, link: at.link })
  return chain
}

function pathsOf(side: Side, id: number): CompiledRule[][] {
  return side.ruleset.rules
    .placements(id)
    .slice(0, PLACES_TRIED)
    .map((node) => side.pathTo(node))
}

function* limited<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    yield item
    if (--left <= 0) return
  }
}

/** Values of fields that are keys of changed lists. */
function keyWishes({ lists }: CompiledRule, changed: ReadonlyMap<string, { readonly keys: readonly string[] }>): Wishes[] {
  return lists.flatMap(({ path, subject, field, lookup }) =>
    (changed.get(path)?.keys ?? []).slice(0, KEYS_TRIED).map((key): Wishes => {
      // A key that ends in a dot is the beginning of addresses.
      const value = lookup.includes('address') && key.endsWith('.') ? key + ['7', '7', '7'].slice(key.split('.').length - 2).join('.') : key
      return { pins: [{ subject, name: fieldName(subject) || field, value }] }
    }),
  )
}

/** Addresses at the edges of networks that only one of two rules names. */
function addressWishes(rule: CompiledRule, counterpart: CompiledRule | undefined): Wishes[] {
  const wishes: Wishes[] = []
  for (const { subject, test, option } of rule.conditions) {
    if (test.kind !== 'text') continue
    const [own, others] = [rule, counterpart].map((each) => each?.definition.places.get(option.name)?.content ?? '')
    if (own === others) continue
    for (const value of nearAddresses(`${own} ${others}`).slice(0, ADDRESSES_TRIED)) wishes.push({ pins: [{ subject, name: fieldName(subject), value }] })
  }
  return wishes
}

function patternsOfDecoder(decoder: CompiledDecoder | null, name: string): Expression[] {
  if (decoder === null || decoder.definition.name !== name) return []
  return [decoder.prematch, decoder.regex].flatMap((pattern) => (pattern === null ? [] : [pattern]))
}

/** Times of day in a range, in minutes. */
function minutesIn(range: string): number[] {
  return [...range.matchAll(/(\d\d):(\d\d)/g)].map(([, hours, minutes]) => Number(hours) * 60 + Number(minutes))
}
