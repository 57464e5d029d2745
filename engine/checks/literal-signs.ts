/** Characters of patterns that are plain text at their place, although their authors mean something else by them (BEHAVIOUR.md#expression-types). */
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { END, LIT, MARK } from '../expressions/osregex/parse.js'

/** Maximum length of a quoted part of a pattern. */
const QUOTE_LIMIT = 40

/** A range of a pattern, and the text to quote. */
export interface PatternPart {
  readonly start: number
  readonly end: number
  readonly value: string
}

/** What somebody writes behind a "!" that means "not"; "! ", "!!" and "!=" are text. */
const NEGATED_HEAD = /^!(?=[A-Za-z0-9_^\\(/.*[])/
/** Texts between exclamation marks: `!ALERT!`. */
const BETWEEN_MARKS = /^![^!|]*!/
const INLINE_FLAGS = /^\(\?[a-z]+\)/

/** A "!" that does not negate: at the head of a pattern that is no osmatch, or of a later alternative. */
export function literalExclamation(expression: Expression): PatternPart | null {
  const { pattern } = expression
  if (!pattern.includes('!')) return null
  for (const [start, text] of headsOf(expression)) {
    if (NEGATED_HEAD.test(text) && !BETWEEN_MARKS.test(text)) return { start, end: start + 1, value: text.slice(0, QUOTE_LIMIT) }
  }
  return null
}

/** The texts before which a "!" is a literal, with their offsets. */
function* headsOf(expression: Expression): Generator<readonly [start: number, text: string]> {
  const { pattern } = expression
  if (expression instanceof OsMatchExpression) {
    for (const head of alternativesOf(pattern, 0)) if (head[0] > 0) yield head
  } else if (expression instanceof OsRegexExpression) {
    for (const { offsets, anchoredStart, kinds } of expression.alternatives) {
      if (!anchoredStart && kinds[0] === LIT) yield [offsets[0], pattern.slice(offsets[0], offsets[kinds.length - 1])]
    }
  } else {
    const flags = INLINE_FLAGS.exec(pattern)?.[0].length ?? 0
    yield [flags, pattern.slice(flags)]
  }
}

/** Names that have a dollar sign in logs: files of NTFS, variables of PowerShell, and in free text those of shells. */
const DOLLAR_NAMES = /^\$(?:recycle|mft|logfile|bitmap|extend|secure|boot|badclus|upcase|attrdef|env\b|null\b|true\b|false\b|ps[a-z]|home\b|profile\b|pid\b|args\b|[^A-Za-z\\(])/i
const SHELL_NAMES = /^\$[A-Z][A-Z0-9_]+\b(?![a-z])/

/**
 * A "$" that is not the end of the text: in front of a word, or of the parenthesis that ends the pattern. Elsewhere a dollar sign may be meant.
 * @param isFreeText the pattern searches a whole log
 */
export function literalDollar(expression: Expression, isFreeText: boolean): PatternPart | null {
  const { pattern } = expression
  if (!pattern.includes('$')) return null
  const isMeant = (text: string): boolean => DOLLAR_NAMES.test(text) || (isFreeText && SHELL_NAMES.test(text))
  if (expression instanceof OsMatchExpression) {
    for (const [start, text] of alternativesOf(pattern, expression.negated ? 1 : 0)) {
      if (text.startsWith('$') && text.length > 1 && !isMeant(text)) return { start, end: start + 1, value: text.slice(0, QUOTE_LIMIT) }
    }
    return null
  }
  if (!(expression instanceof OsRegexExpression)) return null
  for (const { kinds, values, offsets } of expression.alternatives) {
    const isDollar = (at: number): boolean => kinds[at] === LIT && values[at] === 0x24
    const end = kinds.length - 1
    const first = kinds[0] === MARK ? 1 : 0
    const rest = pattern.slice(offsets[first], offsets[end])
    if (isDollar(first) && kinds[first + 1] !== END && kinds[first + 1] !== MARK && !isMeant(rest)) return partOf(pattern, offsets[first], offsets[end])
    if (end > 1 && kinds[end - 1] === MARK && isDollar(end - 2)) {
      return { start: offsets[end - 2], end: offsets[end - 2] + 1, value: pattern.slice(Math.max(offsets[0], offsets[end] - QUOTE_LIMIT), offsets[end]) }
    }
  }
  return null
}

function partOf(pattern: string, start: number, end: number): PatternPart {
  return { start, end: start + 1, value: pattern.slice(start, Math.min(end, start + QUOTE_LIMIT)) }
}

const EXTENDED = /\(\?[a-wyz^]*x/
/** White space around a line break, and what follows it. */
const BREAK = /[\r\n]\s*\S{0,20}/

/** A line break that belongs to a pattern, null: none. @param edges also at its beginning and end */
export function lineBreak({ pattern, dialect }: Expression, edges: boolean): PatternPart | null {
  if (!pattern.includes('\n') || (dialect === 'pcre2' && EXTENDED.test(pattern))) return null
  const [from, to] = edges ? [0, pattern.length] : [pattern.length - pattern.trimStart().length, pattern.trimEnd().length]
  const found = BREAK.exec(pattern.slice(from, to))
  if (found === null) return null
  const start = from + found.index
  return { start, end: start + 1, value: found[0] }
}

/** The alternatives of an osmatch pattern with their offsets. */
function* alternativesOf(pattern: string, from: number): Generator<readonly [start: number, text: string]> {
  for (let start = from; start <= pattern.length; ) {
    const bar = pattern.indexOf('|', start)
    const end = bar < 0 ? pattern.length : bar
    yield [start, pattern.slice(start, end)]
    start = end + 1
  }
}
