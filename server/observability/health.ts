/** Whether this instance can answer: its database does, and its threads have compiled what every request needs. */
import type { CustomContentState } from '#workers'

/** A balancer asks every few seconds; so may anyone else, and the database is asked once for all of them. */
const CACHE_MS = 1000
/** A database that takes longer is of no use to a request either. */
const PING_TIMEOUT_MS = 2000

export interface HealthOptions {
  /** Resolves when the database answers. */
  readonly ping: () => Promise<void>
  readonly isPoolReady: () => boolean
  /** How the custom content at work stands to its folder. Default: there is no folder. Whatever it says, the instance serves. */
  readonly customContent?: () => CustomContentState
  /** Milliseconds; only differences count. */
  readonly now?: () => number
  readonly pingTimeoutMs?: number
}

export interface Readiness {
  readonly isReady: boolean
  readonly parts: {
    readonly database: 'ok' | 'unavailable'
    readonly pool: 'ok' | 'starting'
    readonly instance: 'ok' | 'stopping'
    /** `stale`: the folder does not load, and older content of it is used; `left_out`: it does not load, and none of it is. */
    readonly custom_content?: 'ok' | 'stale' | 'left_out'
    /** Since when, ISO 8601. */
    readonly custom_content_since?: string
  }
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
      parts: {
        database: answers ? 'ok' : 'unavailable',
        pool: isPoolReady ? 'ok' : 'starting',
        instance: this.#isStopping ? 'stopping' : 'ok',
        ...this.#customContent(),
      },
    }
  }

  #customContent(): Pick<Readiness['parts'], 'custom_content' | 'custom_content_since'> {
    const { state, since } = this.#options.customContent?.() ?? { state: null, since: null }
    if (state === null) return {}
    return { custom_content: state === 'current' ? 'ok' : state, ...(since === null ? {} : { custom_content_since: since.toISOString() }) }
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
