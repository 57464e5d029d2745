/** Whether this instance can answer: its database does, and its threads have compiled what every request needs. */

/** A balancer asks every few seconds; so may anyone else, and the database is asked once for all of them. */
const CACHE_MS = 1000
/** A database that takes longer is of no use to a request either. */
const PING_TIMEOUT_MS = 2000

export interface HealthOptions {
  /** Resolves when the database answers. */
  readonly ping: () => Promise<void>
  readonly isPoolReady: () => boolean
  /** Milliseconds; only differences count. */
  readonly now?: () => number
  readonly pingTimeoutMs?: number
}

export interface Readiness {
  readonly isReady: boolean
  readonly parts: { readonly database: 'ok' | 'unavailable'; readonly pool: 'ok' | 'starting'; readonly instance: 'ok' | 'stopping' }
}

export class Health {
  readonly #options: HealthOptions
  readonly #now: () => number
  #ping: { readonly at: number; readonly answers: Promise<boolean> } | null = null
  #isStopping = false

  constructor(options: HealthOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** From now on no balancer should send anyone here. */
  stop(): void {
    this.#isStopping = true
  }

  async check(): Promise<Readiness> {
    const isPoolReady = this.#options.isPoolReady()
    const answers = await this.#database()
    return {
      isReady: answers && isPoolReady && !this.#isStopping,
      parts: { database: answers ? 'ok' : 'unavailable', pool: isPoolReady ? 'ok' : 'starting', instance: this.#isStopping ? 'stopping' : 'ok' },
    }
  }

  #database(): Promise<boolean> {
    const now = this.#now()
    if (this.#ping === null || now - this.#ping.at >= CACHE_MS) this.#ping = { at: now, answers: this.#ask() }
    return this.#ping.answers
  }

  async #ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#options.pingTimeoutMs ?? PING_TIMEOUT_MS)
    })
    const answer = this.#options.ping().then(
      () => true,
      () => false,
    )
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
