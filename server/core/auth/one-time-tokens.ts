/**
 * Tokens that are used once: mailed ones, challenges of logins, and states of logins at identity providers. They have 256 bits, so a fast keyed hash is safe, and only that hash is stored. An invitation's token is derived from
 * its id: members who may invite see it again in the list, although the database contains no usable token.
 */
import { createHmac, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** Purpose of a token. The hash depends on it, so a token of one kind is never valid as another. */
export type TokenKind = 'invitation' | 'password-reset' | 'login-challenge' | 'sso-state' | 'sso-browser' | 'sso-nonce' | 'sso-verifier'

/** A new random token. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** The keyed hash by which a token is stored and found. */
export function hashToken(hashKey: Buffer, kind: TokenKind, token: string): string {
  return createHmac('sha256', hashKey).update(`${kind}\0${token}`).digest('base64url')
}

/** The token of an invitation. Without the key it can't be distinguished from random bytes. */
export function invitationToken(invitationKey: Buffer, invitationId: string): string {
  return createHmac('sha256', invitationKey).update(invitationId).digest('base64url')
}
