/** Ids of documents. */
import { randomBytes, randomUUID } from 'node:crypto'

/** UUID v4: opaque, and nobody guesses another's. */
export const newId = (): string => randomUUID()

/** Ids of one millisecond that stay in order: the counter's 26 bits. */
const COUNTER_LIMIT = 2 ** 26
let counter = 0

/**
 * UUID v7 (RFC 9562, 5.7): as opaque, and later ones of a process sort after earlier ones, also within a millisecond. For documents whose order is
 * that in which they were made, and which may be made by the thousand at once.
 * @param now milliseconds since the epoch
 */
export function newOrderedId(now: number): string {
  counter = (counter + 1) % COUNTER_LIMIT
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt16BE(0x7000 | (counter >>> 14), 6)
  bytes.writeUInt16BE(0x8000 | (counter & 0x3fff), 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
