/** Runs an OSRegex: tests that exclude most texts, then the machine for one alternative after the other. */
import type { Matcher, MatchResult } from '../expression.js'
import { Literal } from '../literal.js'
import { isSearched } from '../window-scan.js'
import { ANY_BYTE } from './classes.js'
import type { Program } from './execute.js'
import { firstAttempt, marks, NO_MATCH, NONE, packItems, reserveMarks, run, walkedBytes } from './execute.js'
import { type AlternativeLiterals, literalsOf, othersOf } from './literals.js'
import type { OsRegexExpression } from './osregex.js'
import { END, LIT, MARK, ONE, type OsRegexAlternative, PLUS } from './parse.js'

/** Before the first search. */
const NO_WORDS = new Int32Array(0)
/** The end of the last match, and whether a wrong capture ended the last search. */
let foundEnd = 0
let isUnsound = false
/** Shared by all programs without further literals. */
const NO_LITERALS: readonly Literal[] = []

/**
 * Runs a pattern. It is the program of the first alternative too: an event runs many patterns once each, and every object of them is on a page of memory of its
 * own. The others are further objects of the class. What a search needs is computed at the first one, because most patterns of a ruleset never run.
 */
export class OsRegexMatcher implements Matcher, Program {
  readonly dialect = 'osregex'
  readonly expression: OsRegexExpression
  isPrepared = false
  /** The only byte that can begin a match at the start of a text, folded; -1: `firstBytes` has them. An empty text is not excluded. */
  firstByte = -1
  /** 1 for each byte that can begin a match at the start of a text, null = any byte. */
  firstBytes: Uint8Array | null = null
  /** The literal that every match holds; null: an alternative needs none, or `requiredOfMany` has those of which it holds one. */
  requiredOfAll: Literal | null = null
  requiredOfMany: readonly Literal[] = NO_LITERALS
  /** The folded texts that the pattern matches, if it matches only whole texts. */
  wholeTexts: readonly string[] | null = null
  /** `\.+` matches every text that is not empty. */
  anyText = false

  words: Int32Array = NO_WORDS
  at = 0
  anchoredStart = false
  anchoredEnd = false
  lead: Literal | null = null
  leadOffset = 0
  leadItems = 0
  sharesLead = false
  required: Literal | null = null
  others: readonly Literal[] = NO_LITERALS
  firstClass = 0
  markCount = 0
  capturing = false
  next: OsRegexMatcher | null = null

  constructor(expression: OsRegexExpression) {
    this.expression = expression
  }

  get pattern(): string {
    return this.expression.pattern
  }

  test(_text: string, lower: string, from: number): boolean {
    if (!this.isPrepared) this.#prepare()
    const { wholeTexts } = this
    if (wholeTexts !== null && from === 0) return wholeTexts.includes(lower)
    if (this.anyText) return from < lower.length
    return this.#find(lower, from) !== null
  }

  search(_text: string, lower: string, from: number, result: MatchResult): boolean {
    if (!this.isPrepared) this.#prepare()
    const found = this.#find(lower, from)
    if (found === null) {
      result.unsound ||= isUnsound
      return false
    }
    const { markCount } = found
    result.end = foundEnd
    result.count = 0
    for (let mark = 0; mark + 1 < markCount && marks[mark] >= 0 && marks[mark + 1] >= 0; mark += 2) {
      result.bounds[mark] = marks[mark]
      result.bounds[mark + 1] = marks[mark + 1]
      result.count++
    }
    return true
  }

  /** Returns the alternative that matches, and sets `foundEnd`; null: none does, and `isUnsound` says whether the search stopped at a wrong capture. */
  #find(lower: string, from: number): OsRegexMatcher | null {
    isUnsound = false
    if (cannotMatch(this, lower, from)) return null
    const manyRequired = this.requiredOfAll === null
    let begin = from
    for (let program: OsRegexMatcher | null = this; program !== null; program = program.next) {
      if (!program.sharesLead) begin = firstAttempt(program, lower, from)
      if (begin < 0 || lacksLiteral(program, manyRequired, lower, from)) continue
      foundEnd = run(program, lower, from, begin)
      if (foundEnd === NO_MATCH || foundEnd === NONE) continue
      // A capture that ends before it begins crashes the reference engine or makes the search fail. Here the search fails.
      isUnsound = program.markCount > 0 && !capturesAreSound(program.markCount)
      return isUnsound ? null : program
    }
    return null
  }

  /** Bytes that Wazuh's machine reads of a folded text, those that failed attempts read again included. It looks for no literal before it begins. */
  readsOf(lower: string): number {
    if (!this.isPrepared) this.#prepare()
    let reads = 0
    for (let program: OsRegexMatcher | null = this; program !== null; program = program.next) {
      reads += lower.length
      const begin = firstAttempt(program, lower, 0)
      if (begin < 0) continue
      const end = run(program, lower, 0, begin)
      reads += walkedBytes
      if (end !== NO_MATCH && end !== NONE) break
    }
    return reads
  }

  #prepare(): void {
    const { expression } = this
    const { capturing } = expression
    const { alternatives, prefilter, firstBytes } = expression.analyze()
    const literals = alternatives.map(literalsOf)
    const sharesLead = (i: number): boolean =>
      literals[i].lead === literals[i - 1].lead && literals[i].leadOffset === literals[i - 1].leadOffset && alternatives[i].anchoredStart === alternatives[i - 1].anchoredStart
    for (let i = alternatives.length - 1; i >= 0; i--) {
      const program = i === 0 ? this : new OsRegexMatcher(expression)
      program.#setAlternative(alternatives[i], literals[i])
      program.sharesLead = i > 0 && sharesLead(i)
      program.capturing = capturing
      if (!capturing) program.markCount = 0
      reserveMarks(program.markCount)
      if (i > 0) {
        program.next = this.next
        this.next = program
      }
    }
    const required = requiredOf(this)
    this.firstBytes = firstBytes
    this.firstByte = onlyByteOf(firstBytes)
    if (required.length === 1) this.requiredOfAll = required[0]
    else this.requiredOfMany = required
    if (prefilter?.kind === 'exact' && !capturing) this.wholeTexts = prefilter.values
    this.anyText = alternatives.length === 1 && alternatives[0].kinds[0] === PLUS && alternatives[0].kinds[1] === END && alternatives[0].values[0] === ANY_BYTE
    this.isPrepared = true
  }

  #setAlternative(alternative: OsRegexAlternative, literals: AlternativeLiterals): void {
    const { kinds, values, anchoredStart, anchoredEnd } = alternative
    const first = kinds[0] === MARK ? 1 : 0
    const { lead, leadOffset, required } = literals
    const others = othersOf(alternative, literals)
    const { words, at } = packItems(alternative)
    this.words = words
    this.at = at
    this.anchoredStart = anchoredStart
    this.anchoredEnd = anchoredEnd
    this.leadOffset = leadOffset
    const notLiteral = kinds.findIndex((kind) => kind !== LIT)
    this.leadItems = leadOffset === 0 ? Math.min(lead.length, notLiteral) : 0
    if (lead !== '') this.lead = new Literal(lead)
    if (required !== '') this.required = new Literal(required)
    if (others.length > 0) this.others = others.map((literal) => new Literal(literal))
    if (kinds[first] === ONE || kinds[first] === PLUS) this.firstClass = values[first]
    this.markCount = kinds.filter((kind) => kind === MARK).length
  }
}

/** Runs two cheap tests that exclude most texts. */
function cannotMatch({ firstByte, firstBytes, requiredOfAll, requiredOfMany }: OsRegexMatcher, lower: string, from: number): boolean {
  if (from < lower.length) {
    const byte = lower.charCodeAt(from)
    if (firstByte < 0 ? firstBytes !== null && firstBytes[byte] === 0 : byte !== firstByte) return true
  }
  if (requiredOfAll !== null) return !requiredOfAll.isIn(lower, from)
  if (requiredOfMany.length === 0) return false
  for (let i = 0; i < requiredOfMany.length; i++) if (requiredOfMany[i].isIn(lower, from)) return false
  return true
}

/** The byte of which the set has no other than its capital; -1: there is none, or the set is null. */
function onlyByteOf(set: Uint8Array | null): number {
  if (set === null) return -1
  const byte = set.lastIndexOf(1)
  const count = set.reduce((sum, one) => sum + one, 0)
  return count === 1 || (count === 2 && byte >= 0x61 && byte <= 0x7a && set[byte - 0x20] === 1) ? byte : -1
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
