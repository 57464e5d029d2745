/** A task between its submission and its outcome: what its caller asked for, and what is known of it so far. */
import type { FlatFailure, WorkAt } from './failure.js'
import type { DiskContent, FileSource, ReplyStats, SessionState } from './protocol.js'
import type { Task } from './tasks/index.js'

/**
 * How long a running task goes on after its caller has cancelled it. The caller is answered at once, but most tasks end within milliseconds, and a new thread
 * takes the better part of a second to compile the base: without this time, callers that cancel quickly would keep all threads starting.
 */
const CANCEL_GRACE_MS = 250

export interface SubmitOptions {
  readonly signal?: AbortSignal | undefined
  /** Makes the signal only if the task is not answered within `LATE_MS`: making one costs more than most tasks. */
  readonly lateSignal?: (() => AbortSignal) | undefined
  readonly timeoutMs?: number
  /** Time beyond the deadline in which the task may end by itself. */
  readonly graceMs?: number
  /** This thread runs the task if it is free. */
  readonly preferredThread?: number | null
  /** Continues work that has begun: the task may wait although the queue is full, because refusing it would waste what is done. */
  readonly begun?: boolean
  /** Whose running time the task counts as. Empty: the instance's own. */
  readonly organization?: string
  /** May run in a batch with other tasks: it is short, and leaves nothing in the thread. */
  readonly isSmall?: boolean
  /** Sent to a thread that lacks it. */
  readonly supplies: Supplies
}

export interface Supplies {
  readonly source: FileSource
  readonly disk: DiskContent
  readonly session: { readonly threadId: number | null; state(): SessionState } | null
}

/** An answer as UTF-8 JSON. Its memory may be shared with the thread that wrote it, which reuses it after `release`. */
export interface AnswerBytes {
  readonly bytes: Uint8Array
  /** To be called once, when nobody reads the bytes any more. */
  release(): void
}

/** What became of a task. */
export type Submitted =
  | { readonly outcome: 'ok'; readonly value: unknown; readonly answer: AnswerBytes | null; readonly snapshot: Uint8Array | null; readonly stats: ReplyStats }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'aborted' }
  | { readonly outcome: 'timeout'; readonly timeoutMs: number; readonly at: WorkAt }
  | FlatFailure

export type NotOk = Exclude<Submitted, { outcome: 'ok' }>

export interface PendingTask {
  readonly task: Task
  readonly organization: string
  readonly isHeavy: boolean
  readonly options: SubmitOptions
  readonly submittedAt: number
  resends: number
  passedOver: number
  sendAll: boolean
  isSettled: boolean
  /** When the caller cancelled; 0: it has not. */
  cancelledAt: number
  /** Makes the late signal and listens to it; null: done, or there is none. */
  watchCaller: (() => void) | null
  readonly settle: (submitted: Submitted) => void
}

/** Whether the caller has cancelled and the grace time is over. @param now by `sharedNow` */
export function isCancelled({ cancelledAt }: PendingTask, now: number): boolean {
  return cancelledAt !== 0 && now - cancelledAt >= CANCEL_GRACE_MS
}
