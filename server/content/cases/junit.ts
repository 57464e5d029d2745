/** Results of a run as JUnit XML, which CI servers read: one suite for the project, one test for each case. */
import { element, escapeText } from '../../core/http/text/xml-text.js'
import type { ProjectDocument } from '../shared/project.js'
import type { CaseResult, RunTotals } from './run.js'
import type { AnswerForm } from './run-answer.js'

/** Characters of a message. Readers show it in one line; the text of the element is complete. */
const MESSAGE_CHARACTERS = 500
/** Errors of the content in the document; the JSON form of a run has all. */
const ERRORS_SHOWN = 100

export function junitForm({ name, slug }: Pick<ProjectDocument, 'name' | 'slug'>, startedAt: Date): AnswerForm {
  return {
    entry: (result) => caseElement(result, slug),
    separator: '\n',
    head: (totals) => {
      const counts = attributesOf(totals)
      const suite = element('testsuite', { name, ...counts, skipped: 0, timestamp: startedAt.toISOString().replace(/\.\d+Z$/, '') }, '')
      return `<?xml version="1.0" encoding="UTF-8"?>\n${opening(element('testsuites', { name, ...counts }, ''))}\n${opening(suite)}\n`
    },
    tail: ({ diagnostics }) => `\n${errorsOf(diagnostics)}</testsuite>\n</testsuites>\n`,
  }
}

/** Stopped cases are reported as failures: their expectations were not met. */
function attributesOf({ total_cases, failed_cases, duration_ms }: RunTotals) {
  return { tests: total_cases, failures: failed_cases, errors: 0, time: seconds(duration_ms) }
}

/** Errors of the content, for which Wazuh drops a rule. They do not fail a case, so they are reported beside the cases. */
function errorsOf(diagnostics: RunTotals['diagnostics']): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').slice(0, ERRORS_SHOWN)
  const lines = errors.map(({ filename, line, column, code, message, hint }) => `${filename}${line === null ? '' : `:${line}:${column}`}: ${code}: ${message} ${hint}`)
  return lines.length === 0 ? '' : `${element('system-err', {}, escapeText(lines.join('\n')))}\n`
}

function opening(whole: string): string {
  return whole.slice(0, whole.lastIndexOf('</'))
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(4)
}

function caseElement({ case: testCase, passed, checks, analysis, depends_on_clock }: CaseResult, suite: string): string {
  const { performance, diagnostics } = analysis as { readonly performance: { readonly total_ms: number }; readonly diagnostics: readonly { readonly message: string }[] }
  const attributes = { classname: suite, name: testCase.name, time: seconds(performance.total_ms) }
  const clock = depends_on_clock ? element('property', { name: 'depends_on_clock', value: 'true' }) : ''
  const id = `<properties>${element('property', { name: 'case_id', value: testCase.id })}${clock}</properties>`
  if (passed) return element('testcase', attributes, id)
  const wrong = checks.filter((check) => !check.passed).map(({ label, expected, actual }) => `${label}: ${written(expected)} ≠ ${written(actual)}`)
  const reasons = [...wrong, ...(wrong.length === 0 ? diagnostics.map(({ message }) => message) : [])]
  const message = [...(reasons[0] ?? '')].slice(0, MESSAGE_CHARACTERS).join('')
  return element(
    'testcase',
    attributes,
    `${id}${element('failure', { type: 'case', message }, escapeText([...new Set([...wrong, ...diagnostics.map((one) => one.message)])].join('\n')))}`,
  )
}

function written(value: string): string {
  return value === '' ? '-' : value
}
