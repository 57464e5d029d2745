/** Counts what searches of patterns cost, in steps that are the same on each machine and in each run. */
import type { Expression } from './expression.js'
import { Pcre2Expression } from './pcre2/compile.js'

/** Steps of one search that are counted. */
const SEARCH_LIMIT = 100_000

/** Counts the steps of searches. One counter has one budget. */
export class StepCounter {
  #left: number

  /** @param budget maximum steps of all PCRE2 searches that are counted exactly; a search beyond it counts as many steps as its text has bytes */
  constructor(budget: number) {
    this.#left = budget
  }

  /** Returns the steps of a search: those of a backtracking PCRE2 search; for other dialects the bytes of the text. */
  count(expression: Expression, text: string, lower: string, from: number): number {
    const bytes = Math.max(0, text.length - from)
    if (!(expression instanceof Pcre2Expression) || this.#left <= 0) return bytes
    const steps = expression.countSteps(text, lower, from, SEARCH_LIMIT)
    this.#left -= steps
    return steps
  }
}
