/** OSRegex: compiles a pattern to an expression. `parse.ts` reads the pattern, `matcher.ts` and `execute.ts` run it. */
import { type SearchedText, searchedText } from '../../kernel/searched-text.js'
import type { CompileOutcome, Expression, MatchResult, Prefilter } from '../expression.js'
import { BYTE_CLASSES } from './classes.js'
import { literalsOf } from './literals.js'
import { OsRegexMatcher } from './matcher.js'
import type { OsRegexAlternative } from './parse.js'
import { checkOsRegex, LIT, MARK, NO_BYTE, ONE, PLUS, parseOsRegex } from './parse.js'

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

/** A compiled OSRegex. */
export class OsRegexExpression implements Expression {
  readonly dialect = 'osregex'
  #alternatives: readonly OsRegexAlternative[] | null = null
  #prefilter: Prefilter | null | undefined
  #firstBytes: Uint8Array | null | undefined
  #tried: OsRegexMatcher | null = null

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
    if (this.#firstBytes === undefined) this.#firstBytes = possibleFirstBytes(this.#alternatives ?? this.#parse())
    return this.#firstBytes
  }

  get tried(): OsRegexMatcher {
    this.#tried ??= new OsRegexMatcher(this)
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

  /** Returns what a matcher is prepared from, with one reading of the pattern. The alternatives are not kept. */
  analyze(): { readonly alternatives: readonly OsRegexAlternative[]; readonly prefilter: Prefilter | null; readonly firstBytes: Uint8Array | null } {
    const alternatives = this.#alternatives ?? this.#parse()
    if (this.#prefilter === undefined) this.#prefilter = prefilterOf(alternatives)
    if (this.#firstBytes === undefined) this.#firstBytes = possibleFirstBytes(alternatives)
    return { alternatives, prefilter: this.#prefilter, firstBytes: this.#firstBytes }
  }

  #parse(): readonly OsRegexAlternative[] {
    const parsed = parseOsRegex(this.pattern, this.caseSensitive)
    return parsed.ok ? parsed.pattern.alternatives : []
  }
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
