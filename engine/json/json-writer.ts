/**
 * Writes JSON as UTF-8 bytes into memory that is reused. An answer of the service has some sixty pieces, most of them the same for many events. Joined as texts,
 * they would be built as a tree, copied into one text, and then encoded, which leaves twice the garbage.
 */
import { bytesOver, utf8Bytes, utf8Length } from '#platform'
import type { Bytes } from '../source/bytes.js'
import { KEPT_ESCAPES } from './escapes.js'
import { BACKSLASH, QUOTE } from './grammar.js'
import { escapeBytes, isPlainUnit } from './quote.js'

/** Maximum number of UTF-8 bytes of one UTF-16 unit. */
const MAX_UNIT_BYTES = 3
/** Up to this length a loop is faster than a call into the runtime. */
const SHORT_TEXT = 40
const SHORT_BYTES = 24
/** The same for a part of other bytes, for which a call needs another array. */
const SHORT_PART = 128
/** Bytes that a byte of printable ASCII takes at most. */
const LONGEST_ESCAPE = 2
/** UTF-16 units of a text; the bytes of a longer one are counted before room is made for them. */
const LONG_TEXT = 64 * 1024

const ZERO = 0x30
const POINT = 0x2e
const LONGEST_FRACTION = '0.999'.length

/** JSON that is written again and again, as its bytes. */
export type JsonBytes = Uint8Array

/** Returns the bytes of a constant text. */
export function jsonBytes(text: string): JsonBytes {
  return utf8Bytes(text)
}

/** JSON that is a part of other bytes. */
export interface JsonPart {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** Writes JSON as bytes into memory that grows as needed. */
export class JsonWriter {
  #bytes: Bytes
  #length = 0

  /** @param capacity bytes that can be written before the memory grows */
  constructor(readonly capacity: number) {
    this.#bytes = newMemory(capacity)
  }

  /** Number of bytes so far. */
  get length(): number {
    return this.#length
  }

  /** The bytes so far, which are valid until the next call. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Returns a copy of the bytes so far. */
  copy(): JsonBytes {
    return bytesOver(new Uint8Array(this.written).buffer)
  }

  /** Removes all bytes, and memory beyond the capacity. */
  clear(): void {
    this.#length = 0
    if (this.#bytes.length > this.capacity) this.#bytes = newMemory(this.capacity)
  }

  /** Writes one byte. */
  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#length++] = byte
  }

  /** Writes constant JSON. @param from the first byte of it that is written */
  constant(json: JsonBytes, from = 0): void {
    const length = json.length - from
    if (length > SHORT_BYTES && from === 0) this.#set(json)
    else this.#copy(json, from, length)
  }

  /** Writes JSON that is a part of other bytes. */
  part({ bytes, start, end }: JsonPart): void {
    const length = end - start
    if (length > SHORT_PART) this.#set(bytes.subarray(start, end))
    else this.#copy(bytes, start, length)
  }

  /** Writes JSON that is a text, such as that of an event or of a number. */
  text(json: string): void {
    const { length } = json
    const room = length > LONG_TEXT ? utf8Length(json) : length * MAX_UNIT_BYTES
    if (this.#length + room > this.#bytes.length) this.#grow(room)
    if (length > SHORT_TEXT || !this.#copyPlain(json, 0, length)) this.#length += this.#bytes.write(json, this.#length, 'utf8')
  }

  /** Writes a number by its count of thousandths, a whole number of at least 0. Printing a fraction in the usual way takes as long as predecoding an event. */
  thousandths(count: number): void {
    if (count >= 1000) return this.text(String(count / 1000))
    if (this.#length + LONGEST_FRACTION > this.#bytes.length) this.#grow(LONGEST_FRACTION)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = ZERO
    for (let rest = count, unit = 100; rest > 0; rest %= unit, unit /= 10) {
      if (unit === 100) bytes[at++] = POINT
      bytes[at++] = ZERO + Math.trunc(rest / unit)
    }
    this.#length = at
  }

  /** Writes the text of UTF-8 bytes, escaped but without quotes. @param bytes a byte string @param start offset of the text in it, before `end` */
  escaped(bytes: string, start = 0, end = bytes.length): void {
    const length = end - start
    if (this.#length + LONGEST_ESCAPE * length > this.#bytes.length) this.#grow(LONGEST_ESCAPE * length)
    const isCopied = length > SHORT_TEXT ? this.#escapeLong(length === bytes.length ? bytes : bytes.slice(start, end)) : this.#escapeShort(bytes, start, end)
    if (!isCopied) this.text(escapeBytes(bytes.slice(start, end)))
  }

  /**
   * Writes a part of a JSON string as it is, if that is how this writer escapes its text. Quotes around the part are escaped.
   * @param json a byte string @returns whether it was written
   */
  partOfString(json: string, start: number, end: number): boolean {
    const part = json.slice(start, end)
    const { length } = part
    if (this.#length + LONGEST_ESCAPE * length > this.#bytes.length) this.#grow(LONGEST_ESCAPE * length)
    const bytes = this.#bytes
    const isQuoted = part.charCodeAt(0) === QUOTE
    const from = this.#length + (isQuoted ? 1 : 0)
    bytes.latin1Write(part, from, length)
    const last = from + length - (isQuoted ? 1 : 0)
    for (let at = isQuoted ? from + 1 : from; at < last; at++) {
      if (isPlainUnit(bytes[at])) continue
      if (bytes[at] !== BACKSLASH || KEPT_ESCAPES[bytes[at + 1]] === 0) return false
      at++
    }
    if (isQuoted) {
      bytes[this.#length] = BACKSLASH
      bytes[last] = BACKSLASH
      bytes[last + 1] = QUOTE
    }
    this.#length = isQuoted ? last + LONGEST_ESCAPE : last
    return true
  }

  /** Writes bytes that were written before. */
  again(start: number, end: number): void {
    const length = end - start
    if (this.#length + length > this.#bytes.length) this.#grow(length)
    this.#bytes.copyWithin(this.#length, start, end)
    this.#length += length
  }

  /** Removes the last bytes. */
  drop(bytes: number): void {
    this.#length -= bytes
  }

  #set(json: Uint8Array): void {
    const { length } = json
    if (this.#length + length > this.#bytes.length) this.#grow(length)
    this.#bytes.set(json, this.#length)
    this.#length += length
  }

  #copy(json: Uint8Array, start: number, length: number): void {
    if (this.#length + length > this.#bytes.length) this.#grow(length)
    const bytes = this.#bytes
    const at = this.#length
    for (let i = 0; i < length; i++) bytes[at + i] = json[start + i]
    this.#length += length
  }

  /** Writes a short text if it is ASCII with nothing to escape. @returns whether it is */
  #copyPlain(text: string, start: number, end: number): boolean {
    const bytes = this.#bytes
    let at = this.#length
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i)
      if (!isPlainUnit(code)) return false
      bytes[at++] = code
    }
    this.#length = at
    return true
  }

  /** Writes a short text if it is printable ASCII. @returns whether it is */
  #escapeShort(text: string, start: number, end: number): boolean {
    const bytes = this.#bytes
    let at = this.#length
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i)
      if (!isPlainUnit(code)) {
        if (code !== BACKSLASH && code !== QUOTE) return false
        bytes[at++] = BACKSLASH
      }
      bytes[at++] = code
    }
    this.#length = at
    return true
  }

  /** The same for a long one. */
  #escapeLong(text: string): boolean {
    const bytes = this.#bytes
    const { length } = text
    const end = this.#length + length
    bytes.latin1Write(text, this.#length, length)
    let at = this.#length
    while (at < end && isPlainUnit(bytes[at])) at++
    // The rest is moved, so that there is room for its escapes.
    const rest = end - at
    if (rest > 0) bytes.copyWithin(end, at, end)
    for (let from = end; from < end + rest; from++) {
      const byte = bytes[from]
      if (!isPlainUnit(byte)) {
        if (byte !== BACKSLASH && byte !== QUOTE) return false
        bytes[at++] = BACKSLASH
      }
      bytes[at++] = byte
    }
    this.#length = at
    return true
  }

  #grow(more: number): void {
    const larger = newMemory(Math.max(2 * this.#bytes.length, this.#length + more))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

function newMemory(bytes: number): Bytes {
  return bytesOver(new ArrayBuffer(bytes))
}
