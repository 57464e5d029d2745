/** The requests that are being answered, so that an instance can stop without cutting them. */
import type { Exchange, Middleware } from '../exchange.js'

interface Running {
  readonly state: Exchange
  /** Where it stands in the list; -1: no longer. */
  at: number
}

export class InFlight {
  /**
   * In no order. No Set: at thousands of entries a second it makes tables anew, and an old one that outlived a minor collection keeps the next alive, and
   * with it every request since, until the next major one.
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
      // An answer is under way until the system has all of it.
      else res.once('close', done)
    }
  }

  get count(): number {
    return this.#running.length
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Ends streams at once, and waits for the others; those that aren't done by then are told to stop. Resolves when nothing runs, or time is over. */
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

  /** The last one takes its place. */
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
