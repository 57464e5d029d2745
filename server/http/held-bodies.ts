/**
 * Bodies that are under way. What has come of one waits in our memory for the rest, which its caller can put off for two minutes; so an organization that
 * has too much under way is told to come again. Bodies of callers that nobody knows are short, and are not counted.
 */
import { ApiError } from '../errors.js'
import type { Exchange } from './exchange.js'
import { ownerOf } from './unread-answers.js'

/** Of an organization: sixteen of the largest, as long as nobody sets another size. */
const ORGANIZATION_BYTES = 128 * 1024 * 1024
/** Of all of them together: what an instance of a gigabyte can spare. */
const TOTAL_BYTES = 512 * 1024 * 1024
const RETRY_AFTER_SECONDS = '1'

export interface HeldBodiesLimits {
  readonly organizationBodyBytes: number
  readonly totalBodyBytes: number
}

/** What is held of one body. */
export interface HeldBody {
  /** A piece has come. @throws ApiError overloaded */
  add(bytes: number): void
  /** It has come whole, or nobody waits for it any more. */
  release(): void
}

export class HeldBodies {
  readonly #limits: HeldBodiesLimits
  /** By organization; of users without one by user. */
  readonly #bytes = new Map<string, number>()
  #total = 0

  /** @param maxBytes of a body: there is always room for some */
  constructor(maxBytes: number, { organizationBodyBytes = ORGANIZATION_BYTES, totalBodyBytes = TOTAL_BYTES }: Partial<HeldBodiesLimits> = {}) {
    this.#limits = { organizationBodyBytes: Math.max(organizationBodyBytes, 2 * maxBytes), totalBodyBytes: Math.max(totalBodyBytes, 4 * maxBytes) }
  }

  /** Null: it is not counted. */
  begin(state: Exchange): HeldBody | null {
    const owner = ownerOf(state)
    if (owner === '') return null
    let held = 0
    return {
      add: (bytes) => {
        const sum = (this.#bytes.get(owner) ?? 0) + bytes
        const { organizationBodyBytes, totalBodyBytes } = this.#limits
        if (sum > organizationBodyBytes || this.#total + bytes > totalBodyBytes) throw new ApiError('overloaded', { headers: { 'Retry-After': RETRY_AFTER_SECONDS } })
        held += bytes
        this.#change(owner, bytes)
      },
      release: () => {
        this.#change(owner, -held)
        held = 0
      },
    }
  }

  #change(owner: string, bytes: number): void {
    const sum = (this.#bytes.get(owner) ?? 0) + bytes
    if (sum > 0) this.#bytes.set(owner, sum)
    else this.#bytes.delete(owner)
    this.#total += bytes
  }
}
