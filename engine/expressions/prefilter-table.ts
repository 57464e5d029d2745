/**
 * Numbers the prefilters of patterns, so that one scan of a log (`window-scan.ts`) excludes most patterns.
 *
 * A prefilter is a list of literals of which a pattern needs one. It may err towards "may match", never the other way.
 */
import type { Prefilter } from './expression.js'
import { byteAt, LEADING_BYTES, NO_BYTE } from './leading-byte.js'
import { packWords } from './packed-words.js'
import { isLastScanOf, isMet, SHORTEST_SCANNED, scan, windowsOf } from './window-scan.js'

/** Windows of a literal that are tested, for each offset: more of them exclude hardly more. */
const WINDOWS_TESTED = 4
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

/** For each prefilter the slots that must be marked: a match needs all of one group. */
interface PrefilterIndex {
  /** Number of the first prefilter. */
  readonly first: number
  /** For each literal the slots of its rarest window of either offset, 16 bits each: a match needs one of them. Most prefilters are decided by them. */
  readonly pairs: Int32Array
  /** Where each prefilter's pairs and groups begin; one more entry for the end of the last one. */
  readonly pairStarts: Int32Array
  readonly starts: Int32Array
  /** Groups: the number of slots, then the slots, the rarest first. */
  readonly groups: Uint16Array
}

/**
 * The prefilters of a list of patterns, with the slot pairs that decide most of them side by side: one loop excludes many patterns. All its numbers are in one
 * array: an event reads dozens of lists, each once, and an array of its own for each kind of number would be on other pages of memory.
 */
export interface PrefilterList {
  /** Number of patterns. */
  readonly size: number
  readonly words: Int32Array
  /**
   * Where its numbers begin: where the pairs of each pattern begin, and where the last ones end; the number of each pattern's prefilter, -1 = none; a number of
   * the caller for each pattern, if there are such; then the pairs, each followed by its pattern, and NO_PREFILTER for a pattern without one.
   */
  readonly at: number
}

/** Returns the number of a pattern's prefilter, -1 = none. */
export function prefilterAt({ size, words, at }: PrefilterList, pattern: number): number {
  return words[at + size + 1 + pattern]
}

/** Returns where the numbers of the caller begin. */
export function extrasOf({ size, at }: PrefilterList): number {
  return at + 2 * size + 1
}

/** Stands in place of a pair for a pattern without prefilter. */
const NO_PREFILTER = -1

function buildIndex(literals: readonly (readonly string[])[], first: number): PrefilterIndex {
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
    .slice(0, WINDOWS_TESTED)
    .map(({ slot }) => slot)
}

/**
 * Number of patterns that run without a scan; they cost about as much as one scan. Events whose decoder has few patterns on the log never need a
 * scan.
 */
const RUNS_UNSCANNED = 3

/** Scans the texts of one runner, one after the other, and keeps the scan of the last. */
export class PrefilterScanner {
  /** The indexes of the table and of its bases, the top layer first. */
  readonly #tables: readonly PrefilterIndex[]
  #text = ''
  /** What has the text, if that is not read yet. */
  #unread: { readonly logLower: string } | null = null
  #isScanned = false
  /** Number of prefilters tested on the current text; it decides whether to scan. */
  #testCount = 0
  #first = NO_BYTE
  /** By first byte of the text: whether the last such text had more tests than a scan costs. Then the next one is scanned at the first test. */
  readonly #worthScanning = new Uint8Array(LEADING_BYTES)

  constructor(table: PrefilterTable) {
    const tables: PrefilterIndex[] = []
    for (let at: PrefilterTable | null = table; at !== null; at = at.base) tables.push(at.index())
    this.#tables = tables
  }

  /** Starts a text; the scan is done later, if at all. The same text keeps its scan. @param lower folded */
  begin(lower: string): void {
    if (lower !== this.#text || this.#unread !== null) this.#start(lower, byteAt(lower, 0))
  }

  /** Starts the text of an event of the event channel, which is a JSON object and is read only if it is scanned. */
  beginUnread(unread: { readonly logLower: string }): void {
    this.#start('', byteAt('{', 0))
    this.#unread = unread
  }

  #start(lower: string, first: number): void {
    this.#text = lower
    this.#unread = null
    this.#isScanned = false
    this.#worthScanning[this.#first] = this.#testCount > RUNS_UNSCANNED ? 1 : 0
    this.#first = first
    this.#testCount = 0
  }

  /** Returns false if no pattern with this prefilter can match the current text. @param prefilter its number, -1: none */
  mayMatch(prefilter: number): boolean {
    if (prefilter < 0) return true
    this.#testCount++
    return this.#isUnscanned() || this.#holds(prefilter)
  }

  /** Prepares a list of patterns for `next`. @param prefilters number of each pattern's prefilter, -1: none @param extras numbers of the caller, if any */
  listOf(prefilters: readonly number[], extras: readonly number[] = []): PrefilterList {
    const size = prefilters.length
    const begin = 2 * size + 1 + extras.length
    const pairs: number[] = []
    const starts = [begin]
    prefilters.forEach((prefilter, owner) => {
      for (const pair of prefilter < 0 ? [NO_PREFILTER] : this.#pairsOf(prefilter)) pairs.push(pair, owner)
      starts.push(begin + pairs.length)
    })
    return { size, ...packWords([...starts, ...prefilters, ...extras, ...pairs]) }
  }

  #pairsOf(prefilter: number): Int32Array {
    const { first, pairs, pairStarts } = this.#tableOf(prefilter)
    return pairs.subarray(pairStarts[prefilter - first], pairStarts[prefilter - first + 1])
  }

  /** Returns the index, from `from` on, of the first pattern that may match; the size of the list if there is none. */
  next({ size, words, at: begin }: PrefilterList, from: number): number {
    const prefilters = begin + size + 1
    if (from === size || words[prefilters + from] < 0) return from
    this.#testCount++
    if (this.#isUnscanned()) return from
    const end = begin + words[begin + size]
    let found = size
    for (let at = begin + words[begin + from]; at < end; at += 2) {
      const pair = words[at]
      if (pair >= 0 && !isMet(pair & 0xffff) && !isMet(pair >>> 16)) continue
      const owner = words[at + 1]
      if (pair < 0 || this.#holds(words[prefilters + owner])) {
        found = owner
        break
      }
      at = begin + words[begin + owner + 1] - 2
    }
    this.#testCount += found - from
    return found
  }

  /** Whether the scanned text may contain a literal of the prefilter. */
  #holds(prefilter: number): boolean {
    const { first, starts, groups } = this.#tableOf(prefilter)
    return holdsGroup(groups, starts[prefilter - first], starts[prefilter - first + 1])
  }

  /** Whether the pattern may run without a scan. Otherwise the text is scanned, unless it was already. */
  #isUnscanned(): boolean {
    if (this.#isScanned && isLastScanOf(this)) return false
    if (this.#testCount < RUNS_UNSCANNED && this.#worthScanning[this.#first] === 0) return true
    if (this.#unread !== null) {
      this.#text = this.#unread.logLower
      this.#unread = null
    }
    scan(this.#text, this)
    this.#isScanned = true
    return false
  }

  #tableOf(prefilter: number): PrefilterIndex {
    let at = 0
    while (prefilter < this.#tables[at].first) at++
    return this.#tables[at]
  }
}

/** Whether the scan found all slots of one group. */
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
