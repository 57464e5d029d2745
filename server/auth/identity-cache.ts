/**
 * Principals that were found a moment ago, so that a busy caller costs a hash and no database. Invariants:
 *  1. an entry lives at most `FRESH_MS` from the moment its reading began: another instance's revocation counts within a second
 *  2. `forget` is at once: no question of those concerned that is asked after it is answered by what was read before it, not even by a reading under way
 */
import { LRUCache } from 'lru-cache'
import { type Principal, subjectOf } from './principal.js'

/** Below the second that is promised, with room for the reading. */
const FRESH_MS = 750
/** About 1 KB each. */
const ENTRIES_LIMIT = 10_000
/** Changes that are remembered one by one; at more of them all entries go. */
const CHANGES_LIMIT = 10_000

/** Whose principals may be others than a moment ago: one user's, one key's, or all of an organization. */
export type Concerned = { readonly user: string } | { readonly key: string } | { readonly organization: string }

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
  /** Of the caller. */
  readonly subject: string
  readonly organization: string | null
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
  /** Number of the last change, and by whom it concerned. What was read before one's change is worth nothing. */
  #last = 0
  readonly #changes = new Map<string, number>()
  /** As if everyone had changed then. */
  #floor = 0

  /** @param monotonic milliseconds that never go back */
  constructor(clock: () => number = Date.now, monotonic: () => number = () => performance.now()) {
    this.#clock = clock
    this.#monotonic = monotonic
  }

  /** Called after a change is stored. Others' entries stay: someone who changes things all the time must not cost everyone theirs. */
  forget(concerned: Concerned): void {
    this.#last += 1
    if (this.#changes.size >= CHANGES_LIMIT) {
      this.#changes.clear()
      this.#floor = this.#last
    }
    this.#changes.set('user' in concerned ? `user:${concerned.user}` : 'key' in concerned ? `key:${concerned.key}` : concerned.organization, this.#last)
  }

  /** Many who ask at once share one reading. */
  find(key: string, read: () => Promise<Reading>): Promise<Principal> {
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
    const entry = { ...found, readAt, after, subject: subjectOf(found.principal), organization: found.principal.organizationId }
    if (this.#isFresh(entry)) this.#entries.set(key, entry)
    return found.principal
  }

  #isFresh({ readAt, expiresAt, after, subject, organization }: Entry): boolean {
    if (this.#monotonic() - readAt >= FRESH_MS || (expiresAt !== null && this.#clock() >= expiresAt)) return false
    if (after === this.#last) return true
    return after >= this.#floor && after >= (this.#changes.get(subject) ?? 0) && (organization === null || after >= (this.#changes.get(organization) ?? 0))
  }
}
