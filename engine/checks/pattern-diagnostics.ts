/**
 * Diagnostics about a pattern that do not depend on its use. Each distinct pattern is examined once, because a ruleset repeats patterns
 * hundreds of times.
 */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Dialect, Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { LIT, MARK, NO_BYTE } from '../expressions/osregex/parse.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { pcre2Diagnostics } from './pcre2-diagnostics.js'

/** A diagnostic without a location in a file. Offsets are in the pattern. */
export interface PatternDiagnostic {
  readonly code: DiagnosticCode
  readonly start: number
  readonly end: number
  /** Values are byte strings. */
  readonly params: Readonly<Record<string, string>>
}

/** Replaces an escape: two characters that no byte string contains, so that a search finds only what is not escaped. */
const ESCAPED = '\u2400\u2400'

/** Syntax that only has a meaning in another dialect, and hardly ever occurs in a log. */
const FOREIGN: Record<Dialect, readonly { readonly other: Dialect; readonly form: RegExp; readonly masked: boolean }[]> = {
  osmatch: [
    { other: 'osregex', form: /\\[dwsSWDpt.][+*]/, masked: false },
    { other: 'pcre2', form: /\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9])|\(\?[:i=!<]|(?<![.])\.[*+](?![.*+])|\([^()|]*\|[^()]*\)/, masked: false },
  ],
  osregex: [
    {
      other: 'pcre2',
      form: /\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9])|\(\?[:i=!<]|(?<![.])\.[*+](?![.*+])|\u2400\u2400(?:\{[0-9]+,?[0-9]*\}|\?)|\(\^|\[\^[^\]]{1,20}\][+*]/,
      masked: true,
    },
  ],
  pcre2: [{ other: 'osregex', form: /(?:^|[(\s])\\\.[+*](?=$|[)\s|])/, masked: false }],
}

/** Quick test: without one of these no masked form can match. */
const SUSPECT = /[[?{^]|\.[*+]/

/** @param capturing whether the pattern is used to capture groups*/
export function patternDiagnosticsOf(expression: Expression, capturing: boolean): PatternDiagnostic[] {
  const { dialect, pattern } = expression
  const found: PatternDiagnostic[] = []
  for (const { other, form, masked } of FOREIGN[dialect]) {
    const match = masked && !SUSPECT.test(pattern) ? null : form.exec(masked ? maskEscapes(pattern) : pattern)
    if (match === null) continue
    found.push({
      code: 'regex_wrong_dialect',
      start: match.index,
      end: match.index + match[0].length,
      params: { dialect, other, value: pattern.slice(match.index, match.index + match[0].length) },
    })
    break
  }
  if (expression instanceof OsMatchExpression) osMatchDiagnostics(expression, found)
  else if (expression instanceof OsRegexExpression) osRegexDiagnostics(expression, found)
  else if (expression instanceof Pcre2Expression) found.push(...pcre2Diagnostics(expression, capturing))
  return found
}

function maskEscapes(pattern: string): string {
  return pattern.replace(/\\[\s\S]/g, ESCAPED)
}

function osMatchDiagnostics({ pattern, negated, alternatives }: OsMatchExpression, found: PatternDiagnostic[]): void {
  let start = negated ? 1 : 0
  const seen = new Set<string>()
  let redundant = false
  pattern
    .slice(start)
    .split('|')
    .forEach((text, index) => {
      const { form, literal } = alternatives[index]
      const end = start + text.length
      if (form === 'never') found.push(nonAscii('osmatch', pattern, start, end))
      const key = `${form} ${literal}`
      if (alternatives.length > 1 && !redundant && text.trim() !== '' && seen.has(key))
        redundant = found.push({ code: 'regex_case_redundant', start, end, params: { dialect: 'osmatch', value: text } }) > 0
      seen.add(key)
      start = end + 1
    })
}

/** The first sequence of bytes from 0x80 on. */
function nonAscii(dialect: Dialect, pattern: string, from: number, to: number): PatternDiagnostic {
  const run = /[\x80-\xff]+/.exec(pattern.slice(from, to))
  const start = from + (run?.index ?? 0)
  const end = start + (run?.[0].length ?? 0)
  return { code: 'regex_non_ascii', start, end, params: { dialect, value: pattern.slice(start, end) } }
}

function osRegexDiagnostics({ pattern, alternatives }: OsRegexExpression, found: PatternDiagnostic[]): void {
  const seen = new Set<string>()
  let redundant = false
  for (const { kinds, values, offsets, anchoredStart, anchoredEnd } of alternatives) {
    let literal = -1
    let adjacent = -1
    for (let i = 0; i < kinds.length; i++) {
      if (kinds[i] === LIT && values[i] === NO_BYTE && literal < 0) literal = i
      else if (kinds[i] === MARK && kinds[i + 1] === MARK && pattern[offsets[i]] === ')' && adjacent < 0) adjacent = i
    }
    if (literal >= 0) found.push(nonAscii('osregex', pattern, offsets[literal], pattern.length))
    if (adjacent >= 0) found.push({ code: 'regex_adjacent_groups', start: offsets[adjacent], end: offsets[adjacent] + 2, params: {} })
    if (alternatives.length === 1) return
    const key = `${anchoredStart} ${anchoredEnd} ${kinds.join()} ${values.join()}`
    const end = offsets[offsets.length - 1]
    const start = kinds.length > 1 ? offsets[0] : end
    // Alternatives with groups differ even if they are equal, because their groups have different numbers.
    if (kinds.length > 1 && !redundant && pattern.slice(start, end).trim() !== '' && seen.has(key))
      redundant = found.push({ code: 'regex_case_redundant', start, end, params: { dialect: 'osregex', value: pattern.slice(start, end) } }) > 0
    seen.add(key)
  }
}
