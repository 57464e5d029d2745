/**
 * Searches a literal in folded text. A text in the memory of the kernel is searched there; in a scanned one nothing is searched if the scan excludes the
 * literal. Otherwise `indexOf` searches it, which looks for the first byte of a text and then compares, and the first byte of a literal is often frequent in
 * logs. The search therefore uses a part that begins with the rarest byte of the literal and then compares the rest.
 */
import { indexOfLiteral } from '../kernel/kernel.js'
import { BYTES, HALVES, type Packed, take, WORDS } from '../kernel/memory.js'
import type { SearchedText } from '../kernel/searched-text.js'
import { RARE_ALONE, RARITY } from './byte-rarity.js'
import { SHORTEST_SCANNED, windowsOf } from './window-scan.js'

/** In shorter texts the whole literal is found as fast, unless it begins with a byte of at most the rank COMMON. */
const SHORT_TEXT = 128
const COMMON = RARITY[' '.charCodeAt(0)]
/** Length of the part: `indexOf` uses a slower algorithm for longer ones. */
const PART_LENGTH = 6
/** Minimum length of the part, except for a byte that is rare. */
const MIN_PART_LENGTH = 2
/** After this many false hits of the part, the whole literal is searched. */
const FALSE_HITS = 4
/** Windows of a literal that are looked up, for each offset. Other texts often hold one of them, and seldom all. */
const WINDOWS_TESTED = 4

export class Literal {
  readonly text: string
  readonly #part: string
  /** Offset of the part in the literal. */
  readonly #offset: number
  readonly #beginsCommonly: boolean
  /** In the memory of the kernel: written at the first search there, because most patterns never run. */
  #packed: Packed | null = null
  #address = 0

  /** @param text a byte string, folded, not empty */
  constructor(text: string) {
    let rarest = 0
    for (let at = 1; at < text.length; at++) {
      const rarity = RARITY[text.charCodeAt(at)]
      if (rarity > RARITY[text.charCodeAt(rarest)] && (at + MIN_PART_LENGTH <= text.length || rarity >= RARE_ALONE)) rarest = at
    }
    this.text = text
    this.#offset = rarest
    this.#beginsCommonly = rarest > 0 && RARITY[text.charCodeAt(0)] <= COMMON
    this.#part = text.slice(rarest, rarest + PART_LENGTH)
  }

  /** Returns the first offset of the literal in the folded text, -1: none. @param from at least 0 */
  indexIn(subject: SearchedText, from: number): number {
    if (!subject.isWritten) return this.#search(subject.lower, from)
    return indexOfLiteral(this.address, subject.address, subject.length, from, subject.isScanned ? 1 : 0)
  }

  /** Where the kernel has the literal. */
  get address(): number {
    if (this.#address === 0) {
      this.#packed = packLiteral(this.text)
      this.#address = this.#packed.address
    }
    return this.#address
  }

  #search(lower: string, from: number): number {
    // Values are often shorter than what a rule searches in them.
    const excess = lower.length - from - this.text.length
    if (excess <= 0) return excess === 0 && lower.endsWith(this.text) ? from : -1
    if (lower.length - from < SHORT_TEXT && !this.#beginsCommonly) return lower.indexOf(this.text, from)
    const offset = this.#offset
    const part = this.#part
    let at = lower.indexOf(part, from + offset)
    if (part.length === this.text.length) return at
    for (let hits = 0; at >= 0; hits++) {
      if (hits === FALSE_HITS) return lower.indexOf(this.text, at - offset)
      if (lower.startsWith(this.text, at - offset)) return at - offset
      at = lower.indexOf(part, at + 1)
    }
    return -1
  }

  isIn(subject: SearchedText, from: number): boolean {
    return this.indexIn(subject, from) >= 0
  }
}

/** Writes a literal into the memory of the kernel: its length; the address of its bytes; where the slots of its windows are, at even and at odd offsets; these. */
export function packLiteral(literal: string): Packed {
  const groups = literal.length < SHORTEST_SCANNED ? [] : [slotsOf(literal, 0), slotsOf(literal, 1)]
  const [even, odd] = groups
  const room = even === undefined ? 0 : 2 * (even.length + odd.length)
  const packed = take(16 + room + literal.length)
  const { address } = packed
  const slots = address + 16
  WORDS.set([literal.length, slots + room, even === undefined ? 0 : slots, even === undefined ? 0 : slots + 2 * even.length], address >> 2)
  HALVES.set(groups.flat(), slots >> 1)
  for (let at = 0; at < literal.length; at++) BYTES[slots + room + at] = literal.charCodeAt(at)
  return packed
}

/** Returns the number of the rarest windows at even or odd offsets, then their slots. */
export function slotsOf(literal: string, first: number): number[] {
  const windows = windowsOf(literal, first).slice(0, WINDOWS_TESTED)
  return [windows.length, ...windows.map(({ slot }) => slot)]
}
