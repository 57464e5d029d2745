/** Searches and folds bytes one by one. `assembly/texts.as` has the same functions for sixteen bytes at once; a test compares both. */
import { byteAt, setByte } from './access.js'

/** Returns the first offset of a literal in a text, from `from` on; -1: none. @param size of the literal, at least 1 */
export function findBytes(text: number, length: number, from: number, literal: number, size: number): number {
  const last = length - size
  const first = byteAt(literal)
  for (let at = from; at <= last; at++) {
    if (byteAt(text + at) === first && equalBytes(text + at, literal, size)) return at
  }
  return -1
}

export function equalBytes(a: number, b: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (byteAt(a + i) !== byteAt(b + i)) return false
  return true
}

/** Writes a text with ASCII letters folded to lower case. */
export function fold(source: number, target: number, length: number): void {
  for (let i = 0; i < length; i++) {
    const byte = byteAt(source + i)
    setByte(target + i, byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)
  }
}

/** Returns the first offset of a byte in a text, from `from` on; its length: none. */
export function findByte(text: number, length: number, from: number, byte: number): number {
  let at = from
  while (at < length && byteAt(text + at) !== byte) at++
  return at
}
