/** What a request and the pool have to do with each other: who asks, and what becomes of an outcome. */
import type { Failed, JsonAnswer, RequestOptions, Stopped, TaskOutcome, TimedOut } from '#workers'
import { type Principal, subjectOf } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import type { Locale } from '../../i18n/locale.js'
import type { Scope } from '../../tenancy/scope.js'

/**
 * Bodies up to that are parsed on the main thread: it takes 0.2 ms, about what it costs to hand one over. Larger ones go to a worker as they came.
 */
export const SMALL_BODY_BYTES = 64 * 1024
/** Seconds after which a caller may come again when all workers are busy: the queue holds about a third of a second. */
const RETRY_AFTER_SECONDS = 1

/** What of a request an analysis stands on. */
export interface AnalysisCaller {
  readonly scope: Scope
  readonly principal: Principal
  readonly locale: Locale
  readonly requestId: string
  readonly signal: AbortSignal
}

/** Sessions are the caller's, rulesets by hash the organization's. */
export function optionsOf({ scope, principal, locale, signal }: AnalysisCaller): RequestOptions {
  return { organization: scope.organizationId, caller: subjectOf(principal), locale, signal }
}

/** For what is mostly answered before anyone could leave: making the request's signal takes a quarter of a small request's time. */
export function hastyOptionsOf(caller: AnalysisCaller): RequestOptions {
  return { organization: caller.scope.organizationId, caller: subjectOf(caller.principal), locale: caller.locale, lateSignal: () => caller.signal }
}

/** A run that was stopped by what the caller sent: it is answered, with a finding. */
export function stopOf(outcome: TaskOutcome<unknown>): TimedOut | Failed | null {
  return outcome.outcome === 'timeout' || (outcome.outcome === 'failed' && outcome.reason === 'memory') ? outcome : null
}

export function answered<D extends { readonly unreadable: readonly unknown[] }>(outcome: TaskOutcome<JsonAnswer<D>>, caller: AnalysisCaller): JsonAnswer<D> {
  const answer = okOf(outcome, caller)
  if (answer.digest.unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: answer.digest.unreadable } })
  return answer
}

/** @throws ApiError for what is no answer */
export function okOf<T>(outcome: TaskOutcome<T>, caller: Pick<AnalysisCaller, 'signal'>): T {
  if (outcome.outcome === 'ok') return outcome.value
  throw refusalOf(outcome, caller.signal)
}

export function refusalOf(outcome: Stopped, signal: AbortSignal): unknown {
  switch (outcome.outcome) {
    case 'ruleset_missing':
      return new ApiError('compiled_hash_unknown', { details: { compiled_hash: outcome.compiledHash } })
    case 'busy':
      return new ApiError('overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    case 'aborted':
      // By the caller, to whom nobody answers any more; else the pool is closed.
      return signal.aborted ? signal.reason : new ApiError('shutting_down')
    case 'failed':
    case 'timeout':
      return new ApiError('internal_error', { cause: new Error(`analysis fault ${outcome.outcome === 'failed' ? outcome.debugId : outcome.outcome}`) })
  }
}
