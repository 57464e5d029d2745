/** Diagnostics as one ValidationResponse. */
import { roundMs } from '#workers'
import type { FindingsFormat } from './finding.js'

export const json: FindingsFormat = ({ report, findings, readMs, compileMs }) => {
  const { ok, loads, summary, baseline_issue_count } = report
  const performance = { source_build_ms: roundMs(readMs), compile_ms: roundMs(compileMs), total_ms: roundMs(readMs + compileMs), cache_hit: false }
  return `${JSON.stringify({ ok, loads, summary, diagnostics: findings.map(({ record }) => record), performance, baseline_issue_count }, null, 2)}\n`
}
