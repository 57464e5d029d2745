/** Findings in a request's own files, counted, and the worst of them. */
import type { DiagnosticRecord } from '#engine'
import type { FindingsTask, OwnFindings } from '../protocol.js'
import { entryOf, plain, type TaskContext, type TaskResult } from './context.js'

const SEVERITIES = ['error', 'warning', 'info', 'success'] as const satisfies readonly DiagnosticRecord['severity'][]

/** Content of 2 MB can have hundreds of thousands of them: only those that are asked for leave the thread, which the main thread would have to read. */
export function findings(context: TaskContext, { locale, limit }: FindingsTask): TaskResult {
  const { diagnostics, loads, summary } = entryOf(context).findings(locale, false)
  const own = diagnostics.filter(({ source_scope }) => source_scope === 'adhoc')
  const bySeverity = { error: 0, warning: 0, info: 0, success: 0 }
  const byCode = new Map<string, number>()
  for (const { severity, code } of own) {
    bySeverity[severity]++
    byCode.set(code, (byCode.get(code) ?? 0) + 1)
  }
  const worst = SEVERITIES.flatMap((severity) => own.filter((finding) => finding.severity === severity)).slice(0, limit)
  return plain({
    compiled_hash: summary.compiled_hash,
    loads,
    by_severity: bySeverity,
    by_code: Object.fromEntries([...byCode].sort(([a], [b]) => (a < b ? -1 : 1))),
    worst,
  } satisfies OwnFindings)
}
