/** A task on its way through the pool: what its caller asked for, and what became of it. */
import type { FlatFailure, WorkAt } from './failure.js'
import type { DiskContent, FileSource, ReplyStats, SessionState, Task } from './protocol.js'

/**
 * How long a running task whose caller is gone may go on before its thread is ended. The caller has its answer at once; but most tasks end within
 * a few milliseconds, and a new thread takes the better part of a second to compile the base: ending it at once would let hasty clients keep
 * all threads starting.
 */
const ABORT_GRACE_MS = 250

export interface SubmitOptions {
  readonly signal?: AbortSignal | undefined
  /** A signal that costs more to make than most tasks take: asked for when the task is not answered within `LATE_MS`. */
  readonly lateSignal?: (() => AbortSignal) | undefined
  readonly timeoutMs?: number
  /** What a task has beyond its deadline to end by itself. */
  readonly graceMs?: number
  /** Taken if it is free. */
  readonly preferredThread?: number | null
  /** A part of something that has begun: it may wait even where the queue is full, as turning it away would waste what is done. */
  readonly begun?: boolean
  /** In whose turn it runs. Empty: the instance's own. */
  readonly organization?: string
  /** May share a turn: it is short, and nothing is left of it in the thread. */
  readonly shares?: boolean
  /** What the task stands on, to be sent to a thread that lacks it. */
  readonly supplies: Supplies
}

export interface Supplies {
  readonly source: FileSource
  readonly disk: DiskContent
  readonly session: { readonly threadId: number | null; state(): SessionState } | null
}

/** An answer in memory that its thread uses again. */
export interface LentBytes {
  readonly bytes: Uint8Array
  /** Once, when nobody looks at them any more. */
  giveBack(): void
}

/** What became of a task, before it is told to the caller. */
export type Submitted =
  | { readonly outcome: 'ok'; readonly value: unknown; readonly snapshot: Uint8Array | null; readonly lent: LentBytes | null; readonly stats: ReplyStats }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'aborted' }
  | { readonly outcome: 'timeout'; readonly timeoutMs: number; readonly at: WorkAt }
  | FlatFailure

export interface Job {
  readonly task: Task
  readonly organization: string
  readonly isHeavy: boolean
  readonly options: SubmitOptions
  readonly submittedAt: number
  resends: number
  passedOver: number
  sendAll: boolean
  isSettled: boolean
  /** When its caller was gone; 0: it is there. */
  abortedAt: number
  /** Looks for its caller by its late signal; null: it does already. */
  watchCaller: (() => void) | null
  readonly settle: (submitted: Submitted) => void
}

/** Its caller is gone, and it has had its time. @param now by `sharedNow` */
export function isAbandoned({ abortedAt }: Job, now: number): boolean {
  return abortedAt !== 0 && now - abortedAt >= ABORT_GRACE_MS
}
