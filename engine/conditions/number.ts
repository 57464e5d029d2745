/** Parses numbers of rules as the reference engine does: 64 bits, of which 32 are kept (BEHAVIOUR.md#rule-numbers). */
const LARGEST = 2n ** 63n - 1n

/** 4294967299 is 3, 2147483648 is negative. @param digits digits only; empty = 0 */
export function readInt32(digits: string, isNegative = false): number {
  const number = Number(digits)
  if (number <= 0x7fffffff) return isNegative ? -number : number
  const limit = isNegative ? LARGEST + 1n : LARGEST
  // Text of 64 KB may be digits: only those of a 64-bit number are converted exactly.
  const written = number < 2 ** 64 ? BigInt(digits) : limit
  const kept = written > limit ? limit : written
  return Number(BigInt.asIntN(32, isNegative ? -kept : kept))
}
