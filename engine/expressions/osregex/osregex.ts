/** OSRegex: compiles a pattern to an expression. `parse.ts` reads the pattern, `execute.ts` runs it. */
import type { CompileOutcome, Expression, Prefilter, MatchResult } from '../expression.js'
import { Literal } from '../literal.js'
import { ANY_BYTE, BYTE_CLASSES } from './classes.js'
import type { Program } from './execute.js'
import { firstAttempt, marks, NO_MATCH, NONE, reserveMarks, run } from './execute.js'
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
  readonly programs: readonly Program[]
  /** 1 for each byte that can begin a match at the start of a text, null = any byte; an empty text is not excluded. */
  readonly firstBytes: Uint8Array | null
  /** Literals of which every match holds one; empty if an alternative needs none. */
  readonly required: readonly Literal[]
  /** The folded texts that it matches, if it matches only whole texts. */
  readonly wholeTexts: readonly string[] | null
  /** `\.+` matches every text that is not empty. */
  readonly anyText: boolean
  /** Marks that an alternative may set, 0 when not capturing. */
  readonly markCounts: readonly number[]
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
    const { programs, required, wholeTexts, markCounts } = prepared
    if (wholeTexts !== null && from === 0) return wholeTexts.includes(lower)
    if (prepared.anyText) return from < lower.length
    if (cannotMatch(prepared, lower, from)) return false
    const manyRequired = required.length !== 1
    let begin = from
    for (let i = 0; i < programs.length; i++) {
      const program = programs[i]
      if (!program.sharesLead) begin = firstAttempt(program, lower, from)
      if (begin < 0) continue
      if (manyRequired && program.required !== null && !program.required.isIn(lower, from)) continue
      const end = run(program, lower, from, begin, markCounts[i])
      // As in `search`: unsound captures end the whole search.
      if (end !== NO_MATCH && end !== NONE) return markCounts[i] === 0 || capturesAreSound(markCounts[i])
    }
    return false
  }

  search(_text: string, lower: string, from: number, result: MatchResult): boolean {
    const prepared = this.#prepared ?? this.#prepare()
    if (cannotMatch(prepared, lower, from)) return false
    const { programs, required, markCounts } = prepared
    const manyRequired = required.length !== 1
    let begin = from
    for (let i = 0; i < programs.length; i++) {
      const program = programs[i]
      if (!program.sharesLead) begin = firstAttempt(program, lower, from)
      if (begin < 0) continue
      if (manyRequired && program.required !== null && !program.required.isIn(lower, from)) continue
      const markCount = markCounts[i]
      const end = run(program, lower, from, begin, markCount)
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

  #parse(): readonly OsRegexAlternative[] {
    const parsed = parseOsRegex(this.pattern, this.caseSensitive)
    return parsed.ok ? parsed.pattern.alternatives : []
  }

  #prepare(): Prepared {
    const alternatives = this.#alternatives ?? this.#parse()
    this.#prefilter ??= prefilterOf(alternatives)
    const programs = toPrograms(alternatives)
    const markCounts = alternatives.map(({ kinds }) => (this.capturing ? kinds.filter((kind) => kind === MARK).length : 0))
    reserveMarks(Math.max(...markCounts))
    this.#prepared = {
      programs,
      firstBytes: possibleFirstBytes(alternatives),
      required: requiredOf(programs),
      wholeTexts: this.#prefilter?.kind === 'exact' && !this.capturing ? this.#prefilter.values : null,
      anyText: alternatives.length === 1 && alternatives[0].kinds[0] === PLUS && alternatives[0].kinds[1] === END && alternatives[0].values[0] === ANY_BYTE,
      markCounts,
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

function capturesAreSound(markCount: number): boolean {
  for (let mark = 0; mark + 1 < markCount && marks[mark] >= 0 && marks[mark + 1] >= 0; mark += 2) if (marks[mark + 1] < marks[mark]) return false
  return true
}

/** Returns one literal of each program, without repeats; none if a program needs none. */
function requiredOf(programs: readonly Program[]): Literal[] {
  const byText = new Map<string, Literal>()
  for (const { required } of programs) {
    if (required === null) return []
    byText.set(required.text, required)
  }
  return [...byText.values()]
}

function toPrograms(alternatives: readonly OsRegexAlternative[]): Program[] {
  const programs: Program[] = []
  for (const alternative of alternatives) programs.push(toProgram(alternative, programs.at(-1)))
  return programs
}

function toProgram(alternative: OsRegexAlternative, before: Program | undefined): Program {
  const { kinds, values, anchoredStart, anchoredEnd } = alternative
  const first = kinds[0] === MARK ? 1 : 0
  const { lead, leadOffset, required } = literalsOf(alternative)
  const literals = kinds.findIndex((kind) => kind !== LIT)
  return {
    kinds,
    values,
    anchoredStart,
    anchoredEnd,
    sharesLead: before !== undefined && lead === (before.lead?.text ?? '') && leadOffset === before.leadOffset && anchoredStart === before.anchoredStart,
    lead: lead === '' ? null : new Literal(lead),
    leadOffset,
    leadItems: leadOffset === 0 ? Math.min(lead.length, literals) : 0,
    required: required === '' ? null : new Literal(required),
    firstClass: kinds[first] === ONE || kinds[first] === PLUS ? values[first] : 0,
  }
}

/** Returns the literal at a fixed distance from the beginning, and the rarest literal unless the first contains it; empty: none. */
function literalsOf(alternative: OsRegexAlternative): { lead: string; leadOffset: number; required: string } {
  const { lead, leadOffset } = leadOf(alternative)
  const required = rarestRun(alternative)
  return { lead, leadOffset, required: lead.includes(required) ? '' : required }
}

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

/**
 * The rarest run of bytes that every match needs. Literals count, except a LIT right behind a ONE at the very end, which can be skipped (C6a). Before
 * the last such literal, classes of a single byte count too: a ONE is that byte, a PLUS is at least one of it, provided that the machine cannot reach
 * it while hot.
 */
function rarestRun(alternative: OsRegexAlternative): string {
  const { kinds, values } = alternative
  const isFirm = (at: number): boolean => kinds[at] === LIT && !(kinds[at + 1] === END && at > 0 && kinds[at - 1] === ONE)
  let lastLiteral = kinds.length - 1
  while (lastLiteral >= 0 && !isFirm(lastLiteral)) lastLiteral--
  const cold = isNeverHot(alternative)
  let best = ''
  let bestWeight = 0
  let current = ''
  let weight = 0
  const start = (text: string): void => {
    current = text
    weight = text === '' ? 0 : weightOf(text.charCodeAt(0))
  }
  for (let i = 0; i <= lastLiteral; i++) {
    const single = cold && (kinds[i] === ONE || kinds[i] === PLUS) ? singleByteOf(values[i]) : -1
    const byte = kinds[i] === LIT && values[i] !== NO_BYTE ? values[i] : single
    if (kinds[i] === MARK) {
      // The second of two marks is treated as a character.
      if (kinds[i + 1] === MARK) start('')
      continue
    }
    if (byte < 0) start('')
    else {
      current += String.fromCharCode(byte)
      weight += weightOf(byte)
    }
    if (weight > bestWeight) {
      best = current
      bestWeight = weight
    }
    if (byte >= 0 && (kinds[i] === PLUS || current.length >= LONGEST_REQUIRED)) start(kinds[i] === PLUS ? String.fromCharCode(byte) : '')
  }
  return best
}

/** Whether no ONE follows a quantifier with common bytes. A quantifier is left while hot only in that case (C5 "class"). */
function isNeverHot({ kinds, values }: OsRegexAlternative): boolean {
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== PLUS && kinds[i] !== STAR) continue
    const next = kinds[i + 1] === MARK ? i + 2 : i + 1
    if (kinds[next] !== ONE) continue
    for (let byte = 0; byte < 256; byte++) if ((BYTE_CLASSES[byte] & values[i]) !== 0 && (BYTE_CLASSES[byte] & values[next]) !== 0) return false
  }
  return true
}

/** The only byte of a class, or -1. */
function singleByteOf(bit: number): number {
  let found = -1
  for (let byte = 0; byte < 256; byte++) {
    if ((BYTE_CLASSES[byte] & bit) === 0) continue
    if (found >= 0) return -1
    found = byte
  }
  return found
}

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
