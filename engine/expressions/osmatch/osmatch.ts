/**
 * OSMatch: a list of substrings with optional anchors (BEHAVIOUR.md#osmatch). `!` in front negates the whole list; `|` always
 * separates; there are no escapes.
 */
import { testOsMatch } from '../../kernel/kernel.js'
import { type Packed, packWords } from '../../kernel/memory.js'
import { ALWAYS, CONTAINS, ENDS, EQUALS, STARTS } from '../../kernel/osmatch.js'
import { type SearchedText, searchedText } from '../../kernel/searched-text.js'
import { foldCase } from '../../source/byte-string.js'
import type { CompileOutcome, Expression, Matcher, MatchResult, Prefilter } from '../expression.js'
import { PATTERN_LIMIT } from '../expression.js'
import { Literal, packLiteral } from '../literal.js'

/** One alternative: its form and its folded text. */
export interface OsMatchAlternative {
  readonly form: 'always' | 'never' | 'contains' | 'starts' | 'ends' | 'equals'
  readonly literal: string
}

export interface OsMatchOptions {
  /**
   * The flag OS_CASE_SENSITIVE. The text is folded nevertheless, so a capital in a plain alternative never matches then;
   * anchored alternatives still ignore case.
   */
  readonly caseSensitive?: boolean
}

const HIGH_BYTE = /[\x80-\xff]/

/** Compiles a pattern (a byte string). The only error is its length. */
export function compileOsMatch(pattern: string, options: OsMatchOptions = {}): CompileOutcome<OsMatchExpression> {
  if (pattern.length > PATTERN_LIMIT) {
    return { ok: false, error: { code: 'pattern_too_long', offset: PATTERN_LIMIT, message: `the pattern is longer than ${PATTERN_LIMIT} bytes` } }
  }
  const negated = pattern.startsWith('!')
  const body = negated ? pattern.slice(1) : pattern
  const alternatives = body.split('|').map((text) => parseAlternative(text, options.caseSensitive === true))
  return { ok: true, expression: new OsMatchExpression(pattern, negated, alternatives) }
}

function parseAlternative(text: string, caseSensitive: boolean): OsMatchAlternative {
  const folded = foldCase(text)
  if (folded === '') return { form: 'always', literal: '' }
  const first = folded.startsWith('^')
  const last = folded.endsWith('$')
  if (first && last && folded.length >= 2) return { form: 'equals', literal: folded.slice(1, -1) }
  if (last) return folded.length === 1 ? { form: 'always', literal: '' } : { form: 'ends', literal: folded.slice(0, -1) }
  if (first) return folded.length === 1 ? { form: 'always', literal: '' } : { form: 'starts', literal: folded.slice(1) }
  // Quirk: the plain form compares signed chars, so a byte from 0x80 on never equals anything.
  if (HIGH_BYTE.test(folded) || (caseSensitive && text !== folded)) return { form: 'never', literal: folded }
  return { form: 'contains', literal: folded }
}

/** A compiled OSMatch. It reports no captures and no end: `search` leaves `end` at the start. */
export class OsMatchExpression implements Expression {
  readonly dialect = 'osmatch'
  readonly prefilter: Prefilter | null
  readonly firstBytes: Uint8Array | null
  #tried: OsMatchMatcher | null = null

  constructor(
    readonly pattern: string,
    readonly negated: boolean,
    readonly alternatives: readonly OsMatchAlternative[],
  ) {
    this.prefilter = prefilterOf(negated, alternatives)
    this.firstBytes = negated ? null : possibleFirstBytes(alternatives)
  }

  get tried(): OsMatchMatcher {
    this.#tried ??= new OsMatchMatcher(this)
    return this.#tried
  }

  matches(subject: SearchedText, from: number): boolean {
    return this.tried.matches(subject, from)
  }

  find(subject: SearchedText, from: number, result: MatchResult): boolean {
    return this.tried.find(subject, from, result)
  }

  test(text: string, lower: string, from: number): boolean {
    return this.tried.matches(searchedText(text, lower), from)
  }

  search(text: string, lower: string, from: number, result: MatchResult): boolean {
    return this.tried.find(searchedText(text, lower), from, result)
  }
}

/** An alternative, which leads to the next one. */
interface Step {
  readonly form: Exclude<OsMatchAlternative['form'], 'never'>
  readonly text: string
  /** The literal of the form `contains`. */
  readonly sought: Literal | null
  readonly next: Step | null
}

/** The forms that can match, as the kernel knows them. */
const FORMS = { always: ALWAYS, contains: CONTAINS, starts: STARTS, ends: ENDS, equals: EQUALS } as const

class OsMatchMatcher implements Matcher {
  readonly dialect = 'osmatch'
  readonly pattern: string
  readonly #negated: boolean
  readonly #first: Step | null
  /** What the kernel has of the pattern, with the list of alternatives first: written at the first search there. */
  #packed: readonly Packed[] | null = null

  constructor({ pattern, negated, alternatives }: OsMatchExpression) {
    this.pattern = pattern
    this.#negated = negated
    this.#first = alternatives.reduceRight<Step | null>(
      (next, { form, literal }) => (form === 'never' ? next : { form, text: literal, sought: form === 'contains' ? new Literal(literal) : null, next }),
      null,
    )
  }

  matches(subject: SearchedText, from: number): boolean {
    if (!subject.isWritten) return this.#matchesString(subject, from) !== this.#negated
    this.#packed ??= pack(this.#first)
    return Boolean(testOsMatch(this.#packed[0].address, subject.address, subject.length, from, subject.isScanned ? 1 : 0)) !== this.#negated
  }

  find(subject: SearchedText, from: number, result: MatchResult): boolean {
    result.end = from
    result.count = 0
    return this.matches(subject, from)
  }

  /** Searches a text that would have to be written first. */
  #matchesString(subject: SearchedText, from: number): boolean {
    const { lower, length } = subject
    for (let step = this.#first; step !== null; step = step.next) {
      const { form, text, sought } = step
      let matched = false
      if (sought !== null) matched = sought.isIn(subject, from)
      else if (form === 'starts') matched = lower.startsWith(text, from)
      else if (form === 'ends') matched = length - from >= text.length && lower.endsWith(text)
      else if (form === 'equals') matched = length - from === text.length && lower.startsWith(text, from)
      else matched = form === 'always'
      if (matched) return true
    }
    return false
  }
}

/** Writes alternatives into the memory of the kernel. Returns the list of them and their literals. */
function pack(first: Step | null): readonly Packed[] {
  const literals: Packed[] = []
  const words: number[] = []
  for (let step = first; step !== null; step = step.next) {
    const literal = packLiteral(step.text)
    literals.push(literal)
    words.push(FORMS[step.form], literal.address)
  }
  return [packWords([literals.length, ...words]), ...literals]
}

function possibleFirstBytes(alternatives: readonly OsMatchAlternative[]): Uint8Array | null {
  const possible = new Uint8Array(256)
  for (const { form, literal } of alternatives) {
    if (form === 'never') continue
    if ((form !== 'starts' && form !== 'equals') || literal === '') return null
    const byte = literal.charCodeAt(0)
    possible[byte] = 1
    if (byte >= 0x61 && byte <= 0x7a) possible[byte - 0x20] = 1
  }
  return possible
}

function prefilterOf(negated: boolean, alternatives: readonly OsMatchAlternative[]): Prefilter | null {
  if (negated) return null
  const possible = alternatives.filter((alternative) => alternative.form !== 'never')
  if (possible.some((alternative) => alternative.literal === '' && alternative.form !== 'equals')) return null
  const values = possible.map((alternative) => alternative.literal)
  return { kind: possible.every((alternative) => alternative.form === 'equals') ? 'exact' : 'contains', values }
}
