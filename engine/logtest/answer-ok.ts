import type { LogtestReport } from '../records/records.js'

/**
 * Whether an event is answered without error: it ran, the client's own content has no error, and nothing in that content makes Wazuh crash on the event.
 * Diagnostics of the reference content, or of no file, do not count.
 */
export function isAnswerOk({ ok, diagnostics }: Pick<LogtestReport, 'ok' | 'diagnostics'>, isContentOk: boolean): boolean {
  return ok && isContentOk && diagnostics.every(({ severity, source_scope }) => severity !== 'error' || source_scope === null || source_scope === 'default')
}
