/**
 * Ends work that outlives its request, such as an event stream, when the session, role or user that it belongs to has ended. Invariants:
 *  1. a holder is checked at the first poll after it was added: a change between the authentication of its request and then is not missed
 *  2. a holder is checked at the poll after each change of its user or organization, in whichever process or instance (`identity-changes.ts`), and when its
 *     session expires
 *  3. one check runs at a time. While the store fails nothing is ended, and what is due stays due
 */
import type { Log } from '../observability/log.js'
import { identityKey, sliceOf } from './identity-changes.js'
import type { SessionHolder } from './live-sessions.js'

/** All holders are checked this often, for what has no mark: a plan that puts a policy in force, or a manual change in the store. */
const FULL_CHECK_MS = 5000

/** A session that work belongs to. */
export interface OpenSession extends SessionHolder {
  readonly expiresAt: Date
}

export interface OpenSessionsParts {
  /** Returns the holders whose sessions are valid. */
  readonly live: (holders: readonly OpenSession[]) => Promise<ReadonlySet<OpenSession>>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Clock in milliseconds that never goes back. */
  readonly monotonic?: () => number
}

interface Holding {
  readonly onEnd: () => void
  /** Slices of its user and its organization. */
  readonly slices: readonly number[]
}

export class OpenSessions {
  readonly #parts: OpenSessionsParts
  readonly #monotonic: () => number
  readonly #holdings = new Map<OpenSession, Holding>()
  readonly #due = new Set<OpenSession>()
  #checking: Promise<void> | null = null
  #fullCheckAt = Number.NEGATIVE_INFINITY
  #isFailing = false

  constructor(parts: OpenSessionsParts) {
    this.#parts = parts
    this.#monotonic = parts.monotonic ?? (() => performance.now())
  }

  /** Whether it has holders. */
  get isInUse(): boolean {
    return this.#holdings.size > 0
  }

  /** @param onEnd called at most once @returns a function that is called when the work is over */
  add(holder: OpenSession, onEnd: () => void): () => void {
    const slices = [identityKey({ user: holder.userId }), identityKey({ organization: holder.organizationId })].map(sliceOf)
    this.#holdings.set(holder, { onEnd, slices })
    this.#due.add(holder)
    return () => this.#remove(holder)
  }

  /** Called after each poll of changes. @param slices those with changes; null: unknown */
  polled(slices: readonly number[] | null): void {
    const now = this.#monotonic()
    const areAllDue = slices === null || now - this.#fullCheckAt >= FULL_CHECK_MS
    if (areAllDue) this.#fullCheckAt = now
    const changed = new Set(slices)
    const time = this.#parts.clock()
    for (const [holder, holding] of this.#holdings) if (areAllDue || holder.expiresAt.getTime() <= time || holding.slices.some((slice) => changed.has(slice))) this.#due.add(holder)
    if (this.#due.size > 0) this.#checking ??= this.#check().finally(() => (this.#checking = null))
  }

  /** Resolves when no check is running. Call before the store is closed. */
  async close(): Promise<void> {
    await this.#checking
  }

  async #check(): Promise<void> {
    const due = [...this.#due]
    this.#due.clear()
    try {
      const live = await this.#parts.live(due)
      for (const holder of due) if (!live.has(holder)) this.#end(holder)
      this.#isFailing = false
    } catch (error) {
      for (const holder of due) if (this.#holdings.has(holder)) this.#due.add(holder)
      // Logged once, not four times a second.
      if (!this.#isFailing) this.#parts.log.warn({ err: error }, 'the sessions of event streams could not be checked; will retry')
      this.#isFailing = true
    }
  }

  #end(holder: OpenSession): void {
    const holding = this.#holdings.get(holder)
    this.#remove(holder)
    holding?.onEnd()
  }

  #remove(holder: OpenSession): void {
    this.#holdings.delete(holder)
    this.#due.delete(holder)
  }
}
