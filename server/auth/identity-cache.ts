/**
 * Principals that were found a while ago, so that whoever comes back costs a hash and no database. Invariants:
 *  1. an entry was right at a moment at most `FRESH_MS` ago, when its reading or the last look at what others have changed (`identity-changes.ts`)
 *     began: another instance's revocation counts within a second
 *  2. `forget` is at once: no question of those affected that is asked after it is answered by what was read before it, not even by a reading under way
 */
import { LRUCache } from 'lru-cache'
import { type AffectedIdentity, identityKey, sliceOf } from './identity-changes.js'
import { type Principal, subjectOf } from './principal.js'

/** Below the second that is promised, with room for the reading. */
const FRESH_MS = 750
/** However quiet it is: by then counts what was changed in the database by hand. Half of that and up: those who came together must not come back together. */
const KEPT_MS = 10_000
/** About 1 KB each. */
const ENTRIES_LIMIT = 10_000
/** Changes that are remembered one by one; at more of them all entries go. */
const CHANGES_LIMIT = 10_000

/** A principal as read from the database. */
export interface Reading {
  readonly principal: Principal
  /** Milliseconds since the epoch; null: no end. */
  readonly expiresAt: number | null
}

interface Entry extends Reading {
  readonly readAt: number
  /** The last change before the reading began. */
  readonly after: number
  /** When it is too old, whatever was confirmed. */
  readonly keptUntil: number
  /** Under which changes of the caller and of the organization are noted. */
  readonly affected: readonly string[]
}

interface UnderWay {
  readonly after: number
  readonly reading: Promise<Principal>
}

export class IdentityCache {
  readonly #entries = new LRUCache<string, Entry>({ max: ENTRIES_LIMIT })
  readonly #underWay = new Map<string, UnderWay>()
  readonly #clock: () => number
  readonly #monotonic: () => number
  readonly #random: () => number
  /** Number of the last change, and by whom it affected. What was read before one's change is worth nothing. */
  #last = 0
  readonly #changes = new Map<string, number>()
  /** As if everyone had changed then. */
  #floor = 0
  /** When the last look at what others have changed began. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  #wasAsked = false

  /** @param monotonic milliseconds that never go back @param random from 0 to 1 */
  constructor(clock: () => number = Date.now, monotonic: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#clock = clock
    this.#monotonic = monotonic
    this.#random = random
  }

  /** Called after a change is stored. Others' entries stay: someone who changes things all the time must not cost everyone theirs. */
  forget(affected: AffectedIdentity): void {
    this.#last += 1
    this.#note(identityKey(affected))
  }

  /** Whether anyone has asked since this was asked. */
  takeWasUsed(): boolean {
    const wasAsked = this.#wasAsked
    this.#wasAsked = false
    return wasAsked
  }

  /**
   * Says what others have changed until a look.
   * @param began when the look began, by the monotonic clock
   * @param slices in which something has; null: nobody knows, so that everyone is read again
   */
  confirm(began: number, slices: readonly number[] | null): void {
    if (slices === null || slices.length > 0) this.#last += 1
    if (slices === null) this.#floor = this.#last
    else for (const slice of slices) this.#note(sliceKey(slice))
    this.#confirmedAt = began
  }

  /** Many who ask at once share one reading. */
  find(key: string, read: () => Promise<Reading>): Promise<Principal> {
    this.#wasAsked = true
    const known = this.#entries.get(key)
    if (known !== undefined && this.#isFresh(known)) return Promise.resolve(known.principal)
    const underWay = this.#underWay.get(key)
    // Whom a reading will find is not known yet, so after any change a new one is begun.
    if (underWay !== undefined && underWay.after === this.#last) return underWay.reading
    const begun: UnderWay = {
      after: this.#last,
      reading: this.#read(key, read).finally(() => {
        if (this.#underWay.get(key) === begun) this.#underWay.delete(key)
      }),
    }
    this.#underWay.set(key, begun)
    return begun.reading
  }

  async #read(key: string, read: () => Promise<Reading>): Promise<Principal> {
    const after = this.#last
    const readAt = this.#monotonic()
    const found = await read()
    const { organizationId } = found.principal
    const keys = [subjectOf(found.principal), ...(organizationId === null ? [] : [organizationId])]
    const keptUntil = readAt + KEPT_MS * (1 - this.#random() / 2)
    const entry = { ...found, readAt, after, keptUntil, affected: [...keys, ...keys.map((one) => sliceKey(sliceOf(one)))] }
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

  #isFresh({ readAt, keptUntil, expiresAt, after, affected }: Entry): boolean {
    const now = this.#monotonic()
    if (now - Math.max(readAt, this.#confirmedAt) >= FRESH_MS || now >= keptUntil) return false
    if (expiresAt !== null && this.#clock() >= expiresAt) return false
    if (after === this.#last) return true
    return after >= this.#floor && affected.every((key) => after >= (this.#changes.get(key) ?? 0))
  }
}

/** No user, key or organization is called that. */
function sliceKey(slice: number): string {
  return `slice:${slice}`
}
