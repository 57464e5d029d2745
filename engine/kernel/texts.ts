/** Searches and folds bytes one by one, or by what JavaScript has for many. `assembly/texts.as` has the same functions for sixteen bytes at once; a test compares both. */
import { foldWord } from '../source/byte-string.js'
import { byteAt, setByte, setWord, windowAt } from './access.js'
import { BYTES } from './memory.js'

/** From this length on a call into the runtime is faster than a loop. */
const LONG_SEARCH = 64

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
  let at = 0
  if ((target & 3) === 0) for (; at + 4 <= length; at += 4) setWord(target + at, foldWord(windowAt(source + at)))
  for (; at < length; at++) {
    const byte = byteAt(source + at)
    setByte(target + at, byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)
  }
}

/** Returns the first offset of a byte in a text, from `from` on; its length: none. */
export function findByte(text: number, length: number, from: number, byte: number): number {
  let at = from
  const near = Math.min(length, from + LONG_SEARCH)
  while (at < near && byteAt(text + at) !== byte) at++
  if (at < near || at >= length) return at
  const found = BYTES.subarray(text + at, text + length).indexOf(byte)
  return found < 0 ? length : at + found
}
