/**
 * The bytes of the texts that were requested last. Matchers run many patterns on one text, and reading a buffer takes a third of the time of
 * reading a string. All matchers of a thread share the buffers: the bytes of a text are valid until the next call.
 */
import { bytesOver } from '#platform'
import type { Bytes } from './bytes.js'

/** Longer texts use a new buffer. */
const KEPT_ROOM = 65_536
/** Texts up to this length, as most fields are, have a buffer of their own, so that they do not replace the bytes of a log. */
const FIELD_ROOM = 512
/** Up to this length a loop is faster than a call into the runtime. */
const SHORT_TEXT = 24

/** Creates a buffer. Its words cover the same memory. */
function createRoom(length: number): { bytes: Bytes; words: Int32Array } {
  const words = new Int32Array(wordsFor(length))
  return { bytes: bytesOver(words.buffer), words }
}

/** The bytes of one text. */
class LastBytes {
  readonly #kept: ReturnType<typeof createRoom>
  readonly #length: number
  text = ''
  bytes: Bytes
  words: Int32Array

  /** @param length of the longest text in the kept buffer; a longer text uses a new one */
  constructor(length: number) {
    this.#length = length
    this.#kept = createRoom(length)
    this.bytes = this.#kept.bytes
    this.words = this.#kept.words
  }

  write(text: string): void {
    const { length } = text
    const { bytes, words } = length > this.#length ? createRoom(length) : this.#kept
    if (length > SHORT_TEXT) bytes.latin1Write(text, 0, length)
    else for (let at = 0; at < length; at++) bytes[at] = text.charCodeAt(at)
    bytes[length] = 0
    this.bytes = bytes
    this.words = words
    this.text = text
  }
}

const ofField = new LastBytes(FIELD_ROOM)
const ofLog = new LastBytes(KEPT_ROOM)

function lastBytes(text: string): LastBytes {
  const last = text.length > FIELD_ROOM ? ofLog : ofField
  if (text !== last.text) last.write(text)
  return last
}

/** @param text a byte string @returns its bytes and a NUL; the bytes after it are undefined */
export function bytesOf(text: string): Uint8Array {
  return lastBytes(text).bytes
}

/** Returns the same memory as `bytesOf`, four bytes at a time; the last word may extend beyond the text. */
export function wordsOf(text: string): Int32Array {
  return lastBytes(text).words
}

/** Returns the number of words for a text of this length and its NUL. */
function wordsFor(length: number): number {
  return (length >>> 2) + 1
}
