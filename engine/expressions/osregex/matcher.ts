/** Runs an OSRegex in the kernel. */
import { readsOsRegex, searchOsRegex } from '../../kernel/kernel.js'
import { addressOf } from '../../kernel/last-bytes.js'
import { FOUND_MARKS, MARKS, NO_MATCH, UNSOUND } from '../../kernel/layout.js'
import { WORDS } from '../../kernel/memory.js'
import type { SearchedText } from '../../kernel/searched-text.js'
import type { Matcher, MatchResult } from '../expression.js'
import { ANY_BYTE } from './classes.js'
import type { OsRegexExpression } from './osregex.js'
import { type PackedPattern, packPattern } from './pack.js'
import { END, PLUS } from './parse.js'

/** Runs a pattern. What a search needs is computed at the first one, because most patterns of a ruleset never run. */
export class OsRegexMatcher implements Matcher {
  readonly dialect = 'osregex'
  readonly expression: OsRegexExpression
  #packed: PackedPattern | null = null
  /** Address of the packed pattern; 0: it is not packed yet. */
  #address = 0
  #firstByte = -1
  /** The folded texts that the pattern matches, if it matches only whole texts. */
  #wholeTexts: readonly string[] | null = null
  /** `\.+` matches every text that is not empty. */
  #anyText = false

  constructor(expression: OsRegexExpression) {
    this.expression = expression
  }

  get pattern(): string {
    return this.expression.pattern
  }

  matches(subject: SearchedText, from: number): boolean {
    if (this.#address === 0) this.#prepare()
    const wholeTexts = this.#wholeTexts
    if (wholeTexts !== null && from === 0) return wholeTexts.some(({ length }) => length === subject.length) && wholeTexts.includes(subject.lower)
    if (this.#anyText) return from < subject.length
    return this.#find(subject, from) > NO_MATCH
  }

  find(subject: SearchedText, from: number, result: MatchResult): boolean {
    if (this.#address === 0) this.#prepare()
    const end = this.#find(subject, from)
    if (end <= NO_MATCH) {
      result.unsound ||= end === UNSOUND
      return false
    }
    const words = WORDS
    const markCount = words[FOUND_MARKS >> 2]
    const { bounds } = result
    result.end = end
    let mark = 0
    for (let at = MARKS >> 2; mark + 1 < markCount; mark += 2, at += 2) {
      const start = words[at]
      const stop = words[at + 1]
      if (start < 0 || stop < 0) break
      bounds[mark] = start
      bounds[mark + 1] = stop
    }
    result.count = mark >> 1
    return true
  }

  /** Bytes that Wazuh's machine reads of a folded text, those that failed attempts read again included. It looks for no literal before it begins. */
  readsOf(lower: string): number {
    if (this.#address === 0) this.#prepare()
    return readsOsRegex(this.#address, addressOf(lower), lower.length)
  }

  #find(subject: SearchedText, from: number): number {
    const { length } = subject
    // A text is not written for a pattern of which the first byte is another one.
    if (this.#firstByte >= 0 && from < length && subject.byteAt(from) !== this.#firstByte) return NO_MATCH
    return searchOsRegex(this.#address, subject.address, length, from, subject.isScanned ? 1 : 0)
  }

  #prepare(): void {
    const { alternatives, prefilter, firstBytes } = this.expression.analyze()
    const { capturing } = this.expression
    this.#packed = packPattern(alternatives, firstBytes, capturing)
    this.#address = this.#packed.address
    this.#firstByte = this.#packed.firstByte
    if (prefilter?.kind === 'exact' && !capturing) this.#wholeTexts = prefilter.values
    this.#anyText = alternatives.length === 1 && alternatives[0].kinds[0] === PLUS && alternatives[0].kinds[1] === END && alternatives[0].values[0] === ANY_BYTE
  }
}
