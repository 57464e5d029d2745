/**
 * Searches a literal in folded log text. `indexOf` searches the first byte of a text and then compares, and the first byte of a literal is often
 * frequent in logs. The search therefore uses a part that begins with the rarest byte of the literal and then compares the rest. In a scanned text
 * it is skipped if the scan excludes the literal, and compares only at the offsets that the scan allows.
 */
import { bytesOf } from '../source/last-bytes.js'
import { RARE_ALONE, RARITY } from './byte-rarity.js'
import { packWords } from './packed-words.js'
import { countSearch, firstPlace, isMet, isSearched, nextPlace, NOWHERE, SHORTEST_SCANNED, windowsOf } from './window-scan.js'

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
/** After this many offsets of a scan, the literal is searched without it: a search that begins late in a text would follow all earlier ones. */
const PLACES_FOLLOWED = 32

export class Literal {
  readonly text: string
  readonly #part: string
  /** Offset of the part in the literal. */
  readonly #offset: number
  readonly #beginsCommonly: boolean
  /** The rarest windows at even and at odd offsets, packed. Computed at the first search in a scanned text, because most patterns never run. */
  #windows: Int32Array | null = null
  #even = 0
  #odd = 0

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

  /** Returns the first offset of the literal in a folded text, -1: none. @param from at least 0 */
  indexIn(lower: string, from: number): number {
    if (this.text.length < SHORTEST_SCANNED || !isSearched(lower)) return this.#search(lower, from)
    const windows = this.#windows ?? this.#pack()
    const even = this.#even
    const odd = this.#odd
    const mayBeEven = areMet(windows, even)
    const mayBeOdd = areMet(windows, odd)
    if (!mayBeEven && !mayBeOdd) return -1
    if (!countSearch()) return this.#search(lower, from)
    const bytes = bytesOf(lower)
    const evenAt = mayBeEven ? this.#follow(windows[even + 2], windows[even + 1], from, lower, bytes) : -1
    const oddAt = mayBeOdd ? this.#follow(windows[odd + 2], windows[odd + 1], from, lower, bytes) : -1
    return evenAt >= 0 && (evenAt < oddAt || oddAt < 0) ? evenAt : oddAt
  }

  #pack(): Int32Array {
    const even = testedWindows(this.text, 0)
    const { words, at } = packWords([...even, ...testedWindows(this.text, 1)])
    this.#windows = words
    this.#even = at
    this.#odd = at + even.length
    return words
  }

  /** Returns the first offset, from `from` on, at which a window leads to the literal. @param offset of the window in the literal */
  #follow(slot: number, offset: number, from: number, lower: string, bytes: Uint8Array): number {
    const { text } = this
    const toLast = text.length - 1
    const lastByte = text.charCodeAt(toLast)
    const last = lower.length - text.length
    let place = firstPlace(slot)
    for (let steps = 0; steps < PLACES_FOLLOWED; steps++) {
      if (place === NOWHERE) return -1
      const at = place - offset
      if (at > last) return -1
      if (at >= from && bytes[at + toLast] === lastByte && lower.startsWith(text, at)) return at
      place = nextPlace(place)
    }
    return this.#search(lower, from)
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

  isIn(lower: string, from: number): boolean {
    return this.indexIn(lower, from) >= 0
  }
}

/** Returns the number of windows, the offset of the first one, and the slots. */
function testedWindows(literal: string, first: number): number[] {
  const windows = windowsOf(literal, first).slice(0, WINDOWS_TESTED)
  return [windows.length, windows[0].offset, ...windows.map(({ slot }) => slot)]
}

/** Whether the scan found all windows that are packed at `at`. */
function areMet(windows: Int32Array, at: number): boolean {
  const end = at + 2 + windows[at]
  for (let i = at + 2; i < end; i++) if (!isMet(windows[i])) return false
  return true
}
