/** One scan of a text that finds which literals it may contain (`expressions/window-scan.ts`), and what lists of patterns read of it. */
import { byteAt, halfAt, product, setByte, setWord, windowAt, wordAt } from './access.js'
import { MET, SCAN_NUMBER, SLOT_BITS } from './layout.js'
import { findBytes } from './texts.js'

/** Bytes of a window. */
export const WINDOW = 4
/** Bytes between two windows of a text. */
export const STEP = 2
const MULTIPLIER = 0x9e3779b1 | 0
/** Scans are numbered in 8 bits; after the last number the marks are cleared. */
const LAST_NUMBER = 0xff

/** @param window four bytes, the first in the lowest bits */
export function slotOf(window: number): number {
  return product(window, MULTIPLIER) >>> (32 - SLOT_BITS)
}

/** Marks the slots of the windows of a text at even offsets. */
export function scan(text: number, length: number): void {
  let number = wordAt(SCAN_NUMBER) + 1
  if (number > LAST_NUMBER) {
    for (let slot = 0; slot < 1 << SLOT_BITS; slot += 4) setWord(MET + slot, 0)
    number = 1
  }
  setWord(SCAN_NUMBER, number)
  const last = length - WINDOW
  for (let at = 0; at <= last; at += STEP) setByte(MET + slotOf(windowAt(text + at)), number)
}

/** Whether all slots that are packed at an address were met: their number and the slots, two bytes each. */
function areMet(slots: number, number: number): boolean {
  const end = slots + 2 + 2 * halfAt(slots)
  for (let at = slots + 2; at < end; at += 2) if (byteAt(MET + halfAt(at)) !== number) return false
  return true
}

/** Whether the scanned text may contain a literal of a prefilter. @param groups the number of groups of slots, then these */
export function holds(groups: number): boolean {
  const number = wordAt(SCAN_NUMBER)
  const count = halfAt(groups)
  let at = groups + 2
  for (let i = 0; i < count; i++) {
    if (areMet(at, number)) return true
    at += 2 + 2 * halfAt(at)
  }
  return false
}

/**
 * Returns the first pattern of a list, from `from` on, that the scanned text may match; the size of the list: none.
 * @param list the size; where the pairs of each pattern begin and the last ones end, counted in words; the prefilter of each pattern, 0 = none; numbers that
 * only the caller reads; then the pairs, each followed by its pattern. -1 stands in place of a pair for a pattern without prefilter.
 */
export function nextOf(list: number, from: number): number {
  const number = wordAt(SCAN_NUMBER)
  const size = wordAt(list)
  const starts = list + 4
  const prefilters = starts + 4 * (size + 1)
  const end = list + 4 * wordAt(starts + 4 * size)
  for (let at = list + 4 * wordAt(starts + 4 * from); at < end; at += 8) {
    const pair = wordAt(at)
    if (pair >= 0 && byteAt(MET + (pair & 0xffff)) !== number && byteAt(MET + (pair >>> 16)) !== number) continue
    const owner = wordAt(at + 4)
    if (pair < 0 || holds(wordAt(prefilters + 4 * owner))) return owner
    at = list + 4 * wordAt(starts + 4 * (owner + 1)) - 8
  }
  return size
}

/**
 * Returns the first offset of a literal in a text, from `from` on; -1: none.
 * @param literal its length; the address of its bytes; for even and for odd offsets the slots of its rarest windows, 0: it is too short
 * @param isScanned whether the text was scanned last
 */
export function indexOfLiteral(literal: number, text: number, length: number, from: number, isScanned: number): number {
  const even = wordAt(literal + 8)
  if (isScanned !== 0 && even !== 0) {
    const number = wordAt(SCAN_NUMBER)
    if (!areMet(even, number) && !areMet(wordAt(literal + 12), number)) return -1
  }
  return findBytes(text, length, from, wordAt(literal + 4), wordAt(literal))
}
