/** Reads JSON tokens of one text: blanks, strings, numbers. Offsets that are INVALID mean a syntax error. */
import { bytesOf } from '../source/last-bytes.js'
import { NO_ESCAPE, SIMPLE_ESCAPES, unescapeJson, unicodeEscapeAt, unicodeEscapeLength } from './escapes.js'
import { BACKSLASH, LETTER_U, MINUS, QUOTE } from './grammar.js'
import { readNumber } from './number.js'

export const INVALID = -1

/** Bytes of a string that are looked at one by one before the runtime is asked for the closing quote. */
const NEAR = 48

/** Stands on one text. */
export class JsonReader {
  readonly text: string
  /** Of the text, and then a NUL: a look behind the end finds nothing. They hold until other bytes are asked for. */
  readonly bytes: Uint8Array
  /** Inside of the last string read. */
  start = 0
  end = 0
  /** Has it escapes? They are sound. */
  escaped = false
  /** Where the next backslash stands, as far as is known; before the present place = to be looked for. */
  #nextBackslash = -1

  constructor(text: string) {
    this.text = text
    this.bytes = bytesOf(text)
  }

  skipSpace(from: number): number {
    const { bytes, text } = this
    let at = from
    while (bytes[at] <= 0x20 && at < text.length) at++
    return at
  }

  /** `at` stands on the opening quote. The offset behind the closing one, or INVALID; sets `start`, `end` and `escaped`. */
  string(at: number): number {
    const { text, bytes } = this
    const { length } = text
    this.start = at + 1
    this.escaped = false
    let end = at + 1
    const near = Math.min(end + NEAR, length)
    let byte = 0
    for (; end < near; end++) {
      byte = bytes[end]
      if (byte === QUOTE) {
        this.end = end
        return end + 1
      }
      if (byte === BACKSLASH) break
    }
    if (end === near) {
      const quote = text.indexOf('"', end)
      if (quote < 0) return INVALID
      if (this.#nextBackslash < end) {
        const found = text.indexOf('\\', end)
        this.#nextBackslash = found < 0 ? length : found
      }
      if (quote < this.#nextBackslash) {
        this.end = quote
        return quote + 1
      }
      end = this.#nextBackslash
    }
    return this.#stringWithEscapes(end)
  }

  #stringWithEscapes(from: number): number {
    const { text, bytes } = this
    const { length } = text
    this.escaped = true
    for (let end = from; end < length; end++) {
      const byte = bytes[end]
      if (byte === QUOTE) {
        this.end = end
        return end + 1
      }
      if (byte !== BACKSLASH) continue
      end++
      const letter = bytes[end]
      if (SIMPLE_ESCAPES[letter] !== 0) continue
      if (letter !== LETTER_U) return INVALID
      const code = unicodeEscapeAt(text, end + 1)
      if (code === NO_ESCAPE) return INVALID
      // The quote that closes the string may stand among what should be digits.
      if (code === 0) return this.#stringWithBadDigits(end - 1)
      end += unicodeEscapeLength(code)
    }
    return INVALID
  }

  /**
   * The rest of a string from a `\u` on that may not have four digits. The reference first looks for the closing quote, where every backslash takes one
   * byte with it, and then reads the escapes, where each `\u` takes four.
   */
  #stringWithBadDigits(from: number): number {
    const { text, bytes } = this
    let close = from
    while (close < text.length && bytes[close] !== QUOTE) close += bytes[close] === BACKSLASH ? 2 : 1
    if (close >= text.length) return INVALID
    for (let at = from; at < close; at++) {
      if (bytes[at] !== BACKSLASH) continue
      at++
      const letter = bytes[at]
      if (SIMPLE_ESCAPES[letter] !== 0) continue
      if (letter !== LETTER_U) return INVALID
      const code = unicodeEscapeAt(text, at + 1)
      if (code === NO_ESCAPE) return INVALID
      at += unicodeEscapeLength(code)
      if (at >= close) return INVALID
    }
    this.end = close
    return close + 1
  }

  /** The text of the last string. */
  value(): string {
    const inside = this.text.slice(this.start, this.end)
    return this.escaped ? unescapeJson(inside) : inside
  }

  /** A number begins with a digit or a minus. */
  number(at: number): { value: number; end: number } | null {
    const byte = this.bytes[at]
    return byte === MINUS || (byte >= 0x30 && byte <= 0x39) ? readNumber(this.text, at) : null
  }

  /** Most numbers are short plain integers, which are their own text: the offset behind one, or INVALID when it is none. */
  smallInteger(at: number): number {
    const { bytes } = this
    let end = at
    while (end - at < 10 && bytes[end] >= 0x30 && bytes[end] <= 0x39) end++
    const length = end - at
    if (length === 0 || length > 9 || (length > 1 && bytes[at] === 0x30)) return INVALID
    const after = bytes[end]
    return after === 0x2e || after === 0x65 || after === 0x45 || after === 0x2b || after === MINUS ? INVALID : end
  }
}
