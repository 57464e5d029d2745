/**
 * Collects the answers of many lines as bytes, in memory that is used again. One text of hundreds of answers would be joined from thousands of texts that have
 * left the processor's caches by then, which takes twice as long.
 */
import type { AnswerPlace, SharedBuffers } from '../shared-buffers.js'

/** Capacity that is kept: the answers of a slice of lines, and one answer more. */
const KEPT_BYTES = 1024 * 1024
/** Of UTF-8, for one UTF-16 unit. */
const MAX_UNIT_BYTES = 3

export class AnswerBuffer {
  #bytes = Buffer.alloc(0)
  #length = 0

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  /** Appends an answer, or a part of one. */
  add(text: string): void {
    const max = this.#length + text.length * MAX_UNIT_BYTES
    if (max > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES, max))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += this.#bytes.write(text, this.#length, 'utf8')
  }

  /** Moves everything into shared memory. Null: there is no room for it, and it is still here. */
  moveTo(buffers: SharedBuffers): AnswerPlace | null {
    const place = buffers.copy(this.#bytes.subarray(0, this.#length))
    if (place !== null) this.clear()
    return place
  }

  /** Everything, in memory of its own, so that it can be moved to another thread. */
  take(): Uint8Array<ArrayBuffer> {
    const own = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(own, 0, 0, this.#length)
    this.clear()
    return own
  }

  /** Also removes what a task left that ended in an error. */
  clear(): void {
    this.#length = 0
    // An answer of many megabytes is rare.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.alloc(0)
  }
}
