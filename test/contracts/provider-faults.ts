/** How external providers fail, each as an HTTP client that always does so, with the error of the API that it has to become. */
import assert from 'node:assert/strict'
import type { ApiError } from '../../server/core/errors.js'
import { type HttpClient, OUTBOUND_FAILURES, OutboundError, type OutboundFailure, type OutboundResponse } from '../../server/core/egress/client.js'
import { ProviderError, type ProviderFailure } from '../../server/core/egress/provider-error.js'

export interface Fault {
  readonly name: string
  /** An answer that a call whose answer has nothing to read may take for done. */
  readonly isShape?: true
  /** What the client does. */
  readonly answer: (secret: string) => OutboundResponse | OutboundFailure
  check(error: ApiError, now: number): void
}

const RETRY_AFTER_SECONDS = 30

export const FAULTS: readonly Fault[] = [
  ...OUTBOUND_FAILURES.filter((failure) => failure !== 'target_refused' && failure !== 'answer_too_large').map((failure) => ({
    name: `no answer (${failure})`,
    answer: () => failure,
    check: (error: ApiError) => {
      assert.equal(error.reason, 'provider_unavailable')
      assert.equal(error.details.failure, failure)
    },
  })),
  { name: 'a private address', answer: () => 'target_refused', check: (error) => assert.equal(error.reason, 'target_refused') },
  { name: 'an endless answer', answer: () => 'answer_too_large', check: expecting('too_large') },
  { name: '401', answer: status(401, '{"message":"Bad credentials"}'), check: expecting('credentials_refused') },
  { name: '403', answer: status(403, '{"message":"Forbidden"}'), check: expecting('scope_missing') },
  { name: '404', answer: status(404, '{"message":"Not Found"}'), check: expecting('not_found') },
  {
    name: '418, with the credential in the answer',
    answer: (secret) => response(418, JSON.stringify({ message: `short and stout\u0007 ${secret}` })),
    check: (error) => {
      assert.equal(error.reason, 'provider_refused')
      assert.equal(error.details.status, 418)
      assert.doesNotMatch(String(error.details.provider_message), /\p{Cc}/u)
    },
  },
  {
    name: `429 with Retry-After`,
    answer: () => response(429, '{"message":"Too many requests"}', { 'retry-after': String(RETRY_AFTER_SECONDS) }),
    check: (error, now) => {
      assert.ok(error instanceof ProviderError, `${error}`)
      assert.equal(error.failure, 'rate_limited')
      assert.equal(error.retryAt?.getTime(), now + RETRY_AFTER_SECONDS * 1000)
      assert.equal(error.headers['Retry-After'], String(RETRY_AFTER_SECONDS))
    },
  },
  { name: '429 without Retry-After', answer: status(429, 'slow down'), check: expecting('rate_limited') },
  ...[500, 502, 503, 504].map((code) => ({ name: String(code), answer: status(code, '<html>error</html>'), check: expecting('unavailable') })),
  ...[301, 302, 307, 308].map((code) => ({
    name: `redirect (${code}) to a private address`,
    answer: () => response(code, '', { location: 'http://169.254.169.254/latest/meta-data' }),
    check: expecting('redirect_refused'),
  })),
  {
    name: 'a page instead of an answer',
    isShape: true,
    answer: () => response(200, '<!doctype html><title>Welcome</title>', { 'content-type': 'text/html' }),
    check: expecting('unavailable'),
  },
  { name: 'half an answer', isShape: true, answer: status(200, '[{"name":"ma'), check: expecting('unavailable') },
  { name: 'an empty answer', isShape: true, answer: status(200, ''), check: expecting('unavailable') },
  { name: 'an answer of another shape', isShape: true, answer: status(200, '{"unexpected":[1,null,{"deep":true}]}'), check: expecting('unavailable') },
  { name: 'null', isShape: true, answer: status(200, 'null'), check: expecting('unavailable') },
  { name: 'a list of nothing', isShape: true, answer: status(200, '[null,1,"x",[]]'), check: expecting('unavailable') },
]

/** A client that always fails in that way. */
export function failing({ answer }: Fault, secret: string): Pick<HttpClient, 'send'> {
  return {
    async send() {
      const given = answer(secret)
      if (typeof given === 'string') throw new OutboundError(given)
      return given
    },
  }
}

function response(code: number, body: string, headers: Readonly<Record<string, string>> = {}): OutboundResponse {
  return { status: code, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) }
}

function status(code: number, body: string): () => OutboundResponse {
  return () => response(code, body)
}

function expecting(failure: ProviderFailure): (error: ApiError) => void {
  return (error) => assert.equal(error.reason, `provider_${failure}`, JSON.stringify(error.details))
}
