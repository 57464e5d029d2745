/**
 * Byte strings: JavaScript strings whose char codes are each one byte. The reference engine works on C strings, so patterns, offsets and lengths agree only if
 * ours are bytes too (BEHAVIOUR.md#byte-strings). V8 stores such strings with one byte for each char.
 */

import { bytesOver, decodeUtf8, latin1Bytes, utf8Bytes, utf8Length } from '#platform'
import type { Bytes } from './bytes.js'

/** Up to this length a loop over the text is faster than a call into the runtime. */
const SHORT_TEXT = 24

/** Whether all chars of the text are below 0x80. */
export function isAscii(text: string): boolean {
  const { length } = text
  if (length > SHORT_TEXT) return bytesBeyondChars(text) === 0
  for (let at = 0; at < length; at++) if (text.charCodeAt(at) >= 0x80) return false
  return true
}

/** The last long text that was found to be ASCII: an event is tested when it is received and when its log is folded. */
let lastAscii = ''

/** Returns by how many bytes the UTF-8 form of a text is longer than its chars. */
function bytesBeyondChars(text: string): number {
  if (text === lastAscii) return 0
  const beyond = utf8Length(text) - text.length
  if (beyond === 0) lastAscii = text
  return beyond
}

/** Returns the UTF-8 bytes of a text as a byte string. */
export function toByteString(text: string): string {
  const { length } = text
  const longer = length > SHORT_TEXT ? bytesBeyondChars(text) : isAscii(text) ? 0 : MOST_COPIES + 1
  if (longer === 0) return text
  if (length * UTF8_LONGEST > KEPT_ROOM) return wholeOf(utf8Bytes(text))
  const size = writeLatin1(text, longer)
  return kept.latin1Slice(0, size > 0 ? size : kept.write(text, 0, 'utf8'))
}

/**
 * Writes the UTF-8 bytes of a text whose chars are all below 0x100, and few of them from 0x80 on, as in most languages of Europe. It copies what is between
 * those, which takes half the time of encoding each char.
 * @param longer bytes that the text is longer than its chars
 * @returns the number of bytes, 0 = the text has other chars
 */
function writeLatin1(text: string, longer: number): number {
  const { length } = text
  if (longer > MOST_COPIES) return 0
  kept.latin1Write(text, 0, length)
  let count = 0
  for (let word = 0; word << 2 < length; word += 2) {
    if (((keptWords[word] | keptWords[word + 1]) & HIGH_BITS) === 0) continue
    for (let at = word << 2; at < (word << 2) + 8 && at < length; at++) {
      if (kept[at] < 0x80) continue
      if (count === longer || kept[at] !== text.charCodeAt(at)) return 0
      highPlaces[count++] = at
    }
  }
  // A char above 0xff counts in the bytes, and its place may look like ASCII here.
  if (count < longer) return 0
  for (let end = length, i = count - 1; i >= 0; i--) {
    const at = highPlaces[i]
    const byte = kept[at]
    kept.copyWithin(at + i + 2, at + 1, end)
    kept[at + i] = 0xc0 | (byte >>> 6)
    kept[at + i + 1] = 0x80 | (byte & 0x3f)
    end = at
  }
  return length + count
}

/** Returns the text of these UTF-8 bytes; invalid bytes become U+FFFD. */
export function fromByteString(bytes: string): string {
  return isAscii(bytes) ? bytes : decodeUtf8(bytes)
}

/** Returns the character that begins at a byte; U+FFFD if none begins there. */
export function characterAt(bytes: string, at: number): string {
  const lead = bytes.charCodeAt(at)
  return fromByteString(bytes.slice(at, at + (lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)))
}

/** Buffer for texts that are not ASCII, kept between calls. It is always written before it is read. Longer texts use a new buffer. */
const KEPT_ROOM = 65_536
const keptWords = new Int32Array(KEPT_ROOM / 4)
const kept = bytesOver(keptWords.buffer)
/** Maximum number of UTF-8 bytes of one UTF-16 unit. */
const UTF8_LONGEST = 3
/** Maximum number of chars that `writeLatin1` copies apart, and their places. */
const MOST_COPIES = 32
const highPlaces = new Int32Array(MOST_COPIES)
const HIGH_BITS = 0x80808080

/** Folds ASCII letters to lower case and keeps all other bytes. `toLowerCase` would also change bytes like 0xC0. */
export function foldCase(bytes: string): string {
  if (isAscii(bytes)) return bytes.toLowerCase()
  const { length } = bytes
  const words = length <= KEPT_ROOM ? keptWords : new Int32Array((length >>> 2) + 1)
  const buffer = words === keptWords ? kept : bytesOver(words.buffer)
  buffer.latin1Write(bytes, 0, length)
  // The last word may extend beyond the text; those bytes are never read.
  for (let word = 0; word << 2 < length; word++) words[word] = foldWord(words[word])
  return buffer.latin1Slice(0, length)
}

/** Folds four bytes at once: the top bit of each becomes 1 for `A` to `Z` and is shifted to the bit of the case. */
export function foldWord(word: number): number {
  const low = word & 0x7f7f7f7f
  const fromA = low + 0x3f3f3f3f
  const beyondZ = low + 0x25252525
  return word | ((fromA & ~beyondZ & ~word & HIGH_BITS) >>> 2)
}

/** Returns the text up to the first NUL byte, where a C string ends. */
export function cutAtNul(bytes: string): string {
  const nul = bytes.indexOf('\0')
  return nul < 0 ? bytes : bytes.slice(0, nul)
}

/**
 * Returns a copy, for a text that is kept longer than the event it comes from. V8 makes a part of a text that refers to the whole, and a joined text that refers
 * to its parts: a short name would keep a whole log in memory.
 */
export function copyOf(bytes: string): string {
  return wholeOf(latin1Bytes(bytes))
}

function wholeOf(bytes: Bytes): string {
  return bytes.latin1Slice(0, bytes.length)
}

/** Compares by bytes, as the reference engine sorts file names. */
export function compareBytes(a: string, b: string): number {
  const left = toByteString(a)
  const right = toByteString(b)
  return left < right ? -1 : left > right ? 1 : 0
}
