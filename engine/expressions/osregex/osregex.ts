/** OSRegex: compiles a pattern to an expression. `parse.ts` reads the pattern, `execute.ts` runs it. */
import type { CompileOutcome, Expression, Prefilter, MatchResult } from '../expression.js'
import { Literal } from '../literal.js'
import { ANY_BYTE, BYTE_CLASSES } from './classes.js'
import type { Program } from './execute.js'
import { marks, NO_MATCH, NONE, reserveMarks, run } from './execute.js'
import type { OsRegexAlternative } from './parse.js'
import { END, LIT, MARK, NO_BYTE, ONE, PLUS, parseOsRegex, STAR } from './parse.js'

export interface OsRegexOptions {
  /** The flag OS_RETURN_SUBSTRING: groups are reported, and the machine runs in capturing mode, which can change its result. */
  readonly capturing?: boolean
  /** The flag OS_CASE_SENSITIVE: a capital in the pattern then never matches. */
  readonly caseSensitive?: boolean
}

/** Compiles a pattern (a byte string). */
export function compileOsRegex(pattern: string, options: OsRegexOptions = {}): CompileOutcome<OsRegexExpression> {
  const parsed = parseOsRegex(pattern, options.caseSensitive === true)
  if (!parsed.ok) return parsed
  const { alternatives, groupCount } = parsed.pattern
  return { ok: true, expression: new OsRegexExpression(pattern, alternatives, groupCount, options.capturing === true && groupCount > 0) }
}

/** A compiled OSRegex. */
export class OsRegexExpression implements Expression {
  readonly dialect = 'osregex'
  readonly prefilter: Prefilter | null
  /** 1 for each byte that can begin a match at the start of a text, null = any byte; an empty text is not excluded. */
  readonly firstBytes: Uint8Array | null
  readonly #programs: readonly Program[]
  /** Literals of which every match holds one; empty if an alternative needs none. */
  readonly #required: readonly Literal[]
  /** The folded texts that it matches, if it matches only whole texts. */
  readonly #wholeTexts: readonly string[] | null
  /** `\.+` matches every text that is not empty. */
  readonly #anyText: boolean
  /** Marks that an alternative may set, 0 when not capturing. */
  readonly #markCounts: readonly number[]

  constructor(
    readonly pattern: string,
    readonly alternatives: readonly OsRegexAlternative[],
    readonly groupCount: number,
    readonly capturing: boolean,
  ) {
    this.#programs = alternatives.map(toProgram)
    this.#markCounts = alternatives.map((alternative) => (capturing ? alternative.kinds.filter((kind) => kind === MARK).length : 0))
    reserveMarks(Math.max(...this.#markCounts))
    this.firstBytes = possibleFirstBytes(alternatives)
    this.#required = requiredOf(this.#programs)
    this.prefilter = prefilterOf(alternatives, this.#programs)
    this.#wholeTexts = this.prefilter?.kind === 'exact' && !capturing ? this.prefilter.values : null
    this.#anyText = alternatives.length === 1 && alternatives[0].kinds[0] === PLUS && alternatives[0].kinds[1] === END && alternatives[0].values[0] === ANY_BYTE
  }

  test(_text: string, lower: string, from: number): boolean {
    if (this.#wholeTexts !== null && from === 0) return this.#wholeTexts.includes(lower)
    if (this.#anyText) return from < lower.length
    if (this.#cannotMatch(lower, from)) return false
    const manyRequired = this.#required.length !== 1
    for (let i = 0; i < this.#programs.length; i++) {
      const program = this.#programs[i]
      if (manyRequired && program.required !== null && !program.required.isIn(lower, from)) continue
      const end = run(program, lower, from, this.#markCounts[i])
      // As in `search`: unsound captures end the whole search.
      if (end !== NO_MATCH && end !== NONE) return this.#markCounts[i] === 0 || capturesAreSound(this.#markCounts[i])
    }
    return false
  }

  search(_text: string, lower: string, from: number, result: MatchResult): boolean {
    if (this.#cannotMatch(lower, from)) return false
    const manyRequired = this.#required.length !== 1
    for (let i = 0; i < this.#programs.length; i++) {
      const program = this.#programs[i]
      if (manyRequired && program.required !== null && !program.required.isIn(lower, from)) continue
      const markCount = this.#markCounts[i]
      const end = run(program, lower, from, markCount)
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

  /** Runs two cheap tests that exclude most texts. */
  #cannotMatch(lower: string, from: number): boolean {
    if (this.firstBytes !== null && from < lower.length && this.firstBytes[lower.charCodeAt(from)] === 0) return true
    const required = this.#required
    if (required.length === 0) return false
    for (let i = 0; i < required.length; i++) if (required[i].isIn(lower, from)) return false
    return true
  }
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

function toProgram(alternative: OsRegexAlternative): Program {
  const { kinds, values, anchoredStart, anchoredEnd } = alternative
  const first = kinds[0] === MARK ? 1 : 0
  const { lead, leadOffset } = leadOf(alternative)
  const required = rarestRun(alternative)
  return {
    kinds,
    values,
    anchoredStart,
    anchoredEnd,
    lead: lead === '' ? null : new Literal(lead),
    leadOffset,
    required: lead.includes(required) ? null : new Literal(required),
    firstClass: kinds[first] === ONE || kinds[first] === PLUS ? values[first] : 0,
  }
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

function prefilterOf(alternatives: readonly OsRegexAlternative[], programs: readonly Program[]): Prefilter | null {
  const values: string[] = []
  let exact = true
  for (let i = 0; i < alternatives.length; i++) {
    const { kinds, anchoredStart, anchoredEnd } = alternatives[i]
    const literal = (programs[i].required ?? programs[i].lead)?.text ?? ''
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
