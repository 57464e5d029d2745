import { fromByteString } from '../source/byte-string.js'

/** Characters that JSON must escape: quote, backslash, control characters, and surrogates, which may be unpaired. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/
/** These, and bytes that are not ASCII. */
const NOT_PLAIN = /[^ !#-[\]-\x7f]/
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Up to this length a loop over the text is faster than a regular expression. */
const SHORT_TEXT = 32

/** Equals `JSON.stringify` of a text. Most texts have nothing to escape, and this test takes half of its time. */
export function quoteJson(text: string): string {
  return isPlain(text) || !ESCAPED.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Equals `JSON.stringify` of the text of these UTF-8 bytes, without the quotes. */
export function escapeBytes(bytes: string): string {
  return isPlain(bytes) ? bytes : quoteJson(fromByteString(bytes)).slice(1, -1)
}

/** Whether a text is ASCII without characters to escape. */
function isPlain(text: string): boolean {
  const { length } = text
  if (length > SHORT_TEXT) return !NOT_PLAIN.test(text)
  for (let at = 0; at < length; at++) {
    if (!isPlainUnit(text.charCodeAt(at))) return false
  }
  return true
}

/** Whether a char is ASCII that JSON does not escape. */
export function isPlainUnit(code: number): boolean {
  return code >= 0x20 && code < 0x80 && code !== QUOTE && code !== BACKSLASH
}
