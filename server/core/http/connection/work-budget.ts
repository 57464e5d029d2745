/**
 * Limits the work of all connections of a server in one iteration of the event loop, so that no caller waits for data that many others sent at once: libuv reads up to
 * 64 KB of every socket that is ready before anything else runs. Invariants:
 *  1. in one iteration at most `ITERATION_BYTES` and one slice are parsed, and each request counts as `REQUEST_BYTES` at least
 *  2. connections that wait are served one slice at a time, in their order; those with little to do come first, since that is usually one request
 *  3. of those with more to do, one is served in each iteration at any rate
 */

/** Five hundred of the shortest requests, or three thousand chunks of one byte: about five milliseconds. Usual requests have 0.5 to 2 KB. */
export const ITERATION_BYTES = 16 * 1024
/** A new iteration is scheduled only when so much is used, so that it costs usual traffic nothing. */
const SCHEDULED_BYTES = ITERATION_BYTES / 2
/** The cost of the cheapest answer, as the bytes of short requests that are parsed in the same time. */
export const REQUEST_BYTES = 512

/** A connection that may have to wait. */
export interface BudgetedConnection {
  /** Whether it has little to do. */
  readonly isShort: boolean
  /** Continues, and asks the budget again. */
  proceed(): void
}

export class WorkBudget {
  #left = ITERATION_BYTES
  #isScheduled = false
  #isServing = false
  #short: BudgetedConnection[] = []
  #long: BudgetedConnection[] = []
  /** The waiting connection that may do one piece of work now. */
  #served: BudgetedConnection | null = null

  /** Whether the connection may do so much now. If not, it is called later, once. */
  take(connection: BudgetedConnection, bytes: number): boolean {
    const isAllowed = this.#isServing ? this.#served === connection : this.#left > 0 && this.#short.length + this.#long.length === 0
    if (isAllowed) {
      this.#served = null
      this.#left -= Math.max(bytes, REQUEST_BYTES)
    } else (connection.isShort ? this.#short : this.#long).push(connection)
    if (!isAllowed || this.#left <= SCHEDULED_BYTES) this.#schedule()
    return isAllowed
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#begin())
  }

  #begin(): void {
    this.#isScheduled = false
    this.#left = ITERATION_BYTES
    this.#isServing = true
    try {
      while (this.#left > 0 && this.#short.length + this.#long.length > 0) this.#serve()
    } finally {
      this.#isServing = false
      this.#served = null
      if (this.#short.length + this.#long.length > 0) this.#schedule()
    }
  }

  /** Serves each that waits once, as far as the budget suffices. */
  #serve(): void {
    const [first, ...others] = this.#long
    const waiting = [...(first === undefined ? [] : [first]), ...this.#short, ...others]
    this.#short = []
    this.#long = []
    let served = 0
    while (served < waiting.length && this.#left > 0) {
      this.#served = waiting[served++]
      this.#served.proceed()
    }
    const left = waiting.slice(served)
    this.#short = [...left.filter(({ isShort }) => isShort), ...this.#short]
    this.#long = [...left.filter(({ isShort }) => !isShort), ...this.#long]
  }
}
