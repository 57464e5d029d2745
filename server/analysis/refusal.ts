/** Refusals of analysis requests, which `#requests` reports without a language, as errors and as texts for pooled threads. */
import type { LineError, LineTexts, Refusal } from '#requests'
import { ApiError, ERRORS } from '../core/errors.js'
import { tooLarge } from '../core/http/request/body-limit.js'
import { invalidRequest } from '../core/http/validation/refuse.js'
import type { Locale } from '../core/i18n/locale.js'
import { errorTexts, fieldTexts } from '../core/i18n/translate.js'
import { presentIssues } from '#requests'

export function refusalError(refusal: Refusal, locale: Locale): ApiError {
  switch (refusal.reason) {
    case 'body_unparseable':
      return new ApiError('body_unparseable')
    case 'payload_too_large':
      return tooLarge(refusal.limit)
    case 'validation_failed':
      return invalidRequest(refusal.issues, locale, 'validation_failed')
    case 'batch_without_settings':
      return new ApiError('batch_without_settings', { details: { errors: presentIssues(refusal.issues, fieldTexts(locale)) } })
  }
}

/** The same for the first line of a batch, with its number. */
export function headRefusal(refusal: Refusal, line: number, locale: Locale): ApiError {
  if (refusal.reason === 'body_unparseable') return new ApiError('line_unparseable', { params: { line }, details: { line } })
  const { reason, params, details } = refusalError(refusal, locale)
  return new ApiError(reason, { params: { ...params, line }, details: { ...details, line } })
}

/** What a thread needs to answer the wrong lines of a batch. */
export function lineTexts(locale: Locale): LineTexts {
  const error = (reason: LineError) => ({ code: ERRORS[reason].code, ...errorTexts(reason, locale, {}) })
  return {
    errors: {
      line_unparseable: error('line_unparseable'),
      validation_failed: error('validation_failed'),
      request_validation_failed: error('request_validation_failed'),
    },
    fields: fieldTexts(locale),
  }
}
