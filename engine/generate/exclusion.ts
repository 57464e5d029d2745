/**
 * Whether texts can pass several conditions at once, by the bounds of their patterns (`pattern-bounds.ts`): all states that any text reaches are visited. The answer
 * is a proof, or none.
 */
import type { Expression } from '../expressions/expression.js'
import { isNegated, literalNode } from '../expressions/pattern-nodes.js'
import { boundsOf } from '../expressions/pattern-bounds.js'
import type { ConditionTest } from '../rules/condition.js'
import { alphabetOf } from './find-text.js'
import { DEAD, FOUND, programOf, TextAutomaton } from './text-automaton.js'
import { END_OF_TEXT, FAR, type TextProgram } from './text-program.js'

/** Texts that are tried before a search. */
const SAMPLES_LIMIT = 12
/** Sets of states that one proof visits. */
const VISITED_LIMIT = 3_000
/** Steps of all automata in one proof. */
const STEPS_LIMIT = 400_000

/** A pattern that a text must match, or must not match. */
export interface Requirement {
  readonly automaton: TextAutomaton
  readonly isUnwanted: boolean
}

/** Programs of the bounds of patterns and of whole texts, for the proofs of many rules. */
export class BoundPrograms {
  readonly #upper = new Map<Expression, TextProgram | null>()
  readonly #lower = new Map<Expression, TextProgram | null>()
  readonly #texts = new Map<string, TextProgram | null>()
  /** Steps of all proofs so far: of automata, and of building them. */
  steps = 0

  ofBound(expression: Expression, lower: boolean): TextProgram | null {
    const cache = lower ? this.#lower : this.#upper
    let found = cache.get(expression)
    if (found === undefined) {
      const node = boundsOf(expression)[lower ? 'lower' : 'upper']
      cache.set(expression, (found = node === null ? null : programOf([{ node }])))
    }
    return found
  }

  ofText(text: string): TextProgram | null {
    let found = this.#texts.get(text)
    if (found === undefined) this.#texts.set(text, (found = programOf([{ node: literalNode(text) }], true)))
    return found
  }
}

/**
 * Proofs for one rule. What its automata have visited decides how much more they may. Texts that met the requirements of earlier proofs are kept, the one that was of use
 * last first. Most questions about a rule are about neighbours of the same text, so one of these often answers in place of a search. The answer is that of the search:
 * requirements that a text meets do not exclude each other.
 */
export class Bounds {
  readonly #programs: BoundPrograms
  readonly #stepsLimit: number
  readonly #automata = new Map<TextProgram, TextAutomaton>()
  #samples: readonly string[] = []

  /** @param stepsLimit steps of one proof */
  constructor(programs: BoundPrograms, stepsLimit = STEPS_LIMIT) {
    this.#programs = programs
    this.#stepsLimit = stepsLimit
  }

  /** @param lower of texts that the expression certainly accepts; else of those that it may accept */
  boundOf(expression: Expression, lower: boolean): TextAutomaton | null {
    return this.#automatonOf(this.#programs.ofBound(expression, lower))
  }

  textOf(text: string): TextAutomaton | null {
    return this.#automatonOf(this.#programs.ofText(text))
  }

  #automatonOf(program: TextProgram | null): TextAutomaton | null {
    if (program === null) return null
    let found = this.#automata.get(program)
    if (found === undefined) {
      this.#programs.steps += program.places.length
      this.#automata.set(program, (found = new TextAutomaton(program)))
    }
    return found
  }

  /** Whether no text meets all requirements. False: one does, or it is not known. */
  excludeEachOther(requirements: readonly Requirement[]): boolean {
    const known = this.#samples.find((text) => meetsAll(text, requirements))
    if (known !== undefined) {
      if (known !== this.#samples[0]) this.#samples = [known, ...this.#samples.filter((text) => text !== known)]
      return false
    }
    const { found, steps } = search(requirements, this.#stepsLimit)
    this.#programs.steps += steps
    if (typeof found === 'string') this.#samples = [found, ...this.#samples.slice(0, SAMPLES_LIMIT - 1)]
    return found === true
  }

  /** The fewest of the requirements, from the end, that exclude each other still. */
  coreOf<T extends Requirement>(requirements: readonly T[]): readonly T[] {
    let core = [...requirements]
    for (const one of requirements.toReversed()) {
      const others = core.filter((other) => other !== one)
      if (others.length > 0 && this.excludeEachOther(others)) core = others
    }
    return core
  }
}

/** What a text has if the test passes, or fails. Null: the test says nothing that is known here. */
export function requirementOf(bounds: Bounds, test: ConditionTest, holds: boolean): Requirement | null {
  if (test.kind === 'pattern') return patternRequirement(bounds, test.expression, holds !== test.negate)
  if (test.kind !== 'exact') return null
  const automaton = bounds.textOf(test.text)
  return automaton === null ? null : { automaton, isUnwanted: holds === test.negate }
}

/** @param matches whether the expression accepts the text */
export function patternRequirement(bounds: Bounds, expression: Expression, matches: boolean): Requirement | null {
  const isUnwanted = matches === isNegated(expression)
  const automaton = bounds.boundOf(expression, isUnwanted)
  return automaton === null ? null : { automaton, isUnwanted }
}

/** Whether it is proven that two patterns accept the same texts. */
export function areSameTexts(bounds: Bounds, one: Expression, other: Expression): boolean {
  if (one === other || (one.pattern === other.pattern && one.dialect === other.dialect)) return true
  return follows(bounds, one, other) && follows(bounds, other, one)
}

/** Whether it is proven that each text that one pattern accepts is accepted by another. */
export function follows(bounds: Bounds, one: Expression, other: Expression): boolean {
  const [has, lacks] = [patternRequirement(bounds, one, true), patternRequirement(bounds, other, false)]
  return has !== null && lacks !== null && bounds.excludeEachOther([has, lacks])
}

function meetsAll(text: string, requirements: readonly Requirement[]): boolean {
  for (const { automaton, isUnwanted } of requirements) if (automaton.accepts(text) === isUnwanted) return false
  return true
}

interface Visited {
  readonly states: readonly number[]
  readonly byte: number
  readonly before: Visited | null
}

interface Searched {
  /** True: no text meets all requirements. A text: it does. False: not known. */
  readonly found: string | boolean
  readonly steps: number
}

function search(requirements: readonly Requirement[], stepsLimit: number): Searched {
  const automata = requirements.map(({ automaton }) => automaton)
  const unwanted = requirements.map(({ isUnwanted }) => isUnwanted)
  const isOut = (state: number, at: number): boolean => (unwanted[at] ? state === FOUND : state === DEAD || automata[at].needed(state) >= FAR)
  const first = automata.map(({ initial }) => initial)
  if (first.some(isOut)) return { found: !automata.some(({ isTruncated }) => isTruncated), steps: automata.length }
  const bytes = alphabetOf(automata)
  const seen = new Set([first.join()])
  const open: Visited[] = [{ states: first, byte: -1, before: null }]
  let steps = 0
  for (let visited = open.pop(); visited !== undefined; visited = open.pop()) {
    const { states } = visited
    if (automata.every((automaton, at) => (automaton.step(states[at], END_OF_TEXT) === FOUND) !== unwanted[at])) return { found: textTo(visited), steps }
    for (const byte of bytes) {
      const next: number[] = []
      for (let at = 0; at < automata.length; at++) {
        const state = automata[at].step(states[at], byte)
        if (isOut(state, at)) break
        next.push(state)
      }
      steps += next.length + 1
      if (steps > stepsLimit) return { found: false, steps }
      if (next.length < automata.length) continue
      const key = next.join()
      if (seen.has(key)) continue
      if (seen.size >= VISITED_LIMIT) return { found: false, steps }
      seen.add(key)
      open.push({ states: next, byte, before: visited })
    }
  }
  return { found: !automata.some(({ isTruncated }) => isTruncated), steps }
}

function textTo(last: Visited): string {
  const chars: string[] = []
  for (let at: Visited | null = last; at !== null && at.byte >= 0; at = at.before) chars.push(String.fromCharCode(at.byte))
  return chars.reverse().join('')
}
