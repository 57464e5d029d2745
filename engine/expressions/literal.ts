/**
 * A literal to be looked for in folded log text. The runtime looks for a text's first byte, then compares; logs are full of the bytes that
 * literals begin with. So a piece is looked for that begins with the literal's rarest byte, and the rest compared where it stands. In a text that
 * has been scanned the search begins where the literal can stand first.
 */
import { RARITY } from './byte-rarity.js'
import { firstPlace, isPlaced, type LiteralWindow, NOWHERE, SHORTEST_SCANNED, windowsOf } from './window-scan.js'

/** In shorter texts the whole is found as fast, unless it begins with a byte of at most this rank. */
const SHORT_TEXT = 128
const COMMON = RARITY[' '.charCodeAt(0)]
/** Bytes of the piece: longer ones make the runtime take a slower way. */
const PIECE_LENGTH = 6
/** A piece is at least so long, where the literal is, but for bytes of at least this rank, which say enough alone. */
const SHORTEST_PIECE = 2
const RARE_ALONE = RARITY[')'.charCodeAt(0)]
/** Places of the piece at which the rest may differ before the runtime looks for the whole. */
const FALSE_PLACES = 4

export class Literal {
  readonly text: string
  readonly #piece: string
  /** Where the piece stands in the literal. */
  readonly #offset: number
  readonly #beginsCommonly: boolean
  /** The rarest window at an even and at an odd offset, when it has both; found at the first question, as most patterns never meet a text. */
  #even: LiteralWindow | null = null
  #odd: LiteralWindow | null = null

  /** @param text a byte string, folded, not empty */
  constructor(text: string) {
    let rarest = 0
    for (let at = 1; at < text.length; at++) {
      const rarity = RARITY[text.charCodeAt(at)]
      if (rarity > RARITY[text.charCodeAt(rarest)] && (at + SHORTEST_PIECE <= text.length || rarity >= RARE_ALONE)) rarest = at
    }
    this.text = text
    this.#offset = rarest
    this.#beginsCommonly = rarest > 0 && RARITY[text.charCodeAt(0)] <= COMMON
    this.#piece = text.slice(rarest, rarest + PIECE_LENGTH)
  }

  /** The first place of the literal in a folded text from `from` (at least 0) on, -1 = none. */
  indexIn(lower: string, from: number): number {
    if (this.text.length < SHORTEST_SCANNED || !isPlaced(lower)) return this.#search(lower, from)
    this.#even ??= windowsOf(this.text, 0)[0]
    this.#odd ??= windowsOf(this.text, 1)[0]
    const even = firstPlace(this.#even.slot)
    const odd = firstPlace(this.#odd.slot)
    if (even === NOWHERE && odd === NOWHERE) return -1
    const begin = Math.max(from, Math.min(even - this.#even.offset, odd - this.#odd.offset))
    return lower.startsWith(this.text, begin) ? begin : this.#search(lower, begin + 1)
  }

  #search(lower: string, from: number): number {
    if (lower.length - from < SHORT_TEXT && !this.#beginsCommonly) return lower.indexOf(this.text, from)
    const offset = this.#offset
    const piece = this.#piece
    let at = lower.indexOf(piece, from + offset)
    if (piece.length === this.text.length) return at
    for (let places = 0; at >= 0; places++) {
      if (places === FALSE_PLACES) return lower.indexOf(this.text, at - offset)
      if (lower.startsWith(this.text, at - offset)) return at - offset
      at = lower.indexOf(piece, at + 1)
    }
    return -1
  }

  isIn(lower: string, from: number): boolean {
    return this.indexIn(lower, from) >= 0
  }
}
