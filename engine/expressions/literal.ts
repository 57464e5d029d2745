/**
 * Searches a literal in folded log text. `indexOf` searches the first byte of a text and then compares, and the first byte of a literal is often
 * frequent in logs. The search therefore uses a part that begins with the rarest byte of the literal and then compares the rest. In a scanned text
 * it begins at the first offset that the scan allows.
 */
import { RARE_ALONE, RARITY } from './byte-rarity.js'
import { firstPlace, isPlaced, NOWHERE, SHORTEST_SCANNED, windowsOf } from './window-scan.js'

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
const WINDOWS_PLACED = 4

export class Literal {
  readonly text: string
  readonly #part: string
  /** Offset of the part in the literal. */
  readonly #offset: number
  readonly #beginsCommonly: boolean
  /** The rarest windows at even and at odd offsets. Computed at the first search, because most patterns never run. */
  #even: Int32Array | null = null
  #odd: Int32Array | null = null

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
    if (this.text.length < SHORTEST_SCANNED || !isPlaced(lower)) return this.#search(lower, from)
    this.#even ??= placedWindowsOf(this.text, 0)
    this.#odd ??= placedWindowsOf(this.text, 1)
    const first = Math.min(firstPlaceOf(this.#even), firstPlaceOf(this.#odd))
    if (first === NOWHERE) return -1
    const begin = Math.max(from, first)
    return lower.startsWith(this.text, begin) ? begin : this.#search(lower, begin + 1)
  }

  #search(lower: string, from: number): number {
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

/** Returns the slots and offsets of the rarest windows of a literal, alternately. */
function placedWindowsOf(literal: string, first: number): Int32Array {
  return Int32Array.from(
    windowsOf(literal, first)
      .slice(0, WINDOWS_PLACED)
      .flatMap(({ slot, offset }) => [slot, offset]),
  )
}

/** Returns the first offset of the scanned text at which the literal of these windows may begin, or NOWHERE. */
function firstPlaceOf(windows: Int32Array): number {
  let place = 0
  for (let i = 0; i < windows.length; i += 2) {
    const first = firstPlace(windows[i])
    if (first === NOWHERE) return NOWHERE
    if (first - windows[i + 1] > place) place = first - windows[i + 1]
  }
  return place
}
