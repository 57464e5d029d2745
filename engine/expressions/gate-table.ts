/**
 * Numbers for what patterns need of the log text, so that one walk over it (`window-scan.ts`) rules out most patterns at once.
 *
 * A gate is a list of literals of which a pattern needs one. It may err towards "may match", never the other way.
 */
import type { Gate } from './expression.js'
import { byteAt, LEADING_BYTES, NO_BYTE } from './leading-byte.js'
import { isMet, isScanned, SHORTEST_SCANNED, scan, windowsOf } from './window-scan.js'

/** Windows of a literal that are looked for, of each offset: more rule out little more. */
const WINDOWS_ASKED = 4
/** Literals that one table takes, so that hostile content cannot make it large; gates beyond are not gates (-1). */
const LITERAL_LIMIT = 65_000

/** The gates of a ruleset, or of a layer on top of another. Filled while compiling, then only read. */
export class GateTable {
  readonly base: GateTable | null
  readonly #own = new Map<string, number>()
  readonly #literals: (readonly string[])[] = []
  readonly #first: number
  #literalCount = 0
  #questions: Questions | null = null

  constructor(base: GateTable | null = null) {
    this.base = base
    this.#first = base?.size ?? 0
  }

  get size(): number {
    return this.#first + this.#literals.length
  }

  /** The number of a gate on the log text; -1 when it cannot be found by windows. */
  intern(gate: Gate | null): number {
    if (gate === null || gate.kind !== 'contains' || gate.values.length === 0) return -1
    if (gate.values.some((value) => value.length < SHORTEST_SCANNED)) return -1
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

  /** What to ask a scan for the gates of this table alone. */
  questions(): Questions {
    this.#questions ??= toQuestions(this.#literals, this.#first)
    return this.#questions
  }
}

/** For each gate the slots that must be marked: a match needs all of one group. */
interface Questions {
  /** Number of the first gate. */
  readonly first: number
  /** For each literal the slots of its rarest window of either offset, 16 bits each: a match needs one of them. Most gates are decided by them. */
  readonly pairs: Int32Array
  /** Where each gate's pairs and groups begin; one more entry for where the last one's end. */
  readonly pairStarts: Int32Array
  readonly starts: Int32Array
  /** Groups: how many slots, then the slots. */
  readonly groups: Uint16Array
}

/** Gates of a list of patterns, with all that decides most of them side by side. */
export interface GateList {
  /** Number of each pattern's gate, -1 = none. */
  readonly gates: Int32Array
  /** The pairs of all gates, and where each gate's end. */
  readonly pairs: Int32Array
  readonly ends: Int32Array
}

function toQuestions(literals: readonly (readonly string[])[], first: number): Questions {
  const pairs: number[] = []
  const pairStarts = new Int32Array(literals.length + 1)
  const starts = new Int32Array(literals.length + 1)
  const groups: number[] = []
  literals.forEach((values, index) => {
    for (const value of values) {
      const [even, odd] = [slotsOf(value, 0), slotsOf(value, 1)]
      groups.push(even.length, ...even, odd.length, ...odd)
      pairs.push(even[0] | (odd[0] << 16))
    }
    pairStarts[index + 1] = pairs.length
    starts[index + 1] = groups.length
  })
  return { first, pairs: Int32Array.from(pairs), pairStarts, starts, groups: Uint16Array.from(groups) }
}

function slotsOf(literal: string, offset: number): number[] {
  return windowsOf(literal, offset)
    .slice(0, WINDOWS_ASKED)
    .map(({ slot }) => slot)
}

/**
 * So many questions are left to the patterns themselves, for about what one scan costs (both grow with the text): events whose decoder has few
 * patterns on the log never need one.
 */
const ASKS_UNSCANNED = 3

/** Scans the texts of one runner, one after the other, and remembers what the last one holds. */
export class GateScanner {
  /** The table and those below it, the top first. */
  readonly #tables: readonly Questions[]
  #text = ''
  /** Questions about the present text so far: whether to scan depends on how many there are. */
  #asked = 0
  #first = NO_BYTE
  /** By first byte of the text: was the last such text asked for more than a scan costs? Then the next is scanned at the first question. */
  readonly #worthScanning = new Uint8Array(LEADING_BYTES)

  constructor(table: GateTable) {
    const tables: Questions[] = []
    for (let at: GateTable | null = table; at !== null; at = at.base) tables.push(at.questions())
    this.#tables = tables
  }

  /** Turns to a text without looking at it yet; what is known of the same text stays. @param lower folded */
  begin(lower: string): void {
    if (lower === this.#text) return
    this.#text = lower
    this.#worthScanning[this.#first] = this.#asked > ASKS_UNSCANNED ? 1 : 0
    this.#first = byteAt(lower, 0)
    this.#asked = 0
  }

  /** False: no pattern behind this gate can match the present text. @param gate its number, -1 = none */
  mayMatch(gate: number): boolean {
    if (gate < 0) return true
    this.#asked++
    return this.#isUnscanned() || this.#holds(gate)
  }

  /** Prepares a list of patterns for `next`. @param gates number of each pattern's gate, -1 = none */
  listOf(gates: Int32Array): GateList {
    const pairs: number[] = []
    const ends = gates.map((gate) => {
      if (gate >= 0) {
        const table = this.#tableOf(gate)
        const index = gate - table.first
        pairs.push(...table.pairs.subarray(table.pairStarts[index], table.pairStarts[index + 1]))
      }
      return pairs.length
    })
    return { gates, ends, pairs: Int32Array.from(pairs) }
  }

  /** The first place from `from` on whose pattern may match, the length when there is none. */
  next({ gates, ends, pairs }: GateList, from: number): number {
    let at = from
    if (at === gates.length || gates[at] < 0) return at
    this.#asked++
    if (this.#isUnscanned()) return at
    let pairAt = at === 0 ? 0 : ends[at - 1]
    for (; at < gates.length && gates[at] >= 0; at++) {
      const end = ends[at]
      for (; pairAt < end; pairAt++) {
        const pair = pairs[pairAt]
        if (isMet(pair & 0xffff) || isMet(pair >>> 16)) break
      }
      if (pairAt === end) continue
      if (this.#holds(gates[at])) break
      pairAt = end
    }
    this.#asked += at - from
    return at
  }

  /** May the scanned text hold a literal of the gate? */
  #holds(gate: number): boolean {
    const { first, pairs, pairStarts, starts, groups } = this.#tableOf(gate)
    const index = gate - first
    const end = pairStarts[index + 1]
    for (let at = pairStarts[index]; at < end; at++) {
      const pair = pairs[at]
      if (isMet(pair & 0xffff) || isMet(pair >>> 16)) return holdsGroup(groups, starts[index], starts[index + 1])
    }
    return false
  }

  /** May the question be left to the pattern? Else the text is scanned, if it is not yet. */
  #isUnscanned(): boolean {
    if (isScanned(this.#text)) return false
    if (this.#asked < ASKS_UNSCANNED && this.#worthScanning[this.#first] === 0) return true
    scan(this.#text)
    return false
  }

  #tableOf(gate: number): Questions {
    let at = 0
    while (gate < this.#tables[at].first) at++
    return this.#tables[at]
  }
}

/** Has the scan met all slots of one group? */
function holdsGroup(groups: Uint16Array, from: number, to: number): boolean {
  let at = from
  while (at < to) {
    const end = at + 1 + groups[at]
    at++
    while (at < end && isMet(groups[at])) at++
    if (at === end) return true
    at = end
  }
  return false
}
