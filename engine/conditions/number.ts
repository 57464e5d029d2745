/** Parses numbers of rules as the reference engine does: 64 bits, of which 32 are kept (BEHAVIOUR.md#rule-numbers). */
const LARGEST = 2n ** 63n - 1n

/** 4294967299 is 3, 2147483648 is negative. @param digits digits only; empty = 0 */
export function readInt32(digits: string): number {
  const number = Number(digits)
  if (number <= 0x7fffffff) return number
  const written = BigInt(digits)
  return Number(BigInt.asIntN(32, written > LARGEST ? LARGEST : written))
}
