/** What becomes of a task of the pool, as a request is answered. */
import type { Failed, Stopped, TaskOutcome, TimedOut } from '#workers'
import { ApiError } from './errors.js'

/** Seconds after which a caller may come again when all workers are busy: the queue holds about a third of a second. */
const RETRY_AFTER_SECONDS = 1

/** What is said of a ruleset of which nothing was compiled, as far as anyone knows. */
export const NO_SUMMARY = { total_rule_files: 0, total_decoder_files: 0, total_rules: 0, total_decoders: 0, total_lists: 0, compiled_hash: '', loaded_from_disk: false } as const

/** A run that was stopped by what the caller sent: it is answered, with a finding. */
export function stopOf(outcome: TaskOutcome<unknown>): TimedOut | Failed | null {
  return outcome.outcome === 'timeout' || (outcome.outcome === 'failed' && outcome.reason === 'memory') ? outcome : null
}

/** @throws ApiError for what is no answer */
export function okOf<T>(outcome: TaskOutcome<T>, signal?: AbortSignal): T {
  if (outcome.outcome === 'ok') return outcome.value
  throw refusalOf(outcome, signal)
}

/** @param signal of whoever waits */
export function refusalOf(outcome: Stopped, signal?: AbortSignal): unknown {
  switch (outcome.outcome) {
    case 'ruleset_missing':
      return new ApiError('compiled_hash_unknown', { details: { compiled_hash: outcome.compiledHash } })
    case 'busy':
      return new ApiError('overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    case 'aborted':
      // By the caller, to whom nobody answers any more; else the instance stops.
      return signal !== undefined && isGone(signal) ? signal.reason : new ApiError('shutting_down')
    case 'failed':
    case 'timeout':
      return new ApiError('internal_error', { cause: new Error(`analysis fault ${outcome.outcome === 'failed' ? outcome.debugId : outcome.outcome}`) })
  }
}

/** The instance is to end: what has not run will not, and the caller is told. */
export function isStopping({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === 'stopping'
}

/** Nobody is there to be told. */
export function isGone(signal: AbortSignal): boolean {
  return signal.aborted && !isStopping(signal)
}
