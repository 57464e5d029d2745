/** Diagnostics as workflow commands: GitHub shows each beside its line. */
import type { Severity } from '#engine'
import type { LocatedDiagnostic, DiagnosticsFormat } from './located-diagnostic.js'
import { sourceRoot, toUri } from './source-root.js'

const LEVELS: Record<Severity, 'error' | 'warning' | 'notice'> = { error: 'error', warning: 'warning', info: 'notice', success: 'notice' }

export const github: DiagnosticsFormat = ({ diagnostics }) => githubDiagnostics(diagnostics)

export function githubDiagnostics(diagnostics: readonly LocatedDiagnostic[]): string {
  const root = sourceRoot()
  return diagnostics
    .map(({ path, record: { severity, code, message, hint, line, column, end_line, end_column } }) =>
      workflowCommand(
        LEVELS[severity],
        {
          file: toUri(path, root),
          line,
          endLine: end_line,
          col: column,
          // GitHub accepts columns only if the diagnostic is on one line.
          endColumn: line === end_line ? end_column : null,
          title: code,
        },
        `${message}\n${hint}`,
      ),
    )
    .join('')
}

/** A line that the runner of a workflow interprets. Null properties are omitted. */
export function workflowCommand(level: 'error' | 'warning' | 'notice', properties: Readonly<Record<string, string | number | null>>, message: string): string {
  const written = Object.entries(properties).filter(([, value]) => value !== null)
  return `::${level} ${written.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(',')}::${escapeData(message)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
