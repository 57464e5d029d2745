/** Entries of indexes as they lie in the file: the key, and as its value a byte that says whether it is inexact, and the id of the document. */
import type { IndexKey } from './index-keys.js'
import type { Interval } from './key.js'
import type { Range } from './snapshot.js'

const EXACT = 0
export const INEXACT = 1

export function entryValue({ inexact }: IndexKey, id: string): Buffer {
  return Buffer.concat([Buffer.of(inexact ? INEXACT : EXACT), Buffer.from(id)])
}

/** What lmdb hands out may be a plain `Uint8Array`. */
export function idOf(bytes: Uint8Array, from: number): string {
  return Buffer.prototype.utf8Slice.call(bytes, from, bytes.byteLength)
}

/** An interval as lmdb walks through it. */
export function rangeOf({ start, end }: Interval, reverse: boolean): Range {
  return reverse ? { start: end, end: start, reverse: true, exclusiveStart: true, inclusiveEnd: true } : { start, end }
}
