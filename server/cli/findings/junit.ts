/** Findings as JUnit XML: a suite a file, a test a finding. Errors fail; the rest passes, with its text as output. A file without findings is one passed test. */
import { element, escapeText } from '../../http/xml-text.js'
import type { Finding, FindingsFormat } from './finding.js'

export const junit: FindingsFormat = ({ findings, files, report }) => {
  const byFile = new Map<string, Finding[]>(files.map((path) => [path, []]))
  for (const finding of findings) byFile.set(finding.path, [...(byFile.get(finding.path) ?? []), finding])
  const suites = [...byFile].map(([path, found]) => {
    const cases = found.length === 0 ? [`    ${element('testcase', { classname: path, name: 'validate' })}`] : found.map((finding) => describeFinding(finding))
    const failures = found.filter(({ record }) => record.severity === 'error').length
    return `  ${element('testsuite', { name: path, tests: cases.length, failures, errors: 0, skipped: 0 }, `\n${cases.join('\n')}\n  `)}`
  })
  const failures = findings.filter(({ record }) => record.severity === 'error').length
  const tests = [...byFile.values()].reduce((sum, found) => sum + Math.max(1, found.length), 0)
  const name = `validate (${report.loads ? 'loads' : 'does not load'})`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, tests, failures, errors: 0 }, `\n${suites.join('\n')}\n`)}\n`
}

function describeFinding({ path, record: { severity, code, message, hint, line, column, evidence } }: Finding): string {
  const place = line === null ? path : `${path}:${line}:${column}`
  const text = escapeText([`${place}`, message, hint, evidence ?? ''].filter((part) => part !== '').join('\n'))
  const inner = severity === 'error' ? element('failure', { type: code, message }, text) : element('system-out', {}, text)
  return `    ${element('testcase', { classname: path, name: line === null ? code : `${code} ${line}:${column}`, file: path, ...(line === null ? {} : { line }) }, `\n      ${inner}\n    `)}`
}
