/**
 * The threads of the pool, hosted by Piscina: it starts them, passes a batch to one of them, and replaces a thread that has ended. Which tasks run, and where, is
 * decided before (`fair-queue.ts`, `batching.ts`). Invariants:
 *  1. a batch is submitted only for a free thread, so Piscina's own queue is empty. Its load balancer takes the thread that the batch names
 *  2. a thread that ends is ended by Node's `terminate`, never by Piscina's abort signals, whose waiting tasks would bypass the queue
 *  3. Piscina replaces nothing any more after a replacement has failed at its start. A further instance then starts the missing threads, after a pause
 */
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { Replies } from '../shared/protocol.js'
import type { Tasks } from '../thread/tasks/index.js'
import type { ThreadData } from '../thread/thread.js'

/** Pause before a thread is replaced if none has had a batch since it was started: the cause probably ends the next one too, and starting a thread occupies a core. */
const RESTART_PAUSE_MS = 1000

export interface HostOptions {
  readonly threads: number
  readonly resourceLimits: NonNullable<ConstructorParameters<typeof Piscina>[0]>['resourceLimits']
  /** What each thread is started with; later changes apply to the threads that start after them. */
  readonly threadData: ThreadData
  /** A thread is starting. */
  readonly onThread: (worker: Worker, run: RunBatch) => void
}

/** Runs a batch in a thread. Rejects when the batch cannot be cloned, or the thread has ended. @param moved memory of the batch that is moved instead of copied */
export type RunBatch = (tasks: Tasks, moved: ArrayBuffer[]) => Promise<Replies>

export class PiscinaHost {
  readonly #options: HostOptions
  readonly #instances: Piscina<Turn, Replies>[] = []
  readonly #known = new Set<Worker>()
  #isClosed = false

  constructor(options: HostOptions) {
    this.#options = options
    this.#start(options.threads)
  }

  /** Ends all threads and starts no others. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { options } of this.#instances) options.minThreads = 0
    await Promise.all([...this.#known].map((worker) => worker.terminate()))
  }

  #start(threads: number): void {
    const { threadData, resourceLimits } = this.#options
    const instance = new Piscina<Turn, Replies>({
      filename: new URL('../thread/thread-entry.cjs', import.meta.url).href,
      name: 'runBatch',
      minThreads: threads,
      maxThreads: threads,
      resourceLimits,
      workerData: threadData,
      recordTiming: false,
      loadBalancer: (task, workers) => {
        const { threadId } = (task as unknown as Record<symbol, Turn>)[Piscina.queueOptionsSymbol]
        return workers.find(({ id }) => id === threadId) ?? null
      },
    })
    // The end of a thread is noticed by its own events.
    instance.on('error', () => {})
    this.#instances.push(instance)
    this.#adopt()
  }

  /** Watches the threads that Piscina has started since the last call. */
  #adopt(): void {
    const { threadData } = this.#options
    let notBefore = 0
    for (const instance of this.#instances)
      for (const worker of instance.threads) {
        if (this.#known.has(worker)) continue
        this.#known.add(worker)
        notBefore = Math.max(threadData.notBefore, Date.now()) + RESTART_PAUSE_MS
        const { threadId } = worker
        this.#options.onThread(worker, (tasks, transferList) => {
          threadData.notBefore = 0
          return instance.run(new Turn(tasks, threadId), { transferList })
        })
        worker.once('exit', () => this.#replace(worker))
      }
    if (notBefore > 0) threadData.notBefore = notBefore
  }

  #replace(worker: Worker): void {
    this.#known.delete(worker)
    if (this.#isClosed) return
    // Piscina, which noticed it first, has replaced it unless a start has failed.
    this.#adopt()
    if (this.#missing > 0) setTimeout(() => this.#startMissing(), RESTART_PAUSE_MS).unref()
  }

  #startMissing(): void {
    const missing = this.#missing
    if (this.#isClosed || missing === 0) return
    const left = this.#instances.filter(({ threads }) => threads.length > 0)
    this.#instances.splice(0, this.#instances.length, ...left)
    this.#start(missing)
  }

  get #missing(): number {
    return this.#options.threads - this.#instances.reduce((sum, { threads }) => sum + threads.length, 0)
  }
}

/** A batch, as a task of Piscina: the message to the thread has its own properties, the load balancer gets what the symbol returns. */
class Turn {
  declare readonly threadId: number

  constructor(
    readonly tasks: Tasks,
    threadId: number,
  ) {
    Object.defineProperty(this, 'threadId', { value: threadId })
  }

  get [Piscina.queueOptionsSymbol](): this {
    return this
  }
}
