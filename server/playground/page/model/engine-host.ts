/** The worker with the engine. One that does not answer is ended, and another one is started with the same base and content. */
import { EnginePort } from '../../worker/client.js'

/** The limits of the worker keep every request far below this, on a slow phone too. */
const PATIENCE_MS = 30_000

export class EngineHost {
  readonly #start: () => Worker
  #worker: Worker
  #port: EnginePort
  #waiting = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  /** @param start starts a worker @param onRestart called after another one was started */
  constructor(
    start: () => Worker,
    readonly onRestart: () => void,
  ) {
    this.#start = start
    this.#worker = start()
    this.#port = this.#connect()
  }

  /** Asks the engine. The answer rejects with a `RefusedError` where there is none. */
  async ask<T>(request: (port: EnginePort) => Promise<T>): Promise<T> {
    this.#waiting++
    this.#timer ??= setTimeout(() => this.#restart(), PATIENCE_MS)
    try {
      return await request(this.#port)
    } finally {
      this.#waiting--
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = this.#waiting === 0 ? null : setTimeout(() => this.#restart(), PATIENCE_MS)
    }
  }

  #connect(): EnginePort {
    // The browser could not load it, or it has run out of memory.
    this.#worker.onerror = () => this.#port.end()
    return new EnginePort(this.#worker)
  }

  #restart(): void {
    this.#worker.terminate()
    const old = this.#port
    this.#worker = this.#start()
    this.#port = this.#connect()
    old.end()
    this.onRestart()
  }
}
