/**
 * Escapes in JSON strings, as cJSON reads them: `\uXXXX` becomes UTF-8, surrogates must come in pairs, and `\u0000` ends the text. So does `\u` without
 * four hexadecimal digits.
 */
import { bytesOver } from '#platform'
import { unescapeString } from '../kernel/kernel.js'
import { addressOf, bytesOf } from '../kernel/last-bytes.js'
import { LOG_ROOM, UNESCAPED } from '../kernel/layout.js'
import { textAt } from '../kernel/memory.js'
import { BACKSLASH } from './grammar.js'

/** Returned for an invalid escape. */
export const NO_ESCAPE = -1

/** Byte of an escape letter, 0 = none. */
export const SIMPLE_ESCAPES = new Uint8Array(256)
for (const [letter, value] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) SIMPLE_ESCAPES[letter.charCodeAt(0)] = value.charCodeAt(0)

/** Escape letters that remain when a text is read and printed again. */
export const KEPT_ESCAPES = new Uint8Array(256)
for (const letter of '"\\bfnrt') KEPT_ESCAPES[letter.charCodeAt(0)] = 1

/** Buffer for strings with escapes, kept between calls; a longer string uses a new one. */
const KEPT_ROOM = 16_384
const keptBuffer = bytesOver(new ArrayBuffer(KEPT_ROOM))

/** Returns the text of a JSON string whose escapes are valid. @param start offset of its first byte in `text` @param end offset of its closing quote */
export function unescapeJson(text: string, start: number, end: number): string {
  return unescapeInKernel(text, start, end, false) ?? unescapeByReader(text, start, end)
}

/** Returns the same text with ASCII letters in lower case; null: the kernel does not read it. */
export function unescapeLower(text: string, start: number, end: number): string | null {
  return unescapeInKernel(text, start, end, true)
}

function unescapeInKernel(text: string, start: number, end: number, isFolded: boolean): string | null {
  if (unescapeString === null || text.length > LOG_ROOM) return null
  const size = unescapeString(addressOf(text), start, end, isFolded ? 1 : 0)
  return size < 0 ? null : textAt(UNESCAPED, size)
}

/** The same without the kernel. The text is built byte by byte in a buffer, because V8 would have to flatten a string of joined parts. */
export function unescapeByReader(text: string, start: number, end: number): string {
  // An escape is never shorter than its bytes.
  const output = end - start <= KEPT_ROOM ? keptBuffer : bytesOver(new ArrayBuffer(end - start))
  const bytes = bytesOf(text)
  let size = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== BACKSLASH) {
      output[size++] = byte
      continue
    }
    at++
    const simple = SIMPLE_ESCAPES[bytes[at]]
    if (simple !== 0) {
      output[size++] = simple
      continue
    }
    const code = unicodeEscapeAt(text, at + 1)
    if (code === 0) break
    at += unicodeEscapeLength(code)
    size += output.write(String.fromCodePoint(code), size, 'utf8')
  }
  return output.latin1Slice(0, size)
}

/** @param at the offset after the `u` @returns a code point, 0 without four digits, or NO_ESCAPE */
export function unicodeEscapeAt(text: string, at: number): number {
  const unit = hexAt(text, at)
  if (unit >= 0xdc00 && unit <= 0xdfff) return NO_ESCAPE
  if (unit < 0xd800 || unit > 0xdbff) return unit
  const low = text[at + 4] === '\\' && text[at + 5] === 'u' ? hexAt(text, at + 6) : 0
  return low < 0xdc00 || low > 0xdfff ? NO_ESCAPE : 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff)
}

/** Returns the number of bytes after the `u` that belong to the escape of a code point. */
export function unicodeEscapeLength(code: number): number {
  return code > 0xffff ? 10 : 4
}

function hexAt(text: string, at: number): number {
  const digits = text.slice(at, at + 4)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : 0
}
