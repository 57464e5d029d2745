/**
 * The worst that an event can do to a PCRE2 pattern in Wazuh, which has two limits to choose from. Below ten million calls from one position PCRE2 continues: the
 * event stalls the thread. Above them it returns an error, which Wazuh takes for no match: the rule is blind to the event. An attack that blinds was run at its
 * length; one that stalls was run at the length that ten million steps allow, and checked against the growth that the shorter ones show.
 */
import { type Pattern, someNode } from '../expressions/pcre2/ast.js'
import type { Budget } from './budget.js'
import { BYTES_PER_CALL, CallCounter, type CountedSearch } from './call-counter.js'
import { positionsOf } from './positions.js'
import { lackingBytes, type Preconditions, preconditionsOf } from './preconditions.js'
import { findPumps, type Pump } from './pumps.js'

/** Calls from one start position after which PCRE2 gives up (BEHAVIOUR.md#pcre2). */
export const MATCH_LIMIT = 10_000_000
/** The longest event that Wazuh takes. */
export const EVENT_BYTES = 65_536
/** A call takes PCRE2's interpreter about this long: 11 to 16 ns in `pcre2test` 10.42, measured on 2026-11-29. */
export const STEP_NS = 12

/** How much is searched, and what is an attack. */
export interface Effort {
  /** Candidates that are measured. */
  readonly pumps: number
  /** Steps that are counted for one length. */
  readonly measuring: number
  /** An event that takes fewer steps is no attack, unless it blinds. */
  readonly leastSteps: number
}

/** For one pattern that somebody asks about. An event of half a second is worth knowing there. */
export const ASKED_EFFORT: Effort = { pumps: 8, measuring: 400_000, leastSteps: 500e6 / STEP_NS }
/** Searches of one pattern end after one or two seconds. */
const ASKED_BUDGET = 100_000_000
/**
 * For all patterns of a ruleset. An event of 65,536 bytes takes nearly every pattern that searches a text from anywhere a second or two, as `error.*failed` does:
 * what is reported takes five, in which the thread analyses nothing else.
 */
export const CHECK_EFFORT: Effort = { pumps: 4, measuring: 60_000, leastSteps: 5e9 / STEP_NS }

/** Steps that are counted for one text while a suffix is chosen. */
const CHOOSING_STEPS = 4000
/** Where each copy multiplies the steps, fewer show it. */
const MULTIPLIED_STEPS = 50_000
/** Copies of a text in the measurements. */
const CHOOSING_COPIES = 8
const EXPONENTIAL_COPIES: readonly number[] = [2, 4, 6, 8, 10, 12, 14]
const POLYNOMIAL_COPIES: readonly number[] = [8, 16, 32, 64, 128, 256, 512]
/** Degrees by which growth may be more than it seems at this number of copies: in short events the other parts of the text count as well. */
const GROWTH_MARGIN = 0.5
const PRUNED_COPIES = 64
/** Logarithm of the factor by which a copy multiplies the calls, at least: 1.2. */
const LEAST_GROWTH = 0.18

/** Steps that are counted to confirm an event that blinds, how often, and how much longer the next one is. */
const CONFIRMING_STEPS = 2 * MATCH_LIMIT
const CONFIRMATIONS = 3
const LONGER = 1.05
/** Steps of the event that confirms a stall, and the part of the expected ones that it has to take. */
const STALL_SAMPLE_STEPS = 8_000_000
const LEAST_OF_EXPECTED = 0.8
/** Steps that are counted on the text of a whole event. */
const EVENT_STEPS = 6 * MATCH_LIMIT
/** Attacks of one pattern that are confirmed. */
const CONFIRMED_LIMIT = 3

/** What may follow so that no way leads to a match soon, besides nothing. */
const SUFFIXES: readonly string[] = ['', '!', '~', ' ', '0', 'A', '"', '\n', '\n\n', '\x01']

/** Texts are byte strings: some bytes before, one that is repeated, and some behind. */
export interface Attack extends Pick<Pump, 'prefix' | 'pump'> {
  /** What makes every way fail, with the bytes without which PCRE2 does not try, as a byte string. */
  readonly suffix: string
  /** Degree by which the calls from one start position grow with the copies; null: each copy multiplies them. */
  readonly degree: number | null
  /** The shortest event that PCRE2 gives up on. Null: no event is long enough. */
  readonly blind: { readonly copies: number; readonly bytes: number } | null
  /** The event that takes longest. */
  readonly stall: { readonly copies: number; readonly bytes: number; readonly steps: number; readonly ms: number }
}

export interface AttackSearch {
  readonly attack: Attack | null
  /** Whether the search came to its end before the budget did. */
  readonly isComplete: boolean
}

/** Returns the attack that blinds the rule with the shortest event, else the one that takes longest; null when the bounded search finds none. */
export function findAttack(pattern: Pattern): Attack | null {
  return searchAttack(pattern, ASKED_EFFORT, { left: ASKED_BUDGET }).attack
}

/** As `findAttack`, with another effort. The budget is charged for what it takes. */
export function searchAttack(pattern: Pattern, effort: Effort, budget: Budget): AttackSearch {
  const none: AttackSearch = { attack: null, isComplete: true }
  if (!someNode(pattern.root, ({ kind }) => kind === 'repeat')) return none
  const cut: AttackSearch = { attack: null, isComplete: false }
  if (budget.left <= 0) return cut
  const positions = positionsOf(pattern)
  if (positions === null) return none
  const pumps = findPumps(positions, effort.pumps, budget)
  const counter = pumps.length === 0 ? null : CallCounter.of(pattern)
  if (counter === null) return budget.left <= 0 ? cut : none
  const run = new AttackRun(counter, preconditionsOf(pattern), effort, budget)
  const measured = pumps.map((pump) => run.measured(pump)).filter((attack) => attack !== null)
  const [attack = null] = measured
    .sort(byWeight)
    .slice(0, CONFIRMED_LIMIT)
    .flatMap(lazily((one) => run.confirmed(one)))
  return { attack, isComplete: attack !== null || budget.left > 0 }
}

/** Keeps the first result that is not null. */
function lazily<T>(confirm: (one: T) => T | null): (one: T) => T[] {
  let isFound = false
  return (one) => {
    const found = isFound ? null : confirm(one)
    isFound ||= found !== null
    return found === null ? [] : [found]
  }
}

/** Those that blind first, the shortest event first; then those that take longest. */
function byWeight(a: Attack, b: Attack): number {
  return (a.blind?.bytes ?? Number.MAX_SAFE_INTEGER) - (b.blind?.bytes ?? Number.MAX_SAFE_INTEGER) || b.stall.steps - a.stall.steps
}

/** The event of an attack, as a byte string. */
export function attackText({ prefix, pump, suffix }: Pick<Attack, 'prefix' | 'pump' | 'suffix'>, copies: number): string {
  return prefix + pump.repeat(copies) + suffix
}

type Parts = Pick<Attack, 'prefix' | 'pump' | 'suffix'>

interface Counted extends CountedSearch {
  readonly copies: number
}

/** The search for attacks on one pattern. */
class AttackRun {
  readonly #counter: CallCounter
  readonly #preconditions: Preconditions
  readonly #effort: Effort
  readonly #budget: Budget

  constructor(counter: CallCounter, preconditions: Preconditions, effort: Effort, budget: Budget) {
    this.#counter = counter
    this.#preconditions = preconditions
    this.#effort = effort
    this.#budget = budget
  }

  /** What a pump may do, by the growth of short events. Null: too little. */
  measured(pump: Pump): Attack | null {
    const suffix = this.#worstSuffix(pump)
    if (suffix === null) return null
    const parts: Parts = { prefix: pump.prefix, pump: pump.pump, suffix }
    return pump.isMultiplied ? (this.#exponential(parts) ?? this.#polynomial(parts)) : this.#polynomial(parts)
  }

  /** Null: running it does not show what its growth promises. */
  confirmed(attack: Attack): Attack | null {
    return attack.blind === null ? this.#confirmedStall(attack) : this.#confirmedBlind(attack, attack.blind.copies)
  }

  #search(text: string, limit: number): CountedSearch {
    const found = this.#counter.search(text, Math.min(limit, Math.max(0, this.#budget.left)), MATCH_LIMIT)
    this.#budget.left -= stepsOf(found)
    return found
  }

  /** Its length was computed from growth, and may be a little too short. */
  #confirmedBlind(attack: Attack, computed: number): Attack | null {
    let copies = computed
    for (let attempt = 0; attempt < CONFIRMATIONS; attempt++) {
      const text = attackText(attack, copies)
      if (text.length > EVENT_BYTES) return null
      const { outcome, calls } = this.#search(text, CONFIRMING_STEPS)
      if (calls >= MATCH_LIMIT) return { ...attack, blind: { copies, bytes: text.length } }
      if (outcome === 'limit') return null
      copies = Math.ceil(copies * LONGER)
    }
    return null
  }

  /** The largest event that can be run takes as many steps as the growth promises. */
  #confirmedStall(attack: Attack): Attack | null {
    const { copies, steps } = attack.stall
    const degree = (attack.degree ?? 1) + 1
    const sample = Math.min(copies, Math.floor(copies * (STALL_SAMPLE_STEPS / steps) ** (1 / degree)))
    const found = this.#search(attackText(attack, sample), CONFIRMING_STEPS)
    const expected = steps * (sample / copies) ** degree
    return found.outcome !== 'limit' && stepsOf(found) >= expected * LEAST_OF_EXPECTED ? attack : null
  }

  #exponential(parts: Parts): Attack | null {
    const [before, last] = this.#lastTwo(parts, EXPONENTIAL_COPIES, MULTIPLIED_STEPS)
    if (before === undefined) return null
    const perCopy = Math.log(last.calls / before.calls) / (last.copies - before.copies)
    // Atomic groups and lookarounds cut ways that the positions have.
    if (perCopy < LEAST_GROWTH) return null
    const copies = last.copies + Math.max(1, Math.ceil(Math.log(MATCH_LIMIT / last.calls) / perCopy))
    const bytes = attackText(parts, copies).length
    if (bytes > EVENT_BYTES) return null
    // Each start position may come close to the limit.
    const steps = Math.round((MATCH_LIMIT * stepsOf(last)) / last.calls)
    return { ...parts, degree: null, blind: { copies, bytes }, stall: { copies: copies - 1, bytes: attackText(parts, copies - 1).length, steps, ms: msOf(steps) } }
  }

  #polynomial(parts: Parts): Attack | null {
    const mostCopies = Math.floor((EVENT_BYTES - parts.prefix.length - parts.suffix.length) / parts.pump.length)
    const [before, last] = this.#lastTwo(parts, POLYNOMIAL_COPIES, this.#effort.measuring, (fewer, more) => this.#isHopeless(fewer, more, mostCopies))
    if (before === undefined) return null
    const growth = (more: number, fewer: number): number => Math.log(more / fewer) / Math.log(last.copies / before.copies)
    const ownDegree = growth(last.calls, before.calls)
    const allDegree = growth(stepsOf(last), stepsOf(before))
    const at = (steps: number, degree: number, copies: number): number => steps * (copies / last.copies) ** degree
    const fixed = parts.prefix.length + parts.suffix.length
    const isBlind = ownDegree > 0.5 && at(last.calls, ownDegree, mostCopies) > MATCH_LIMIT
    const blindCopies = isBlind ? Math.min(mostCopies, Math.ceil(last.copies * (MATCH_LIMIT / last.calls) ** (1 / ownDegree))) : null
    // A start position that reaches the limit ends the search.
    const copies = blindCopies === null ? mostCopies : blindCopies - 1
    const steps = Math.round(at(stepsOf(last), allDegree, copies))
    if (steps < this.#effort.leastSteps && blindCopies === null) return null
    const bytesOf = (number: number): number => fixed + parts.pump.length * number
    return {
      ...parts,
      degree: Math.max(Math.round(ownDegree), Math.round(allDegree) - 1),
      blind: blindCopies === null ? null : { copies: blindCopies, bytes: bytesOf(blindCopies) },
      stall: { copies, bytes: bytesOf(copies), steps, ms: msOf(steps) },
    }
  }

  /** Whether the longest event takes too few steps even if their growth were more than it seems. */
  #isHopeless(before: Counted, last: Counted, mostCopies: number): boolean {
    const most = (more: number, fewer: number): number =>
      more * (mostCopies / last.copies) ** (Math.log2(more / Math.max(1, fewer)) / Math.log2(last.copies / before.copies) + GROWTH_MARGIN)
    return most(stepsOf(last), stepsOf(before)) < this.#effort.leastSteps && most(last.calls, before.calls) < MATCH_LIMIT
  }

  /** The largest numbers of copies whose steps can be counted; none if there are no two of them. A text that matches is as good, if PCRE2 gives up before it finds that. */
  #lastTwo(
    parts: Parts,
    series: readonly number[],
    limit: number,
    isHopeless: (before: Counted, last: Counted) => boolean = () => false,
  ): [Counted, Counted] | [undefined, undefined] {
    const counted: Counted[] = []
    for (const copies of series) {
      const text = attackText(parts, copies)
      if (text.length > EVENT_BYTES) break
      const found = this.#search(text, limit)
      if (found.outcome === 'limit') break
      counted.push({ ...found, copies })
      if (copies >= PRUNED_COPIES && counted.length > 1 && isHopeless(counted[counted.length - 2], counted[counted.length - 1])) return [undefined, undefined]
    }
    const [before, last] = counted.slice(-2)
    return last === undefined || before.calls === 0 ? [undefined, undefined] : [before, last]
  }

  #worstSuffix(pump: Pump): string | null {
    let worst: string | null = null
    let most = 0
    for (const suffix of this.#suffixes(pump)) {
      const found = this.#search(attackText({ ...pump, suffix }, CHOOSING_COPIES), CHOOSING_STEPS)
      if (stepsOf(found) <= most) continue
      most = stepsOf(found)
      worst = suffix
    }
    return worst
  }

  /** With what the text lacks, and with all that a match needs: then PCRE2 tries every position of the text. */
  #suffixes({ prefix, pump }: Pump): readonly string[] {
    const lacking = SUFFIXES.map((suffix) => suffix + lackingBytes(this.#preconditions, prefix + pump + suffix))
    const all = lackingBytes(this.#preconditions, '')
    return [...new Set([...lacking, ...(all === '' ? [] : SUFFIXES.map((suffix) => suffix + all))])]
  }
}

function stepsOf({ allCalls, passedBytes }: CountedSearch): number {
  return allCalls + Math.floor(passedBytes / BYTES_PER_CALL)
}

function msOf(steps: number): number {
  return Math.round((steps * STEP_NS) / 1e6)
}

/** Calls of a pattern on the text of an event, of the start position that has most of them; the counting ends at the limit of PCRE2. */
export function callsOn(pattern: Pattern, text: string): number {
  return CallCounter.of(pattern)?.search(text, EVENT_STEPS, MATCH_LIMIT).calls ?? 0
}
