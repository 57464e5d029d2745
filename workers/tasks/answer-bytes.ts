/**
 * Answers one after the other, as bytes, in memory that is used again: a text of hundreds of answers would be put together from thousands of pieces
 * that are cold by then, which takes twice as long.
 */

import type { AnswerPlace, AnswerSheets } from '../answer-sheets.js'

/** What a part of a batch comes to, and an answer more. */
const KEPT_BYTES = 1024 * 1024
/** Of UTF-8, for one UTF-16 unit. */
const MOST_BYTES = 3

export class AnswerBytes {
  #bytes = Buffer.alloc(0)
  #length = 0

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  /** A piece of an answer, or a whole one. */
  add(text: string): void {
    const most = this.#length + text.length * MOST_BYTES
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES, most))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += this.#bytes.write(text, this.#length, 'utf8')
  }

  /** All of it, to be lent; the next begin anew. Null: there is no room for it, and it is still here. */
  lend(sheets: AnswerSheets): AnswerPlace | null {
    const place = sheets.copy(this.#bytes.subarray(0, this.#length))
    if (place !== null) this.clear()
    return place
  }

  /** All of it, in memory of its own, so that it can be handed over; the next begin anew. */
  take(): Uint8Array<ArrayBuffer> {
    const own = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(own, 0, 0, this.#length)
    this.clear()
    return own
  }

  /** Also what a batch has left that ended in an error. */
  clear(): void {
    this.#length = 0
    // An answer of many megabytes is rare.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.alloc(0)
  }
}
