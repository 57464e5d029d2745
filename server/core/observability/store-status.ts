/**
 * State of the store and of the jobs waiting in it, for the metrics. The store is queried only when metrics are read, and the result is cached for some
 * seconds.
 */

/** Shorter than the usual interval of a scraper. */
const CACHE_MS = 5_000
/** After this time the state is reported without the waiting jobs, so that a scraper does not wait. */
const READ_TIMEOUT_MS = 2_000

/** Waiting jobs of a kind. */
export interface Backlog {
  readonly kind: string
  readonly waiting: number
  /** Since when the oldest is due; null: none waits. */
  readonly since: Date | null
}

export interface StoreStatus {
  readonly isUp: boolean
  /** Whether the instance accepts requests, as `/readyz` reports. */
  readonly isReady: boolean
  /** Null: the store did not respond. */
  readonly backlogs: readonly Backlog[] | null
}

export interface StoreStatusOptions {
  readonly health: () => Promise<{ readonly isReady: boolean; readonly parts: { readonly database: 'ok' | 'unavailable' } }>
  readonly backlogs: () => Promise<readonly Backlog[]>
  /** Milliseconds of any origin. */
  readonly now?: () => number
  readonly timeoutMs?: number
}

export class StoreStatusCache {
  readonly #options: StoreStatusOptions
  readonly #now: () => number
  #last: { readonly at: number; readonly reading: Promise<StoreStatus> } | null = null

  constructor(options: StoreStatusOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Never rejects. */
  read(): Promise<StoreStatus> {
    const now = this.#now()
    if (this.#last === null || now - this.#last.at >= CACHE_MS) this.#last = { at: now, reading: this.#read() }
    return this.#last.reading
  }

  async #read(): Promise<StoreStatus> {
    const { health, backlogs } = this.#options
    const { isReady, parts } = await health()
    const isUp = parts.database === 'ok'
    return { isUp, isReady, backlogs: isUp ? await this.#inTime(backlogs()) : null }
  }

  async #inTime<T>(reading: Promise<T>): Promise<T | null> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.#options.timeoutMs ?? READ_TIMEOUT_MS)
    })
    try {
      return await Promise.race([reading.catch(() => null), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
