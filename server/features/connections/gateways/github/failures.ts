/**
 * Failures of GitHub's API as errors of this API. Octokit's errors contain the request with its headers, so none of them is kept, not even as a cause; of
 * the answer only its status, its headers and its message are read.
 */
import { ApiError } from '../../../../core/errors.js'
import { malformedAnswer, providerMessage, retryTime, withoutSecrets } from '../../../../core/egress/answers.js'
import { OutboundError } from '../../../../core/egress/client.js'
import { noAnswer, ProviderError, type ProviderFailure } from '../../../../core/egress/provider-error.js'

/** Waiting time after a rate limit that does not say when it ends. GitHub asks for a minute. */
const UNKNOWN_LIMIT_MS = 60_000
/** Maximum scopes that are passed on; GitHub names some alternatives. */
const SCOPES_SHOWN = 20

/** An answer that is not a success. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** GitHub's message with the messages of its `errors`. */
  readonly message: string
}

/** A failure that the call knows better than the status says, with further details. */
export type Explanation = { readonly failure: ProviderFailure; readonly details?: Readonly<Record<string, string | number>> }

export interface FailureContext {
  readonly provider: string
  readonly now: number
  /** What does not exist if the answer is 404. */
  readonly what: string
  /** Null: the status says it. */
  readonly explain?: (refusal: Refusal) => Explanation | null
  /** Credentials, which a message must not repeat. */
  readonly secrets: readonly string[]
}

/** Maps what a call threw. */
export function failureOf(error: unknown, context: FailureContext): ApiError {
  const refused = error instanceof Error ? error.cause : null
  if (refused instanceof ApiError) return refused
  const outbound = outboundOf(error)
  if (outbound !== null) return noAnswer(outbound, context.provider)
  const refusal = refusalOf(error)
  return refusal === null ? malformedAnswer(context.provider) : failureOfRefusal(refusal, context)
}

/** Whether a repeated call may succeed: the server failed, or the connection did. A timeout has used the time that a call has. */
export function isTransient(error: unknown): boolean {
  const outbound = outboundOf(error)
  if (outbound !== null) return outbound.failure === 'connection_closed' || outbound.failure === 'connection_failed' || outbound.failure === 'connection_refused'
  const refusal = refusalOf(error)
  return refusal !== null && refusal.status >= 500
}

/** Maps an answer that is not a success. */
export function failureOfRefusal(refusal: Refusal, { provider, now, what, explain, secrets }: FailureContext): ProviderError {
  const { status, headers, message } = refusal
  if (status < 400) return new ProviderError('redirect_refused', { provider })
  const retryAt = retryTimeOf(refusal, now)
  if (retryAt !== null) return new ProviderError('rate_limited', { provider, retryAt, now })
  if (status >= 500) return new ProviderError('unavailable', { provider, details: { failure: 'server_error', status } })
  const explained = explain?.(refusal) ?? null
  if (explained !== null) return new ProviderError(explained.failure, { provider, details: { ...explained.details } })
  if (status === 401) return new ProviderError('credentials_refused', { provider })
  if (status === 403) return new ProviderError('scope_missing', { provider, details: { scopes: scopesOf(headers, secrets) } })
  if (status === 404 || status === 410) return new ProviderError('not_found', { provider, details: { what } })
  if (status === 409 && /repository is empty/i.test(message)) return new ProviderError('not_found', { provider, details: { what: 'branch' } })
  return new ProviderError('refused', { provider, details: { status, provider_message: providerMessage(message, secrets) } })
}

/** When GitHub accepts requests again; null: the refusal is not a rate limit. */
function retryTimeOf({ status, headers, message }: Refusal, now: number): Date | null {
  const isExhausted = headers['x-ratelimit-remaining'] === '0'
  const retryAfter = headers['retry-after']
  const isLimit = status === 429 || (status === 403 && (isExhausted || retryAfter !== undefined || /rate limit|abuse detection/i.test(message)))
  if (!isLimit) return null
  // The reset time is that of the hourly limit, which is not the reason unless it is exhausted.
  const reset = isExhausted ? (headers['x-ratelimit-reset'] ?? null) : null
  return retryTime(retryAfter ?? null, reset, now) ?? new Date(now + UNKNOWN_LIMIT_MS)
}

/** OAuth tokens get the scopes that would be accepted, Apps and fine-grained tokens the permissions (`contents=write; pull_requests=read`). */
function scopesOf(headers: Refusal['headers'], secrets: readonly string[]): string[] {
  const named = headers['x-accepted-github-permissions'] ?? headers['x-accepted-oauth-scopes'] ?? ''
  return withoutSecrets(named, secrets)
    .split(/[,;]/)
    .map((scope) => scope.trim())
    .filter((scope) => /^[\w:=.-]{1,100}$/.test(scope))
    .slice(0, SCOPES_SHOWN)
}

function outboundOf(error: unknown): OutboundError | null {
  if (error instanceof OutboundError) return error
  return error instanceof Error && error.cause instanceof OutboundError ? error.cause : null
}

function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !('status' in error) || !('response' in error)) return null
  const { status, response } = error as { status: number; response?: { headers: Refusal['headers']; data: unknown } }
  return response === undefined ? null : { status, headers: response.headers, message: messageOf(response.data) }
}

function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return ''
  const { message, errors } = body as { message?: unknown; errors?: unknown }
  const each = (Array.isArray(errors) ? errors : [errors]).map((one: unknown) => (typeof one === 'object' && one !== null ? (one as { message?: unknown }).message : one))
  return [message, ...each].filter((text) => typeof text === 'string').join(' ')
}
