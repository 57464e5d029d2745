/** Findings as GitLab's Code Quality report. */
import { createHash } from 'node:crypto'
import type { DiagnosticRecord } from '#engine'
import { toUri } from './finding.js'
import type { FindingsFormat } from './finding.js'

/** What keeps Wazuh from starting blocks; a lost rule is critical. */
function severityOf({ severity, engine_effect }: DiagnosticRecord): string {
  if (severity === 'error') return engine_effect === 'refuse' ? 'blocker' : 'critical'
  return severity === 'warning' ? 'major' : 'info'
}

export const gitlab: FindingsFormat = ({ findings }) => {
  const seen = new Map<string, number>()
  const report = findings.map(({ path, record }) => {
    const { code, message, hint, line, evidence } = record
    // Without the line, so that a finding stays the same when lines above it come and go; equal ones are counted.
    const key = `${toUri(path)}\n${code}\n${message}\n${evidence ?? ''}`
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return {
      description: `${message} ${hint}`,
      check_name: code,
      fingerprint: createHash('sha256').update(`${key}\n${count}`).digest('hex'),
      severity: severityOf(record),
      location: { path: toUri(path), lines: { begin: line ?? 1 } },
    }
  })
  return `${JSON.stringify(report, null, 2)}\n`
}
