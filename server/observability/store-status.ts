/** What metrics tell of the store and of the work that waits in it. It is asked when somebody reads the metrics, and seldom: the answer serves everyone for some seconds. */

/** Less than what usually lies between two readings of one reader. */
const CACHE_MS = 5_000
/** A store that takes longer is told as it is, without what waits in it: who reads the metrics must not wait for it. */
const READ_TIMEOUT_MS = 2_000

/** Work of a kind that waits. */
export interface Backlog {
  readonly kind: string
  readonly waiting: number
  /** Since when the longest waiting one does; null: none waits. */
  readonly since: Date | null
}

export interface StoreStatus {
  readonly isUp: boolean
  /** Whether the instance takes requests, as `/readyz` says. */
  readonly isReady: boolean
  /** Null: the store did not say. */
  readonly backlogs: readonly Backlog[] | null
}

export interface StoreStatusOptions {
  readonly health: () => Promise<{ readonly isReady: boolean; readonly parts: { readonly database: 'ok' | 'unavailable' } }>
  readonly backlogs: () => Promise<readonly Backlog[]>
  /** Milliseconds; only differences count. */
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
