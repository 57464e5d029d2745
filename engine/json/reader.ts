/** Reads the JSON tokens of one text: blanks, strings, numbers. The offset INVALID means a syntax error. */
import { bytesOf } from '../source/last-bytes.js'
import { NO_ESCAPE, SIMPLE_ESCAPES, unescapeJson, unicodeEscapeAt, unicodeEscapeLength } from './escapes.js'
import { BACKSLASH, LETTER_U, MINUS, QUOTE } from './grammar.js'
import { readNumber } from './number.js'

export const INVALID = -1

/** Bytes of a string that are read in a loop before `indexOf` searches for the closing quote. */
const NEAR = 48

/** Reads one text. */
export class JsonReader {
  readonly text: string
  /** The bytes of the text and a NUL after it. They are valid until other bytes are requested. */
  readonly bytes: Uint8Array
  /** Offsets of the last string, without its quotes. */
  start = 0
  end = 0
  /** Whether it has escapes, which are valid. */
  escaped = false
  /** Offset of the next backslash, if it is known; an offset before the current one is outdated. */
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

  /** Sets `start`, `end` and `escaped`. @param at the offset of the opening quote @returns the offset after the closing one, or INVALID */
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
      // The closing quote may be one of the bytes that should be digits.
      if (code === 0) return this.#stringWithBadDigits(end - 1)
      end += unicodeEscapeLength(code)
    }
    return INVALID
  }

  /**
   * Reads the rest of a string from a `\u` that may lack its four digits. The reference engine first searches for the closing quote and skips one byte
   * after each backslash; then it reads the escapes and skips four bytes after each `\u`.
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

  /** Returns the text of the last string. */
  value(): string {
    const inside = this.text.slice(this.start, this.end)
    return this.escaped ? unescapeJson(inside) : inside
  }

  /** Reads a number, which begins with a digit or a minus. */
  number(at: number): { value: number; end: number } | null {
    const byte = this.bytes[at]
    return byte === MINUS || (byte >= 0x30 && byte <= 0x39) ? readNumber(this.text, at) : null
  }

  /** Reads a short plain integer, as most numbers are; its text needs no conversion. @returns the offset after it, or INVALID for any other number */
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
