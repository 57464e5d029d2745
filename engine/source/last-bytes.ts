/**
 * The bytes of the text that was requested last. Matchers run many patterns on one text, and reading a buffer takes a third of the time of
 * reading a string. All matchers of a thread share the buffer: it is valid until the next call.
 */

/** Longer texts use a new buffer. */
const KEPT_ROOM = 65_536
/** Up to this length a loop is faster than a call into the runtime. */
const SHORT_TEXT = 24

/** The function that `write` calls for latin1. It is undocumented and takes half the time for a short text. */
interface Latin1Buffer extends Buffer {
  latin1Write(text: string, offset: number, length: number): number
}

const keptWords = new Int32Array(wordsFor(KEPT_ROOM))
const kept = Buffer.from(keptWords.buffer) as Latin1Buffer
if (typeof kept.latin1Write !== 'function') kept.latin1Write = (text, offset) => kept.write(text, offset, 'latin1')
let lastBytes: Uint8Array = kept
let lastWords = keptWords
let lastText = ''

/** @param text a byte string @returns its bytes and a NUL; the bytes after it are undefined */
export function bytesOf(text: string): Uint8Array {
  if (text === lastText) return lastBytes
  const { length } = text
  if (length > KEPT_ROOM) {
    lastWords = new Int32Array(wordsFor(length))
    const bytes = Buffer.from(lastWords.buffer)
    bytes.write(text, 'latin1')
    lastBytes = bytes
  } else {
    lastWords = keptWords
    lastBytes = kept
    if (length > SHORT_TEXT) kept.latin1Write(text, 0, length)
    else for (let at = 0; at < length; at++) kept[at] = text.charCodeAt(at)
    kept[length] = 0
  }
  lastText = text
  return lastBytes
}

/** Returns the same memory as `bytesOf`, four bytes at a time; the last word may extend beyond the text. */
export function wordsOf(text: string): Int32Array {
  bytesOf(text)
  return lastWords
}

/** Returns the number of words for a text of this length and its NUL. */
function wordsFor(length: number): number {
  return (length >>> 2) + 1
}
