/**
 * Bodies that are under way. What has come of one waits in our memory for the rest, which its caller can put off for two minutes; so an organization that
 * has too much under way is told to come again. Bodies of callers that nobody knows are short, and are not counted.
 */
import type { Exchange } from './exchange.js'
import { OwnedBytes, ownerOf } from './owned-bytes.js'

/** Of an organization: sixteen of the largest, as long as nobody sets another size. */
const ORGANIZATION_BYTES = 128 * 1024 * 1024
/** Of all of them together: what an instance of a gigabyte can spare. */
const TOTAL_BYTES = 512 * 1024 * 1024

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
  readonly #bytes: OwnedBytes

  /** @param maxBytes of a body: there is always room for some */
  constructor(maxBytes: number, { organizationBodyBytes = ORGANIZATION_BYTES, totalBodyBytes = TOTAL_BYTES }: Partial<HeldBodiesLimits> = {}) {
    this.#bytes = new OwnedBytes(Math.max(organizationBodyBytes, 2 * maxBytes), Math.max(totalBodyBytes, 4 * maxBytes))
  }

  /** Null: it is not counted. */
  begin(state: Exchange): HeldBody | null {
    const owner = ownerOf(state)
    if (owner === '') return null
    let held = 0
    return {
      add: (bytes) => {
        this.#bytes.require(owner, bytes)
        held += bytes
        this.#bytes.change(owner, bytes)
      },
      release: () => {
        this.#bytes.change(owner, -held)
        held = 0
      },
    }
  }
}
