/**
 * Answers that callers have asked for and do not read. They wait in our memory until their connection falls silent for two minutes, and a finding for each
 * of 100,000 empty files makes one of 40 MB; so an organization that leaves too many lying gets no more until it has read them. Counted is what the system
 * has not yet taken for sending.
 */
import { subjectOf } from '../auth/principal.js'
import { ApiError } from '../errors.js'
import type { Exchange, Middleware } from './exchange.js'

/** Shorter ones are not counted: the system's own buffers take them, or nearly. */
const COUNTED_BYTES = 256 * 1024
/** Of an organization: three of the longest answers that are known. */
const ORGANIZATION_BYTES = 128 * 1024 * 1024
/** Of all of them together: what an instance of a gigabyte can spare. */
const TOTAL_BYTES = 512 * 1024 * 1024
const RETRY_AFTER_SECONDS = '1'

export interface UnreadLimits {
  readonly organizationBytes: number
  readonly totalBytes: number
}

export class UnreadAnswers {
  readonly #limits: UnreadLimits
  /** By organization; of users without one by user. */
  readonly #bytes = new Map<string, number>()
  readonly #held = new Map<Exchange, { readonly owner: string; readonly bytes: number }>()
  #total = 0

  constructor({ organizationBytes = ORGANIZATION_BYTES, totalBytes = TOTAL_BYTES }: Partial<UnreadLimits> = {}) {
    this.#limits = { organizationBytes, totalBytes }
  }

  /** Stands behind `authenticate`, and refuses before anything is done. */
  readonly middleware: Middleware = ({ state }, next) => {
    this.#check(ownerOf(state))
    return next()
  }

  /**
   * An answer is about to be given. Of many requests at once, each of which found room, those whose answers find none any more are refused after all:
   * their work is lost, but the memory is not.
   * @throws ApiError overloaded
   */
  hold(state: Exchange, bytes: number): void {
    const owner = ownerOf(state)
    if (bytes < COUNTED_BYTES || owner === '') return
    this.#check(owner)
    this.#held.set(state, { owner, bytes })
    this.#add(owner, bytes)
  }

  /** It is gone, or nobody will read it any more. */
  release(state: Exchange): void {
    const held = this.#held.get(state)
    if (held === undefined) return
    this.#held.delete(state)
    this.#add(held.owner, -held.bytes)
  }

  #check(owner: string): void {
    if (this.#total < this.#limits.totalBytes && (this.#bytes.get(owner) ?? 0) < this.#limits.organizationBytes) return
    if (owner !== '') throw new ApiError('overloaded', { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
  }

  #add(owner: string, bytes: number): void {
    const sum = (this.#bytes.get(owner) ?? 0) + bytes
    if (sum > 0) this.#bytes.set(owner, sum)
    else this.#bytes.delete(owner)
    this.#total += bytes
  }
}

/** Empty: nobody is known, and public answers are short. */
export function ownerOf({ caller }: Exchange): string {
  return caller === null ? '' : (caller.organizationId ?? subjectOf(caller))
}
