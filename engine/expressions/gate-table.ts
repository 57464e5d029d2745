/**
 * One look at a text that rules out most patterns at once.
 *
 * A pattern that needs one of some literals needs all four-byte windows of one of them. A scan walks the text once, two bytes a step, and marks
 * the slot to which each window hashes; it knows nothing of the patterns. A literal that is in the text stands there at an even or at an odd offset, so
 * either all of its windows at even offsets are marked or all at odd ones; a gate of which no literal has that cannot match. Windows may share
 * slots: a gate may err towards "may match", never the other way.
 */
import { bytesOf } from '../source/last-bytes.js'
import type { Gate } from './expression.js'

/** Bytes of a window, which are hashed together. */
const WINDOW = 4
/** Bytes between two windows of a text. */
const STEP = 2
/** Shorter literals have no window at one of the two offsets. */
const SHORTEST = WINDOW + STEP - 1
/** Windows of a literal that are looked for, of each offset: more rule out little more. */
const WINDOWS_ASKED = 4
/** Slots: 64 KB of marks a scanner, of which a log line touches little. */
const SLOT_BITS = 15
const MULTIPLIER = 0x9e3779b1
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
    if (gate.values.some((value) => value.length < SHORTEST)) return -1
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
  /** For each literal the slots of its oddest window of either offset, 16 bits each: a match needs one of them. Most gates are decided by them. */
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

/** Slots of the windows at an offset and every second byte on: the oddest ones, and these first. */
function slotsOf(literal: string, offset: number): number[] {
  const windows: { oddness: number; slot: number }[] = []
  for (let at = offset; at + WINDOW <= literal.length; at += STEP) {
    const slot = slotOf(literal.charCodeAt(at) | (literal.charCodeAt(at + 1) << 8) | (literal.charCodeAt(at + 2) << 16) | (literal.charCodeAt(at + 3) << 24))
    windows.push({ oddness: oddness(literal.slice(at, at + WINDOW)), slot })
  }
  windows.sort((a, b) => b.oddness - a.oddness)
  return windows.slice(0, WINDOWS_ASKED).map(({ slot }) => slot)
}

/** How many bytes are neither common letters nor blanks. */
function oddness(window: string): number {
  let odd = 0
  for (const byte of window) if (!' etaoinsrl0123456789:.-='.includes(byte)) odd++
  return odd
}

/** @param window its first byte in the lowest bits */
function slotOf(window: number): number {
  return Math.imul(window, MULTIPLIER) >>> (32 - SLOT_BITS)
}

/**
 * So many questions are left to the patterns themselves, for about what one scan costs (both grow with the text): events whose decoder has few
 * patterns on the log never need one.
 */
const ASKS_UNSCANNED = 3
/** Stands for the first byte of an empty text. */
const EMPTY_TEXT = 256
/** Scans are numbered in 16 bits; then the marks are cleared. */
const SCAN_LIMIT = 0xffff

/**
 * By slot: number of the scan that last met a window with this hash. Shared by all scanners of a thread; a scanner whose scan is not the last one
 * scans again.
 */
const marks = new Uint16Array(1 << SLOT_BITS)
let lastScan = 0

/** Scans the texts of one runner, one after the other, and remembers what the last one holds. */
export class GateScanner {
  /** The table and those below it, the top first. */
  readonly #tables: readonly Questions[]
  /** Number of the scan of the present text, -1 = it is not scanned. */
  #scan = -1
  #text = ''
  /** Questions about the present text so far. */
  #asked = 0
  #first = EMPTY_TEXT
  /** By first byte of the text: was the last such text asked for more than a scan costs? Then the next is scanned at the first question. */
  readonly #worthScanning = new Uint8Array(EMPTY_TEXT + 1)

  constructor(table: GateTable) {
    const tables: Questions[] = []
    for (let at: GateTable | null = table; at !== null; at = at.base) tables.push(at.questions())
    this.#tables = tables
  }

  /** Turns to a text without looking at it yet; what is known of the same text stays. @param lower folded */
  begin(lower: string): void {
    if (lower === this.#text) return
    this.#text = lower
    this.#scan = -1
    this.#worthScanning[this.#first] = this.#asked > ASKS_UNSCANNED ? 1 : 0
    this.#first = lower.length === 0 ? EMPTY_TEXT : lower.charCodeAt(0)
    this.#asked = 0
  }

  /** Counts questions about the present text: whether to scan depends on how many there are. */
  count(questions: number): void {
    this.#asked += questions
  }

  /** False: no pattern behind this gate can match the present text. The caller counts the question. @param gate its number, -1 = none */
  mayMatch(gate: number): boolean {
    return gate < 0 || (this.#scan !== lastScan && this.#isUnscanned()) || this.#holds(gate)
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

  /** The first place from `from` on whose pattern may match, the length when there is none; counts the questions. */
  next({ gates, ends, pairs }: GateList, from: number): number {
    let at = from
    if (at === gates.length || gates[at] < 0) return at
    if (this.#scan !== lastScan) {
      this.#asked++
      if (this.#isUnscanned()) return at
    }
    const scan = this.#scan
    let pairAt = at === 0 ? 0 : ends[at - 1]
    for (; at < gates.length && gates[at] >= 0; at++) {
      const end = ends[at]
      for (; pairAt < end; pairAt++) {
        const pair = pairs[pairAt]
        if (marks[pair & 0xffff] === scan || marks[pair >>> 16] === scan) break
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
    const scan = this.#scan
    const { first, pairs, pairStarts, starts, groups } = this.#tableOf(gate)
    const index = gate - first
    const end = pairStarts[index + 1]
    for (let at = pairStarts[index]; at < end; at++) {
      const pair = pairs[at]
      if (marks[pair & 0xffff] === scan || marks[pair >>> 16] === scan) return holdsGroup(groups, starts[index], starts[index + 1], scan)
    }
    return false
  }

  /** May the question be left to the pattern? Else the text is scanned. */
  #isUnscanned(): boolean {
    if (this.#asked < ASKS_UNSCANNED && this.#worthScanning[this.#first] === 0) return true
    this.#look()
    return false
  }

  #tableOf(gate: number): Questions {
    let at = 0
    while (gate < this.#tables[at].first) at++
    return this.#tables[at]
  }

  #look(): void {
    if (lastScan === SCAN_LIMIT) {
      marks.fill(0)
      lastScan = 0
    }
    lastScan++
    this.#scan = lastScan
    markWindows(this.#text, lastScan)
  }
}

function markWindows(text: string, scan: number): void {
  const bytes = bytesOf(text)
  const { length } = text
  let window = (bytes[0] << 16) | (bytes[1] << 24)
  for (let at = STEP; at + 1 < length; at += STEP) {
    window = (window >>> 16) | (bytes[at] << 16) | (bytes[at + 1] << 24)
    marks[slotOf(window)] = scan
  }
}

/** Are all slots of one group marked by this scan? */
function holdsGroup(groups: Uint16Array, from: number, to: number, scan: number): boolean {
  let at = from
  while (at < to) {
    const end = at + 1 + groups[at]
    at++
    while (at < end && marks[groups[at]] === scan) at++
    if (at === end) return true
    at = end
  }
  return false
}
