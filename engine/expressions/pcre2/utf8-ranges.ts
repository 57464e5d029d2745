/**
 * Converts a set of code points to sequences of byte ranges, so that the byte machine can run a UTF pattern.
 */
import type { CodeRange } from './ast.js'

export type ByteRanges = readonly (readonly [low: number, high: number])[]

/** Last code point of each encoded length. */
const LENGTH_ENDS = [0x7f, 0x7ff, 0xffff, 0x10ffff]

export function utf8Sequences(ranges: readonly CodeRange[]): ByteRanges[] {
  const out: ByteRanges[] = []
  for (const [low, high] of ranges) {
    let from = low
    for (const end of LENGTH_ENDS) {
      if (from > high) break
      if (from > end) continue
      split(from, Math.min(high, end), out)
      from = end + 1
    }
  }
  return out
}

/** Both ends have the same length. Splits until all bytes before the differing tail are equal, or the tail is complete. */
function split(low: number, high: number, out: ByteRanges[]): void {
  const a = encode(low)
  const b = encode(high)
  for (let tail = 1; tail < a.length; tail++) {
    const mask = (1 << (6 * tail)) - 1
    if ((low & ~mask) === (high & ~mask)) continue
    if ((low & mask) !== 0) {
      split(low, low | mask, out)
      split((low | mask) + 1, high, out)
      return
    }
    if ((high & mask) !== mask) {
      split(low, (high & ~mask) - 1, out)
      split(high & ~mask, high, out)
      return
    }
  }
  out.push(a.map((byte, i) => [byte, b[i]] as const))
}

function encode(char: number): number[] {
  if (char < 0x80) return [char]
  if (char < 0x800) return [0xc0 | (char >> 6), 0x80 | (char & 0x3f)]
  if (char < 0x10000) return [0xe0 | (char >> 12), 0x80 | ((char >> 6) & 0x3f), 0x80 | (char & 0x3f)]
  return [0xf0 | (char >> 18), 0x80 | ((char >> 12) & 0x3f), 0x80 | ((char >> 6) & 0x3f), 0x80 | (char & 0x3f)]
}
