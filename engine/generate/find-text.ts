/**
 * Finds a text in which all patterns of one list are found and none of another. It is a best-first search over the bytes: the next byte is the one after which all
 * patterns together need the fewest. It ends after a limited number of steps for any patterns.
 */
import { BYTES, WORD } from '../expressions/pcre2/byte-set.js'
import { foldCase } from '../source/byte-string.js'
import { DEAD, FOUND, STATES_LIMIT, type TextAutomaton } from './text-automaton.js'
import { END_OF_TEXT, FAR } from './text-program.js'

/** Texts that one search extends by a byte. */
const STEPS_LIMIT = 4_000
/** States that one exact number can hold: 2 × 4000⁴ is below 2⁵³. */
const STATES_IN_NUMBER = 4
/** Bytes of a text. */
const LENGTH_LIMIT = 4_096
/** Bytes in the order in which a class is asked for them: those that occur in words, in numbers, between words. */
const PREFERRED = [...'ae1A0 /-_.:="@,;\tbcdfghijklmnopqrstuvwxyz23456789BCDEFGHIJKLMNOPQRSTUVWXYZ()[]{}<>|%&?!*+\'#$\\^`~'].map((char) => char.charCodeAt(0))
const RANKS = new Uint16Array(BYTES).map((_, byte) => {
  const at = PREFERRED.indexOf(byte)
  return at >= 0 ? at : 1000 + byte
})
const SPACE = 0x20
/** The likelihood of a byte decides only between texts of one length. */
const RANKS_DIVISOR = 4096
/** Extra cost of a pattern that begins within a word or a value, so that patterns are apart. */
const WITHIN_WORD = 3
const EQUALS = 0x3d

interface Step {
  readonly states: readonly number[]
  readonly byte: number
  readonly before: Step | null
  readonly length: number
  /** Cost so far. */
  readonly cost: number
  /** The length including the bytes that are still needed. */
  readonly estimate: number
}

/** Steps that several searches share. */
export interface StepBudget {
  steps: number
}

/** @param begins bytes with which the text has to begin. Null: none was found within the limit */
export function findText(wanted: readonly TextAutomaton[], unwanted: readonly TextAutomaton[], budget: StepBudget, begins = ''): string | null {
  const found = search(wanted, unwanted, budget, begins)
  return found === null ? null : spelled(found, wanted, unwanted)
}

/** The text with words as the patterns have them, if they are found in it still. */
function spelled(text: string, wanted: readonly TextAutomaton[], unwanted: readonly TextAutomaton[]): string {
  const words = new Set(wanted.flatMap(({ words }) => words))
  let best = text
  for (const word of words) {
    const at = foldCase(best).indexOf(foldCase(word))
    if (at < 0 || best.startsWith(word, at)) continue
    const other = best.slice(0, at) + word + best.slice(at + word.length)
    if (wanted.every((automaton) => automaton.accepts(other)) && !unwanted.some((automaton) => automaton.accepts(other))) best = other
  }
  return best
}

function search(wanted: readonly TextAutomaton[], unwanted: readonly TextAutomaton[], budget: StepBudget, begins: string): string | null {
  const all = [...wanted, ...unwanted]
  const bytes = alphabetOf(all)
  const full = wanted.map(neededBehind)
  const queue = new Queue()
  /** The least cost of each set of states so far. */
  const costs = new Map<string | number, number>()
  let first: Step | null = { states: all.map(({ initial }) => initial), byte: -1, before: null, length: 0, cost: 0, estimate: 0 }
  for (const char of begins) first = first === null ? null : extend(first, char.charCodeAt(0), wanted.length, all, full)
  if (first === null) return null
  queue.push(first)
  for (let steps = Math.min(STEPS_LIMIT, budget.steps); steps > 0; steps--) {
    budget.steps--
    const step = queue.pop()
    if (step === undefined) return null
    if (isDone(step, wanted.length, all)) return textOf(step)
    if (step.length >= LENGTH_LIMIT) continue
    for (const byte of bytes) {
      const next = extend(step, byte, wanted.length, all, full)
      if (next === null) continue
      // A byte between words changes no state, but what it costs to begin the next pattern.
      const key = keyOf(next.states, byte === EQUALS || WORD[byte] === 1)
      if ((costs.get(key) ?? Number.POSITIVE_INFINITY) <= next.cost) continue
      costs.set(key, next.cost)
      queue.push(next)
    }
  }
  return null
}

/** Bytes that a pattern needs which may begin behind other bytes, where alternatives with an anchor are out; else those that it needs at the beginning. */
function neededBehind(automaton: TextAutomaton): number {
  const idle = automaton.step(automaton.initial, SPACE)
  return idle === DEAD || idle === FOUND ? automaton.needed(automaton.initial) : automaton.needed(idle)
}

/** The states and whether a pattern that begins next begins within a word, as a key: a number as long as they fit. */
function keyOf(states: readonly number[], isWithin: boolean): string | number {
  if (states.length > STATES_IN_NUMBER) return `${states.join()}${isWithin ? '' : ' '}`
  let key = isWithin ? 1 : 0
  for (let at = 0; at < states.length; at++) key = key * STATES_LIMIT + states[at]
  return key
}

/** Null: one of the patterns can no longer be found, or one is found that must not be. */
function extend(step: Step, byte: number, wantedCount: number, all: readonly TextAutomaton[], full: readonly number[]): Step | null {
  const states: number[] = new Array(all.length)
  let needed = 0
  let begun = false
  for (let at = 0; at < all.length; at++) {
    const automaton = all[at]
    const state = automaton.step(step.states[at], byte)
    if (state === (at < wantedCount ? DEAD : FOUND)) return null
    states[at] = state
    if (at >= wantedCount) continue
    const left = automaton.needed(state)
    if (left >= FAR) return null
    needed += left
    if (left < full[at] && automaton.needed(step.states[at]) === full[at]) begun = true
  }
  const within = begun && step.byte >= 0 && (step.byte === EQUALS || WORD[step.byte] === 1) && WORD[byte] === 1
  const cost = step.cost + 1 + RANKS[byte] / RANKS_DIVISOR + (within ? WITHIN_WORD : 0)
  return { states, byte, before: step, length: step.length + 1, cost, estimate: cost + needed }
}

function isDone({ states }: Step, wantedCount: number, all: readonly TextAutomaton[]): boolean {
  for (let at = 0; at < all.length; at++) if ((all[at].step(states[at], END_OF_TEXT) === FOUND) !== at < wantedCount) return false
  return true
}

function textOf(last: Step): string {
  const chars: string[] = []
  for (let step: Step | null = last; step !== null && step.byte >= 0; step = step.before) chars.push(String.fromCharCode(step.byte))
  return chars.reverse().join('')
}

/** One byte of each class of bytes that no pattern tells apart, the likeliest. */
export function alphabetOf(automata: readonly TextAutomaton[]): readonly number[] {
  const classes = new Uint16Array(BYTES)
  let count = 1
  for (const { classes: own, classCount } of automata) {
    /** By both classes: the joined one and one more; 0: none yet. */
    const joined = new Uint16Array(count * classCount)
    count = 0
    for (let byte = 1; byte < BYTES; byte++) {
      const key = classes[byte] * classCount + own[byte]
      if (joined[key] === 0) joined[key] = ++count
      classes[byte] = joined[key] - 1
    }
  }
  /** The likeliest byte of each class; 0: none yet. */
  const best = new Uint8Array(count)
  for (let byte = 1; byte < BYTES; byte++) {
    const known = best[classes[byte]]
    if (known === 0 || RANKS[byte] < RANKS[known]) best[classes[byte]] = byte
  }
  return [...best].sort((a, b) => RANKS[a] - RANKS[b])
}

/** A heap of steps, the lowest estimate first; of equal ones the longest text. */
class Queue {
  readonly #steps: Step[] = []

  push(step: Step): void {
    const steps = this.#steps
    let at = steps.push(step) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(steps[at], steps[parent])) break
      ;[steps[at], steps[parent]] = [steps[parent], steps[at]]
      at = parent
    }
  }

  pop(): Step | undefined {
    const steps = this.#steps
    const first = steps[0]
    const last = steps.pop()
    if (steps.length === 0 || last === undefined) return first
    steps[0] = last
    for (let at = 0; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < steps.length && isBefore(steps[child], steps[least])) least = child
      if (least === at) return first
      ;[steps[at], steps[least]] = [steps[least], steps[at]]
      at = least
    }
  }
}

function isBefore(a: Step, b: Step): boolean {
  return a.estimate < b.estimate || (a.estimate === b.estimate && a.length > b.length)
}
