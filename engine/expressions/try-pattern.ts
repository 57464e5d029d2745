/** Runs one pattern on one text, for users who try patterns and for comparisons with the reference engine. The flags are those of the reference engine. */
import { foldCase, fromByteString, toByteString } from '../source/byte-string.js'
import type { CompileOutcome, Dialect, ExpressionError } from './expression.js'
import { createMatchResult } from './expression.js'
import { compileOsMatch } from './osmatch/osmatch.js'
import { compileOsRegex } from './osregex/osregex.js'
import { compilePcre2 } from './pcre2/compile.js'

/** Longest text in which the beginning of an OSRegex match is searched, offset by offset. */
const START_SEARCH_LIMIT = 4096

export interface PatternTrial {
  readonly engine: Dialect
  readonly pattern: string
  readonly input: string
  /** OS_RETURN_SUBSTRING: OSRegex reports groups, and matches in the mode that decoders use. PCRE2 always reports them. */
  readonly substrings?: boolean
  /** OS_CASE_SENSITIVE, for OSRegex and OSMatch. */
  readonly case_sensitive?: boolean
}

export interface PatternAnswer {
  readonly compiled: boolean
  readonly error: ExpressionError | null
  readonly matched: boolean
  /** Byte offset of the last matched byte as the reference engine reports it (-1 is possible); null for OSMatch, and without a match. */
  readonly end: number | null
  readonly captures: readonly string[]
  /** Range of each capture: its first byte, and the byte after the last one. */
  readonly captureRanges: readonly (readonly [number, number])[]
}

const NOTHING = { compiled: true, error: null, matched: false, end: null, captures: [], captureRanges: [] } as const

/** Compiles a pattern and runs it on one text. */
export function tryPattern({ engine, pattern, input, substrings = false, case_sensitive: caseSensitive = false }: PatternTrial): PatternAnswer {
  const bytes = toByteString(pattern)
  const outcome = compileAs(engine, bytes, substrings, caseSensitive)
  if (!outcome.ok) return { ...NOTHING, compiled: false, error: outcome.error }
  const { expression } = outcome
  const text = toByteString(input)
  const lower = foldCase(text)
  const result = createMatchResult()
  if (!expression.search(text, lower, 0, result)) return NOTHING
  if (engine === 'osmatch') return { ...NOTHING, matched: true }
  const captureRanges = Array.from({ length: result.count }, (_, group) => [result.bounds[2 * group], result.bounds[2 * group + 1]] as const)
  return {
    ...NOTHING,
    matched: true,
    end: result.end,
    captures: captureRanges.map(([from, to]) => fromByteString(text.slice(from, to))),
    captureRanges,
  }
}

/** Returns the range of the matched bytes: the first byte, and the byte after the last one. Null: it is unknown. It takes far longer than the match itself. */
export function locateMatch({ engine, pattern, input, case_sensitive: caseSensitive = false }: PatternTrial, { matched, end }: PatternAnswer): readonly [number, number] | null {
  if (!matched) return null
  const bytes = toByteString(pattern)
  const text = toByteString(input)
  const lower = foldCase(text)
  if (engine === 'osmatch') return osMatchRange(bytes, lower, caseSensitive)
  if (end === null) return null
  const start = engine === 'osregex' ? osRegexStart(bytes, text, lower, caseSensitive, end) : pcre2Start(bytes, text, lower, end)
  return start === null ? null : [start, end + 1]
}

function compileAs(engine: Dialect, pattern: string, capturing: boolean, caseSensitive: boolean): CompileOutcome {
  if (engine === 'osmatch') return compileOsMatch(pattern, { caseSensitive })
  if (engine === 'osregex') return compileOsRegex(pattern, { capturing, caseSensitive })
  return compilePcre2(pattern)
}

/** Returns the range of the first alternative that matches. A negated list has no range. */
function osMatchRange(pattern: string, lower: string, caseSensitive: boolean): readonly [number, number] | null {
  const compiled = compileOsMatch(pattern, { caseSensitive })
  if (!compiled.ok || compiled.expression.negated) return null
  for (const { form, literal } of compiled.expression.alternatives) {
    if (form === 'never') continue
    if (form === 'always') return [0, 0]
    const at = form === 'contains' ? lower.indexOf(literal) : form === 'ends' ? lower.length - literal.length : 0
    const holds = form === 'equals' ? lower === literal : at >= 0 && lower.startsWith(literal, at)
    if (holds) return [at, at + literal.length]
  }
  return null
}

/** OSRegex does not report the start. It is the first offset from which the pattern, anchored by `^`, ends where the search ended. */
function osRegexStart(pattern: string, text: string, lower: string, caseSensitive: boolean, end: number): number | null {
  if (text.length > START_SEARCH_LIMIT) return null
  const result = createMatchResult()
  for (const alternative of splitAlternatives(pattern)) {
    const plain = compileOsRegex(alternative, { caseSensitive })
    if (!plain.ok || !plain.expression.search(text, lower, 0, result) || result.end !== end) continue
    if (alternative.startsWith('^')) return 0
    const tied = compileOsRegex(`^${alternative}`, { caseSensitive })
    if (!tied.ok) return null
    for (let from = 0; from <= end + 1 && from <= text.length; from++) if (tied.expression.search(text, lower, from, result) && result.end === end) return from
    return null
  }
  return null
}

/** Splits at every `|` that is not escaped. */
function splitAlternatives(pattern: string): string[] {
  const alternatives = ['']
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '|') alternatives.push('')
    else {
      const length = pattern[at] === '\\' ? 2 : 1
      alternatives[alternatives.length - 1] += pattern.slice(at, at + length)
      at += length - 1
    }
  }
  return alternatives
}

/** PCRE2: a group around the pattern gives the beginning, unless the group changes the meaning of the pattern. */
function pcre2Start(pattern: string, text: string, lower: string, end: number): number | null {
  if (pattern.startsWith('(*') || /\\[1-9gk]|\(\?(?:[R0-9&+(|]|-\d|P[>=]|[a-z]*x)/.test(pattern)) return null
  const around = compilePcre2(`(${pattern})`)
  const result = createMatchResult()
  if (!around.ok || !around.expression.search(text, lower, 0, result) || result.end !== end || result.count === 0) return null
  return result.bounds[0]
}
