/** The requests that are being answered, so that an instance can stop without cutting them. */
import type { Exchange, Middleware } from './exchange.js'

export class InFlight {
  readonly #running = new Set<Exchange>()
  #isStopping = false
  #whenIdle: (() => void) | null = null

  readonly middleware: Middleware = async ({ state }, next) => {
    this.#running.add(state)
    if (this.#isStopping) state.headers.Connection = 'close'
    try {
      await next()
    } finally {
      this.#running.delete(state)
      if (this.#running.size === 0) this.#whenIdle?.()
    }
  }

  get count(): number {
    return this.#running.size
  }

  /** Ends streams at once, and waits for the others; those that aren't done by then are told to stop. Resolves when nothing runs, or time is over. */
  async drain(ms: number): Promise<void> {
    this.#isStopping = true
    for (const state of this.#running) {
      if (state.route?.timeoutMs === null) state.abort('stopping')
      state.headers.Connection = 'close'
    }
    if (this.#running.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
      timer = setTimeout(resolve, ms)
    })
    clearTimeout(timer)
    for (const state of this.#running) state.abort('stopping')
  }
}
