/**
 * Byte strings: JavaScript strings whose every char code is one byte. The reference engine works on C strings, so
 * patterns, offsets and lengths agree only if ours are bytes too (BEHAVIOUR.md#byte-strings). V8 keeps such strings in one byte a char.
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
  if (isAscii(text)) return text
  if (text.length * UTF8_LONGEST > KEPT_ROOM) return Buffer.from(text, 'utf8').toString('latin1')
  return kept.toString('latin1', 0, kept.write(text, 0, 'utf8'))
}

/** The text whose UTF-8 bytes these are; bytes that are not UTF-8 become U+FFFD. */
export function fromByteString(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The character that begins at a byte; U+FFFD where none begins. */
export function characterAt(bytes: string, at: number): string {
  const lead = bytes.charCodeAt(at)
  return fromByteString(bytes.slice(at, at + (lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)))
}

/**
 * Buffer for texts that are not ASCII, kept between calls. It is always written before it is read. Longer texts get a new
 * buffer.
 */
const KEPT_ROOM = 65_536
const keptWords = new Uint32Array(KEPT_ROOM / 4)
const kept = Buffer.from(keptWords.buffer)
/** Most bytes that one UTF-16 unit takes in UTF-8. */
const UTF8_LONGEST = 3

/** ASCII letters folded to lower case; all other bytes stay. `toLowerCase` would also change bytes like 0xC0. */
export function foldCase(bytes: string): string {
  if (isAscii(bytes)) return bytes.toLowerCase()
  const { length } = bytes
  const words = length <= KEPT_ROOM ? keptWords : new Uint32Array((length >>> 2) + 1)
  const buffer = words === keptWords ? kept : Buffer.from(words.buffer)
  buffer.write(bytes, 0, 'latin1')
  // The last word may reach beyond the text; those bytes are never read.
  for (let at = 0; at < length; at += 4) words[at >>> 2] = foldWord(words[at >>> 2])
  return buffer.toString('latin1', 0, length)
}

/** Folds four bytes at once: the top bit of each becomes 1 for `A` to `Z` and is shifted to the bit that holds the case. */
function foldWord(word: number): number {
  const low = word & 0x7f7f7f7f
  const fromA = low + 0x3f3f3f3f
  const beyondZ = low + 0x25252525
  return word | (((fromA & ~beyondZ & ~word & 0x80808080) >>> 2) & 0x20202020)
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
