/**
 * What two rulesets do differently: for each rule and decoder that a change touches an event that shows the difference, a proof that there is none, or the word that none was
 * found. Invariants:
 *  1. every event that is shown was run on both rulesets, in a fresh session, and the shown answers are those of these runs
 *  2. `proven` is said only where no answer can depend on what is different: labels of alerts, patterns that accept the same texts by an exhausted search
 *  3. each item has a limited number of runs and compositions, and the whole the time of its caller; what was not searched for is said to be unknown
 *  4. the same rulesets have the same answers, unless the time ends
 */
import { CannotFireProver } from '../generate/cannot-fire.js'
import { PatternCache } from '../generate/text-tests.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, toByteString } from '../source/byte-string.js'
import { affectedRules } from './affected.js'
import type { BehaviourCause, BehaviourComparison, BehaviourDifference, BehaviourItem, BehaviourReason, LostField } from './behaviour.js'
import { Candidates, type ChangedLists } from './candidates.js'
import { EFFECTS, effectOf } from './differences.js'
import { findDirectChanges, isLabel, type ItemName } from './direct-changes.js'
import { shrinkEvents } from './shrink.js'
import { type BehaviourAnswer, type BehaviourEvent, type Observation, Side } from './side.js'
import { findTouched, isEffective, keyOf, type Touched } from './touched.js'

/** Runs of sequences for one item that was changed, and for one that is touched through another. */
const RUNS_OF_CHANGED = 3_000
const RUNS_OF_TOUCHED = 250
/** Events that are composed for an item: each is a search of a limited number of steps. */
const COMPOSITIONS_OF_CHANGED = 60
const COMPOSITIONS_OF_TOUCHED = 10
/** Runs and compositions for further kinds of differences in an item that was changed and has a witness. */
const RUNS_FOR_MORE = 150
const COMPOSITIONS_FOR_MORE = 12
/** Differences of other kinds that are shown of an item. */
const MORE_SHOWN = 3
/** Trials for a smaller witness. */
const SHRINK_TRIALS = 250
const SHRINK_TRIALS_OF_MORE = 100
/** Rules that are named because they read a field that is gone. */
const READERS_SHOWN = 20

export interface CompareOptions {
  /** Whether there is time for another search. */
  readonly mayGoOn: () => boolean
  /** Sequences that are run beside those that are made, such as the cases of a project. */
  readonly seeds?: readonly (readonly BehaviourEvent[])[]
  readonly onProgress?: (done: number, total: number) => void
  /** The items whose answers are wanted: they are searched for, and what touches them. Absent: all. */
  readonly isWanted?: (item: ItemName) => boolean
}

/** Compares what two rulesets do with events, and returns a result for each rule and decoder that is changed or affected by a change. */
export function compareBehaviour(before: CompiledRuleset, after: CompiledRuleset, options: CompareOptions): BehaviourComparison {
  const steps = behaviourSteps(before, after, options)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does the same as `compareBehaviour`, but pauses after each sequence that is tried, so that the caller can do other work or stop. */
export function behaviourSteps(before: CompiledRuleset, after: CompiledRuleset, options: CompareOptions): Generator<void, BehaviourComparison, void> {
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
  readonly #candidates: Candidates
  readonly #provers: readonly CannotFireProver[]
  /** The best sequence for each item, by its key. */
  readonly #found = new Map<string, Found>()
  /** The first sequence of each kind of difference in an item that was changed, by its key. */
  readonly #kinds = new Map<string, Map<string, Found>>()
  /** Whether the current item has a witness already, which is kept. */
  #seeksMore = false
  /** Sides on which some event reached the item: 1, 2 or both. */
  readonly #reached = new Map<string, number>()
  /** Items beside the touched ones whose part in an answer is another. */
  readonly #observed = new Map<string, Touched>()
  /** Why an item is proven to be equal, by its key. */
  readonly #proven = new Map<string, BehaviourReason>()
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
    this.#candidates = new Candidates(this.#old, this.#new, this.#found)
    this.#provers = [before, after].map((ruleset) => new CannotFireProver(ruleset))
  }

  *run(): Generator<void, BehaviourComparison, void> {
    const direct = findDirectChanges(this.#old, this.#new)
    const { items: touched, more } = findTouched(direct, this.#old, this.#new)
    const items = this.#wanted(touched)
    for (const item of items) this.#items.add(keyOf(item))
    // Another decoder may lead any event to any rule.
    const hasDecoders = touched.some(({ kind, change }) => kind === 'decoder' && change !== null && change.effective.size > 0)
    const affected = hasDecoders ? null : affectedRules(direct.items, this.#old, this.#new)
    if (affected !== null)
      for (const item of items) {
        const { kind, name, change } = item
        if (change?.effective.size === 0 && !(kind === 'rule' && affected.has(Number(name)))) this.#proven.set(keyOf(item), change.changes.every(isLabel) ? 'labels' : 'same_texts')
      }
    for (const events of this.#options.seeds ?? []) {
      if (!this.#options.mayGoOn()) break
      this.#left = 1
      this.#try(events)
      yield
    }
    const unsearched = new Set<string>()
    let done = 0
    for (const item of items) {
      if (!this.#options.mayGoOn()) unsearched.add(keyOf(item))
      else if (!this.#proven.has(keyOf(item)) && (!this.#found.has(keyOf(item)) || isEffective(item)) && this.#isPassedOn(item)) {
        if (!isEffective(item) && this.#neverMatches(item)) this.#proven.set(keyOf(item), 'never_matches')
        else yield* this.#search(item, direct.lists)
        if (!this.#options.mayGoOn()) unsearched.add(keyOf(item))
      }
      this.#options.onProgress?.(++done, items.length)
      yield
    }
    const all = [...items, ...[...this.#observed.values()].filter((item) => this.#found.has(keyOf(item)))]
    const described: BehaviourItem[] = []
    for (const item of all) {
      described.push(this.#describe(item, unsearched))
      yield
    }
    return { items: described, more, complete: unsearched.size === 0, runs: this.#runs }
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
    return from === null || isEffective(from) || this.#found.has(keyOf(from))
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
    if (this.#current === null || !this.#found.has(keyOf(this.#current))) return false
    if (this.#seeksMore) return this.#hasBothWays(this.#current)
    return true
  }

  /** Whether an item is known to lose events and to gain some. One that is new or gone can do one of these. */
  #hasBothWays({ kind, name, change }: Touched): boolean {
    if (kind !== 'rule' || change?.how !== 'changed') return true
    const kinds = [...(this.#kinds.get(keyOf({ kind, name }))?.keys() ?? [])]
    return WAYS.every((way) => kinds.some((one) => one.startsWith(way)))
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
    const found = { events: events.slice(0, at + 1), size }
    const known = this.#found.get(key)
    if (known === undefined || (size < known.size && !this.#seeksMore)) this.#found.set(key, found)
    const kinds = this.#kinds.get(key)
    const kind = kindOf(item, old, now)
    if (kinds === undefined) this.#kinds.set(key, new Map([[kind, found]]))
    else if (size < (kinds.get(kind)?.size ?? Number.POSITIVE_INFINITY)) kinds.set(kind, found)
  }

  // The search for one item

  *#search(item: Touched, lists: ChangedLists): Generator<void, void, void> {
    const isChanged = isEffective(item)
    this.#current = item
    this.#left = isChanged ? RUNS_OF_CHANGED : RUNS_OF_TOUCHED
    const budget = { compositions: isChanged ? COMPOSITIONS_OF_CHANGED : COMPOSITIONS_OF_TOUCHED, mayGoOn: this.#options.mayGoOn }
    const seekMore = (): void => {
      this.#seeksMore = true
      this.#left = Math.min(this.#left, RUNS_FOR_MORE)
      budget.compositions = Math.min(budget.compositions, COMPOSITIONS_FOR_MORE)
    }
    if (this.#found.has(keyOf(item))) seekMore()
    if (!this.#isDone())
      for (const events of this.#candidates.of(item, budget, lists)) {
        const isDone = this.#try(events)
        if (isDone && isChanged && !this.#seeksMore) seekMore()
        else if (isDone) break
        if (this.#left <= 0 || !this.#options.mayGoOn()) break
        yield
      }
    this.#current = null
    this.#seeksMore = false
  }

  // What is said

  #describe(item: Touched, unsearched: ReadonlySet<string>): BehaviourItem {
    const { kind, name, change } = item
    const key = keyOf(item)
    const about = { kind, name, how: change?.how ?? 'touched', changes: change?.changes ?? [], cause: causeOf(item) } as const
    const found = this.#found.get(key)
    if (found !== undefined) {
      const difference = this.#witness(item, found.events, SHRINK_TRIALS)
      return { ...about, result: 'differs', proven: true, reason: null, difference, more: this.#more(item, found) }
    }
    const reason = this.#proven.get(key)
    if (reason !== undefined) return { ...about, result: 'equal', proven: true, reason, difference: null, more: [] }
    const wanted = this.#sidesOf(item)
    const isReached = wanted !== 0 && ((this.#reached.get(key) ?? 0) & wanted) === wanted
    // A proof takes time, too: beside the composites that count a rule, those that count them.
    if (!isReached && change !== null && this.#options.mayGoOn() && this.#neverMatches(item))
      return { ...about, result: 'equal', proven: true, reason: 'never_matches', difference: null, more: [] }
    if (unsearched.has(key)) return { ...about, result: 'unknown', proven: false, reason: 'deadline', difference: null, more: [] }
    if (!this.#isPassedOn(item) && item.from !== null) {
      const { result } = this.#describe(item.from, unsearched)
      return { ...about, result, proven: false, reason: 'not_passed_on', difference: null, more: [] }
    }
    return { ...about, result: isReached ? 'equal' : 'unknown', proven: false, reason: isReached ? 'searched' : 'not_reached', difference: null, more: [] }
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

  /** Differences of other kinds than that of the witness. */
  #more(item: Touched, { events }: Found): BehaviourDifference[] {
    if (!isEffective(item)) return []
    const last = events.length - 1
    const shown = kindOf(item, this.#old.run(events)[last], this.#new.run(events)[last])
    const others = [...(this.#kinds.get(keyOf(item)) ?? [])].filter(([kind]) => kind !== shown)
    return others
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MORE_SHOWN)
      .map(([, found]) => this.#witness(item, found.events, SHRINK_TRIALS_OF_MORE))
  }

  /** The smallest events that show the same, and the answers of their last run. */
  #witness(item: ItemName, events: readonly BehaviourEvent[], trials: number): BehaviourDifference {
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
    const small = this.#options.mayGoOn() ? shrinkEvents(events, isSame, { trials, characters: false }) : events
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

export function isDifferent(old: Observation, now: Observation): boolean {
  return old.key !== now.key || old.alert !== now.alert
}

/** Whether an item has another part in two answers that differ. */
export function hasOtherPart({ kind, name }: ItemName, old: Observation, now: Observation): boolean {
  if (kind === 'decoder') return old.decoders.has(name) !== now.decoders.has(name) || (old.decoders.has(name) && isOtherwiseDecoded(old, now))
  const id = Number(name)
  return old.path.has(id) !== now.path.has(id) || (old.rule === id) !== (now.rule === id) || old.rule === id
}

/** What a rule may do with events: lose and gain them. */
const WAYS = ['loses', 'gains'] as const

/** The kind of a difference in an item: which way an event goes, and what happens to its alert. */
function kindOf({ kind, name }: ItemName, old: Observation, now: Observation): string {
  const [had, has] = kind === 'rule' ? [old.rule, now.rule].map((rule) => rule === Number(name)) : [old, now].map(({ decoders }) => decoders.has(name))
  const way = had === has ? 'keeps' : had ? WAYS[0] : WAYS[1]
  const effect = effectOf({ old: old.answer, new: now.answer, alert: { old: old.alert, new: now.alert } })
  return `${way} ${EFFECTS.indexOf(effect)}`
}

function isOtherwiseDecoded({ answer: old }: Observation, { answer: now }: Observation): boolean {
  const names = new Set([...Object.keys(old.fields), ...Object.keys(now.fields)])
  return old.decoder !== now.decoder || [...names].some((name) => old.fields[name] !== now.fields[name])
}

function causeOf(item: Touched): BehaviourCause[] {
  const chain: BehaviourCause[] = []
  for (let at: Touched | null = item; at !== null; at = at.from) chain.unshift({ kind: at.kind, name: at.name, link: at.link })
  return chain
}
