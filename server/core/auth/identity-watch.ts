/**
 * Polls the changes of all instances several times a second while the identity cache is in use, or something follows them. Unchanged entries of the cache stay
 * valid.
 */
import type { IdentityCache } from './identity-cache.js'
import type { IdentityChanges } from './identity-changes.js'

/** Well below the cache's `FRESH_MS`, so that a poll may be slow without entries expiring. */
const POLL_INTERVAL_MS = 250

/** A part that must receive each change while it is in use. */
export interface IdentityFollower {
  readonly isInUse: boolean
  /** Called after each poll that succeeded. @param slices those with changes since the poll before; null: unknown */
  polled(slices: readonly number[] | null): void
}

export class IdentityWatch {
  readonly #cache: IdentityCache
  readonly #changes: Pick<IdentityChanges, 'poll'>
  readonly #monotonic: () => number
  #follower: IdentityFollower | null = null
  #timer: NodeJS.Timeout | null = null
  #polling: Promise<void> = Promise.resolve()

  /** @param monotonic the clock of the cache */
  constructor(cache: IdentityCache, changes: Pick<IdentityChanges, 'poll'>, monotonic: () => number = () => performance.now()) {
    this.#cache = cache
    this.#changes = changes
    this.#monotonic = monotonic
  }

  /** Sets the follower; there is one. */
  follow(follower: IdentityFollower): void {
    this.#follower = follower
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

  /** Polls once, unless the cache was not used since the last poll, and there is no follower in use. */
  async poll(): Promise<void> {
    if (!this.#cache.takeWasUsed() && this.#follower?.isInUse !== true) return
    const began = this.#monotonic()
    try {
      const slices = await this.#changes.poll()
      this.#cache.confirm(began, slices)
      this.#follower?.polled(slices)
    } catch {
      // A request that needs the database reports its failure. Cached entries stay valid for `FRESH_MS` after the last successful poll.
    }
  }
}
