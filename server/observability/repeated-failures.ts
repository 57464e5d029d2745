/**
 * Keeps the same failure from filling the log: while a database is away, everything that needs it fails several times a second, each with its stack. Invariants:
 *  1. the first failure of a cause is logged whole, at once
 *  2. as long as more of the same cause come, there is one line a minute, which counts those that were left out
 *  3. nothing is left out without being counted: what is open at the end of the process is told by `flush`
 */

/** What is logged of a cause within it is one line. */
const WINDOW_MS = 60_000
/** Causes that are told apart at a time; a fault has a cause for each place it arises at, so there are few. What comes beyond is one cause. */
const CAUSES_LIMIT = 200
/** Of those left out: names by which callers may ask for theirs. */
const REFERENCES_LIMIT = 10
/** Errors that say that a part which everybody needs is away. Wherever they arise, they have one cause. */
const SHARED: ReadonlySet<string> = new Set(['StorageUnavailableError', 'StorageFullError'])
const CHAIN_LIMIT = 4
const OTHER = 'other causes'

/** Failures that were not logged one by one. */
export interface LeftOut {
  readonly cause: string
  readonly left_out: number
  /** ISO 8601: when the first one of the cause was logged. */
  readonly since: string
  /** Ids of the first of their requests, analyses and jobs. */
  readonly references: readonly string[]
}

interface Window {
  readonly since: string
  readonly level: number
  leftOut: number
  references: string[]
  readonly timer: NodeJS.Timeout
}

export class RepeatedFailures {
  readonly #tell: (leftOut: LeftOut, level: number) => void
  readonly #windowMs: number
  readonly #windows = new Map<string, Window>()

  /** @param tell writes the line that counts. @param level of the failures, as pino numbers them */
  constructor(tell: (leftOut: LeftOut, level: number) => void, windowMs = WINDOW_MS) {
    this.#tell = tell
    this.#windowMs = windowMs
  }

  /** Whether an entry is to be written: it is no failure, or the first of its cause. */
  admit(fields: unknown, level: number): boolean {
    const cause = causeOf(fields)
    if (cause === null) return true
    const key = this.#windows.has(cause) || this.#windows.size < CAUSES_LIMIT ? cause : OTHER
    const window = this.#windows.get(key)
    if (window === undefined) {
      this.#windows.set(key, { since: new Date().toISOString(), level, leftOut: 0, references: [], timer: setInterval(() => this.#end(key), this.#windowMs).unref() })
      return true
    }
    window.leftOut++
    const reference = referenceOf(fields)
    if (reference !== null && window.references.length < REFERENCES_LIMIT) window.references.push(reference)
    return false
  }

  /** Tells what is still to be told. */
  flush(): void {
    for (const key of [...this.#windows.keys()]) {
      this.#end(key)
      this.#forget(key)
    }
  }

  /** A minute without the failure, and the next one is the first again. */
  #end(key: string): void {
    const window = this.#windows.get(key)
    if (window === undefined) return
    if (window.leftOut === 0) return this.#forget(key)
    const { leftOut, references, since, level } = window
    window.leftOut = 0
    window.references = []
    this.#tell({ cause: key, left_out: leftOut, since, references }, level)
  }

  #forget(key: string): void {
    clearInterval(this.#windows.get(key)?.timer)
    this.#windows.delete(key)
  }
}

/** An error by its name and place, a fault of an analysis by what it was at. Null: the entry tells of neither. */
function causeOf(fields: unknown): string | null {
  if (typeof fields !== 'object' || fields === null) return null
  const { err, fault } = fields as { readonly err?: unknown; readonly fault?: unknown }
  if (err instanceof Error) return causeOfError(err)
  return isFault(fault) ? causeOfFault(fault) : null
}

function causeOfError(error: Error): string {
  let inner: unknown = error
  for (let depth = 0; inner instanceof Error && depth < CHAIN_LIMIT; depth++) {
    if (SHARED.has(inner.name)) return inner.name
    inner = inner.cause
  }
  const { code } = error as { readonly code?: unknown }
  const place = /^\s+at (.+)$/m.exec(stackBelow(error))?.[1] ?? ''
  return [error.name, typeof code === 'string' || typeof code === 'number' ? code : '', place].filter((part) => part !== '').join(' ')
}

/** The stack begins with the message, and a message may hold lines that look like frames. */
export function stackBelow({ stack = '', message }: Error): string {
  const at = stack.indexOf(message)
  return at === -1 ? stack : stack.slice(at + message.length)
}

/** What of an analysis' fault is looked at here. */
interface FaultFields {
  readonly debugId: string
  readonly task: string
  readonly reason: string
  readonly error: { readonly name: string; readonly frames: readonly string[] } | null
}

function isFault(fault: unknown): fault is FaultFields {
  return typeof fault === 'object' && fault !== null && 'reason' in fault && 'task' in fault
}

function causeOfFault({ task, reason, error }: FaultFields): string {
  return [`analysis ${task}`, reason, error?.name ?? '', error?.frames[0] ?? ''].filter((part) => part !== '').join(' ')
}

function referenceOf(fields: unknown): string | null {
  const { request_id, job, fault } = fields as { readonly request_id?: unknown; readonly job?: unknown; readonly fault?: { readonly debugId?: unknown } }
  return [request_id, job, fault?.debugId].find((id) => typeof id === 'string') ?? null
}
