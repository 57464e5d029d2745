/** What an outcome of the pool means for the request that waits for it. */
import type { AnalysisOutcome, Failed, Stopped, TaskOutcome, TimedOut } from '#workers'
import { ApiError } from './errors.js'

/** Seconds for `Retry-After` when all threads are busy: the queue holds about a third of a second. */
const RETRY_AFTER_SECONDS = 1

/** The summary of a ruleset that was not compiled. */
export const NO_SUMMARY = { total_rule_files: 0, total_decoder_files: 0, total_rules: 0, total_decoders: 0, total_lists: 0, compiled_hash: '', loaded_from_disk: false } as const

/** A run that the caller's content stopped: it is answered, with a finding. */
export function stopOf(outcome: AnalysisOutcome<unknown>): TimedOut | Failed | null {
  return outcome.outcome === 'timeout' || (outcome.outcome === 'failed' && outcome.reason === 'memory') ? outcome : null
}

/** The value of an outcome. @throws ApiError for all others */
export function okOf<T>(outcome: TaskOutcome<T>, signal?: AbortSignal): T {
  if (outcome.outcome === 'ok') return outcome.value
  throw refusalOf(outcome, signal)
}

/** @param signal of the request that waits */
export function refusalOf(outcome: Stopped, signal?: AbortSignal): unknown {
  switch (outcome.outcome) {
    case 'ruleset_missing':
      return new ApiError('compiled_hash_unknown', { details: { compiled_hash: outcome.compiledHash } })
    case 'busy':
      return new ApiError('overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    case 'aborted':
      // The caller is gone and gets no answer, or the instance is stopping.
      return signal !== undefined && isGone(signal) ? signal.reason : new ApiError('shutting_down')
    case 'failed':
    case 'timeout':
      return new ApiError('internal_error', { cause: new Error(`analysis fault ${outcome.outcome === 'failed' ? outcome.debugId : outcome.outcome}`) })
  }
}

/** The instance is stopping: what has not run will not, and the caller is told. */
export function isStopping({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === 'stopping'
}

/** The caller is gone. */
export function isGone(signal: AbortSignal): boolean {
  return signal.aborted && !isStopping(signal)
}
