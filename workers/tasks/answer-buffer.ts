/**
 * Collects the answers of many lines as bytes, in memory that is reused. Joining hundreds of answers would read thousands of texts that have left the
 * processor's caches, which takes twice as long.
 */
import type { AnswerPlace, SharedBuffers } from '../shared-buffers.js'

/** Capacity that is kept: the answers of a slice of lines, and one more answer. */
const KEPT_BYTES = 1024 * 1024
/** Maximum number of UTF-8 bytes of one UTF-16 unit. */
const MAX_UNIT_BYTES = 3

export class AnswerBuffer {
  #bytes = Buffer.alloc(0)
  #length = 0

  /** Number of bytes so far. */
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

  /** Moves all bytes into shared memory. Null: they do not fit and stay here. */
  moveTo(buffers: SharedBuffers): AnswerPlace | null {
    const place = buffers.copy(this.#bytes.subarray(0, this.#length))
    if (place !== null) this.clear()
    return place
  }

  /** Returns all bytes in separate memory, which can be moved to another thread. */
  take(): Uint8Array<ArrayBuffer> {
    const own = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(own, 0, 0, this.#length)
    this.clear()
    return own
  }

  /** Also removes bytes of a task that ended in an error. */
  clear(): void {
    this.#length = 0
    // An answer of many megabytes is rare.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.alloc(0)
  }
}
