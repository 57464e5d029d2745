/**
 * Failures of an OpenID provider, and of what it says, as errors of the API. Invariant: text, details and cause hold no secret, code, token or claim, and nothing
 * that the provider sent but error codes of OAuth 2.0, an issuer and status codes.
 */
import { ApiError, type ErrorReason } from '../../../core/errors.js'

export const OIDC_FAILURES = [
  /** No answer, or a 5xx. `details.endpoint`, and `details.failure` or `details.status`. */
  'unreachable',
  /** `details.endpoint`. */
  'too_large',
  /** Another status than expected, no JSON, or a field is missing or wrong. `details.endpoint`, and `details.status` or `details.field`. */
  'answer_invalid',
  /** The metadata is of another issuer. `details.expected`, `details.found`. */
  'issuer_mismatch',
  /** An endpoint of the metadata is not `https:`. `details.field`: its name there. */
  'endpoint_insecure',
  /** The provider announces neither the method of client authentication nor a signature that this service uses. `details.field`. */
  'unsupported',
  /** The provider ended the login with an error. `details.error`: its OAuth 2.0 code. */
  'login_refused',
  /** The user ended the login at the provider. */
  'login_canceled',
  /** The callback has another state or another issuer (RFC 9207), or no code (`details.field`). */
  'response_invalid',
  /** The provider refuses the client id or its secret. */
  'client_refused',
  /** The code is used, expired, or of another login. */
  'code_refused',
  /** Any other error of the token endpoint. `details.error`. */
  'exchange_refused',
  /** The ID token fails a check. `details.check`: one of `TOKEN_CHECKS`. */
  'token_invalid',
  /** The tenant of the user is not one of `tenant_ids`. */
  'tenant_refused',
  /** A required claim is missing or has another value. `details.claim`. */
  'claim_refused',
  /** Userinfo speaks of another subject than the token, or refuses the token. */
  'userinfo_invalid',
] as const
export type OidcFailure = (typeof OIDC_FAILURES)[number]

/** Checks of an ID token, by the name that `details.check` has. */
export const TOKEN_CHECKS = ['format', 'algorithm', 'key', 'signature', 'issuer', 'audience', 'authorized_party', 'nonce', 'expired', 'not_yet_valid', 'claims'] as const
export type TokenCheck = (typeof TOKEN_CHECKS)[number]

/** The endpoint that has answered. */
export type OidcEndpoint = 'discovery' | 'authorization' | 'token' | 'jwks' | 'userinfo'

export interface OidcDetails {
  readonly endpoint?: OidcEndpoint
  readonly failure?: string
  readonly status?: number
  readonly field?: string
  readonly expected?: string
  readonly found?: string
  readonly error?: string
  readonly check?: TokenCheck
  readonly claim?: string
}

/** `reason` is `oidc_` and the failure. A private address is `target_refused`, as everywhere. */
export class OidcError extends ApiError {
  readonly failure: OidcFailure | 'target_refused'
  declare readonly details: OidcDetails & Readonly<Record<string, unknown>>

  constructor(failure: OidcFailure | 'target_refused', details: OidcDetails = {}, cause?: unknown) {
    super(failure === 'target_refused' ? failure : (`oidc_${failure}` satisfies ErrorReason), { details: { ...details }, cause })
    this.failure = failure
  }
}
