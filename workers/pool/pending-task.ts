/** A task between its submission and its outcome: its options, and its state so far. */
import type { WrittenAnswer } from '../shared/answers.js'
import type { FlatFailure, WorkAt } from '../shared/failure.js'
import type { DiskContent, FileSource, ReplyStats, SessionState } from '../shared/protocol.js'
import type { Task } from '../thread/tasks/index.js'

/**
 * How long a running task continues after its caller has cancelled it. The caller is answered at once. Most tasks end within milliseconds, and a new thread
 * takes almost a second to compile the base: without this time, callers that cancel quickly would keep all threads restarting.
 */
const CANCEL_GRACE_MS = 250

export interface SubmitOptions {
  readonly signal?: AbortSignal | undefined
  /** Creates the signal only if the task is not answered within `LATE_MS`: creating one takes longer than most tasks. */
  readonly lateSignal?: (() => AbortSignal) | undefined
  readonly timeoutMs?: number
  /** Time beyond the deadline in which the task may end by itself. */
  readonly graceMs?: number
  /** The thread that runs the task if it is free. */
  readonly preferredThread?: number | null
  /** Continues work that has begun: the task may wait although the queue is full, because refusing it would waste the work so far. */
  readonly begun?: boolean
  /** The organization to which the running time is charged. Empty: the instance itself. */
  readonly organization?: string
  /** May run in a batch with other tasks: it is short, and changes no state of the thread. */
  readonly isSmall?: boolean
  /** Nobody waits for it. */
  readonly isBackground?: boolean
  /** Memory that is moved with the message instead of copied: the task can be sent once, and is `busy` if its thread ends before it begins. */
  readonly moves?: ArrayBuffer | null
  /** Data for a thread that lacks it. */
  readonly supplies: Supplies
}

export interface Supplies {
  readonly source: FileSource
  readonly disk: DiskContent
  readonly session: { readonly threadId: number | null; state(): SessionState } | null
}

/** The outcome of a task. The digest of the answer is the value. */
export type Submitted =
  | { readonly outcome: 'ok'; readonly value: unknown; readonly answer: WrittenAnswer | null; readonly snapshot: Uint8Array | null; readonly stats: ReplyStats }
  | { readonly outcome: 'busy' }
  | { readonly outcome: 'aborted' }
  | { readonly outcome: 'timeout'; readonly timeoutMs: number; readonly at: WorkAt }
  | FlatFailure

export type NotOk = Exclude<Submitted, { outcome: 'ok' }>

export interface PendingTask {
  readonly task: Task
  readonly organization: string
  readonly isHeavy: boolean
  readonly isSlice: boolean
  readonly isBackground: boolean
  readonly options: SubmitOptions
  readonly submittedAt: number
  resends: number
  passedOver: number
  sendAll: boolean
  isSettled: boolean
  /** When the caller cancelled; 0: it has not. */
  cancelledAt: number
  /** Creates the late signal and listens to it; null: done, or there is none. */
  watchCaller: (() => void) | null
  readonly settle: (submitted: Submitted) => void
}

/** Whether the caller has cancelled and the grace period is over. @param now by `sharedNow` */
export function isCancelled({ cancelledAt }: PendingTask, now: number): boolean {
  return cancelledAt !== 0 && now - cancelledAt >= CANCEL_GRACE_MS
}
