/** Which thread runs which waiting tasks: the thread that has their ruleset, and small tasks on one ruleset's thread together. */
import type { FairQueue } from './fair-queue.js'
import type { PendingTask } from './pending-task.js'
import type { PooledThread } from './pooled-thread.js'

/** Tasks of one batch. Sixteen leave a sixteenth of the cost of a message each; more would save little. */
const BATCH_TASKS_LIMIT = 16
/** Waiting tasks that are looked at to fill a batch. */
export const BATCH_LOOK_LIMIT = 64
/** Times that a task is passed over for one whose ruleset the free thread has. A batch takes about a millisecond. */
const PASSED_OVER_LIMIT = 4

/** What batching changes: the queue, and the count of those that may be refused. */
export interface WaitingTasks {
  readonly queue: FairQueue<PendingTask>
  take(task: PendingTask): void
  putBack(tasks: readonly PendingTask[]): void
}

/** The free thread that holds the session, else one that has the ruleset, else any; null: none is free. */
export function chooseThread(threads: readonly PooledThread[], { task, options }: PendingTask): PooledThread | null {
  const { key } = task.ruleset
  let chosen: PooledThread | null = null
  for (const thread of threads) {
    if (thread.batch !== null || !thread.isStarted) continue
    if (thread.threadId === options.preferredThread) return thread
    if (chosen === null || (thread.keys.has(key) && !chosen.keys.has(key))) chosen = thread
  }
  return chosen
}

/** The tasks of a batch: the one that was chosen for the thread, or one that fits it better, and small ones beside it. */
export function fillBatch(thread: PooledThread, task: PendingTask, threads: readonly PooledThread[], waiting: WaitingTasks): PendingTask[] {
  const first = preferKnown(thread, task, threads, waiting)
  return [first, ...addSmall(thread, first, threads.length, waiting)]
}

/**
 * Where another thread has compiled the ruleset of a task, and this one has that of another waiting task, the two are exchanged. Otherwise each thread would in
 * time compile what all the others have, and the caches of all together would hold no more than one.
 */
function preferKnown({ keys }: PooledThread, first: PendingTask, threads: readonly PooledThread[], { queue, take, putBack }: WaitingTasks): PendingTask {
  const { key } = first.task.ruleset
  if (first.sendAll || first.passedOver >= PASSED_OVER_LIMIT || queue.length === 0 || keys.has(key) || !isCompiled(threads, key)) return first
  for (const other of queue.inOrder(BATCH_LOOK_LIMIT)) {
    if (other.sendAll || other.options.preferredThread != null || !keys.has(other.task.ruleset.key)) continue
    first.passedOver++
    take(other)
    putBack([first])
    return other
  }
  return first
}

/** Waiting small tasks that join the batch, at most this thread's share of all that wait. */
function addSmall({ keys }: PooledThread, first: PendingTask, threads: number, { queue, take }: WaitingTasks): readonly PendingTask[] {
  const fits = ({ options, task, sendAll }: PendingTask): boolean => options.isSmall === true && !sendAll && keys.has(task.ruleset.key)
  if (queue.length === 0 || !fits(first)) return NONE
  const joining: PendingTask[] = []
  const share = Math.min(BATCH_TASKS_LIMIT - 1, Math.ceil(queue.length / threads))
  for (const task of queue.inOrder(BATCH_LOOK_LIMIT)) {
    if (joining.length >= share) break
    if (fits(task)) joining.push(task)
  }
  for (const task of joining) take(task)
  return joining
}

export function isCompiled(threads: readonly PooledThread[], key: string): boolean {
  return threads.some(({ keys }) => keys.has(key))
}

const NONE: readonly PendingTask[] = []
