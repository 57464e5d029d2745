/** Polls the changes of other instances several times a second while the identity cache is in use. Unchanged entries stay valid. */
import type { IdentityCache } from './identity-cache.js'
import type { IdentityChanges } from './identity-changes.js'

/** Well below the cache's `FRESH_MS`, so that a poll may be slow without entries expiring. */
const POLL_INTERVAL_MS = 250

export class IdentityWatch {
  readonly #cache: IdentityCache
  readonly #changes: Pick<IdentityChanges, 'poll'>
  readonly #monotonic: () => number
  #timer: NodeJS.Timeout | null = null
  #polling: Promise<void> = Promise.resolve()

  /** @param monotonic the clock of the cache */
  constructor(cache: IdentityCache, changes: Pick<IdentityChanges, 'poll'>, monotonic: () => number = () => performance.now()) {
    this.#cache = cache
    this.#changes = changes
    this.#monotonic = monotonic
  }

  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#polling = this.poll().finally(() => {
        if (this.#timer === null) return
        this.#timer = null
        this.start()
      })
    }, POLL_INTERVAL_MS).unref()
  }

  /** Resolves when no poll is running. Call before the store is closed. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#polling
  }

  /** Polls once, unless the cache was not used since the last poll. */
  async poll(): Promise<void> {
    if (!this.#cache.takeWasUsed()) return
    const began = this.#monotonic()
    try {
      this.#cache.confirm(began, await this.#changes.poll())
    } catch {
      // A request that needs the database reports its failure. Cached entries stay valid for `FRESH_MS` after the last successful poll.
    }
  }
}
