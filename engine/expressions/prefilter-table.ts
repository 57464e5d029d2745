/**
 * Numbers the prefilters of patterns, so that one scan of a log (`window-scan.ts`) excludes most patterns.
 *
 * A prefilter is a list of literals of which a pattern needs one. It may err towards "may match", never the other way.
 */
import { holds, nextOf } from '../kernel/kernel.js'
import { type Chunk, HALVES, packWords, take, WORDS } from '../kernel/memory.js'
import { type LogHolder, searchedLog } from '../kernel/searched-text.js'
import type { Prefilter } from './expression.js'
import { byteAt, LEADING_BYTES, NO_BYTE } from './leading-byte.js'
import { slotsOf } from './literal.js'
import { isLastScanOf, SHORTEST_SCANNED, scan } from './window-scan.js'

/** Limit of literals in one table, so that hostile content cannot make it large. Further prefilters get no number (-1). */
const LITERAL_LIMIT = 65_000

/** The prefilters of a ruleset, or of a layer on top of another. Filled while compiling, then only read. */
export class PrefilterTable {
  readonly base: PrefilterTable | null
  readonly #own = new Map<string, number>()
  readonly #literals: (readonly string[])[] = []
  readonly #first: number
  #literalCount = 0
  #index: PrefilterIndex | null = null

  constructor(base: PrefilterTable | null = null) {
    this.base = base
    this.#first = base?.size ?? 0
  }

  get size(): number {
    return this.#first + this.#literals.length
  }

  /** Returns the number of a prefilter on the log text; -1 if windows cannot find it. */
  intern(prefilter: Prefilter | null): number {
    if (prefilter === null || prefilter.kind !== 'contains' || prefilter.values.length === 0) return -1
    if (prefilter.values.some((value) => value.length < SHORTEST_SCANNED)) return -1
    const key = prefilter.values.join('\0')
    const known = this.#find(key)
    if (known >= 0) return known
    if (this.#literalCount + prefilter.values.length > LITERAL_LIMIT) return -1
    this.#literalCount += prefilter.values.length
    const id = this.size
    this.#own.set(key, id)
    this.#literals.push(prefilter.values)
    return id
  }

  #find(key: string): number {
    return this.#own.get(key) ?? (this.base === null ? -1 : this.base.#find(key))
  }

  /** Returns the index of the prefilters of this table, without those of its base. */
  index(): PrefilterIndex {
    this.#index ??= buildIndex(this.#literals, this.#first)
    return this.#index
  }
}

/** For each prefilter the slots that must be met: a match needs all of one group. */
interface PrefilterIndex {
  /** Number of the first prefilter. */
  readonly first: number
  /** For each literal the slots of its rarest window of either offset, 16 bits each: a match needs one of them. Most prefilters are decided by them. */
  readonly pairs: Int32Array
  /** Where each prefilter's pairs begin; one more entry for the end of the last one. */
  readonly pairStarts: Int32Array
  /** Where the groups of each are in the memory of the kernel, which lives as long as `chunk`. */
  readonly addresses: Int32Array
  readonly chunk: Chunk
}

/**
 * The prefilters of a list of patterns, with the slot pairs that decide most of them side by side: one loop excludes many patterns (`nextOf` of
 * `kernel/scan.ts`). All its numbers are together in the memory of the kernel: an event reads dozens of lists, each once.
 */
export interface PrefilterList {
  /** Number of patterns. */
  readonly size: number
  /** Number of each pattern's prefilter, -1 = none. */
  readonly prefilters: readonly number[]
  /** Where its numbers are. */
  readonly address: number
  readonly chunk: Chunk
}

/** Returns the place in the memory, counted in words, of the numbers of the caller. */
export function extrasOf({ size, address }: PrefilterList): number {
  return (address >> 2) + 2 * size + 2
}

/** Stands in place of a pair for a pattern without prefilter. */
const NO_PREFILTER = -1

function buildIndex(literals: readonly (readonly string[])[], first: number): PrefilterIndex {
  const pairs: number[] = []
  const pairStarts = new Int32Array(literals.length + 1)
  const starts = new Int32Array(literals.length)
  const groups: number[] = []
  literals.forEach((values, index) => {
    starts[index] = groups.length
    groups.push(values.length * 2)
    for (const value of values) {
      const [even, odd] = [slotsOf(value, 0), slotsOf(value, 1)]
      groups.push(...even, ...odd)
      pairs.push(even[1] | (odd[1] << 16))
    }
    pairStarts[index + 1] = pairs.length
  })
  const { chunk, address } = take(2 * groups.length)
  HALVES.set(groups, address >> 1)
  return { first, pairs: Int32Array.from(pairs), pairStarts, addresses: starts.map((start) => address + 2 * start), chunk }
}

/**
 * Number of patterns that run without a scan; they cost about as much as one scan. Events whose decoder has few patterns on the log never need a
 * scan.
 */
const RUNS_UNSCANNED = 3

/** Scans the logs of one runner, one after the other, and keeps the scan of the last. */
export class PrefilterScanner {
  /** The indexes of the table and of its bases, the top layer first. */
  readonly #tables: readonly PrefilterIndex[]
  #holder: LogHolder | null = null
  /** Its log; null: it is not read yet. */
  #text: string | null = ''
  #isScanned = false
  /** Number of prefilters tested on the current log; it decides whether to scan. */
  #testCount = 0
  #first = NO_BYTE
  /** By first byte of the text: whether the last such text had more tests than a scan costs. Then the next one is scanned at the first test. */
  readonly #worthScanning = new Uint8Array(LEADING_BYTES)

  constructor(table: PrefilterTable) {
    const tables: PrefilterIndex[] = []
    for (let at: PrefilterTable | null = table; at !== null; at = at.base) tables.push(at.index())
    this.#tables = tables
  }

  /** Starts a log; the scan is done later, if at all. The same log keeps its scan. */
  begin(holder: LogHolder): void {
    const { log } = holder
    if (holder !== this.#holder || log !== this.#text) this.#start(holder, log, byteAt(log, 0))
  }

  /** Starts the log of an event of the event channel, which is a JSON object and is read only if it is scanned. */
  beginUnread(holder: LogHolder): void {
    this.#start(holder, null, byteAt('{', 0))
  }

  #start(holder: LogHolder, text: string | null, first: number): void {
    this.#holder = holder
    this.#text = text
    this.#isScanned = false
    this.#worthScanning[this.#first] = this.#testCount > RUNS_UNSCANNED ? 1 : 0
    this.#first = first
    this.#testCount = 0
  }

  /** Returns false if no pattern with this prefilter can match the current log. @param prefilter its number, -1: none */
  mayMatch(prefilter: number): boolean {
    if (prefilter < 0) return true
    this.#testCount++
    return this.#isUnscanned() || Boolean(holds(this.#addressOf(prefilter)))
  }

  /** Prepares a list of patterns for `next`. @param prefilters number of each pattern's prefilter, -1: none @param extras numbers of the caller, if any */
  listOf(prefilters: readonly number[], extras: readonly number[] = []): PrefilterList {
    const size = prefilters.length
    const begin = 2 * size + 2 + extras.length
    const pairs: number[] = []
    const starts = [begin]
    prefilters.forEach((prefilter, owner) => {
      for (const pair of prefilter < 0 ? [NO_PREFILTER] : this.#pairsOf(prefilter)) pairs.push(pair, owner)
      starts.push(begin + pairs.length)
    })
    const addresses = prefilters.map((prefilter) => (prefilter < 0 ? 0 : this.#addressOf(prefilter)))
    return { size, prefilters, ...packWords([size, ...starts, ...addresses, ...extras, ...pairs]) }
  }

  #pairsOf(prefilter: number): Int32Array {
    const { first, pairs, pairStarts } = this.#tableOf(prefilter)
    return pairs.subarray(pairStarts[prefilter - first], pairStarts[prefilter - first + 1])
  }

  /** Returns the index, from `from` on, of the first pattern that may match; the size of the list if there is none. */
  next({ size, address }: PrefilterList, from: number): number {
    if (from === size || WORDS[(address >> 2) + size + 2 + from] === 0) return from
    this.#testCount++
    if (this.#isUnscanned()) return from
    const found = nextOf(address, from)
    this.#testCount += found - from
    return found
  }

  /** Whether the pattern may run without a scan. Otherwise the text is scanned, unless it was already. */
  #isUnscanned(): boolean {
    if (this.#isScanned && isLastScanOf(this)) return false
    if (this.#testCount < RUNS_UNSCANNED && this.#worthScanning[this.#first] === 0) return true
    if (this.#holder !== null) scan(searchedLog(this.#holder), this)
    this.#isScanned = true
    return false
  }

  #addressOf(prefilter: number): number {
    const { first, addresses } = this.#tableOf(prefilter)
    return addresses[prefilter - first]
  }

  #tableOf(prefilter: number): PrefilterIndex {
    let at = 0
    while (prefilter < this.#tables[at].first) at++
    return this.#tables[at]
  }
}
