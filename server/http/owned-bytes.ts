/** Bytes of our memory that callers make us hold, counted by organization: none may hold too much, nor all of them together. */
import { subjectOf } from '../auth/principal.js'
import { ApiError } from '../errors.js'
import type { Exchange } from './exchange.js'

const RETRY_AFTER_SECONDS = '1'

export class OwnedBytes {
  readonly #ownerLimit: number
  readonly #totalLimit: number
  readonly #bytes = new Map<string, number>()
  #total = 0

  /** @param ownerLimit of one owner @param totalLimit of all of them together */
  constructor(ownerLimit: number, totalLimit: number) {
    this.#ownerLimit = ownerLimit
    this.#totalLimit = totalLimit
  }

  /** Whether there is room for so many more. @throws ApiError overloaded */
  require(owner: string, bytes: number): void {
    if (this.#total + bytes <= this.#totalLimit && (this.#bytes.get(owner) ?? 0) + bytes <= this.#ownerLimit) return
    throw new ApiError('overloaded', { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
  }

  /** @param bytes more; less than none: they are given back */
  change(owner: string, bytes: number): void {
    const sum = (this.#bytes.get(owner) ?? 0) + bytes
    if (sum > 0) this.#bytes.set(owner, sum)
    else this.#bytes.delete(owner)
    this.#total += bytes
  }
}

/** The organization; of users without one the user. Empty: nobody is known, and what those send and get is short. */
export function ownerOf({ caller }: Exchange): string {
  return caller === null ? '' : (caller.organizationId ?? subjectOf(caller))
}
