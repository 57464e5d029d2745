/**
 * Keeps a store that is away from filling the log: everything that needs it fails then, several times a second, each failure with its stack. Invariants:
 *  1. the first failure of a cause is logged whole, at once
 *  2. as long as more of the same cause come, there is one line a minute, which counts those that were left out
 *  3. nothing is left out without being counted: what is open at the end of the process is told by `flush`
 * No other failure is left out: each may have a reason of its own, and callers ask for theirs by its id.
 */

/** What is logged of a cause within it is one line. */
const WINDOW_MS = 60_000
/** Ids of requests and jobs that are named, of those left out. */
const REFERENCES_LIMIT = 10
/** Names of errors. Wherever one of them arises, what is wrong is the store. */
const CAUSES: ReadonlySet<string> = new Set(['StorageUnavailableError', 'StorageFullError'])
/** Errors within errors that are looked at. */
const CHAIN_LIMIT = 4

/** Failures that were not logged one by one. */
export interface LeftOut {
  readonly cause: string
  readonly left_out: number
  /** ISO 8601: when the first one of the cause was logged. */
  readonly since: string
  /** Ids of the first of their requests and jobs. */
  readonly references: readonly string[]
}

interface Window {
  readonly since: string
  readonly level: number
  leftOut: number
  references: string[]
  readonly timer: NodeJS.Timeout
}

export class StoreFailures {
  readonly #tell: (leftOut: LeftOut, level: number) => void
  readonly #windows = new Map<string, Window>()

  /** @param tell writes the line that counts. @param level of the first failure, as pino numbers them */
  constructor(tell: (leftOut: LeftOut, level: number) => void) {
    this.#tell = tell
  }

  /** Whether an entry is to be written: it is no failure of the store, or the first of its cause. */
  admit(fields: unknown, level: number): boolean {
    const cause = causeOf(fields)
    if (cause === null) return true
    const window = this.#windows.get(cause)
    if (window === undefined) {
      this.#windows.set(cause, { since: new Date().toISOString(), level, leftOut: 0, references: [], timer: setInterval(() => this.#end(cause), WINDOW_MS).unref() })
      return true
    }
    window.leftOut++
    const reference = referenceOf(fields)
    if (reference !== null && window.references.length < REFERENCES_LIMIT) window.references.push(reference)
    return false
  }

  /** Tells what is still to be told. */
  flush(): void {
    for (const cause of [...this.#windows.keys()]) {
      this.#end(cause)
      this.#forget(cause)
    }
  }

  /** A minute without the failure, and the next one is the first again. */
  #end(cause: string): void {
    const window = this.#windows.get(cause)
    if (window === undefined) return
    if (window.leftOut === 0) return this.#forget(cause)
    const { leftOut, references, since, level } = window
    window.leftOut = 0
    window.references = []
    this.#tell({ cause, left_out: leftOut, since, references }, level)
  }

  #forget(cause: string): void {
    clearInterval(this.#windows.get(cause)?.timer)
    this.#windows.delete(cause)
  }
}

/** Null: the entry tells of no failure of the store. */
function causeOf(fields: unknown): string | null {
  if (typeof fields !== 'object' || fields === null) return null
  let error = (fields as { readonly err?: unknown }).err
  for (let depth = 0; error instanceof Error && depth < CHAIN_LIMIT; depth++) {
    if (CAUSES.has(error.name)) return error.name
    error = error.cause
  }
  return null
}

function referenceOf(fields: unknown): string | null {
  const { request_id, job } = fields as { readonly request_id?: unknown; readonly job?: unknown }
  return [request_id, job].find((id) => typeof id === 'string') ?? null
}
