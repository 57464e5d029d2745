/** Creates ids of documents. */
import { randomBytes, randomUUID } from 'node:crypto'

/** Returns a UUID v4, which is random and cannot be guessed. */
export const newId = (): string => randomUUID()

/** Number of ids within one millisecond that stay in order: the counter has 26 bits. */
const COUNTER_LIMIT = 2 ** 26
let counter = 0

/**
 * Returns a UUID v7 (RFC 9562, 5.7). Within a process, later ids sort after earlier ones, also within a millisecond. It is for documents that are listed in the
 * order of their creation and may be created by the thousand at once.
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
