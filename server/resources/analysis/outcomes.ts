/** What a request and the pool have to do with each other: who asks, and what becomes of an outcome. */
import type { JsonAnswer, RequestOptions, TaskOutcome } from '#workers'
import { type Principal, subjectOf } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import type { GrowingPermit } from '../../limits/limits.js'
import type { Locale } from '../../i18n/locale.js'
import { refusalOf } from '../../pool-outcome.js'
import type { Scope } from '../../tenancy/scope.js'

/**
 * Bodies up to that are parsed on the main thread: it takes 0.2 ms, about what it costs to hand one over. Larger ones go to a worker as they came.
 */
export const SMALL_BODY_BYTES = 64 * 1024

/** What of a request an analysis stands on. */
export interface AnalysisCaller {
  readonly scope: Scope
  readonly principal: Principal
  readonly locale: Locale
  readonly requestId: string
  readonly signal: AbortSignal
  /** Both as `RouteRequest` has them. */
  readonly held: GrowingPermit | null
  lend(giveBack: () => void): () => void
}

/** Sessions are the caller's, rulesets by hash the organization's. */
export function optionsOf(caller: AnalysisCaller): RequestOptions {
  const { scope, principal, locale, signal } = caller
  return { organization: scope.organizationId, caller: subjectOf(principal), locale, signal, lend: (giveBack) => caller.lend(giveBack) }
}

/** For what is mostly answered before anyone could leave: making the request's signal takes a quarter of a small request's time. */
export function hastyOptionsOf(caller: AnalysisCaller): RequestOptions {
  return {
    organization: caller.scope.organizationId,
    caller: subjectOf(caller.principal),
    locale: caller.locale,
    lateSignal: () => caller.signal,
    lend: (giveBack) => caller.lend(giveBack),
  }
}

export function answered<D extends { readonly unreadable: readonly unknown[] }>(outcome: TaskOutcome<JsonAnswer<D>>, caller: AnalysisCaller): JsonAnswer<D> {
  // The signal is asked for only where it is needed, as `hastyOptionsOf` says.
  if (outcome.outcome !== 'ok') throw refusalOf(outcome, caller.signal)
  const answer = outcome.value
  if (answer.digest.unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: answer.digest.unreadable } })
  return answer
}
