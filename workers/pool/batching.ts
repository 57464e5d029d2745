/** Assigns waiting tasks to threads: a task goes to a thread that has its ruleset, and small tasks on one ruleset run together. */
import type { FairQueue } from './fair-queue.js'
import type { PendingTask } from './pending-task.js'
import type { PooledThread } from './pooled-thread.js'

/** Maximum number of tasks in a batch. With sixteen tasks, each pays a sixteenth of the cost of a message; more tasks would save little. */
const BATCH_TASKS_LIMIT = 16
/** Waiting tasks that are examined to fill a batch. */
export const BATCH_LOOK_LIMIT = 64
/** How often a task may be passed over in favour of one whose ruleset the free thread has. A batch takes about a millisecond. */
const PASSED_OVER_LIMIT = 4

/** The state that batching changes: the queue, and the number of tasks that count towards its limit. */
export interface WaitingTasks {
  readonly queue: FairQueue<PendingTask>
  take(task: PendingTask): void
  putBack(tasks: readonly PendingTask[]): void
}

/**
 * Returns the free thread that has the session, else one that has the ruleset, else any; null: no thread is free. Work in the background waits for the thread that
 * has its session: to restore the session elsewhere takes longer than a slice, and others would wait for that.
 */
export function chooseThread(threads: readonly PooledThread[], { task, options, isBackground }: PendingTask): PooledThread | null {
  const { key } = task.ruleset
  if (isBackground && options.preferredThread != null) {
    const own = threads.find(({ threadId }) => threadId === options.preferredThread)
    if (own !== undefined) return own.batch === null && own.isStarted ? own : null
  }
  let chosen: PooledThread | null = null
  for (const thread of threads) {
    if (thread.batch !== null || !thread.isStarted) continue
    if (thread.threadId === options.preferredThread) return thread
    if (chosen === null || (thread.keys.has(key) && !chosen.keys.has(key))) chosen = thread
  }
  return chosen
}

/** Returns the tasks of a batch: the task that was chosen for the thread, or one that fits it better, and small tasks beside it. */
export function fillBatch(thread: PooledThread, task: PendingTask, threads: readonly PooledThread[], waiting: WaitingTasks): PendingTask[] {
  const first = preferKnown(thread, task, threads, waiting)
  return [first, ...addSmall(thread, first, threads.length, waiting)]
}

/**
 * If another thread has compiled the ruleset of a task, and this thread has that of another waiting task, exchanges the two. Otherwise every thread would in
 * time compile the rulesets of all the others, and all caches would have the same content.
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

/** Adds small waiting tasks to the batch, at most this thread's share of all that wait. */
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
