/**
 * A cache of principals, so that a repeated request costs a hash and no query. Invariants:
 *  1. an entry was correct at a moment at most `FRESH_MS` ago: when it was read, or when the last poll of changes by other instances (`identity-changes.ts`)
 *     began. So a revocation on another instance takes effect within a second
 *  2. `forget` takes effect at once: no later request of an affected identity gets an entry that was read before it, not even from a read in progress
 */
import { entryCache } from '#workers'
import { FRESH_MS } from '../tenancy/organization-cache.js'
import { type AffectedIdentity, identityKey, sliceOf } from './identity-changes.js'
import { type Caller, subjectOf } from './principal.js'

/**
 * Maximum age of an entry even without changes, so that a manual change in the database takes effect. Each entry gets a random share between half and all of
 * it, so that entries don't expire together.
 */
const MAX_AGE_MS = 10_000
/** An entry takes about 1 KB. */
const ENTRIES_LIMIT = 10_000
/** Changes that are kept individually; beyond this number all entries are invalidated. */
const CHANGES_LIMIT = 10_000

/** A principal read from the database. */
export interface Reading {
  readonly principal: Caller
  /** Milliseconds since the epoch; null: does not expire. */
  readonly expiresAt: number | null
}

interface Entry extends Reading {
  readonly readAt: number
  /** Number of the last change before the read began. */
  readonly after: number
  /** When the entry expires, even if confirmed. */
  readonly maxAgeAt: number
  /** Keys under which changes of the caller and of the organization are recorded. */
  readonly affected: readonly string[]
}

interface PendingRead {
  readonly after: number
  readonly reading: Promise<Caller>
}

export class IdentityCache {
  readonly #entries = entryCache<Entry>(ENTRIES_LIMIT)
  readonly #pending = new Map<string, PendingRead>()
  readonly #clock: () => number
  readonly #monotonic: () => number
  readonly #random: () => number
  /** The number of the last change, by identity. An entry that was read before the change of its identity is invalid. */
  #last = 0
  readonly #changes = new Map<string, number>()
  /** Number of the last change that invalidated all entries. */
  #floor = 0
  /** When the last poll of other instances' changes began. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  #wasUsed = false

  /** @param monotonic clock in milliseconds that never goes back @param random from 0 to 1 */
  constructor(clock: () => number = Date.now, monotonic: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#clock = clock
    this.#monotonic = monotonic
    this.#random = random
  }

  /**
   * Called after a change is stored. Only entries of the affected identities are invalidated, so that frequent changes by one user don't cost others their
   * entries.
   */
  forget(affected: AffectedIdentity): void {
    this.#last += 1
    this.#note(identityKey(affected))
  }

  /** Whether the cache was used since the last call. */
  takeWasUsed(): boolean {
    const wasUsed = this.#wasUsed
    this.#wasUsed = false
    return wasUsed
  }

  /**
   * Applies the result of a poll of other instances' changes.
   * @param began when the poll began, by the monotonic clock
   * @param slices slices with changes; null: unknown, so all entries are invalidated
   */
  confirm(began: number, slices: readonly number[] | null): void {
    if (slices === null || slices.length > 0) this.#last += 1
    if (slices === null) this.#floor = this.#last
    else for (const slice of slices) this.#note(sliceKey(slice))
    this.#confirmedAt = began
  }

  /** Concurrent requests of one credential share one read. */
  find(key: string, read: () => Promise<Reading>): Promise<Caller> {
    this.#wasUsed = true
    const known = this.#entries.get(key)
    if (known !== undefined && this.#isFresh(known)) return Promise.resolve(known.principal)
    const pending = this.#pending.get(key)
    // Which identity a read in progress will return is unknown, so after any change a new read begins.
    if (pending !== undefined && pending.after === this.#last) return pending.reading
    const begun: PendingRead = {
      after: this.#last,
      reading: this.#read(key, read).finally(() => {
        if (this.#pending.get(key) === begun) this.#pending.delete(key)
      }),
    }
    this.#pending.set(key, begun)
    return begun.reading
  }

  async #read(key: string, read: () => Promise<Reading>): Promise<Caller> {
    const after = this.#last
    const readAt = this.#monotonic()
    const found = await read()
    const { organizationId } = found.principal
    const keys = [subjectOf(found.principal), ...(organizationId === null ? [] : [organizationId])]
    const maxAgeAt = readAt + MAX_AGE_MS * (1 - this.#random() / 2)
    const entry = { ...found, readAt, after, maxAgeAt, affected: [...keys, ...keys.map((one) => sliceKey(sliceOf(one)))] }
    if (this.#isFresh(entry)) this.#entries.set(key, entry)
    return found.principal
  }

  #note(affected: string): void {
    if (this.#changes.size >= CHANGES_LIMIT) {
      this.#changes.clear()
      this.#floor = this.#last
    }
    this.#changes.set(affected, this.#last)
  }

  #isFresh({ readAt, maxAgeAt, expiresAt, after, affected }: Entry): boolean {
    const now = this.#monotonic()
    if (now - Math.max(readAt, this.#confirmedAt) >= FRESH_MS || now >= maxAgeAt) return false
    if (expiresAt !== null && this.#clock() >= expiresAt) return false
    if (after === this.#last) return true
    return after >= this.#floor && affected.every((key) => after >= (this.#changes.get(key) ?? 0))
  }
}

/** A prefix that no identity key has. */
function sliceKey(slice: number): string {
  return `slice:${slice}`
}
