/** One thread of a database file. It starts with its first request. */
import { Worker } from 'node:worker_threads'
import { StorageUnavailableError } from '../errors.js'
import { contractFault } from './faults.js'
import type { ThreadReply, Request, ThreadOptions } from './thread.js'

/** Size of a thread's young generation: V8 divides it by three, so it is two halves of 1 MB. Its default takes up to 30 MB more, and no operation of the store is faster. */
const YOUNG_GENERATION_MB = 3

interface Pending {
  resolve(value: never): void
  reject(fault: unknown): void
}

export class StoreThread {
  readonly #options: ThreadOptions
  #worker: Worker | null = null
  /** Pending requests, in the order in which the thread answers them. */
  #pending: Pending[] = []

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  get isStarted(): boolean {
    return this.#worker !== null
  }

  /** Number of pending requests. */
  get load(): number {
    return this.#pending.length
  }

  request<R>(request: Request): Promise<R> {
    const worker = (this.#worker ??= this.#start())
    return new Promise<R>((resolve, reject) => {
      this.#pending.push({ resolve, reject })
      // Keeps the process alive while a request is pending.
      worker.ref()
      worker.postMessage(request)
    })
  }

  /** Waits for the pending requests, and ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    await this.request({ kind: 'close' }).catch(() => undefined)
    await worker.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: this.#options,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    })
    worker.unref()
    worker.on('message', (answer: ThreadReply) => {
      if (this.#worker !== worker) return
      const pending = this.#pending.shift()
      if (this.#pending.length === 0) worker.unref()
      if ('fault' in answer) pending?.reject(contractFault(answer.fault, this.#options.path))
      else pending?.resolve(answer.value as never)
    })
    // The next request replaces a thread that ended unexpectedly. Late messages of the old thread must not answer requests to the new one.
    const end = (cause: unknown): void => {
      if (this.#worker !== worker) return
      this.#worker = null
      for (const { reject } of this.#pending.splice(0)) reject(new StorageUnavailableError({ cause }))
    }
    worker.once('error', end)
    worker.once('exit', () => end(new Error('a thread of the store ended unexpectedly')))
    return worker
  }
}
