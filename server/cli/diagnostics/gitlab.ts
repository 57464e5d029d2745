/** Diagnostics as GitLab's Code Quality report. */
import type { DiagnosticRecord } from '#engine'
import type { DiagnosticsFormat } from './located-diagnostic.js'
import { fingerprintsOf } from './fingerprint.js'
import { sourceRoot, toUri } from './source-root.js'

/** A diagnostic that prevents Wazuh from starting or running is a blocker; a lost rule is critical. */
function severityOf({ severity, engine_effect }: DiagnosticRecord): string {
  if (severity === 'error') return engine_effect === 'refuse' || engine_effect === 'crash' ? 'blocker' : 'critical'
  return severity === 'warning' ? 'major' : 'info'
}

export const gitlab: DiagnosticsFormat = ({ diagnostics }) => {
  const root = sourceRoot()
  const fingerprints = fingerprintsOf(diagnostics, root)
  const report = diagnostics.map(({ path, record }, index) => ({
    description: `${record.message} ${record.hint}`,
    check_name: record.code,
    fingerprint: fingerprints[index],
    severity: severityOf(record),
    location: { path: toUri(path, root), lines: { begin: record.line ?? 1 } },
  }))
  return `${JSON.stringify(report, null, 2)}\n`
}
