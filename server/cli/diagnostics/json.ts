/** Diagnostics as one ValidationResponse. */
import { roundMs } from '#workers'
import type { DiagnosticsFormat } from './located-diagnostic.js'

export const json: DiagnosticsFormat = ({ report, diagnostics, readMs, compileMs }) => {
  const { ok, loads, summary, baseline_issue_count } = report
  const performance = { source_build_ms: roundMs(readMs), compile_ms: roundMs(compileMs), total_ms: roundMs(readMs + compileMs), cache_hit: false }
  return `${JSON.stringify({ ok, loads, summary, diagnostics: diagnostics.map(({ record }) => record), performance, baseline_issue_count }, null, 2)}\n`
}
