/** Maps outcomes of the pool to responses of the API. */
import type { AnalysisOutcome, Failed, Stopped, TaskOutcome, TimedOut } from '#workers'
import { ApiError } from './errors.js'

/** Seconds for `Retry-After` when all threads are busy. A full queue drains in about a third of a second. */
const RETRY_AFTER_SECONDS = 1

/** Summary of a ruleset that was not compiled. */
export const NO_SUMMARY = { total_rule_files: 0, total_decoder_files: 0, total_rules: 0, total_decoders: 0, total_lists: 0, compiled_hash: '', loaded_from_disk: false } as const

/** The outcome when the caller's content exceeded a time or memory limit, else null. Such a run has a result, with a diagnostic. */
export function stopOf(outcome: AnalysisOutcome<unknown>): TimedOut | Failed | null {
  return outcome.outcome === 'timeout' || (outcome.outcome === 'failed' && outcome.reason === 'memory') ? outcome : null
}

/** The value of a successful outcome. @throws ApiError for every other outcome */
export function okOf<T>(outcome: TaskOutcome<T>, signal?: AbortSignal): T {
  if (outcome.outcome === 'ok') return outcome.value
  throw refusalOf(outcome, signal)
}

/** The error for an outcome without a value. @param signal of the waiting request */
export function refusalOf(outcome: Stopped, signal?: AbortSignal): unknown {
  switch (outcome.outcome) {
    case 'ruleset_missing':
      return new ApiError('compiled_hash_unknown', { details: { compiled_hash: outcome.compiledHash } })
    case 'busy':
      return new ApiError('overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    case 'aborted':
      // Either the caller has disconnected and gets no response, or the instance is stopping.
      return signal !== undefined && isGone(signal) ? signal.reason : new ApiError('shutting_down')
    case 'failed':
    case 'timeout':
      return new ApiError('internal_error', { cause: new Error(`analysis fault ${outcome.outcome === 'failed' ? outcome.debugId : outcome.outcome}`) })
  }
}

/** Whether the signal was aborted because the instance is stopping. The caller is still connected and gets a response. */
export function isStopping({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === 'stopping'
}

/** Whether the caller has disconnected. */
export function isGone(signal: AbortSignal): boolean {
  return signal.aborted && !isStopping(signal)
}
