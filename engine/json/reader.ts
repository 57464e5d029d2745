/** Reads the JSON tokens of one text: blanks, strings, numbers. The offset INVALID means a syntax error. */
import { bytesOf, wordsOf } from '../kernel/last-bytes.js'
import { NO_ESCAPE, SIMPLE_ESCAPES, unescapeJson, unicodeEscapeAt, unicodeEscapeLength } from './escapes.js'
import { BACKSLASH, LETTER_U, MINUS, QUOTE } from './grammar.js'
import { readNumber } from './number.js'

export const INVALID = -1

/** Reads one text. */
export class JsonReader {
  readonly text: string
  /** The bytes of the text and a NUL after it. They are valid until other bytes are requested. */
  readonly bytes: Uint8Array
  readonly #words: Int32Array
  /** Offsets of the last string, without its quotes. */
  start = 0
  end = 0
  /** Whether it has escapes, which are valid. */
  escaped = false

  constructor(text: string) {
    this.text = text
    this.bytes = bytesOf(text)
    this.#words = wordsOf(text)
  }

  skipSpace(from: number): number {
    const { bytes, text } = this
    let at = from
    while (bytes[at] <= 0x20 && at < text.length) at++
    return at
  }

  /** Sets `start`, `end` and `escaped`. @param at the offset of the opening quote @returns the offset after the closing one, or INVALID */
  string(at: number): number {
    const end = nextMark(this.#words, at + 1, this.text.length)
    this.start = at + 1
    this.escaped = false
    if (end >= this.text.length) return INVALID
    if (this.bytes[end] === BACKSLASH) return this.#stringWithEscapes(end)
    this.end = end
    return end + 1
  }

  #stringWithEscapes(from: number): number {
    const { text, bytes } = this
    const { length } = text
    this.escaped = true
    for (let end = from; end < length; end = this.#isMark(end + 1) ? end + 1 : nextMark(this.#words, end + 1, length)) {
      if (bytes[end] === QUOTE) {
        this.end = end
        return end + 1
      }
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

  /** Escapes often follow one another, as in `\r\n\t`. */
  #isMark(at: number): boolean {
    const byte = this.bytes[at]
    return byte === BACKSLASH || byte === QUOTE
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
    const { text, start, end } = this
    return this.escaped ? unescapeJson(text, start, end) : text.slice(start, end)
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

/** Returns the offset of the next quote or backslash; at least the length if there is none. Tests four bytes at once. @param words of the text, with its NUL */
export function nextMark(words: Int32Array, from: number, length: number): number {
  const last = length >>> 2
  let word = from >>> 2
  let found = marksIn(words[word]) & (-1 << ((from & 3) << 3))
  while (found === 0) {
    if (word === last) return length
    found = marksIn(words[++word])
  }
  return (word << 2) + ((31 - Math.clz32(found & -found)) >>> 3)
}

const LOW_BITS = 0x7f7f7f7f
const QUOTES = QUOTE * 0x01010101
const BACKSLASHES = BACKSLASH * 0x01010101

/** Returns the top bit of each byte that is a quote or a backslash: the sum keeps it clear only if the seven bits below are 0. */
function marksIn(word: number): number {
  const fromQuote = word ^ QUOTES
  const fromBackslash = word ^ BACKSLASHES
  const others = (((fromQuote & LOW_BITS) + LOW_BITS) | fromQuote) & (((fromBackslash & LOW_BITS) + LOW_BITS) | fromBackslash)
  return ~(others | LOW_BITS)
}
