/** Reads most lines of a batch in one pass over their bytes, without a text of the whole line. */
import type { JsonPart, LogtestInput } from '#engine-data'
import type { LineReading } from './read-line.js'

/** A line that was read. */
export interface ReadLine {
  readonly reading: LineReading
  /** The event as `JSON.stringify` prints it, if the line has it in that form; else null. */
  readonly eventJson: JsonPart | null
  /** Where the next line begins. */
  readonly end: number
}

const PREFIX = Buffer.from('{"event":"')
/** Longer events are read in the long way. */
const EVENT_LIMIT = 64 * 1024

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const BACKSLASH = 0x5c
const CLOSE_BRACE = 0x7d

/** What a byte is in the JSON of a text: itself, a part of a character beyond ASCII, or one that ends the text or must be escaped. */
const PLAIN = 0
const BEYOND_ASCII = 1
const SPECIAL = 2
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x80 ? BEYOND_ASCII : byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? SPECIAL : PLAIN))
/** The byte that the letter of an escape means, 0: `JSON.stringify` writes no such escape. */
const ESCAPED = new Uint8Array(256)
for (const [letter, value] of ['""', '\\\\', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) ESCAPED[letter.charCodeAt(0)] = value.charCodeAt(0)

/** The bytes of the event that was read last. */
const event = Buffer.alloc(EVENT_LIMIT)

/**
 * Reads a line with nothing but an event, whose JSON is what `JSON.stringify` prints: the answer repeats it unchanged. Null: the line is another one, or not
 * valid, or too long; `readLine` reads it.
 * @param from where the line begins
 * @param isUtf8 whether all bytes are known to be UTF-8
 */
export function readEventLine(bytes: Buffer, from: number, isUtf8: boolean): ReadLine | null {
  for (let i = 0; i < PREFIX.length; i++) if (bytes[from + i] !== PREFIX[i]) return null
  const start = from + PREFIX.length
  let size = 0
  let kinds = PLAIN
  for (let at = start; size < EVENT_LIMIT && at < bytes.length; at++) {
    let byte = bytes[at]
    const kind = KINDS[byte]
    if (kind !== SPECIAL) kinds |= kind
    else if (byte === BACKSLASH) {
      byte = ESCAPED[bytes[++at]]
      if (byte === 0) return null
    } else {
      const end = byte === QUOTE ? lineEnd(bytes, at + 1) : -1
      if (end < 0 || size === 0 || (kinds !== PLAIN && !isUtf8)) return null
      const input: LogtestInput = { event: event.toString(kinds === PLAIN ? 'latin1' : 'utf8', 0, size), log_format: 'auto' }
      return { reading: { input }, eventJson: { bytes, start: start - 1, end: at + 1 }, end }
    }
    event[size++] = byte
  }
  return null
}

/** @param at the offset after the event @returns the offset of the next line; -1: the line contains more */
function lineEnd(bytes: Buffer, at: number): number {
  if (bytes[at] !== CLOSE_BRACE) return -1
  const end = bytes[at + 1] === CARRIAGE_RETURN ? at + 2 : at + 1
  if (end >= bytes.length) return bytes.length
  return bytes[end] === LINE_FEED ? end + 1 : -1
}
