/** Analyses on behalf of a request: who asks, how its body is read, and what becomes of the outcome. */
import { type BodyKind, readBody } from '#requests'
import type { AnalysisOutcome, AnalysisRequest, Answer, RequestOptions, UnreadRequest } from '#workers'
import { type Principal, subjectOf } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import type { GrowingPermit } from '../../limits/limits.js'
import type { Locale } from '../../i18n/locale.js'
import { refusalOf } from '../../pool-outcome.js'
import type { Scope } from '../../tenancy/scope.js'
import { refusalError } from './refusal.js'

/**
 * Bodies up to that size are read on the main thread, which takes 0.2 ms, about as long as handing one over. Larger ones go to a thread as they came.
 */
export const SMALL_BODY_BYTES = 64 * 1024

/** What an analysis needs of a request. */
export interface AnalysisCaller {
  readonly scope: Scope
  readonly principal: Principal
  readonly locale: Locale
  readonly requestId: string
  readonly signal: AbortSignal
  /** Both as in `RouteRequest`. */
  readonly held: GrowingPermit | null
  onEnd(release: () => void): () => void
}

/** Sessions are the caller's, rulesets by hash the organization's. */
export function optionsOf(caller: AnalysisCaller): RequestOptions {
  const { scope, principal, locale, signal } = caller
  return { organization: scope.organizationId, caller: subjectOf(principal), locale, signal }
}

/** For requests that are mostly answered before their caller could cancel: making the request's signal takes a quarter of a small request's time. */
export function optionsWithLateSignal(caller: AnalysisCaller): RequestOptions {
  return { organization: caller.scope.organizationId, caller: subjectOf(caller.principal), locale: caller.locale, lateSignal: () => caller.signal }
}

/** What the pool takes for a body: a request if it is small, else the bytes. @throws ApiError for a small body that is refused */
export function requestOf(kind: BodyKind, body: Uint8Array, locale: Locale): AnalysisRequest | UnreadRequest {
  if (body.byteLength > SMALL_BODY_BYTES) return { body }
  const reading = readBody(kind, body)
  if ('refusal' in reading) throw refusalError(reading.refusal, locale)
  return reading.request
}

/** Takes an answer over; its memory is released when the response has gone out, or never will. @throws ApiError */
export function answered<D extends { readonly unreadable: readonly unknown[] }>(outcome: AnalysisOutcome<Answer<D>>, caller: AnalysisCaller): Answer<D> {
  if (outcome.outcome === 'refused') throw refusalError(outcome.refusal, caller.locale)
  // The signal is used only here, as `optionsWithLateSignal` says.
  if (outcome.outcome !== 'ok') throw refusalOf(outcome, caller.signal)
  const answer = outcome.value
  caller.onEnd(answer.release)
  if (answer.digest.unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: answer.digest.unreadable } })
  return answer
}
