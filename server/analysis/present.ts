/** Responses for stopped requests, with the diagnostic that says where. */
import type { DiagnosticRecord, LogtestDigest, WrittenAnswer } from '#workers'
import { NO_OUTCOME, roundMs } from '#workers'
import type { EventPayload } from '../core/events/catalogue.js'
import { NO_SUMMARY } from '../core/pool-outcome.js'

function performanceOf(totalMs: number) {
  return { source_build_ms: 0, compile_ms: 0, total_ms: roundMs(totalMs), cache_hit: false }
}

export function stoppedValidation(diagnostic: DiagnosticRecord, totalMs: number): { answer: Uint8Array; payload: EventPayload<'validation.completed'> } {
  return {
    answer: bytesOf({ ok: false, loads: false, summary: NO_SUMMARY, diagnostics: [diagnostic], performance: performanceOf(totalMs), baseline_issue_count: 0 }),
    payload: { ok: false, diagnostic_count: 1, total_rules: 0, total_decoders: 0 },
  }
}

export function stoppedLogtest(diagnostic: DiagnosticRecord, totalMs: number): Pick<WrittenAnswer<LogtestDigest>, 'bytes' | 'digest'> {
  return {
    bytes: bytesOf({
      ok: false,
      summary: NO_SUMMARY,
      diagnostics: [diagnostic],
      performance: { ...performanceOf(totalMs), predecode_ms: 0, decode_ms: 0, rule_ms: 0 },
      predecoded: null,
      ...NO_OUTCOME,
    }),
    digest: { unreadable: [], ok: false, compiledHash: '', matchedRuleId: null, matchedRules: [] },
  }
}

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
