/**
 * The bytes of the texts that were requested last, in the memory of the kernel. Matchers run many patterns on one text, and reading memory takes a third of the
 * time of reading a string. All matchers of a thread share them: the bytes of a text are valid until the next call.
 */
import type { Bytes } from '../source/bytes.js'
import { FIELD_ROOM, FIELD_TEXT, LOG_ROOM, OTHER_TEXT, RECEIVED_TEXT, SLACK } from './layout.js'
import { bytesAt, Chunk, growths, WORDS } from './memory.js'

/** Up to this length a loop is faster than a call into the runtime. */
const SHORT_TEXT = 24

/** The bytes of one text. */
class LastBytes {
  address: number
  #room: number
  text = ''
  #bytes: Bytes
  #words: Int32Array
  #growths = growths

  constructor(address: number, room: number) {
    this.address = address
    this.#room = room
    this.#bytes = bytesAt(address, room + SLACK)
    this.#words = wordsAt(address, room)
  }

  get bytes(): Bytes {
    if (this.#growths !== growths) this.#renew()
    return this.#bytes
  }

  get words(): Int32Array {
    if (this.#growths !== growths) this.#renew()
    return this.#words
  }

  write(text: string): void {
    const { length } = text
    const { bytes } = this
    if (length > SHORT_TEXT) bytes.latin1Write(text, 0, length)
    else for (let at = 0; at < length; at++) bytes[at] = text.charCodeAt(at)
    bytes[length] = 0
    this.text = text
  }

  move(address: number, room: number): void {
    this.address = address
    this.#room = room
    this.#renew()
  }

  get room(): number {
    return this.#room
  }

  /** After the memory has grown. */
  #renew(): void {
    this.#bytes = bytesAt(this.address, this.#room + SLACK)
    this.#words = wordsAt(this.address, this.#room)
    this.#growths = growths
  }
}

function wordsAt(address: number, room: number): Int32Array {
  return WORDS.subarray(address >> 2, (address + room + SLACK) >> 2) as Int32Array
}

/** Most fields are so short, and do not replace the bytes of a longer text. */
const ofField = new LastBytes(FIELD_TEXT, FIELD_ROOM)
/** The received text, or what was written in its place. */
const ofReceived = new LastBytes(RECEIVED_TEXT, LOG_ROOM)
const ofOther = new LastBytes(OTHER_TEXT, LOG_ROOM)
/** Texts longer than any log, in memory that grows by doubling. */
const ofLong = new LastBytes(OTHER_TEXT, LOG_ROOM)
let longChunk: Chunk | null = null

function lastBytes(text: string): LastBytes {
  if (text === ofReceived.text) return ofReceived
  const { length } = text
  const last = length <= FIELD_ROOM ? ofField : length <= LOG_ROOM ? ofOther : ofLong
  if (text !== last.text) {
    if (length > last.room || (last === ofLong && longChunk === null)) {
      longChunk = new Chunk(Math.max(length, 2 * last.room) + SLACK)
      last.move(longChunk.address, longChunk.length - SLACK)
    }
    last.write(text)
  }
  return last
}

/** Whether the bytes of a text are in the memory. */
export function isWritten(text: string): boolean {
  return text === ofReceived.text || text === ofOther.text || text === ofField.text
}

/** Returns the address of the bytes of a text of any length. One up to `LOG_ROOM` replaces the received text, and its address is `RECEIVED_TEXT`. */
export function receivedAddressOf(text: string): number {
  if (text.length > LOG_ROOM) return addressOf(text)
  if (text !== ofReceived.text) ofReceived.write(text)
  return RECEIVED_TEXT
}

/** Whether this is the received text, whose bytes are at `RECEIVED_TEXT`. */
export function isReceived(text: string): boolean {
  return text === ofReceived.text
}

/** Takes the received text up to its first NUL for the whole. */
export function cutReceived(text: string): void {
  if (text.length <= LOG_ROOM) ofReceived.text = text
}

/** Returns the address of the bytes of a text. @param text a byte string */
export function addressOf(text: string): number {
  return lastBytes(text).address
}

/** @param text a byte string @returns its bytes and a NUL; the bytes after it are undefined */
export function bytesOf(text: string): Uint8Array {
  return lastBytes(text).bytes
}

/** Returns the same memory as `bytesOf`, four bytes at a time; the last word may extend beyond the text. */
export function wordsOf(text: string): Int32Array {
  return lastBytes(text).words
}
