/**
 * Counters over all instances, for rate limits and for throttles of logins and registrations. Invariants:
 *  1. all instances together admit exactly the limit within a window: every admitted unit was taken from the stored count first
 *  2. a window begins with the first request counted in it, so that a burst meets the limit regardless of the clock
 *  3. for a large limit an instance takes units in blocks, so that most requests cost no write; the unused rest of a block is lost with the window, at most a
 *     hundredth of the limit per instance
 */
import { createHash } from 'node:crypto'
import { entryCache } from '#workers'
import { type Collection, type CountedWindow, platformCollection, type Storage, type WindowDocument, type Windows } from '../storage/contract.js'

/** The argument of `Storage.prepare`. */
export const COUNTERS = platformCollection<WindowDocument>('counters', [{ keys: { reset_at: 1 }, expireAfterSeconds: 0 }], { volatile: true })

/** Blocks per limit. One block is the share that an instance may hold unused. */
const BLOCKS = 100
/** Smallest limit with blocks. Below it every unit is one write, and the remaining number is exact. */
const BLOCK_FROM = 2 * BLOCKS
/** Entries of blocks, and of exhausted limits, that an instance keeps. An evicted entry costs one write. */
const LOCAL_LIMIT = 50_000

export interface Limit {
  readonly limit: number
  readonly windowSeconds: number
}

export interface Taken {
  readonly allowed: boolean
  /** Remaining units in the window, as far as this instance knows. */
  readonly remaining: number
  readonly resetAt: number
}

/** An attempt at something that is throttled. */
export interface Attempt {
  readonly allowed: boolean
  /** Further attempts in the window. */
  readonly remaining: number
  readonly resetAt: Date
}

export type Clock = () => number

/** A window as this instance knows it. */
interface LocalWindow {
  /** Units that this instance has taken and not used. */
  own: number
  /** Units that were free when this instance last wrote. */
  left: number
  readonly resetAt: number
}

/** Windows of rate limits. */
export class Counters {
  readonly #stored: StoredCounts
  readonly #local = entryCache<LocalWindow>(LOCAL_LIMIT)
  /** Blocks being taken. Concurrent requests wait for them and fail with them. */
  readonly #taking = new Map<string, Promise<unknown>>()
  readonly #now: Clock

  constructor(storage: Pick<Storage, 'open' | 'windows'>, now: Clock = Date.now) {
    this.#now = now
    this.#stored = new StoredCounts(storage, now)
  }

  /** Takes a unit, synchronously when this instance has one. @param id identifies the limit and its holder */
  take(id: string, { limit, windowSeconds }: Limit): Taken | Promise<Taken> {
    return this.#takeLocal(id) ?? this.#takeStored(id, limit, windowSeconds)
  }

  #takeLocal(id: string): Taken | null {
    const local = this.#local.get(id)
    if (local === undefined || local.resetAt <= this.#now()) return null
    if (local.own > 0) {
      local.own--
      return { allowed: true, remaining: local.left + local.own, resetAt: local.resetAt }
    }
    return local.left === 0 ? { allowed: false, remaining: 0, resetAt: local.resetAt } : null
  }

  async #takeStored(id: string, limit: number, windowSeconds: number): Promise<Taken> {
    const block = limit < BLOCK_FROM ? 1 : Math.floor(limit / BLOCKS)
    for (;;) {
      const pending = block === 1 ? undefined : this.#taking.get(id)
      if (pending === undefined) {
        const taking = this.#takeBlock(id, limit, windowSeconds, block)
        if (block === 1) return taking
        this.#taking.set(id, taking)
        try {
          return await taking
        } finally {
          this.#taking.delete(id)
        }
      }
      await pending
      const taken = this.#takeLocal(id)
      if (taken !== null) return taken
    }
  }

  /** Takes a block and one unit of it. */
  async #takeBlock(id: string, limit: number, windowSeconds: number, block: number): Promise<Taken> {
    const { count, resetAt } = await this.#stored.add(id, block, windowSeconds)
    const granted = Math.max(0, Math.min(block, limit - (count - block)))
    const left = Math.max(0, limit - count)
    // Without blocks, other instances take units unnoticed. Only an exhausted limit is worth caching.
    if (block > 1 || granted === 0) this.#local.set(id, { own: Math.max(0, granted - 1), left, resetAt })
    return { allowed: granted > 0, remaining: left + Math.max(0, granted - 1), resetAt }
  }
}

/** Throttles for operations that an attacker repeats. Every attempt is a write, so all instances know it at once. */
export class Throttle {
  readonly #stored: StoredCounts

  constructor(storage: Pick<Storage, 'open' | 'windows'>, now: Clock = Date.now) {
    this.#stored = new StoredCounts(storage, now)
  }

  /** Counts an attempt, including a refused one. @param key identifies the caller; only its hash is stored */
  async attempt(name: string, key: string, { limit, windowSeconds }: Limit): Promise<Attempt> {
    const { count, resetAt } = await this.#stored.add(throttleId(name, key), 1, windowSeconds)
    return { allowed: count <= limit, remaining: Math.max(0, limit - count), resetAt: new Date(resetAt) }
  }

  /** Subtracts an attempt from the current window. */
  async release(name: string, key: string): Promise<void> {
    await this.#stored.release(throttleId(name, key))
  }

  /** Deletes the attempts. */
  async clear(name: string, key: string): Promise<void> {
    await this.#stored.clear(throttleId(name, key))
  }
}

function throttleId(name: string, key: string): string {
  return `throttle:${name}:${createHash('sha256').update(key).digest('base64url')}`
}

/** The stored windows, one document each. */
class StoredCounts {
  readonly #windows: Windows
  readonly #documents: Collection<WindowDocument>
  readonly #now: Clock

  constructor(storage: Pick<Storage, 'open' | 'windows'>, now: Clock) {
    this.#windows = storage.windows(COUNTERS)
    this.#documents = storage.open(COUNTERS)
    this.#now = now
  }

  /** Adds units to the window, or begins one. @returns the count including the added units */
  add(id: string, units: number, windowSeconds: number): Promise<CountedWindow> {
    return this.#windows.add(id, units, windowSeconds * 1000, this.#now())
  }

  /** Never below zero: the window may have been cleared in the meantime. */
  async release(id: string): Promise<void> {
    await this.#documents.update({ _id: id, count: { gt: 0 }, reset_at: { gt: new Date(this.#now()) } }, { increment: { count: -1 } })
  }

  async clear(id: string): Promise<void> {
    await this.#documents.delete({ _id: id })
  }
}

/** The `Retry-After` header until a time, in whole seconds and at least one. */
export function retryAfter(resetAt: number, now: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(Math.max(1, Math.ceil((resetAt - now) / 1000))) }
}
