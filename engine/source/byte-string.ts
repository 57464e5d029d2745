/**
 * Byte strings: JavaScript strings whose every char code is one byte. The reference engine works on C strings, so
 * patterns, offsets and lengths only agree when ours do too (engine-decoding.md 0). V8 keeps such strings in one byte a char.
 */

/** Up to this length a loop over the text is faster than a call into the runtime. */
const SHORT_TEXT = 24

/** Has the text only chars below 0x80? */
export function isAscii(text: string): boolean {
  const { length } = text
  if (length > SHORT_TEXT) return Buffer.byteLength(text, 'utf8') === length
  for (let at = 0; at < length; at++) if (text.charCodeAt(at) >= 0x80) return false
  return true
}

/** The UTF-8 bytes of a text as a byte string. */
export function toByteString(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The text whose UTF-8 bytes these are; bytes that are no UTF-8 become U+FFFD. */
export function fromByteString(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Bytes that `toLowerCase` takes for capital letters of Latin-1 and changes. */
const LATIN_CAPITAL = /[\xc0-\xd6\xd8-\xde]/g

/** ASCII letters folded to lower case; all other bytes stay. */
export function foldCase(bytes: string): string {
  const lower = bytes.toLowerCase()
  if (isAscii(bytes)) return lower
  let folded = ''
  let piece = 0
  LATIN_CAPITAL.lastIndex = 0
  for (let match = LATIN_CAPITAL.exec(bytes); match !== null; match = LATIN_CAPITAL.exec(bytes)) {
    folded += lower.slice(piece, match.index) + match[0]
    piece = match.index + 1
  }
  return piece === 0 ? lower : folded + lower.slice(piece)
}

/** Where a C string ends: the text up to the first NUL byte. */
export function cutAtNul(bytes: string): string {
  const nul = bytes.indexOf('\0')
  return nul < 0 ? bytes : bytes.slice(0, nul)
}

/** Orders by bytes, as the reference engine sorts file names. */
export function compareBytes(a: string, b: string): number {
  const left = toByteString(a)
  const right = toByteString(b)
  return left < right ? -1 : left > right ? 1 : 0
}
