/** Tracks the requests that are being answered, so that an instance can stop without cutting them. */
import type { RequestState, Middleware } from '../request-state.js'

interface Running {
  readonly state: RequestState
  /** Index in the list; -1: removed. */
  at: number
}

export class InFlight {
  /**
   * Unordered. Not a Set: with thousands of insertions a second a Set replaces its hash tables, and an old table that survived a minor collection keeps the
   * following ones, with all requests in them, alive until the next major collection.
   */
  readonly #running: Running[] = []
  #isStopping = false
  #whenIdle: (() => void) | null = null
  readonly middleware: Middleware = async ({ state, req, res }, next) => {
    const running: Running = { state, at: this.#running.length }
    this.#running.push(running)
    if (this.#isStopping) state.headers.Connection = 'close'
    try {
      await next()
    } finally {
      const done = (): void => {
        this.#remove(running)
        state.end()
        if (this.#running.length === 0) this.#whenIdle?.()
      }
      if (!res.writableEnded || res.destroyed || req.socket.destroyed) done()
      // A response is in flight until the operating system has all of it.
      else res.once('close', done)
    }
  }

  get count(): number {
    return this.#running.length
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Ends streams at once and waits for the other requests. Aborts those that still run after `ms`. Resolves when all have ended or the time is over. */
  async drain(ms: number): Promise<void> {
    this.#isStopping = true
    for (const { state } of [...this.#running]) {
      if (state.route?.endless === true) state.abort('stopping')
      state.headers.Connection = 'close'
    }
    if (this.#running.length === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
      timer = setTimeout(resolve, ms)
    })
    clearTimeout(timer)
    for (const { state } of [...this.#running]) state.abort('stopping')
  }

  /** Moves the last entry to the freed index. */
  #remove(running: Running): void {
    if (running.at < 0) return
    const last = this.#running.pop() as Running
    if (last !== running) {
      this.#running[running.at] = last
      last.at = running.at
    }
    running.at = -1
  }
}
