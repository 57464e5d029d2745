/**
 * One thread of the pool: the worker, the data that it is known to have, and the batch that it runs. It uses Node's `Worker` and its message port. A pool
 * library would add nothing: queue, fairness, deadlines and affinity are implemented here, and a task of Piscina costs a tenth of a logtest or more in addition
 * to a message (README.md).
 */
import { Worker } from 'node:worker_threads'
import type { PendingTask } from './pending-task.js'
import { Progress } from './progress.js'
import type { BaseChecks, Batch, BatchReply, DiskContent, Reply, ReplyStats, ThreadReady } from './protocol.js'
import { SharedBuffers } from './shared-buffers.js'
import type { Task } from './tasks/index.js'
import type { ThreadData } from './thread.js'

/** A thread that is not ready within this time does not start at all; a start takes under a second. */
export const START_LIMIT_MS = 30_000
/**
 * Size of a thread's young generation. Events are short-lived garbage, which a small young generation promotes to the old one. V8 divides it by three and
 * takes the next power of two: 24 is two halves of 8 MB. More takes 15 MB more memory and is not faster.
 */
const YOUNG_GENERATION_MB = 24

export interface ThreadOptions {
  readonly url: string
  readonly disk: DiskContent
  readonly baseChecks: BaseChecks | null
  readonly cacheBytes: number
  readonly heapLimitMb: number
}

export interface ThreadEvents {
  /** The thread has compiled the default rulesets and accepts batches. */
  onReady(): void
  onReply(replies: readonly Reply[]): void
  /** The thread has ended, or never started. No further call follows. */
  onExit(error: unknown): void
}

/** Tasks that a thread runs. */
export interface RunningBatch {
  /** In the order of the tasks; null: the task was taken back. */
  readonly tasks: (PendingTask | null)[]
  readonly sentAt: number
  /** Why the thread was ended during the batch. */
  ended: 'timeout' | 'start' | 'cancelled' | null
}

export class PooledThread {
  readonly worker: Worker
  readonly threadId: number
  readonly diskIds = new Set<string>()
  /** Keys of rulesets that the thread has compiled. */
  readonly keys = new Set<string>()
  /** The thread writes here which task it runs. */
  readonly progress = new Progress()
  /** The thread reads lines and writes answers here. */
  readonly buffers = new SharedBuffers()
  stats: ReplyStats | null = null
  /** Null: the thread is free or has not started. */
  batch: RunningBatch | null = null
  isStarted = false

  constructor({ url, disk, baseChecks, cacheBytes, heapLimitMb }: ThreadOptions, { onReady, onReply, onExit }: ThreadEvents) {
    const workerData: ThreadData = { disk, baseChecks, cacheBytes, progress: this.progress.buffer, answers: this.buffers.buffer }
    this.worker = new Worker(new URL(url), { workerData, resourceLimits: { maxOldGenerationSizeMb: heapLimitMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } })
    this.threadId = this.worker.threadId
    const late = setTimeout(() => this.end(), START_LIMIT_MS)
    late.unref()
    let failure: unknown
    this.worker.on('message', (message: ThreadReady | BatchReply) => {
      if ('replies' in message) return onReply(typeof message.replies === 'string' ? (JSON.parse(message.replies) as Reply[]) : message.replies)
      clearTimeout(late)
      this.isStarted = true
      onReady()
    })
    this.worker.on('error', (error) => {
      failure = error
    })
    this.worker.once('exit', () => {
      clearTimeout(late)
      onExit(failure)
    })
  }

  /** Sends tasks to the thread. @throws if a task cannot be cloned, or its memory was moved before */
  send(tasks: readonly PendingTask[], sentAt: number): void {
    this.progress.clear()
    this.batch = { tasks: [...tasks], sentAt, ended: null }
    const messages = tasks.map((one) => this.#shareLines(this.#attachMissingSupplies(one)))
    const isPlain = messages.every((task, index) => (tasks[index].options.isSmall === true || areLinesShared(task)) && task.ruleset.source === null && task.ruleset.disk === null)
    const moved = tasks.flatMap(({ options }) => options.moves ?? [])
    this.worker.postMessage({ tasks: isPlain ? JSON.stringify(messages) : messages } satisfies Batch, moved)
  }

  /** Ends the thread, whatever it is running. */
  end(): void {
    void this.worker.terminate()
  }

  /** Ends the thread during its batch. Its tasks are handled after it has ended. */
  endBatch(batch: RunningBatch, reason: NonNullable<RunningBatch['ended']>): void {
    batch.ended = reason
    this.end()
  }

  #attachMissingSupplies({ task, options, sendAll }: PendingTask): Task {
    const { source, disk, session } = options.supplies
    const isKnown = 'body' in source || source.files.length > 0 ? this.keys.has(task.ruleset.key) : false
    task.ruleset.source = !sendAll && isKnown ? null : source
    // A thread that has not replied yet has the content with which it was started.
    task.ruleset.disk = sendAll || (this.diskIds.size > 0 && !this.diskIds.has(disk.id)) ? disk : null
    if ('session' in task && task.session !== null && session !== null) task.session.state = !sendAll && session.threadId === this.threadId ? null : session.state()
    return task
  }

  /** Writes the lines of a task into shared memory, where they are neither copied by a message nor left as garbage. Only one task of a batch can have lines. */
  #shareLines(task: Task): Task {
    if (task.kind !== 'lines' || typeof task.lines === 'number') return task
    // A message copies the whole memory behind a view.
    return { ...task, lines: this.buffers.writeLines(task.lines) ? task.lines.length : new Uint8Array(task.lines) }
  }
}

/** Whether a task is lines in shared memory, and plain data otherwise. */
function areLinesShared(task: Task): boolean {
  return task.kind === 'lines' && typeof task.lines === 'number' && task.session === null
}
