/** Writes the JSON of a Windows event from parts of the received text, byte by byte in memory that is kept: joined texts would be built as a tree and flattened. */
import { bytesOver } from '#platform'
import { BACKSLASH, QUOTE } from '../json/grammar.js'
import { quote } from '../json/print-array.js'
import type { Bytes } from '../source/bytes.js'
import { bytesOf } from '../kernel/last-bytes.js'

/** Room for the usual event; a longer one uses new memory. */
const KEPT_ROOM = 16_384
const kept = bytesOver(new ArrayBuffer(KEPT_ROOM))
/** Each byte of a part may need an escape. */
const LONGEST_ESCAPE = 2

export class LogWriter {
  readonly #source: Uint8Array
  #bytes: Bytes = kept
  #length = 0

  /** @param source the received text, of which parts are written; no other text may become the current one of `bytesOf` */
  constructor(source: string) {
    this.#source = bytesOf(source)
  }

  /** Writes a text without escapes. */
  plain(text: string): void {
    const { length } = text
    this.#reserve(length)
    for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = text.charCodeAt(i)
    this.#length += length
  }

  /** Writes a text as in a JSON string. */
  quoted(text: string): void {
    this.plain(quote(text).slice(1, -1))
  }

  /** Writes a part of the source, which has no control bytes, as in a JSON string. */
  quotedPart(start: number, end: number): void {
    this.#reserve(LONGEST_ESCAPE * (end - start))
    const source = this.#source
    const bytes = this.#bytes
    let length = this.#length
    for (let at = start; at < end; at++) {
      const byte = source[at]
      if (byte === BACKSLASH || byte === QUOTE) bytes[length++] = BACKSLASH
      bytes[length++] = byte
    }
    this.#length = length
  }

  /** Writes a JSON string of the source with its quotes, which are escaped. @param start offset of its text @param end offset after its text */
  quotedString(start: number, end: number): void {
    const length = end - start
    this.plain('\\"')
    this.#reserve(length)
    this.#bytes.set(this.#source.subarray(start, end), this.#length)
    this.#length += length
    this.plain('\\"')
  }

  finish(): string {
    return this.#bytes.latin1Slice(0, this.#length)
  }

  #reserve(room: number): void {
    const needed = this.#length + room
    if (needed <= this.#bytes.length) return
    const larger = bytesOver(new ArrayBuffer(Math.max(needed, LONGEST_ESCAPE * this.#bytes.length)))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
