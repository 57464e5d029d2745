/**
 * What the library refuses, as failures of a provider. Errors of the library are never a cause: they have tokens, claims and responses in them. The library tells
 * by codes and by the names of claims; texts of its messages are not read.
 */
import {
  AuthorizationResponseError,
  JWT_CLAIM_COMPARISON,
  JWT_TIMESTAMP_CHECK,
  KEY_SELECTION,
  OperationProcessingError,
  PARSE_ERROR,
  RESPONSE_IS_NOT_CONFORM,
  RESPONSE_IS_NOT_JSON,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import { type OidcDetails, OidcError, type TokenCheck } from './oidc-error.js'

/** An error code of OAuth 2.0 (RFC 6749, 5.2): short, and without anything that could be a message or a token. */
const ERROR_CODE = /^[a-z_]{1,64}$/
const CHECKS_OF_CLAIMS: Readonly<Record<string, TokenCheck>> = {
  iss: 'issuer',
  aud: 'audience',
  azp: 'authorized_party',
  nonce: 'nonce',
  exp: 'expired',
  nbf: 'not_yet_valid',
}

/** Errors of the callback: the address to which the provider sent the browser. */
export function callbackFailure(error: unknown): OidcError {
  if (!(error instanceof AuthorizationResponseError)) return new OidcError('response_invalid')
  return error.error === 'access_denied' ? new OidcError('login_canceled') : new OidcError('login_refused', codeOf(error.error))
}

/** Errors of the token endpoint, and of the ID token in its answer. */
export function tokenFailure(error: unknown): OidcError {
  if (error instanceof OidcError) return error
  if (error instanceof WWWAuthenticateChallengeError) return new OidcError('client_refused')
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_client') return new OidcError('client_refused')
    return error.error === 'invalid_grant' ? new OidcError('code_refused') : new OidcError('exchange_refused', codeOf(error.error))
  }
  if (error instanceof UnsupportedOperationError) return new OidcError('token_invalid', { check: 'format' })
  if (error instanceof OperationProcessingError) {
    const { code, cause } = error
    if (code === RESPONSE_IS_NOT_CONFORM || code === RESPONSE_IS_NOT_JSON) return new OidcError('answer_invalid', { endpoint: 'token', ...statusOf(cause) })
    if (code === JWT_CLAIM_COMPARISON || code === JWT_TIMESTAMP_CHECK) return new OidcError('token_invalid', { check: CHECKS_OF_CLAIMS[fieldOf(cause, 'claim')] ?? 'claims' })
    if (code === PARSE_ERROR) return new OidcError('token_invalid', { check: 'format' })
    if (has(cause, 'body')) return new OidcError('answer_invalid', { endpoint: 'token' })
    if (has(cause, 'header')) return new OidcError('token_invalid', { check: 'algorithm' })
    return new OidcError('token_invalid', { check: has(cause, 'claims') ? 'claims' : 'format' })
  }
  return new OidcError('answer_invalid', { endpoint: 'token' })
}

/** Errors of the check of a signature, and of the keys that it needs. */
export function signatureFailure(error: unknown): OidcError {
  if (error instanceof OidcError) return error
  if (!(error instanceof OperationProcessingError)) return new OidcError('token_invalid', { check: 'key' })
  const { code, cause } = error
  if (code === KEY_SELECTION) return new OidcError('token_invalid', { check: 'key' })
  return has(cause, 'signature') ? new OidcError('token_invalid', { check: 'signature' }) : new OidcError('answer_invalid', { endpoint: 'jwks', ...statusOf(cause) })
}

/** Errors of userinfo. */
export function userinfoFailure(error: unknown): OidcError {
  if (error instanceof OidcError) return error
  const isStatus = error instanceof OperationProcessingError && error.code === RESPONSE_IS_NOT_CONFORM
  return isStatus ? new OidcError('answer_invalid', { endpoint: 'userinfo', ...statusOf(error.cause) }) : new OidcError('userinfo_invalid')
}

function codeOf(error: string): OidcDetails {
  return ERROR_CODE.test(error) ? { error } : {}
}

function statusOf(cause: unknown): OidcDetails {
  return cause instanceof Response ? { status: cause.status } : {}
}

function fieldOf(cause: unknown, field: string): string {
  return has(cause, field) ? String((cause as Readonly<Record<string, unknown>>)[field]) : ''
}

function has(cause: unknown, field: string): boolean {
  return typeof cause === 'object' && cause !== null && field in cause
}
