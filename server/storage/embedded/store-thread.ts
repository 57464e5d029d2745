/** One thread of a database file, started when it is first asked something. */
import { Worker } from 'node:worker_threads'
import { StorageUnavailableError } from '../errors.js'
import { contractFault } from './faults.js'
import type { Answer, Request, ThreadOptions } from './thread.js'

interface Pending {
  resolve(value: never): void
  reject(fault: unknown): void
}

export class StoreThread {
  readonly #options: ThreadOptions
  #worker: Worker | null = null
  /** In the order in which the thread answers. */
  #pending: Pending[] = []

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  get isStarted(): boolean {
    return this.#worker !== null
  }

  /** Requests that wait for their answers. */
  get load(): number {
    return this.#pending.length
  }

  ask<R>(request: Request): Promise<R> {
    const worker = (this.#worker ??= this.#start())
    return new Promise<R>((resolve, reject) => {
      this.#pending.push({ resolve, reject })
      // The process may end only when nobody waits for an answer.
      worker.ref()
      worker.postMessage(request)
    })
  }

  /** Answers what was asked before, and ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    await this.ask({ kind: 'close' }).catch(() => undefined)
    await worker.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: this.#options, execArgv: [] })
    worker.unref()
    worker.on('message', (answer: Answer) => {
      if (this.#worker !== worker) return
      const pending = this.#pending.shift()
      if (this.#pending.length === 0) worker.unref()
      if ('fault' in answer) pending?.reject(contractFault(answer.fault, this.#options.path))
      else pending?.resolve(answer.value as never)
    })
    // A thread that ended by itself is replaced when it is next asked something. What it says after that must not answer requests to the next one.
    const end = (cause: unknown): void => {
      if (this.#worker !== worker) return
      this.#worker = null
      for (const { reject } of this.#pending.splice(0)) reject(new StorageUnavailableError({ cause }))
    }
    worker.once('error', end)
    worker.once('exit', () => end(new Error('a thread of the store has ended')))
    return worker
  }
}
