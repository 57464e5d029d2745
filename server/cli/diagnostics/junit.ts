/**
 * Diagnostics as JUnit XML: one suite per file, one test per diagnostic. Errors fail; other diagnostics pass with their text as output. Consequences are in the
 * text of their cause. A file without diagnostics is one passed test.
 */
import { element, escapeText } from '../../core/http/text/xml-text.js'
import { type LocatedDiagnostic, type DiagnosticGroup, type DiagnosticsFormat, groupByCause, placeOf } from './located-diagnostic.js'

type Group = DiagnosticGroup<LocatedDiagnostic>

export const junit: DiagnosticsFormat = ({ diagnostics, files, report }) => {
  const groups = groupByCause(diagnostics)
  const byFile = new Map<string, Group[]>(files.map((path) => [path, []]))
  for (const group of groups) {
    const known = byFile.get(group.root.path)
    if (known === undefined) byFile.set(group.root.path, [group])
    else known.push(group)
  }
  const failuresOf = (found: readonly Group[]): number => found.filter(({ root }) => root.record.severity === 'error').length
  const suites = [...byFile].map(([path, found]) => {
    const cases = found.length === 0 ? [`    ${element('testcase', { classname: path, name: 'validate' })}`] : found.map(describeGroup)
    return `  ${element('testsuite', { name: path, tests: cases.length, failures: failuresOf(found), errors: 0, skipped: 0 }, `\n${cases.join('\n')}\n  `)}`
  })
  const failures = failuresOf(groups)
  const tests = [...byFile.values()].reduce((sum, found) => sum + Math.max(1, found.length), 0)
  const name = `validate (${report.loads ? 'loads' : 'does not load'})`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, tests, failures, errors: 0 }, `\n${suites.join('\n')}\n`)}\n`
}

function describeGroup({ root, consequences }: Group): string {
  const { path, record } = root
  const { severity, code, message, hint, line, column, evidence } = record
  const following = consequences.map((one) => `${placeOf(one)} ${one.record.code}: ${one.record.message}`)
  const text = escapeText([placeOf(root), message, hint, evidence ?? '', ...following].filter((part) => part !== '').join('\n'))
  const inner = severity === 'error' ? element('failure', { type: code, message }, text) : element('system-out', {}, text)
  return `    ${element('testcase', { classname: path, name: line === null ? code : `${code} ${line}:${column}`, file: path, ...(line === null ? {} : { line }) }, `\n      ${inner}\n    `)}`
}
