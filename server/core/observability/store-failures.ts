/**
 * Keeps an unavailable store from filling the log: every operation that needs it fails, several times a second, each with a stack. Invariants:
 *  1. the first failure of a cause is logged completely, at once
 *  2. while more failures of the same cause follow, one line a minute counts the suppressed ones
 *  3. every suppressed failure is counted: `flush` reports the rest at the end of the process
 * No other failure is suppressed: each may have another reason, and callers refer to it by its id.
 */

/** Failures of one cause within this time become one line. */
const WINDOW_MS = 60_000
/** Ids of requests and jobs in a line, from the suppressed failures. */
const REFERENCES_LIMIT = 10
/** Error names that mean a failure of the store. */
const CAUSES: ReadonlySet<string> = new Set(['StorageUnavailableError', 'StorageFullError'])
/** Nested causes that are examined. */
const CHAIN_LIMIT = 4

/** Suppressed failures of one cause. */
export interface SuppressedFailures {
  readonly cause: string
  readonly left_out: number
  /** ISO 8601: when the first failure of the cause was logged. */
  readonly since: string
  /** Ids of the first requests and jobs. */
  readonly references: readonly string[]
}

interface Window {
  readonly since: string
  readonly level: number
  suppressed: number
  references: string[]
  readonly timer: NodeJS.Timeout
}

export class StoreFailures {
  readonly #writeSummary: (suppressed: SuppressedFailures, level: number) => void
  readonly #windows = new Map<string, Window>()

  /** @param writeSummary writes the summary line @param level level of the first failure, as pino numbers it */
  constructor(writeSummary: (suppressed: SuppressedFailures, level: number) => void) {
    this.#writeSummary = writeSummary
  }

  /** Whether to write an entry: it is not a failure of the store, or it is the first of its cause. */
  admit(fields: unknown, level: number): boolean {
    const cause = causeOf(fields)
    if (cause === null) return true
    const window = this.#windows.get(cause)
    if (window === undefined) {
      this.#windows.set(cause, { since: new Date().toISOString(), level, suppressed: 0, references: [], timer: setInterval(() => this.#end(cause), WINDOW_MS).unref() })
      return true
    }
    window.suppressed++
    const reference = referenceOf(fields)
    if (reference !== null && window.references.length < REFERENCES_LIMIT) window.references.push(reference)
    return false
  }

  /** Writes the summary of all open windows. */
  flush(): void {
    for (const cause of [...this.#windows.keys()]) {
      this.#end(cause)
      this.#forget(cause)
    }
  }

  /** Ends a window. After a minute without the failure the next one counts as the first again. */
  #end(cause: string): void {
    const window = this.#windows.get(cause)
    if (window === undefined) return
    if (window.suppressed === 0) return this.#forget(cause)
    const { suppressed, references, since, level } = window
    window.suppressed = 0
    window.references = []
    this.#writeSummary({ cause, left_out: suppressed, since, references }, level)
  }

  #forget(cause: string): void {
    clearInterval(this.#windows.get(cause)?.timer)
    this.#windows.delete(cause)
  }
}

/** The cause of an entry; null: not a failure of the store. */
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
