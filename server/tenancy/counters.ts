/**
 * Counts of what callers do, over all instances: rate limits, and throttles of logins and registrations. Invariants:
 *  1. all instances together let through no more than the limit within a window, exactly: every unit let through was taken from the stored count first
 *  2. a window begins with the first request that is counted in it, so that a burst meets the limit whatever the clock shows
 *  3. where the limit is large, an instance takes units by the block, and a request costs no write; what is left of a block is lost with the window,
 *     at most a hundredth of the limit an instance
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Collection, platformCollection, type Storage } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'

interface CounterDocument {
  readonly _id: string
  readonly count: number
  readonly reset_at: Date
}

/** For `Storage.prepare`. */
export const COUNTERS = platformCollection<CounterDocument>('counters', [{ keys: { reset_at: 1 }, expireAfterSeconds: 0 }], { volatile: true })

/** Blocks per limit: the share that an instance may hold unused. */
const BLOCKS = 100
/** Below it every unit is a write, and the remaining number is exact. */
const BLOCK_FROM = 2 * BLOCKS
/** Callers whose blocks, or whose having none left, an instance remembers. One that is forgotten costs a write. */
const LOCAL_LIMIT = 50_000
/** Two instances may begin a window at once; the one that loses looks again. */
const ATTEMPTS = 5

export interface Limit {
  readonly limit: number
  readonly windowSeconds: number
}

export interface Taken {
  readonly allowed: boolean
  /** What is left in the window, as far as this instance knows. */
  readonly remaining: number
  readonly resetAt: number
}

export type Clock = () => number

/** A window as this instance knows it. */
interface LocalWindow {
  /** Units of this instance. */
  own: number
  /** Units that nobody had taken when this instance last asked. */
  left: number
  readonly resetAt: number
}

/** Windows of rate limits. */
export class Counters {
  readonly #stored: StoredCounts
  readonly #local = new LRUCache<string, LocalWindow>({ max: LOCAL_LIMIT })
  /** Blocks that are being taken: whoever comes meanwhile waits for them, and fails with them. */
  readonly #taking = new Map<string, Promise<unknown>>()
  readonly #now: Clock

  constructor(storage: Pick<Storage, 'open'>, now: Clock = Date.now) {
    this.#now = now
    this.#stored = new StoredCounts(storage, now)
  }

  /** Takes a unit; without waiting when this instance has one. @param id names what is limited, and for whom */
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

  /** Takes a block, and of that a unit. */
  async #takeBlock(id: string, limit: number, windowSeconds: number, block: number): Promise<Taken> {
    const { count, resetAt } = await this.#stored.add(id, block, windowSeconds)
    const granted = Math.max(0, Math.min(block, limit - (count - block)))
    const left = Math.max(0, limit - count)
    // Without blocks, what others take meanwhile is not known here: only that nothing is left is worth remembering.
    if (block > 1 || granted === 0) this.#local.set(id, { own: Math.max(0, granted - 1), left, resetAt })
    return { allowed: granted > 0, remaining: left + Math.max(0, granted - 1), resetAt }
  }
}

/** Throttles of what an attacker would repeat. Every attempt is a write: all instances know of it at once. */
export class Throttle {
  readonly #stored: StoredCounts

  constructor(storage: Pick<Storage, 'open'>, now: Clock = Date.now) {
    this.#stored = new StoredCounts(storage, now)
  }

  /** Counts an attempt, also a refused one. @param key of whom; only a hash of it is stored */
  async attempt(name: string, key: string, { limit, windowSeconds }: Limit): Promise<{ readonly allowed: boolean; readonly resetAt: Date }> {
    const { count, resetAt } = await this.#stored.add(throttleId(name, key), 1, windowSeconds)
    return { allowed: count <= limit, resetAt: new Date(resetAt) }
  }

  /** Subtracts an attempt from the current window. */
  async release(name: string, key: string): Promise<void> {
    await this.#stored.release(throttleId(name, key))
  }

  /** Forgets the attempts. */
  async clear(name: string, key: string): Promise<void> {
    await this.#stored.clear(throttleId(name, key))
  }
}

function throttleId(name: string, key: string): string {
  return `throttle:${name}:${createHash('sha256').update(key).digest('base64url')}`
}

/** What is stored of windows: one document each. */
class StoredCounts {
  readonly #counters: Collection<CounterDocument>
  readonly #now: Clock

  constructor(storage: Pick<Storage, 'open'>, now: Clock) {
    this.#counters = storage.open(COUNTERS)
    this.#now = now
  }

  /** Adds to the window, or begins one. Gives the count with what was added. */
  async add(id: string, units: number, windowSeconds: number): Promise<{ readonly count: number; readonly resetAt: number }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const now = new Date(this.#now())
      const running = await this.#counters.update({ _id: id, reset_at: { gt: now } }, { increment: { count: units } })
      if (running !== null) return { count: running.count, resetAt: running.reset_at.getTime() }
      const resetAt = new Date(now.getTime() + windowSeconds * 1000)
      // The condition decides between two that begin anew: one finds the window of the other.
      const begun = await this.#counters.update({ _id: id, reset_at: { lte: now } }, { set: { count: units, reset_at: resetAt } })
      if (begun !== null) return { count: units, resetAt: resetAt.getTime() }
      try {
        await this.#counters.insert({ _id: id, count: units, reset_at: resetAt })
        return { count: units, resetAt: resetAt.getTime() }
      } catch (error) {
        if (!(error instanceof DuplicateKeyError)) throw error
      }
    }
    // Only clocks that disagree about `now` lead here: the window has run out for one, and has not for the other.
    throw new Error('the clocks of the instances differ by more than a window')
  }

  /** Never below zero: the window may have been cleared in the meantime. */
  async release(id: string): Promise<void> {
    await this.#counters.update({ _id: id, count: { gt: 0 }, reset_at: { gt: new Date(this.#now()) } }, { increment: { count: -1 } })
  }

  async clear(id: string): Promise<void> {
    await this.#counters.delete({ _id: id })
  }
}

/** `Retry-After` until then, in whole seconds; never zero. */
export function retryAfter(resetAt: number, now: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(Math.max(1, Math.ceil((resetAt - now) / 1000))) }
}
