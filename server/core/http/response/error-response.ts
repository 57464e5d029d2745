/**
 * The format of refusals: `{code, message, hint, details, debug_id}`, or that of a protocol below its path, in the caller's language; a page on routes that
 * browsers open. Invariants:
 *  1. for an internal error the caller receives its code and debug_id only
 *  2. the log says where the error was thrown, and contains no data of the request
 */
import { ApiError, ERRORS, type ErrorReason } from '../../errors.js'
import type { Locale } from '../../i18n/locale.js'
import { errorTexts } from '../../i18n/translate.js'
import type { Log } from '../../observability/log.js'
import { DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageFullError, StorageUnavailableError } from '../../storage/errors.js'
import type { Context, Middleware } from '../request-state.js'
import type { ErrorForm } from '../route.js'
import { setCookieHeaders, setHeader } from './security-headers.js'
import { HTML_TYPE, JSON_TYPE, send } from './send.js'

/** Default of `Retry-After`, in seconds. */
const RETRY_AFTER_SECONDS = 2
/** RFC 9110 requires that a 401 names the accepted authentication. */
const CHALLENGE = 'Bearer realm="api"'

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>
  readonly debug_id: string
}

/** Finds the form of refusals for a path of a request; null: that of the contract. */
export type FindErrorForm = (path: string) => ErrorForm | null

export function errorResponse(log: Log, formOf: FindErrorForm): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      answerError(ctx, error, log, formOf)
    }
  }
}

/** Answers with the refusal; an internal error is logged first. */
export function answerError(ctx: Context, error: unknown, log: Log, formOf: FindErrorForm): void {
  const { state } = ctx
  // Not `ctx.path`, which throws for a malformed target.
  const form = formOf((ctx.req.url ?? '').split('?', 1)[0] ?? '')
  const refusal = refusing(ctx, form === null ? error : form.convert(error), log)
  setCookieHeaders(state)
  if (form !== null) {
    const { status, body } = form.present(refusal, state.locale)
    return send(ctx, status, form.mediaType, JSON.stringify(body))
  }
  const page = state.prefersPage ? state.route?.refusalPage?.(refusal, state) : undefined
  if (page === undefined) return send(ctx, refusal.status, JSON_TYPE, JSON.stringify(errorBody(refusal, state.locale, state.requestId)))
  setHeader(state.headers, 'Content-Security-Policy', page.policy)
  setHeader(state.headers, 'Content-Language', state.locale)
  send(ctx, refusal.status, HTML_TYPE, page.document)
}

/** Converts an error to a refusal, sets its headers, and logs it if it is internal. The caller of this function writes the body. */
export function refusing({ state }: Context, error: unknown, log: Log): ApiError {
  const refusal = toApiError(error)
  const isGone = state.abortReason === 'caller_gone'
  // An aborted handler throws in order to stop; that is not an error.
  if (refusal.reason === 'internal_error' && !isGone) {
    log.error({ request_id: state.requestId, route: state.route?.id, err: error }, 'request failed')
  }
  state.refusal = isGone ? 'caller_gone' : refusal.reason
  const headers = refusalHeaders(refusal)
  for (const name in headers) setHeader(state.headers, name, headers[name])
  return refusal
}

/** Converts an error to the refusal that the caller receives. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(reasonOf(error), { cause: error })
}

function reasonOf(error: unknown): ErrorReason {
  if (error instanceof StorageUnavailableError) return 'database_unavailable'
  if (error instanceof StorageFullError) return 'storage_full'
  if (error instanceof DocumentTooLargeError) return 'document_too_large'
  if (error instanceof DuplicateKeyError || error instanceof StaleWriteError) return 'edit_conflict'
  return 'internal_error'
}

function refusalHeaders({ status, headers }: ApiError): Record<string, string> {
  const own: Record<string, string> = { ...headers }
  if (status === 401) own['WWW-Authenticate'] ??= CHALLENGE
  if (status === 429 || status === 503) own['Retry-After'] ??= String(RETRY_AFTER_SECONDS)
  // A client that continues sending would have the rest of this body parsed as a new request.
  if (status === 408) own.Connection = 'close'
  return own
}

/** The response body of a refusal. */
export function errorBody({ reason, params, details }: ApiError, locale: Locale, debugId: string): ErrorBody {
  const { message, hint } = errorTexts(reason, locale, params)
  return { code: ERRORS[reason].code, message, hint, details, debug_id: debugId }
}
