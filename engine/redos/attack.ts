/**
 * The worst that an event can do to a PCRE2 pattern in Wazuh, which has two limits to choose from. Below ten million calls from one position PCRE2 goes on: the
 * event stalls the thread. Above them it returns an error, which Wazuh takes for no match: the rule is blind to the event. Each finding has been run and counted;
 * the length at which it comes true follows from the growth that was measured.
 */
import { assemble } from '../expressions/pcre2/assemble.js'
import { type Pattern, someNode } from '../expressions/pcre2/ast.js'
import type { Budget } from './budget.js'
import { CallCounter, type CountedSearch } from './call-counter.js'
import { positionsOf } from './positions.js'
import { findPumps, type Pump } from './pumps.js'

/** Calls from one start position after which PCRE2 gives up (BEHAVIOUR.md#pcre2). */
export const MATCH_LIMIT = 10_000_000
/** The longest event that Wazuh takes. */
export const EVENT_BYTES = 65_536
/** A call takes PCRE2's interpreter about this long: 11 to 16 ns in `pcre2test` 10.42, measured on 2026-11-29. */
export const CALL_NS = 12
/** An event that takes less is no attack. */
const STALL_MS = 500

/** For one pattern that somebody asks about: about a second. */
const ONE_PATTERN = 50_000_000

/** Calls that are counted for one text while a suffix is chosen, and while growth is measured. */
const CHOOSING_CALLS = 4000
const MEASURING_CALLS = 400_000
/** Where each copy multiplies the calls, fewer show it. */
const MULTIPLIED_CALLS = 50_000
/** Copies of a text in the measurements. */
const CHOOSING_COPIES = 8
const EXPONENTIAL_COPIES: readonly number[] = [2, 4, 6, 8, 10, 12, 14]
const POLYNOMIAL_COPIES: readonly number[] = [8, 16, 32, 64, 128, 256, 512]
/** Logarithm of the factor by which a copy multiplies the calls, at least: 1.2. */
const LEAST_GROWTH = 0.18

/** Calls that are counted to confirm an event, how often, and how much longer the next one is. */
const CONFIRMING_CALLS = 2 * MATCH_LIMIT
const CONFIRMATIONS = 3
const LONGER = 1.05

/** What may follow so that no way leads to a match, besides nothing. */
const SUFFIXES: readonly string[] = ['', '!', '~', ' ', '0', 'A', '"', '\n', '\n\n', '\x01']

/** Texts are byte strings: some bytes before, one that is repeated, and some behind. */
export interface Attack extends Pick<Pump, 'prefix' | 'pump'> {
  /** What makes every way fail, as a byte string. */
  readonly suffix: string
  /** Degree by which the calls from one start position grow with the copies; null: each copy multiplies them. */
  readonly degree: number | null
  /** The shortest event that PCRE2 gives up on. Null: no event is long enough. */
  readonly blind: { readonly copies: number; readonly bytes: number } | null
  /** The event that takes longest. */
  readonly stall: { readonly copies: number; readonly bytes: number; readonly ms: number }
}

/** Returns the first attack found that blinds the rule, else the one that takes longest; null when the bounded search finds none. */
export function findAttack(pattern: Pattern): Attack | null {
  const search = searchIn(pattern, false, { left: ONE_PATTERN })
  if (search === null) return null
  let worst: Attack | null = null
  for (const pump of search.pumps) {
    const measured = search.measure(pump)
    const attack = measured === null ? null : search.confirmed(measured)
    if (attack === null) continue
    if (attack.blind !== null) return attack
    if (worst === null || attack.stall.ms > worst.stall.ms) worst = attack
  }
  return worst
}

/** Returns an attack whose calls are multiplied with each copy, so that a short event is enough; null where there is none, or where the budget ends. */
export function findRunaway(pattern: Pattern, budget: Budget): Attack | null {
  if (!someNode(pattern.root, ({ kind }) => kind === 'repeat')) return null
  const search = searchIn(pattern, true, budget)
  if (search === null) return null
  for (const pump of search.pumps) {
    const attack = search.measure(pump)
    if (attack !== null) return attack
  }
  return null
}

/** The event of an attack, as a byte string. */
export function attackText({ prefix, pump, suffix }: Pick<Attack, 'prefix' | 'pump' | 'suffix'>, copies: number): string {
  return prefix + pump.repeat(copies) + suffix
}

interface Search {
  readonly pumps: readonly Pump[]
  readonly measure: (pump: Pump) => Attack | null
  readonly confirmed: (attack: Attack) => Attack | null
}

/** Null: the pattern is too large, or has something that is not counted, or no candidates. */
function searchIn(pattern: Pattern, multipliedOnly: boolean, budget: Budget): Search | null {
  const positions = budget.left <= 0 ? null : positionsOf(pattern)
  if (positions === null) return null
  const pumps = findPumps(positions, multipliedOnly, budget)
  const counter = pumps.length === 0 ? null : CallCounter.of(assemble(pattern))
  if (counter === null) return null
  const search = (text: string, limit: number): CountedSearch => {
    const found = counter.search(text, Math.min(limit, Math.max(0, budget.left)))
    budget.left -= found.allCalls
    return found
  }
  return { pumps, measure: (pump) => measure(search, pump), confirmed: (attack) => confirmed(search, attack) }
}

type SearchText = (text: string, limit: number) => CountedSearch

function measure(search: SearchText, pump: Pump): Attack | null {
  const suffix = worstSuffix(search, pump)
  if (suffix === null) return null
  const parts: Parts = { prefix: pump.prefix, pump: pump.pump, suffix }
  const limit = pump.isMultiplied ? MULTIPLIED_CALLS : MEASURING_CALLS
  const count: Count = (copies) => search(attackText(parts, copies), limit)
  return pump.isMultiplied ? exponential(parts, count) : polynomial(parts, count)
}

/** Runs the event that blinds the rule: its length was computed from growth, and may be a little too short. Null: PCRE2 does not give up. */
function confirmed(search: SearchText, attack: Attack): Attack | null {
  if (attack.blind === null) return attack
  let { copies } = attack.blind
  for (let attempt = 0; attempt < CONFIRMATIONS; attempt++) {
    const text = attackText(attack, copies)
    if (text.length > EVENT_BYTES) return null
    const { outcome, calls } = search(text, CONFIRMING_CALLS)
    if (outcome === 'match') return null
    if (calls >= MATCH_LIMIT) return { ...attack, blind: { copies, bytes: text.length } }
    copies = Math.ceil(copies * LONGER)
  }
  return null
}

type Parts = Pick<Attack, 'prefix' | 'pump' | 'suffix'>
type Count = (copies: number) => CountedSearch

function exponential(parts: Parts, count: Count): Attack | null {
  const [before, last] = lastTwo(count, EXPONENTIAL_COPIES)
  if (before === undefined) return null
  const perCopy = Math.log(last.calls / before.calls) / (last.copies - before.copies)
  // Atomic groups and lookarounds cut ways that the positions have.
  if (perCopy < LEAST_GROWTH) return null
  const copies = last.copies + Math.ceil(Math.log(MATCH_LIMIT / last.calls) / perCopy)
  const bytes = attackText(parts, copies).length
  if (bytes > EVENT_BYTES) return null
  // Each start position may come close to the limit.
  const ms = callsToMs((MATCH_LIMIT * last.allCalls) / last.calls)
  return { ...parts, degree: null, blind: { copies, bytes }, stall: { copies: copies - 1, bytes: attackText(parts, copies - 1).length, ms } }
}

function polynomial(parts: Parts, count: Count): Attack | null {
  const [before, last] = lastTwo(count, POLYNOMIAL_COPIES)
  if (before === undefined) return null
  const degreeOf = (calls: 'calls' | 'allCalls'): number => Math.log(last[calls] / before[calls]) / Math.log(last.copies / before.copies)
  const ownDegree = degreeOf('calls')
  const allDegree = degreeOf('allCalls')
  const at = (calls: number, degree: number, copies: number): number => calls * (copies / last.copies) ** degree
  const fixed = parts.prefix.length + parts.suffix.length
  const mostCopies = Math.floor((EVENT_BYTES - fixed) / parts.pump.length)
  const isBlind = ownDegree > 0.5 && at(last.calls, ownDegree, mostCopies) > MATCH_LIMIT
  const blindCopies = isBlind ? Math.ceil(last.copies * (MATCH_LIMIT / last.calls) ** (1 / ownDegree)) : null
  // A start position that reaches the limit ends the search.
  const copies = blindCopies === null ? mostCopies : blindCopies - 1
  const ms = callsToMs(at(last.allCalls, allDegree, copies))
  if (ms < STALL_MS && blindCopies === null) return null
  const bytesOf = (number: number): number => fixed + parts.pump.length * number
  return {
    ...parts,
    degree: Math.round(ownDegree),
    blind: blindCopies === null ? null : { copies: blindCopies, bytes: bytesOf(blindCopies) },
    stall: { copies, bytes: bytesOf(copies), ms },
  }
}

interface Counted extends CountedSearch {
  readonly copies: number
}

/** The largest numbers of copies whose calls can be counted; none if there are no two of them, or if the text matches. */
function lastTwo(count: Count, series: readonly number[]): [Counted, Counted] | [undefined, undefined] {
  const counted: Counted[] = []
  for (const copies of series) {
    const found = count(copies)
    if (found.outcome === 'match') return [undefined, undefined]
    if (found.outcome === 'limit') break
    counted.push({ ...found, copies })
  }
  const [before, last] = counted.slice(-2)
  return last === undefined ? [undefined, undefined] : [before, last]
}

function worstSuffix(search: SearchText, pump: Pump): string | null {
  let worst: string | null = null
  let most = 0
  for (const suffix of SUFFIXES) {
    const { outcome, allCalls } = search(attackText({ ...pump, suffix }, CHOOSING_COPIES), CHOOSING_CALLS)
    if (outcome === 'match' || allCalls <= most) continue
    most = allCalls
    worst = suffix
  }
  return worst
}

function callsToMs(calls: number): number {
  return Math.round((calls * CALL_NS) / 1e6)
}
