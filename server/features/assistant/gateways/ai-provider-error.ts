/** Failures of the provider of the language model: one error of the API, whose `details.failure` says what operators can look for. */
import { ApiError } from '../../../core/errors.js'
import type { OutboundFailure } from '../../../core/egress/client.js'

export const AI_FAILURES = [
  /** 401 or 403: the key is wrong, or may not use the model. */
  'credentials_refused',
  /** 404: there is no such model, or the address is not that of the API. */
  'not_found',
  /** 429, also after retries. */
  'rate_limited',
  /** 5xx, also after retries. */
  'server_failed',
  /** Any other 4xx. */
  'refused',
  'redirect_refused',
  /** The answer ended without a sign of its end. */
  'answer_truncated',
  /** The answer has no text. */
  'answer_empty',
] as const
export type AiFailure = (typeof AI_FAILURES)[number] | OutboundFailure

/** A failed call. It contains nothing that was sent or received. */
export class AiProviderError extends ApiError {
  readonly failure: AiFailure

  /** @param status that the provider answered */
  constructor(failure: AiFailure, status?: number) {
    super('ai_provider_failed', { details: { failure, ...(status === undefined ? {} : { status }) } })
    this.failure = failure
  }
}
