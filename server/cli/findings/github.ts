/** Findings as workflow commands: GitHub shows each beside its line. */
import type { Severity } from '#engine'
import { toUri } from './finding.js'
import type { FindingsFormat } from './finding.js'

const LEVELS: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'notice', success: 'notice' }

export const github: FindingsFormat = ({ findings }) =>
  findings
    .map(({ path, record: { severity, code, message, hint, line, column, end_line, end_column } }) => {
      const properties: [string, string | number | null][] = [
        ['file', toUri(path)],
        ['line', line],
        ['endLine', end_line],
        ['col', column],
        // GitHub takes columns only for a finding on one line.
        ['endColumn', line === end_line ? end_column : null],
        ['title', code],
      ]
      const written = properties.filter(([, value]) => value !== null).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
      return `::${LEVELS[severity]} ${written.join(',')}::${escapeData(`${message}\n${hint}`)}\n`
    })
    .join('')

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
