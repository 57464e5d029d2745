/**
 * Whether texts can pass several conditions at once, by the bounds of their patterns (`pattern-bounds.ts`): all states that any text reaches are visited. The answer
 * is a proof, or none.
 */
import type { Expression } from '../expressions/expression.js'
import { isNegated, literalNode } from '../expressions/pattern-nodes.js'
import { boundsOf } from '../expressions/pattern-bounds.js'
import type { ConditionTest } from '../rules/condition.js'
import { alphabetOf } from './find-text.js'
import { DEAD, END_OF_TEXT, FAR, FOUND, TextAutomaton } from './text-automaton.js'

/** Sets of states that one proof visits. */
const VISITED_LIMIT = 3_000
/** Steps of all automata in one proof. */
const STEPS_LIMIT = 400_000

/** What a text must have, or must not have. */
export interface Requirement {
  readonly automaton: TextAutomaton
  readonly isUnwanted: boolean
}

/** Automata of the bounds of patterns, for the proofs of one rule: what they have visited decides how much more they may. */
export class BoundCache {
  readonly #upper = new Map<Expression, TextAutomaton | null>()
  readonly #lower = new Map<Expression, TextAutomaton | null>()

  automatonOf(expression: Expression, lower: boolean): TextAutomaton | null {
    const cache = lower ? this.#lower : this.#upper
    let found = cache.get(expression)
    if (found === undefined) {
      const node = boundsOf(expression)[lower ? 'lower' : 'upper']
      cache.set(expression, (found = node === null ? null : TextAutomaton.of([{ node }])))
    }
    return found
  }
}

/** What a text has if the test passes, or fails. Null: the test says nothing that is known here. */
export function requirementOf(cache: BoundCache, test: ConditionTest, holds: boolean): Requirement | null {
  if (test.kind === 'pattern') return patternRequirement(cache, test.expression, holds !== test.negate)
  if (test.kind !== 'exact') return null
  const automaton = TextAutomaton.of([{ node: literalNode(test.text) }], true)
  return automaton === null ? null : { automaton, isUnwanted: holds === test.negate }
}

/** @param matches whether the expression accepts the text */
export function patternRequirement(cache: BoundCache, expression: Expression, matches: boolean): Requirement | null {
  const isUnwanted = matches === isNegated(expression)
  const automaton = cache.automatonOf(expression, isUnwanted)
  return automaton === null ? null : { automaton, isUnwanted }
}

/** Whether no text meets all requirements. False: one does, or it is not known. */
export function excludeEachOther(requirements: readonly Requirement[]): boolean {
  const automata = requirements.map(({ automaton }) => automaton)
  const unwanted = requirements.map(({ isUnwanted }) => isUnwanted)
  const isOut = (state: number, at: number): boolean => (unwanted[at] ? state === FOUND : state === DEAD || automata[at].needed(state) >= FAR)
  const bytes = alphabetOf(automata)
  const first = automata.map(({ initial }) => initial)
  if (first.some(isOut)) return !automata.some(({ isTruncated }) => isTruncated)
  const seen = new Set([first.join()])
  const open = [first]
  let steps = 0
  for (let states = open.pop(); states !== undefined; states = open.pop()) {
    if (automata.every((automaton, at) => (automaton.step(states[at], END_OF_TEXT) === FOUND) !== unwanted[at])) return false
    for (const byte of bytes) {
      const next: number[] = []
      for (let at = 0; at < automata.length; at++) {
        const state = automata[at].step(states[at], byte)
        if (isOut(state, at)) break
        next.push(state)
      }
      steps += next.length + 1
      if (steps > STEPS_LIMIT) return false
      if (next.length < automata.length) continue
      const key = next.join()
      if (seen.has(key)) continue
      if (seen.size >= VISITED_LIMIT) return false
      seen.add(key)
      open.push(next)
    }
  }
  return !automata.some(({ isTruncated }) => isTruncated)
}

/** The fewest of the requirements, from the end, that exclude each other still. */
export function coreOf<T extends Requirement>(requirements: readonly T[]): readonly T[] {
  let core = [...requirements]
  for (const one of requirements.toReversed()) {
    const others = core.filter((other) => other !== one)
    if (others.length > 0 && excludeEachOther(others)) core = others
  }
  return core
}
