/** Findings as one ValidationResponse. */
import type { FindingsFormat } from './finding.js'

export const json: FindingsFormat = ({ report, findings, readMs, compileMs }) => {
  const { ok, loads, summary, baseline_issue_count } = report
  const round = (ms: number): number => Math.round(ms * 1000) / 1000
  const performance = { source_build_ms: round(readMs), compile_ms: round(compileMs), total_ms: round(readMs + compileMs), cache_hit: false }
  return `${JSON.stringify({ ok, loads, summary, diagnostics: findings.map(({ record }) => record), performance, baseline_issue_count }, null, 2)}\n`
}
