/**
 * Failures of external providers (forges, CI systems) as errors of the API. Each says what the caller can do. An error never contains the credential, and of the
 * provider's answer it contains only what `details` lists.
 */
import { ApiError, type ErrorReason } from '../errors.js'
import type { OutboundError } from './client.js'

export const PROVIDER_FAILURES = [
  /** 401, or an expired or revoked token. */
  'credentials_refused',
  /** 403 that is not a rate limit: the token lacks a scope or the user a right. `details.scopes`: the scopes that the provider names. */
  'scope_missing',
  /** The repository, branch, commit, workflow or review does not exist, or the credential may not see it. `details.what`. */
  'not_found',
  'branch_protected',
  /** The branch has another head than the one that the caller has seen. */
  'head_moved',
  /** `details.retry_at`, and `Retry-After`. */
  'rate_limited',
  /** 5xx, a timeout, no connection, a truncated or malformed answer. `details.failure`. */
  'unavailable',
  /** A redirect, which is never followed. */
  'redirect_refused',
  /** The repository, a list or a file exceeds a named limit. `details.limit`. */
  'too_large',
  /** The provider, or this repository, does not support the operation. */
  'unsupported',
  /** Any other 4xx. `details.status`, and `details.provider_message` if the provider sent one (cut, without control characters). */
  'refused',
] as const
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number]

export interface ProviderErrorOptions {
  /** Name of the provider: `github`. */
  readonly provider: string
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[] | null>>
  /** For `rate_limited`: when the provider accepts requests again. */
  readonly retryAt?: Date
  /** Milliseconds since the epoch; required with `retryAt`. */
  readonly now?: number
  readonly cause?: unknown
}

/** A failed call of a provider. */
export class ProviderError extends ApiError {
  readonly failure: ProviderFailure
  /** Null: the provider did not say. */
  readonly retryAt: Date | null

  constructor(failure: ProviderFailure, { provider, details = {}, retryAt, now = Date.now(), cause }: ProviderErrorOptions) {
    super(`provider_${failure}` satisfies ErrorReason, {
      params: { provider },
      details: { provider, ...details, ...(retryAt === undefined ? {} : { retry_at: retryAt.toISOString() }) },
      headers: retryAt === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil((retryAt.getTime() - now) / 1000))) },
      cause,
    })
    this.failure = failure
    this.retryAt = retryAt ?? null
  }
}

/** Maps a request that had no answer. The error of a private target is the same as for webhooks. */
export function noAnswer(error: OutboundError, provider: string): ApiError {
  if (error.failure === 'target_refused') return new ApiError('target_refused')
  if (error.failure === 'answer_too_large') return new ProviderError('too_large', { provider, cause: error })
  return new ProviderError('unavailable', { provider, details: { failure: error.failure }, cause: error })
}
