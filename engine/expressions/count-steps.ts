/** Counts what searches of patterns cost, in steps that are the same on each machine and in each run. */
import type { Expression } from './expression.js'
import { Pcre2Expression } from './pcre2/compile.js'

/** Steps of one search that are counted. */
const SEARCH_LIMIT = 100_000

export class StepCounter {
  #left: number

  /** @param budget steps of PCRE2 patterns that are counted together; beyond them each search counts by the bytes that it is given */
  constructor(budget: number) {
    this.#left = budget
  }

  /** Steps of a search: those of a backtracking PCRE2 search, and for other dialects the bytes that it is given. */
  count(expression: Expression, text: string, lower: string, from: number): number {
    const bytes = Math.max(0, text.length - from)
    if (!(expression instanceof Pcre2Expression) || this.#left <= 0) return bytes
    const steps = expression.countSteps(text, lower, from, SEARCH_LIMIT)
    this.#left -= steps
    return steps
  }
}
