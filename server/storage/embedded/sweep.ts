/** Which documents have expired: those whose date lies as long ago as an index of it says. */
import type { Index } from './index-keys.js'
import { encodeRange, type Interval } from './key.js'

/** The keys of what has expired; null for an index that lets nothing expire. */
export function expiryOf(index: Index, now: number): Interval | null {
  if (index.expireAfterSeconds === undefined) return null
  const latest = new Date(now - index.expireAfterSeconds * 1000)
  const { start, end } = encodeRange(undefined, { value: latest, inclusive: true }, index.fields[0].direction)
  return { start: Buffer.concat([index.prefix, start]), end: Buffer.concat([index.prefix, end]) }
}
