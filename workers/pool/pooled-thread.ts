/** One thread of the pool: the worker, which Piscina started (`piscina-host.ts`), the data that it is known to have, and the batch that it runs. */
import type { Worker } from 'node:worker_threads'
import { SharedBuffers } from '../shared/buffers.js'
import { Progress } from '../shared/progress.js'
import type { Reply, ReplyStats, ThreadMemory } from '../shared/protocol.js'
import type { Task } from '../thread/tasks/index.js'
import type { PendingTask } from './pending-task.js'
import type { RunBatch } from './piscina-host.js'

/** A thread that is not ready within this time does not start at all; a start takes under a second. */
export const START_LIMIT_MS = 30_000

export interface ThreadEvents {
  /** The thread has compiled the default rulesets and accepts batches. */
  onReady(): void
  onReply(replies: readonly Reply[]): void
  /** The thread has not received the batch, or could not answer it. It accepts others. */
  onRefusal(error: unknown): void
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
  readonly threadId: number
  readonly diskIds = new Set<string>()
  /** Keys of rulesets that the thread has compiled. */
  readonly keys = new Set<string>()
  /** The thread writes here which task it runs. Set when the thread has started. */
  progress!: Progress
  /** The thread reads lines and writes answers here. Set when the thread has started. */
  buffers!: SharedBuffers
  stats: ReplyStats | null = null
  /** Null: the thread is free or has not started. */
  batch: RunningBatch | null = null
  isStarted = false

  readonly #run: RunBatch
  readonly #events: ThreadEvents
  /** Why the thread ends. */
  #failure: unknown = null
  #hasEnded = false

  constructor(
    readonly worker: Worker,
    run: RunBatch,
    events: ThreadEvents,
  ) {
    this.#run = run
    this.#events = events
    this.threadId = worker.threadId
    // Piscina lets the process end while threads have nothing to do.
    worker.ref()
    const late = setTimeout(() => this.end(), START_LIMIT_MS)
    late.unref()
    worker.on('message', (message: ThreadMemory | object) => {
      if ('progress' in message) {
        this.progress = new Progress(message.progress)
        this.buffers = new SharedBuffers(message.answers)
        return
      }
      // The thread's message to Piscina that its module is loaded, which Piscina has read before.
      clearTimeout(late)
      this.isStarted = true
      events.onReady()
    })
    worker.on('error', (error) => {
      this.#failure = error
    })
    worker.once('exit', () => {
      clearTimeout(late)
      this.#hasEnded = true
      events.onExit(this.#failure)
    })
  }

  /** Sends tasks to the thread. */
  send(tasks: readonly PendingTask[], sentAt: number): void {
    this.progress.clear()
    this.batch = { tasks: [...tasks], sentAt, ended: null }
    const messages = tasks.map((one) => this.#shareLines(this.#attachMissingSupplies(one)))
    const isPlain = messages.every((task, index) => (tasks[index].options.isSmall === true || areLinesShared(task)) && task.ruleset.source === null && task.ruleset.disk === null)
    const moved = tasks.flatMap(({ options }) => options.moves ?? [])
    this.#run(isPlain ? JSON.stringify(messages) : messages, moved).then(
      (replies) => {
        if (!this.#hasEnded) this.#events.onReply(typeof replies === 'string' ? (JSON.parse(replies) as Reply[]) : replies)
      },
      (error: unknown) => {
        // If the thread ends, its end is read.
        if (!this.#hasEnded && this.#failure === null) this.#events.onRefusal(error)
      },
    )
  }

  /** Ends the thread, also during a task. */
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
