/** OSRegex: compiles a pattern to an expression. `parse.ts` reads the pattern, `execute.ts` runs it. */
import type { CompileOutcome, Expression, Prefilter, MatchResult } from '../expression.js'
import { Literal } from '../literal.js'
import { isSearched, SHORTEST_SCANNED } from '../window-scan.js'
import { ANY_BYTE, BYTE_CLASSES } from './classes.js'
import type { Program } from './execute.js'
import { firstAttempt, marks, NO_MATCH, NONE, packItems, reserveMarks, run, walkedBytes } from './execute.js'
import type { OsRegexAlternative } from './parse.js'
import { checkOsRegex, END, LIT, MARK, NO_BYTE, ONE, PLUS, parseOsRegex, STAR } from './parse.js'

export interface OsRegexOptions {
  /** The flag OS_RETURN_SUBSTRING: groups are reported, and the machine runs in capturing mode, which can change its result. */
  readonly capturing?: boolean
  /** The flag OS_CASE_SENSITIVE: a capital in the pattern then never matches. */
  readonly caseSensitive?: boolean
}

/** Compiles a pattern (a byte string). */
export function compileOsRegex(pattern: string, options: OsRegexOptions = {}): CompileOutcome<OsRegexExpression> {
  const checked = checkOsRegex(pattern)
  if (!checked.ok) return checked
  const { groupCount } = checked
  return { ok: true, expression: new OsRegexExpression(pattern, groupCount, options.capturing === true && groupCount > 0, options.caseSensitive === true) }
}

/** What a search needs. Created at the first one: most patterns of a ruleset never run. */
interface Prepared {
  /** The first alternative. */
  readonly first: Program
  /** 1 for each byte that can begin a match at the start of a text, null = any byte; an empty text is not excluded. */
  readonly firstBytes: Uint8Array | null
  /** Literals of which every match holds one; empty if an alternative needs none. */
  readonly required: readonly Literal[]
  /** The folded texts that it matches, if it matches only whole texts. */
  readonly wholeTexts: readonly string[] | null
  /** `\.+` matches every text that is not empty. */
  readonly anyText: boolean
}

/** A compiled OSRegex. */
export class OsRegexExpression implements Expression {
  readonly dialect = 'osregex'
  #alternatives: readonly OsRegexAlternative[] | null = null
  #prefilter: Prefilter | null | undefined
  #prepared: Prepared | null = null

  constructor(
    readonly pattern: string,
    readonly groupCount: number,
    readonly capturing: boolean,
    readonly caseSensitive: boolean,
  ) {}

  /** For checks and explanations, which read them repeatedly. */
  get alternatives(): readonly OsRegexAlternative[] {
    this.#alternatives ??= this.#parse()
    return this.#alternatives
  }

  get prefilter(): Prefilter | null {
    if (this.#prefilter === undefined) this.#prefilter = prefilterOf(this.#alternatives ?? this.#parse())
    return this.#prefilter
  }

  get firstBytes(): Uint8Array | null {
    return (this.#prepared ?? this.#prepare()).firstBytes
  }

  test(_text: string, lower: string, from: number): boolean {
    const prepared = this.#prepared ?? this.#prepare()
    const { first, required, wholeTexts } = prepared
    if (wholeTexts !== null && from === 0) return wholeTexts.includes(lower)
    if (prepared.anyText) return from < lower.length
    if (cannotMatch(prepared, lower, from)) return false
    const manyRequired = required.length !== 1
    let begin = from
    for (let program: Program | null = first; program !== null; program = program.next) {
      if (!program.sharesLead) begin = firstAttempt(program, lower, from)
      if (begin < 0 || lacksLiteral(program, manyRequired, lower, from)) continue
      const end = run(program, lower, from, begin)
      // As in `search`: unsound captures end the whole search.
      if (end !== NO_MATCH && end !== NONE) return program.markCount === 0 || capturesAreSound(program.markCount)
    }
    return false
  }

  search(_text: string, lower: string, from: number, result: MatchResult): boolean {
    const prepared = this.#prepared ?? this.#prepare()
    if (cannotMatch(prepared, lower, from)) return false
    const { first, required } = prepared
    const manyRequired = required.length !== 1
    let begin = from
    for (let program: Program | null = first; program !== null; program = program.next) {
      if (!program.sharesLead) begin = firstAttempt(program, lower, from)
      if (begin < 0 || lacksLiteral(program, manyRequired, lower, from)) continue
      const { markCount } = program
      const end = run(program, lower, from, begin)
      if (end === NO_MATCH || end === NONE) continue
      // A capture that ends before it begins crashes the reference engine or makes the search fail. Here the search fails.
      if (markCount > 0 && !capturesAreSound(markCount)) {
        result.unsound = true
        return false
      }
      result.end = end
      result.count = 0
      for (let mark = 0; mark + 1 < markCount && marks[mark] >= 0 && marks[mark + 1] >= 0; mark += 2) {
        result.bounds[mark] = marks[mark]
        result.bounds[mark + 1] = marks[mark + 1]
        result.count++
      }
      return true
    }
    return false
  }

  /** Bytes that Wazuh's machine reads of a folded text, those that failed attempts read again included. It looks for no literal before it begins. */
  readsOf(lower: string): number {
    const { first } = this.#prepared ?? this.#prepare()
    let reads = 0
    for (let program: Program | null = first; program !== null; program = program.next) {
      reads += lower.length
      const begin = firstAttempt(program, lower, 0)
      if (begin < 0) continue
      const end = run(program, lower, 0, begin)
      reads += walkedBytes
      if (end !== NO_MATCH && end !== NONE) break
    }
    return reads
  }

  #parse(): readonly OsRegexAlternative[] {
    const parsed = parseOsRegex(this.pattern, this.caseSensitive)
    return parsed.ok ? parsed.pattern.alternatives : []
  }

  #prepare(): Prepared {
    const alternatives = this.#alternatives ?? this.#parse()
    this.#prefilter ??= prefilterOf(alternatives)
    const first = toPrograms(alternatives, this.capturing)
    for (let program: Program | null = first; program !== null; program = program.next) reserveMarks(program.markCount)
    this.#prepared = {
      first,
      firstBytes: possibleFirstBytes(alternatives),
      required: requiredOf(first),
      wholeTexts: this.#prefilter?.kind === 'exact' && !this.capturing ? this.#prefilter.values : null,
      anyText: alternatives.length === 1 && alternatives[0].kinds[0] === PLUS && alternatives[0].kinds[1] === END && alternatives[0].values[0] === ANY_BYTE,
    }
    return this.#prepared
  }
}

/** Runs two cheap tests that exclude most texts. */
function cannotMatch({ firstBytes, required }: Prepared, lower: string, from: number): boolean {
  if (firstBytes !== null && from < lower.length && firstBytes[lower.charCodeAt(from)] === 0) return true
  if (required.length === 0) return false
  for (let i = 0; i < required.length; i++) if (required[i].isIn(lower, from)) return false
  return true
}

/** Whether the text lacks a literal that every match of the alternative holds. @param testRarest `cannotMatch` has not tested it */
function lacksLiteral({ required, others }: Program, testRarest: boolean, lower: string, from: number): boolean {
  if (testRarest && required !== null && !required.isIn(lower, from)) return true
  // In a text without a scan a literal takes as long as an attempt.
  if (others.length === 0 || !isSearched(lower)) return false
  for (let i = 0; i < others.length; i++) if (!others[i].isIn(lower, from)) return true
  return false
}

function capturesAreSound(markCount: number): boolean {
  for (let mark = 0; mark + 1 < markCount && marks[mark] >= 0 && marks[mark + 1] >= 0; mark += 2) if (marks[mark + 1] < marks[mark]) return false
  return true
}

/** Returns one literal of each program, without repeats; none if a program needs none. */
function requiredOf(first: Program): Literal[] {
  const byText = new Map<string, Literal>()
  for (let program: Program | null = first; program !== null; program = program.next) {
    const { required } = program
    if (required === null) return []
    byText.set(required.text, required)
  }
  return [...byText.values()]
}

/** Returns the program of the first alternative, which leads to the others. */
function toPrograms(alternatives: readonly OsRegexAlternative[], capturing: boolean): Program {
  const literals = alternatives.map(literalsOf)
  const sharesLead = (i: number): boolean =>
    literals[i].lead === literals[i - 1].lead && literals[i].leadOffset === literals[i - 1].leadOffset && alternatives[i].anchoredStart === alternatives[i - 1].anchoredStart
  let next: Program | null = null
  for (let i = alternatives.length - 1; i > 0; i--) next = toProgram(alternatives[i], literals[i], sharesLead(i), capturing, next)
  return toProgram(alternatives[0], literals[0], false, capturing, next)
}

function toProgram(alternative: OsRegexAlternative, literals: AlternativeLiterals, sharesLead: boolean, capturing: boolean, next: Program | null): Program {
  const { kinds, values, anchoredStart, anchoredEnd } = alternative
  const first = kinds[0] === MARK ? 1 : 0
  const { lead, leadOffset, required } = literals
  const others = othersOf(alternative, literals)
  const { words, at } = packItems(alternative)
  return {
    words,
    at,
    anchoredStart,
    anchoredEnd,
    sharesLead,
    lead: lead === '' ? null : new Literal(lead),
    leadOffset,
    leadItems:
      leadOffset === 0
        ? Math.min(
            lead.length,
            kinds.findIndex((kind) => kind !== LIT),
          )
        : 0,
    required: required === '' ? null : new Literal(required),
    others: others.length === 0 ? NO_LITERALS : others.map((literal) => new Literal(literal)),
    firstClass: kinds[first] === ONE || kinds[first] === PLUS ? values[first] : 0,
    markCount: capturing ? kinds.filter((kind) => kind === MARK).length : 0,
    capturing,
    next,
  }
}

/** Shared by all programs without further literals. */
const NO_LITERALS: readonly Literal[] = []

/** The literals of an alternative; empty: none. */
interface AlternativeLiterals {
  /** At `leadOffset` bytes from the beginning of every match. */
  readonly lead: string
  readonly leadOffset: number
  readonly runs: readonly RequiredRun[]
  /** The rarest of the runs, unless the lead contains it. */
  readonly required: string
}

function literalsOf(alternative: OsRegexAlternative): AlternativeLiterals {
  const { lead, leadOffset } = leadOf(alternative)
  const runs = requiredRuns(alternative)
  const rarest = runs.reduce((best, run) => (run.weight > best.weight ? run : best), NO_RUN).text
  return { lead, leadOffset, runs, required: lead.includes(rarest) ? '' : rarest }
}

/** Returns the rarest literals besides the two that are tested first. */
function othersOf({ anchoredStart }: OsRegexAlternative, { runs, lead, required }: AlternativeLiterals): string[] {
  if (anchoredStart) return []
  const others = runs.filter(({ text }) => text.length >= SHORTEST_SCANNED && !lead.includes(text) && !required.includes(text)).sort((a, b) => b.weight - a.weight)
  return [...new Set(others.map(({ text }) => text))].slice(0, OTHERS_TESTED)
}

/** With the rarest literal they exclude most patterns that would be tried in vain. A pattern with an anchor has one attempt, which costs less. */
const OTHERS_TESTED = 2

/** Returns the rarest run of literals among the items before the first quantifier, each of which is one byte. */
function leadOf({ kinds, values }: OsRegexAlternative): { lead: string; leadOffset: number } {
  let lead = ''
  let leadOffset = 0
  let leadWeight = 0
  let run = ''
  let weight = 0
  let bytes = 0
  for (let i = 0; ; i++) {
    const kind = kinds[i]
    // A mark takes no byte, but the second of two marks is treated as a character.
    if (kind === MARK && kinds[i + 1] !== MARK) continue
    if (kind === LIT && values[i] !== NO_BYTE) {
      run += String.fromCharCode(values[i])
      weight += weightOf(values[i])
      bytes++
      if (weight > leadWeight) {
        lead = run
        leadOffset = bytes - run.length
        leadWeight = weight
      }
    } else if (kind === ONE) {
      run = ''
      weight = 0
      bytes++
    } else break
  }
  return { lead, leadOffset }
}

/** A run of bytes that every match needs. */
interface RequiredRun {
  readonly text: string
  readonly weight: number
}

const NO_RUN: RequiredRun = { text: '', weight: 0 }

/**
 * The runs of bytes that every match needs, in their order. Literals count, and so does a ONE of a single byte, except near the end, where the machine can skip
 * them (C6a, E2). Before the last such item, a PLUS of a single byte counts too, which is at least one of it, provided that the machine cannot reach it while hot
 * (C6b).
 */
function requiredRuns(alternative: OsRegexAlternative): RequiredRun[] {
  const { kinds, values } = alternative
  let last = kinds.length - 1
  while (last >= 0 && !isFirm(alternative, last)) last--
  const cold = isNeverHot(alternative)
  const runs: RequiredRun[] = []
  let text = ''
  let weight = 0
  /** Length of the part that belongs to the run before as well. */
  let shared = 0
  const start = (from: string): void => {
    if (text.length > shared) runs.push({ text, weight })
    text = from
    weight = from === '' ? 0 : weightOf(from.charCodeAt(0))
    shared = from.length
  }
  for (let i = 0; i <= last; i++) {
    const kind = kinds[i]
    if (kind === MARK) {
      // The second of two marks is treated as a character.
      if (kinds[i + 1] === MARK) start('')
      continue
    }
    const byte = kind === LIT ? values[i] : kind === ONE || (kind === PLUS && cold) ? singleByteOf(values[i]) : -1
    if (byte < 0) {
      start('')
      continue
    }
    text += String.fromCharCode(byte)
    weight += weightOf(byte)
    if (kind === PLUS || text.length >= LONGEST_REQUIRED) start(kind === PLUS ? String.fromCharCode(byte) : '')
  }
  start('')
  return runs
}

/** Whether an item is one certain byte, which the machine cannot skip at the end of a pattern. */
function isFirm({ kinds, values }: OsRegexAlternative, at: number): boolean {
  const next = kinds[at + 1]
  if (kinds[at] === LIT) return !(next === END && at > 0 && kinds[at - 1] === ONE)
  if (kinds[at] !== ONE || next === END || next === STAR) return false
  return !((next === LIT || next === MARK) && kinds[at + 2] === END) && singleByteOf(values[at]) >= 0
}

/** Whether no ONE follows a quantifier with common bytes. A quantifier is left while hot only in that case (C5 "class"). */
export function isNeverHot({ kinds, values }: OsRegexAlternative): boolean {
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== PLUS && kinds[i] !== STAR) continue
    const next = kinds[i + 1] === MARK ? i + 2 : i + 1
    if (kinds[next] !== ONE) continue
    for (let byte = 0; byte < 256; byte++) if ((BYTE_CLASSES[byte] & values[i]) !== 0 && (BYTE_CLASSES[byte] & values[next]) !== 0) return false
  }
  return true
}

/** The only byte of a class, or -1. @param bit of the class */
function singleByteOf(bit: number): number {
  return SINGLE_BYTES[31 - Math.clz32(bit)]
}

/** The only byte of a class, by the number of the class; -1: it has several bytes or none. */
const SINGLE_BYTES = Array.from({ length: 16 }, (_, index) => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => (BYTE_CLASSES[byte] & (1 << index)) !== 0)
  return bytes.length === 1 ? bytes[0] : -1
})

/** Bytes of this rank or below are in nearly every log line. */
const COMMON_BYTES = ' :=.,-/0123456789'
const COMMON_WEIGHT = 1
const RARE_WEIGHT = 3

/** A longer run excludes hardly more texts. */
const LONGEST_REQUIRED = 128

function weightOf(byte: number): number {
  return COMMON_BYTES.includes(String.fromCharCode(byte)) ? COMMON_WEIGHT : RARE_WEIGHT
}

function prefilterOf(alternatives: readonly OsRegexAlternative[]): Prefilter | null {
  const values: string[] = []
  let exact = true
  for (let i = 0; i < alternatives.length; i++) {
    const { kinds, anchoredStart, anchoredEnd } = alternatives[i]
    const { lead, required } = literalsOf(alternatives[i])
    const literal = required === '' ? lead : required
    const whole = anchoredStart && anchoredEnd && literal.length === kinds.length - 1
    if (literal === '' && !whole) return null
    exact &&= whole
    values.push(literal)
  }
  return { kind: exact ? 'exact' : 'contains', values }
}

function possibleFirstBytes(alternatives: readonly OsRegexAlternative[]): Uint8Array | null {
  const possible = new Uint8Array(256)
  for (const { kinds, values, anchoredStart } of alternatives) {
    if (!anchoredStart) return null
    const first = kinds[0] === MARK ? 1 : 0
    const kind = kinds[first]
    const value = values[first]
    if (kind === LIT) {
      if (value === NO_BYTE) continue
      possible[value] = 1
      if (value >= 0x61 && value <= 0x7a) possible[value - 0x20] = 1
    } else if (kind === ONE || kind === PLUS) {
      for (let byte = 0; byte < 256; byte++) if ((BYTE_CLASSES[byte] & value) !== 0) possible[byte] = 1
    } else return null
  }
  return possible
}
