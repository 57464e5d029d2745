/**
 * Values as bytes that sort as the values do (`order.ts`), each of which ends by itself, so that several after one another sort as a tuple:
 *
 *   number, date   20 | 8 bytes: the double, sign turned
 *   text           30 | UTF-8, 00 as 00 FF | 00 01        longer than KEY_TEXT_BYTES: 30 | its beginning | 00 02 | hash
 *   boolean        50 | 0 or 1
 *   null, missing  10
 *
 * A descending field has all its bits turned. Long texts, objects and arrays in arrays are *inexact*: equal ones have equal keys, but their order
 * is not to be relied upon. No value begins with FF, so a prefix followed by FF is above all that begin with the prefix.
 */
import { createHash } from 'node:crypto'
import { type Ordered, RANK, rankOf } from '../language/order.js'

/** LMDB takes keys of 1,978 bytes: six fields of this and an id. Names and addresses are shorter. */
const KEY_TEXT_BYTES = 200
const HASH_BYTES = 16
/** Fields of one index. */
export const INDEX_FIELD_LIMIT = 6

const TEXT_END = 0x01
const TEXT_CUT = 0x02
export const ABOVE = Buffer.of(0xff)

export interface EncodedValue {
  readonly bytes: Buffer
  readonly inexact: boolean
}

const number = Buffer.alloc(8)

export function encodeValue(value: Ordered, direction: 1 | -1): EncodedValue {
  const rank = rankOf(value)
  switch (rank) {
    case RANK.string:
      return encodeText(value as string, direction)
    case RANK.number:
      return exact(encodeNumber(rank, value as number), direction)
    case RANK.date:
      return exact(encodeNumber(rank, (value as Date).getTime()), direction)
    case RANK.boolean:
      return exact(Buffer.of(rank, value === true ? 1 : 0), direction)
    case RANK.object:
    case RANK.array:
      return { bytes: turned(Buffer.concat([Buffer.of(rank), hash(JSON.stringify(value))]), direction), inexact: true }
    default:
      return exact(Buffer.of(rank), direction)
  }
}

const exact = (bytes: Buffer, direction: 1 | -1): EncodedValue => ({ bytes: turned(bytes, direction), inexact: false })

function encodeNumber(rank: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9)
  bytes[0] = rank
  if (Number.isNaN(value)) return bytes.fill(0, 1)
  number.writeDoubleBE(value === 0 ? 0 : value)
  if (number[0] & 0x80) for (let index = 0; index < 8; index++) bytes[index + 1] = ~number[index]
  else {
    bytes.set(number, 1)
    bytes[1] |= 0x80
  }
  return bytes
}

function encodeText(value: string, direction: 1 | -1): EncodedValue {
  if (value.length < KEY_TEXT_BYTES / 3 && !value.includes('\0')) return exact(encodeShortText(value), direction)
  const text = Buffer.from(value)
  const inexact = text.length > KEY_TEXT_BYTES
  const shown = inexact ? text.subarray(0, KEY_TEXT_BYTES) : text
  const bytes = Buffer.concat([Buffer.of(RANK.string), escapeZeros(shown), Buffer.of(0, inexact ? TEXT_CUT : TEXT_END), ...(inexact ? [hash(value)] : [])])
  return { bytes: turned(bytes, direction), inexact }
}

/** What nearly all are, in one piece. */
function encodeShortText(value: string): Buffer {
  const length = Buffer.byteLength(value)
  const bytes = Buffer.allocUnsafe(length + 3)
  bytes[0] = RANK.string
  bytes.write(value, 1)
  bytes[length + 1] = 0
  bytes[length + 2] = TEXT_END
  return bytes
}

function escapeZeros(text: Buffer): Buffer {
  if (!text.includes(0)) return text
  return Buffer.from(Array.from(text).flatMap((byte) => (byte === 0 ? [0, 0xff] : [byte])))
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, HASH_BYTES)

function turned(bytes: Buffer, direction: 1 | -1): Buffer {
  if (direction === -1) for (let index = 0; index < bytes.length; index++) bytes[index] = ~bytes[index]
  return bytes
}

/** Keys from `start` on and below `end`. */
export interface Interval {
  readonly start: Buffer
  readonly end: Buffer
}

export interface Bound {
  readonly value: Ordered
  readonly inclusive: boolean
}

/** Where values of the type of a bound stand, at least those between the bounds: of long texts all that begin alike are taken. */
export function encodeRange(lower: Bound | undefined, upper: Bound | undefined, direction: 1 | -1): Interval {
  const [first, last] = direction === 1 ? [lower, upper] : [upper, lower]
  const rank = rankOf((lower ?? upper)!.value)
  const type = direction === 1 ? rank : 0xff - rank
  return {
    start: first === undefined ? Buffer.of(type) : edge(first, direction, !first.inclusive, false),
    end: last === undefined ? Buffer.of(type + 1) : edge(last, direction, last.inclusive, true),
  }
}

/** The place just before the keys of a value, or just behind them. An inexact one stands somewhere among all that begin as it does. */
function edge({ value }: Bound, direction: 1 | -1, behind: boolean, atEnd: boolean): Buffer {
  const { bytes, inexact } = encodeValue(value, direction)
  const shown = inexact ? bytes.subarray(0, bytes.length - HASH_BYTES - 1) : bytes
  return (inexact ? atEnd : behind) ? Buffer.concat([shown, ABOVE]) : shown
}
