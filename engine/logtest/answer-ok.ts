import type { LogtestReport } from '../records/records.js'

/**
 * Rule 1 of the analysis endpoints for the answer to one event: it ran, the content has no error of the client's own, and nothing in that content makes
 * Wazuh crash on the event. What belongs to the reference content or to no file never counts.
 */
export function isAnswerOk({ ok, diagnostics }: Pick<LogtestReport, 'ok' | 'diagnostics'>, isContentOk: boolean): boolean {
  return ok && isContentOk && diagnostics.every(({ severity, source_scope }) => severity !== 'error' || source_scope === null || source_scope === 'default')
}
