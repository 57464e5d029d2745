/** Analyses for requests: the options of the caller, reading of the body, and conversion of the outcome. */
import { type BodyKind, readRequest, type Refusal } from '#requests'
import type { AnalysisOutcome, AnalysisRequest, RequestOptions, UnreadRequest, WrittenAnswer } from '#workers'
import { type Principal, subjectOf } from '../core/auth/principal.js'
import { ApiError } from '../core/errors.js'
import type { GrowingPermit } from '../core/limits/limits.js'
import type { Locale } from '../core/i18n/locale.js'
import { refusalOf } from '../core/pool-outcome.js'
import type { Scope } from '../core/tenancy/scope.js'
import { refusalError } from './refusal.js'

/** Bodies up to this size are parsed on the main thread in 0.2 ms, about the time of sending them to a thread. Larger ones are sent to a thread unparsed. */
export const SMALL_BODY_BYTES = 64 * 1024

/** The caller of an analysis. */
export interface AnalysisCaller {
  readonly scope: Scope
  readonly principal: Principal
  readonly locale: Locale
  readonly requestId: string
  readonly signal: AbortSignal
  /** As in `RouteRequest`, like `onEnd`. */
  readonly held: GrowingPermit | null
  onEnd(release: () => void): () => void
}

/** Returns the pool's options. Sessions belong to the caller, rulesets by hash to the organization. */
export function optionsOf(caller: AnalysisCaller): RequestOptions {
  const { scope, principal, locale, signal } = caller
  return { organization: scope.organizationId, caller: subjectOf(principal), locale, signal }
}

/** Returns options without a signal until it is used. Creating the signal takes a quarter of the time of a small request, which usually ends before a caller can cancel it. */
export function optionsWithLateSignal(caller: AnalysisCaller): RequestOptions {
  return { organization: caller.scope.organizationId, caller: subjectOf(caller.principal), locale: caller.locale, lateSignal: () => caller.signal }
}

/** How an invalid body is refused, unless it is the first line of a batch. */
export function refusedTo({ locale }: Pick<AnalysisCaller, 'locale'>): (refusal: Refusal) => ApiError {
  return (refusal) => refusalError(refusal, locale)
}

/** Returns the request for the pool: parsed if the body is small, else the bytes. @param refuse error of an invalid small body @throws ApiError as `refuse` says */
export function requestOf(kind: BodyKind, body: Uint8Array, refuse: (refusal: Refusal) => ApiError): AnalysisRequest | UnreadRequest {
  if (body.byteLength > SMALL_BODY_BYTES) return { body }
  const reading = readRequest(kind, body)
  if ('refusal' in reading) throw refuse(reading.refusal)
  return reading.request
}

/** Returns the answer of an outcome. Its memory is released when the response is sent or was cancelled. @throws ApiError */
export function answered<D extends { readonly unreadable: readonly unknown[] }>(outcome: AnalysisOutcome<WrittenAnswer<D>>, caller: AnalysisCaller): WrittenAnswer<D> {
  if (outcome.outcome === 'refused') throw refusalError(outcome.refusal, caller.locale)
  // The signal is used only here, as `optionsWithLateSignal` says.
  if (outcome.outcome !== 'ok') throw refusalOf(outcome, caller.signal)
  const answer = outcome.value
  caller.onEnd(answer.release)
  if (answer.digest.unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: answer.digest.unreadable } })
  return answer
}
