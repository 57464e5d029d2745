/** Results of test cases in each format: text, JSON, JUnit XML. */
import { type CompiledRuleset, type CoverageReport, type FileScope, isAnswerOk, type Locale } from '#engine'
import { roundMs } from '#workers'
import type { CaseResult } from '../case-run.js'
import { formatMs, formatNumber, percent } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { element, escapeText } from '../../core/http/text/xml-text.js'

/** Maximum characters of an event's text. */
const EVENT_SHOWN = 240
const VALUE_SHOWN = 120
/** Maximum untested rules and decoders in the text; JSON contains all. */
const UNTESTED_SHOWN = 1000

/** Rules and their negative cases. */
export interface NegativeTotals {
  /** Number of rules that a case matches. */
  readonly positives: number
  /** The ids of those of them that no negative case has. */
  readonly lacking: readonly string[]
}

export interface CaseTotals {
  /** The same as exit code 0: there was a case, all cases passed, the content has no error, and no rule lacks a negative case where one is required. */
  readonly ok: boolean
  /** Whether Wazuh would start with the ruleset. */
  readonly loads: boolean
  /** Whether the caller's own content is free of errors. */
  readonly isContentOk: boolean
  readonly results: readonly CaseResult[]
  readonly coverage: CoverageReport
  /** Null: not asked for. */
  readonly negatives: NegativeTotals | null
  readonly ruleset: CompiledRuleset
  /** Scopes of the files whose coverage counts. */
  readonly scopes: readonly FileScope[]
  readonly elapsedMs: number
}

const ENGLISH = {
  failed: 'failed',
  expected: 'expected',
  got: 'got',
  why: 'why',
  remark: 'note',
  event: 'event',
  cases: (count: number, text: string) => `${text} ${count === 1 ? 'case' : 'cases'}`,
  passed: 'passed',
  remarked: (count: number, text: string) => `${text} ${count === 1 ? 'has' : 'have'} a note (--strict lets ${count === 1 ? 'it' : 'them'} fail)`,
  covered: (rules: string, decoders: string) => `Covered: rules ${rules} · decoders ${decoders}`,
  untestedRules: 'Rules that no case matches',
  dropped: 'Wazuh drops it',
  untestedDecoders: 'Decoders that no case runs',
}

type CaseWords = typeof ENGLISH

const WORDS: Readonly<Record<Locale, CaseWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    failed: 'falharam',
    expected: 'esperado',
    got: 'obtido',
    why: 'motivo',
    remark: 'nota',
    event: 'evento',
    cases: (count, text) => `${text} ${count === 1 ? 'caso' : 'casos'}`,
    passed: 'passaram',
    remarked: (count, text) => `${text} com nota (falha${count === 1 ? '' : 'm'} com --strict)`,
    covered: (rules, decoders) => `Cobertura: regras ${rules} · decoders ${decoders}`,
    untestedRules: 'Regras que nenhum caso casa',
    dropped: 'o Wazuh a descarta',
    untestedDecoders: 'Decoders que nenhum caso executa',
  },
}

/** One file with its failed cases and those with a remark, or with all of them if `verbose`. */
export function describeCaseFile(path: string, results: readonly CaseResult[], verbose: boolean, locale: Locale, paint: Palette): string {
  const words = WORDS[locale]
  const failed = results.filter(({ passed }) => !passed)
  const mark = failed.length === 0 ? paint.good('✓') : paint.error('✗')
  const counts = failed.length === 0 ? `${results.length}` : `${results.length - failed.length}/${results.length}`
  const lines = [`${mark} ${printable(path)} ${paint.dim(counts)}`]
  for (const result of results) if (verbose || !result.passed || result.remarks.length > 0) lines.push(...describeCase(result, words, paint))
  return `${lines.join('\n')}\n`
}

function describeCase({ path, line, name, passed, checks, event, reason, remarks }: CaseResult, words: CaseWords, paint: Palette): string[] {
  const place = paint.dim(`${printable(path)}:${line}`)
  const notes = remarks.map((remark) => `      ${paint.dim(words.remark)}  ${paint.warning(printable(remark))}`)
  if (passed) return [`  ${paint.good('✓')} ${printable(name)}${notes.length === 0 ? '' : ` ${place}`}`, ...notes]
  const lines = [`  ${paint.error('✗')} ${paint.bold(printable(name))} ${place}`]
  const wrong = checks.filter((check) => !check.passed)
  const width = Math.max(0, ...wrong.map(({ label }) => label.length))
  for (const { label, expected, actual } of wrong) {
    const show = (text: string): string => printable(shorten(text === '' ? '-' : text, VALUE_SHOWN))
    lines.push(`      ${label.padEnd(width)}  ${paint.dim(words.expected)} ${paint.good(show(expected))}  ${paint.dim(words.got)} ${paint.error(show(actual))}`)
  }
  if (reason !== null) lines.push(`      ${paint.dim(words.why)}  ${printable(reason)}`)
  lines.push(...notes)
  if (event !== '') lines.push(`      ${paint.dim(words.event)}  ${paint.dim(printable(shorten(event, EVENT_SHOWN)))}`)
  return lines
}

export function describeTotals({ results, coverage, elapsedMs }: CaseTotals, showUntested: boolean, locale: Locale, paint: Palette): string {
  const words = WORDS[locale]
  const failed = results.filter(({ passed }) => !passed).length
  const number = (value: number): string => formatNumber(value, locale)
  const share = ({ total, covered }: CoverageReport['rules']): string => `${number(covered)}/${number(total)} (${percent(covered, total, locale)})`
  const parts = [words.cases(results.length, number(results.length)), paint.good(`${number(results.length - failed)} ${words.passed}`)]
  if (failed > 0) parts.push(paint.error(`${number(failed)} ${words.failed}`))
  const remarked = results.filter(({ passed, remarks }) => passed && remarks.length > 0).length
  if (remarked > 0) parts.push(paint.warning(words.remarked(remarked, number(remarked))))
  const lines = ['', `${parts.join(', ')} ${paint.dim(`(${formatMs(elapsedMs, locale)})`)}`, words.covered(share(coverage.rules), share(coverage.decoders))]
  if (showUntested) {
    for (const [title, { untested }] of [
      [words.untestedRules, coverage.rules],
      [words.untestedDecoders, coverage.decoders],
    ] as const) {
      if (untested.length === 0) continue
      lines.push('', paint.bold(`${title} (${number(untested.length)})`))
      for (const { name, filename, line, dropped } of untested.slice(0, UNTESTED_SHOWN)) {
        lines.push(`  ${printable(name).padEnd(8)} ${paint.dim(`${printable(filename)}:${line}`)}${dropped === true ? ` ${paint.error(words.dropped)}` : ''}`)
      }
      if (untested.length > UNTESTED_SHOWN) lines.push(`  … +${untested.length - UNTESTED_SHOWN}`)
    }
  }
  return `${lines.join('\n')}\n`
}

export function casesAsJson({ ok, loads, isContentOk, results, coverage, negatives, elapsedMs }: CaseTotals): string {
  const failed = results.filter(({ passed }) => !passed).length
  return `${JSON.stringify(
    {
      ok,
      loads,
      total_cases: results.length,
      passed_cases: results.length - failed,
      failed_cases: failed,
      duration_ms: roundMs(elapsedMs),
      coverage,
      negatives: negatives === null ? undefined : { positive_count: negatives.positives, lacking_count: negatives.lacking.length, lacking: negatives.lacking },
      results: results.map(({ path, line, name, passed, checks, reason, remarks, report }) => ({
        file: path,
        line,
        name,
        passed,
        checks,
        reason,
        remarks,
        depends_on_clock: report?.depends_on_clock ?? false,
        analysis: passed || report === null ? undefined : { ...report.analysis, ok: isAnswerOk(report.analysis, isContentOk) },
      })),
    },
    null,
    2,
  )}\n`
}

export function casesAsJunit({ results, elapsedMs }: CaseTotals, locale: Locale): string {
  const files = new Map<string, CaseResult[]>()
  for (const result of results) files.set(result.path, [...(files.get(result.path) ?? []), result])
  const seconds = (ms: number): string => (ms / 1000).toFixed(4)
  const suites = [...files].map(([path, found]) => {
    const cases = found.map((result) => `    ${caseElement(result, seconds(result.ms), WORDS[locale])}`)
    const failures = found.filter(({ passed }) => !passed).length
    const time = seconds(found.reduce((sum, { ms }) => sum + ms, 0))
    return `  ${element('testsuite', { name: path, tests: found.length, failures, errors: 0, skipped: 0, time }, `\n${cases.join('\n')}\n  `)}`
  })
  const failures = results.filter(({ passed }) => !passed).length
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'detection-content test', tests: results.length, failures, errors: 0, time: seconds(elapsedMs) }, `\n${suites.join('\n')}\n`)}\n`
}

/** Why a case failed: its failed checks, the reason, if it is known, and its remarks. */
export function describeFailure({ checks, reason, remarks }: CaseResult, locale: Locale): string {
  return [...failedChecks(checks, WORDS[locale]), reason ?? '', ...remarks].filter((part) => part !== '').join('\n')
}

function failedChecks(checks: CaseResult['checks'], words: CaseWords): string[] {
  return checks
    .filter((check) => !check.passed)
    .map(({ label, expected, actual }) => `${label}: ${words.expected} ${expected === '' ? '-' : expected}, ${words.got} ${actual === '' ? '-' : actual}`)
}

function caseElement({ path, line, name, passed, checks, event, reason, remarks }: CaseResult, time: string, words: CaseWords): string {
  const attributes = { classname: path, name, file: path, line, time }
  if (passed) return element('testcase', attributes, remarks.length === 0 ? null : element('system-out', {}, escapeText(remarks.join('\n'))))
  const wrong = failedChecks(checks, words)
  const text = [`${path}:${line}`, ...wrong, reason ?? '', ...remarks, event].filter((part) => part !== '').join('\n')
  return element('testcase', attributes, `\n      ${element('failure', { type: 'case', message: wrong[0] ?? reason ?? remarks[0] ?? '' }, escapeText(text))}\n    `)
}
