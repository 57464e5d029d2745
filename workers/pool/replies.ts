/** Turns the reply of a thread, or its end, into the outcome of a task. */
import { randomUUID } from 'node:crypto'
import { type Fault, type FlatFailure, flattenError, type WorkAt } from '../shared/failure.js'
import type { FlatError, Reply } from '../shared/protocol.js'
import type { PendingTask, Submitted } from './pending-task.js'
import type { PooledThread, RunningBatch } from './pooled-thread.js'

/**
 * How often a task is sent again with all the data that it needs. Two times can be necessary: the disk content is missing first, then another thread gets the
 * task.
 */
export const RESEND_LIMIT = 3
/** Maximum number of ruleset keys remembered for one thread; the thread reports evictions. A wrong guess costs one more message. */
const KNOWN_LIMIT = 65_536

type OnFault = (fault: Fault) => void

/** Null: the thread lacked data, and the task is to be sent again with all of it. */
export function readReply(thread: PooledThread, pending: PendingTask, reply: Reply, onFault: OnFault): Submitted | null {
  const { stats } = reply
  const { keys, diskIds, buffers } = thread
  thread.stats = stats
  for (const key of stats.evicted) keys.delete(key)
  if (reply.outcome === 'missing') {
    if (reply.what === 'ruleset') keys.delete(pending.task.ruleset.key)
    if (reply.what === 'disk') diskIds.clear()
    if (pending.resends++ < RESEND_LIMIT) {
      pending.sendAll = true
      return null
    }
    return failureOf(pending, 'fault', { name: 'MissingError', code: reply.what, frames: [] }, null, onFault)
  }
  if (reply.outcome === 'failed') return failureOf(pending, 'fault', reply.error, reply.unit, onFault)
  const { key, diskId } = pending.task.ruleset
  diskIds.add(diskId)
  if (keys.size >= KNOWN_LIMIT) keys.clear()
  // A body and what came from outside have none.
  if (key !== '') keys.add(key)
  const { value, snapshot, bytes, place } = reply
  const answer =
    place !== null ? { bytes: buffers.at(place), release: () => buffers.release(place), digest: value } : bytes !== null ? { bytes, release: () => {}, digest: value } : null
  return { outcome: 'ok', value, answer, snapshot, stats }
}

/** Returns the outcome of the task during which a thread ended. @param isClosed whether the pool ended the thread */
export function outcomeOfEnd(
  pending: PendingTask,
  { ended }: Pick<RunningBatch, 'ended'>,
  error: unknown,
  at: WorkAt,
  { isClosed, taskTimeoutMs, onFault }: { readonly isClosed: boolean; readonly taskTimeoutMs: number; readonly onFault: OnFault },
): Submitted {
  if (ended === 'cancelled') return { outcome: 'aborted' }
  if (ended === 'timeout') {
    onFault({ debugId: randomUUID(), task: pending.task.kind, reason: 'timeout', error: null })
    return { outcome: 'timeout', timeoutMs: pending.options.timeoutMs ?? taskTimeoutMs, at }
  }
  if (isClosed) return { outcome: 'aborted' }
  const reason = (error as { code?: unknown } | null | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'thread'
  return failureOf(pending, reason, flattenError(error), at.index, onFault)
}

/** Returns a failure, and logs it. */
export function failureOf(pending: PendingTask, reason: FlatFailure['reason'], error: FlatError, index: number | null, onFault: OnFault): FlatFailure {
  const debugId = randomUUID()
  onFault({ debugId, task: pending.task.kind, reason, error })
  return { outcome: 'failed', reason, debugId, index }
}
