/** Looks several times a second for what other instances have changed, as long as anyone asks: what is cached stays good while nothing has. */
import type { IdentityCache } from './identity-cache.js'
import type { IdentityChanges } from './identity-changes.js'

/** Well below the cache's `FRESH_MS`: a look may take as long again before what is cached has to be read anew. */
const LOOK_EVERY_MS = 250

export class IdentityWatch {
  readonly #cache: IdentityCache
  readonly #changes: Pick<IdentityChanges, 'look'>
  readonly #monotonic: () => number
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()

  /** @param monotonic as the cache's */
  constructor(cache: IdentityCache, changes: Pick<IdentityChanges, 'look'>, monotonic: () => number = () => performance.now()) {
    this.#cache = cache
    this.#changes = changes
    this.#monotonic = monotonic
  }

  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#looking = this.look().finally(() => {
        if (this.#timer === null) return
        this.#timer = null
        this.start()
      })
    }, LOOK_EVERY_MS).unref()
  }

  /** Resolves when no look is under way: before the store closes. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#looking
  }

  /** One look; none when nobody has asked the cache since the last one. */
  async look(): Promise<void> {
    if (!this.#cache.takeWasUsed()) return
    const began = this.#monotonic()
    try {
      this.#cache.confirm(began, await this.#changes.look())
    } catch {
      // A database that is away is told by whoever needs it; what is cached is good for `FRESH_MS` from the last look.
    }
  }
}
