/** Readiness of the instance: its database responds, and its threads have compiled the default ruleset. */
import type { CustomContentState } from '#workers'

/** The result is cached: balancers check every few seconds, and anyone may call the endpoint. */
const CACHE_MS = 1000
/** A database that responds later is too slow for requests as well. */
const PING_TIMEOUT_MS = 2000

export interface HealthOptions {
  /** Resolves when the database answers. */
  readonly ping: () => Promise<void>
  readonly isPoolReady: () => boolean
  /** State of the custom content. Default: there is no folder. It does not affect readiness. */
  readonly customContent?: () => CustomContentState
  /** Milliseconds of any origin. */
  readonly now?: () => number
  readonly pingTimeoutMs?: number
}

export interface Readiness {
  readonly isReady: boolean
  readonly parts: {
    readonly database: 'ok' | 'unavailable'
    readonly pool: 'ok' | 'starting'
    readonly instance: 'ok' | 'stopping'
    /** `stale`: the folder does not load, and an older content of it is used; `left_out`: it does not load, and none of it is used. */
    readonly custom_content?: 'ok' | 'stale' | 'left_out'
    /** Since when, in ISO 8601. */
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

  /** Makes the instance unready, so that balancers send no more requests. */
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
    if (this.#ping === null || now - this.#ping.at >= CACHE_MS) this.#ping = { at: now, answers: this.#pingDatabase() }
    return this.#ping.answers
  }

  async #pingDatabase(): Promise<boolean> {
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
