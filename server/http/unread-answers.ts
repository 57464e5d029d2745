/**
 * Answers that callers have asked for and do not read. They wait in our memory until their connection falls silent for two minutes, and a finding for each
 * of 100,000 empty files makes one of 40 MB; so an organization that leaves too many lying gets no more until it has read them. Counted is what the system
 * has not yet taken for sending.
 */
import type { Exchange, Middleware } from './exchange.js'
import { OwnedBytes, ownerOf } from './owned-bytes.js'

/** Shorter ones are not counted: the system's own buffers take them, or nearly. */
const COUNTED_BYTES = 256 * 1024
/** Of an organization: three of the longest answers that are known. */
const ORGANIZATION_BYTES = 128 * 1024 * 1024
/** Of all of them together: what an instance of a gigabyte can spare. */
const TOTAL_BYTES = 512 * 1024 * 1024

export interface UnreadLimits {
  readonly organizationBytes: number
  readonly totalBytes: number
}

export class UnreadAnswers {
  readonly #bytes: OwnedBytes
  readonly #held = new Map<Exchange, { readonly owner: string; readonly bytes: number }>()

  constructor({ organizationBytes = ORGANIZATION_BYTES, totalBytes = TOTAL_BYTES }: Partial<UnreadLimits> = {}) {
    this.#bytes = new OwnedBytes(organizationBytes, totalBytes)
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
    this.#bytes.change(owner, bytes)
  }

  /** It is gone, or nobody will read it any more. */
  release(state: Exchange): void {
    const held = this.#held.get(state)
    if (held === undefined) return
    this.#held.delete(state)
    this.#bytes.change(held.owner, -held.bytes)
  }

  /** Whoever has any room left gets an answer, however long: nobody knows beforehand how long it will be. */
  #check(owner: string): void {
    if (owner !== '') this.#bytes.require(owner, 1)
  }
}
