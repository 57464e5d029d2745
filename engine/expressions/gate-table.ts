/**
 * One look at a text that rules out most patterns at once.
 *
 * A pattern that needs one of some literals needs one of their four-byte pieces. All pieces of a ruleset lie in one hash table; a scan walks
 * the text once, and marks the gates whose piece it met. A gate that stays unmarked cannot match. Base and layer have a table each.
 */
import type { Gate } from './expression.js'

const PIECE = 4
/** Slots of the hash table; 32 KB stay in the fastest cache. */
const SLOT_BITS = 14
const MULTIPLIER = 0x9e3779b1

/** A gate's literals as pieces, and where each piece leads. Filled while compiling, then only read. */
export class GateTable {
  readonly base: GateTable | null
  readonly #own = new Map<string, number>()
  readonly #literals: (readonly string[])[] = []
  readonly #first: number
  #literalCount = 0
  #compiled: CompiledPieces | null = null

  constructor(base: GateTable | null = null) {
    this.base = base
    this.#first = base?.size ?? 0
  }

  get size(): number {
    return this.#first + this.#literals.length
  }

  /** The number of a gate on the log text; -1 when it cannot be found by pieces. */
  intern(gate: Gate | null): number {
    if (gate === null || gate.kind !== 'contains' || gate.values.length === 0) return -1
    if (gate.values.some((value) => value.length < PIECE)) return -1
    const key = gate.values.join('\0')
    const known = this.#find(key)
    if (known >= 0) return known
    if (this.#literalCount + gate.values.length > LITERAL_LIMIT) return -1
    this.#literalCount += gate.values.length
    const id = this.size
    this.#own.set(key, id)
    this.#literals.push(gate.values)
    return id
  }

  #find(key: string): number {
    return this.#own.get(key) ?? (this.base === null ? -1 : this.base.#find(key))
  }

  /** How many literals each gate has, at most 255. */
  weights(): Uint8Array {
    const weights = new Uint8Array(this.size)
    if (this.base !== null) weights.set(this.base.weights())
    this.#literals.forEach((values, index) => {
      weights[this.#first + index] = Math.min(values.length, 255)
    })
    return weights
  }

  /** The pieces of this table alone; null when it has none. */
  pieces(): CompiledPieces | null {
    if (this.#literals.length === 0) return null
    this.#compiled ??= compilePieces(this.#literals, this.#first)
    return this.#compiled
  }
}

/**
 * A text is first asked pattern by pattern, for so many literals as cost about one scan (both grow with its length): events whose decoder has
 * few patterns on the log never need one.
 */
const ASKS_UNSCANNED = 3
/** Stands for the first byte of an empty text. */
const EMPTY_TEXT = 256

interface CompiledPieces {
  /** Slot to the first entry, 0 = none. */
  readonly slots: Uint16Array
  /** Entries: the piece as a number, the next entry of the slot, and its gates. */
  readonly pieces: Int32Array
  readonly next: Uint16Array
  readonly gates: readonly Int32Array[]
}

/** Entries of one table are numbered in 16 bits; gates that find no number left are not gates (-1). */
const LITERAL_LIMIT = 65_000

function compilePieces(literals: readonly (readonly string[])[], first: number): CompiledPieces {
  const uses = new Map<number, number>()
  for (const values of literals) for (const value of values) for (const piece of new Set(piecesOf(value))) uses.set(piece, (uses.get(piece) ?? 0) + 1)
  const gatesByPiece = new Map<number, number[]>()
  literals.forEach((values, index) => {
    for (const value of values) {
      const piece = rarest(piecesOf(value), uses)
      const gates = gatesByPiece.get(piece)
      if (gates === undefined) gatesByPiece.set(piece, [first + index])
      else if (gates.at(-1) !== first + index) gates.push(first + index)
    }
  })
  const slots = new Uint16Array(1 << SLOT_BITS)
  const pieces = new Int32Array(gatesByPiece.size + 1)
  const next = new Uint16Array(gatesByPiece.size + 1)
  const gates: Int32Array[] = [new Int32Array(0)]
  for (const [piece, ids] of gatesByPiece) {
    const entry = gates.length
    const slot = Math.imul(piece, MULTIPLIER) >>> (32 - SLOT_BITS)
    pieces[entry] = piece
    next[entry] = slots[slot]
    slots[slot] = entry
    gates.push(Int32Array.from(ids))
  }
  return { slots, pieces, next, gates }
}

function piecesOf(value: string): number[] {
  const pieces: number[] = []
  for (let at = 0; at + PIECE <= value.length; at++) {
    pieces.push((value.charCodeAt(at) << 24) | (value.charCodeAt(at + 1) << 16) | (value.charCodeAt(at + 2) << 8) | value.charCodeAt(at + 3))
  }
  return pieces
}

/** The piece that fewest literals have, and of equals the one with most unusual bytes. */
function rarest(pieces: readonly number[], uses: ReadonlyMap<number, number>): number {
  let best = pieces[0]
  for (const piece of pieces) {
    const difference = (uses.get(piece) as number) - (uses.get(best) as number)
    if (difference < 0 || (difference === 0 && oddness(piece) > oddness(best))) best = piece
  }
  return best
}

/** How many of the four bytes are neither common letters nor blanks. */
function oddness(piece: number): number {
  let odd = 0
  for (let shift = 0; shift < 32; shift += 8) if (!' etaoinsrl0123456789:.-='.includes(String.fromCharCode((piece >>> shift) & 0xff))) odd++
  return odd
}

/** Scans the texts of one runner, one after the other, and remembers what the last one holds. */
export class GateScanner {
  readonly #tables: CompiledPieces[] = []
  /** Number of the scan that last met a gate's piece. */
  readonly #met: Int32Array
  #scan = 0
  /** Is what `#met` says about the present text? */
  #scanned = false
  #text = ''
  /** Literals asked for in the present text so far. */
  #asked = 0
  #first = 0
  /** By first byte of the text: was the last such text asked for more than a scan costs? Then the next is scanned at the first question. */
  readonly #worthScanning = new Uint8Array(EMPTY_TEXT + 1)
  /** Literals of each gate: what asking its pattern costs. */
  readonly #weights: Uint8Array

  constructor(table: GateTable) {
    for (let at: GateTable | null = table; at !== null; at = at.base) {
      const pieces = at.pieces()
      if (pieces !== null) this.#tables.push(pieces)
    }
    this.#met = new Int32Array(table.size)
    this.#weights = table.weights()
  }

  /** Turns to a text without looking at it yet; what is known of the same text stays. @param lower folded */
  begin(lower: string): void {
    if (lower === this.#text) return
    this.#text = lower
    this.#scanned = false
    this.#worthScanning[this.#first] = this.#asked > ASKS_UNSCANNED ? 1 : 0
    this.#first = lower.length === 0 ? EMPTY_TEXT : lower.charCodeAt(0)
    this.#asked = 0
  }

  #look(): void {
    this.#scanned = true
    this.#scan++
    for (const table of this.#tables) scanWith(table, this.#text, this.#met, this.#scan)
  }

  /** False: no pattern behind this gate can match the present text. */
  mayMatch(gate: number): boolean {
    if (gate < 0) return true
    if (!this.#scanned) {
      this.#asked += this.#weights[gate]
      if (this.#asked <= ASKS_UNSCANNED && this.#worthScanning[this.#first] === 0) return true
      this.#look()
    } else this.#asked++
    return this.#met[gate] === this.#scan
  }
}

function scanWith({ slots, pieces, next, gates }: CompiledPieces, text: string, met: Int32Array, scan: number): void {
  const length = text.length
  if (length < PIECE) return
  let piece = (text.charCodeAt(0) << 16) | (text.charCodeAt(1) << 8) | text.charCodeAt(2)
  for (let at = PIECE - 1; at < length; at++) {
    piece = (piece << 8) | text.charCodeAt(at)
    let entry = slots[Math.imul(piece, MULTIPLIER) >>> (32 - SLOT_BITS)]
    while (entry !== 0) {
      if (pieces[entry] === piece) {
        const ids = gates[entry]
        for (let i = 0; i < ids.length; i++) met[ids[i]] = scan
        break
      }
      entry = next[entry]
    }
  }
}
