/**
 * The one shape of refusals: `{code, message, hint, details, debug_id}`, in the caller's language. Invariants:
 *  1. a caller learns of a fault its code and debug_id, and nothing else
 *  2. the log learns where a fault came from, and nothing of what the request held
 */
import { ApiError, ERRORS, type ErrorReason } from '../../errors.js'
import type { Locale } from '../../i18n/locale.js'
import { errorTexts } from '../../i18n/translate.js'
import type { Log } from '../../observability/log.js'
import { DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageFullError, StorageUnavailableError } from '../../storage/errors.js'
import type { Context, Middleware } from '../exchange.js'
import { setHeader } from './security-headers.js'
import { JSON_TYPE, send } from './send.js'

/** Seconds after which a caller may come again, where nobody knows better. */
const RETRY_AFTER_SECONDS = 2
/** RFC 9110 asks a 401 to say what would be taken. */
const CHALLENGE = 'Bearer realm="api"'

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>
  readonly debug_id: string
}

export function errorResponse(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      answerError(ctx, error, log)
    }
  }
}

/** Answers with the refusal; a fault is logged first. */
export function answerError(ctx: Context, error: unknown, log: Log): void {
  const { state } = ctx
  const refusal = refusing(ctx, error, log)
  send(ctx, refusal.status, JSON_TYPE, JSON.stringify(errorBody(refusal, state.locale, state.requestId)))
}

/** Turns an error into a refusal, sets its headers, and logs it if it is a fault. The caller of this function writes the body. */
export function refusing({ state }: Context, error: unknown, log: Log): ApiError {
  const refusal = toApiError(error)
  const isGone = state.abortReason === 'caller_gone'
  // What an aborted handler throws is its way to stop.
  if (refusal.reason === 'internal_error' && !isGone) {
    log.error({ request_id: state.requestId, route: state.route?.id, err: error }, 'request failed')
  }
  state.refusal = isGone ? 'caller_gone' : refusal.reason
  const headers = refusalHeaders(refusal)
  for (const name in headers) setHeader(state.headers, name, headers[name])
  return refusal
}

/** The refusal that an error is to the caller. */
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
  // Whoever stopped sending may begin again, and would be taken for the rest of this body.
  if (status === 408) own.Connection = 'close'
  return own
}

/** A refusal as it goes out. */
export function errorBody({ reason, params, details }: ApiError, locale: Locale, debugId: string): ErrorBody {
  const { message, hint } = errorTexts(reason, locale, params)
  return { code: ERRORS[reason].code, message, hint, details, debug_id: debugId }
}
