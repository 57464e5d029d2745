/**
 * Tokens that are sent by mail and used once. 256 bits, so that a fast keyed hash of them is safe to store, and nothing but that hash is. An invitation's
 * token is made of its id: those who may invite see it again in the list, and still nothing that opens anything is in the database.
 */
import { createHmac, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** What a token is for; the hash of one kind is never that of another. */
export type TokenKind = 'invitation' | 'password-reset'

/** A token that nobody can guess. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** What is stored of a token, and by which it is found. */
export function hashToken(hashKey: Buffer, kind: TokenKind, token: string): string {
  return createHmac('sha256', hashKey).update(`${kind}\0${token}`).digest('base64url')
}

/** The token of the invitation with that id: without the key it can't be told from random bytes. */
export function invitationToken(invitationKey: Buffer, invitationId: string): string {
  return createHmac('sha256', invitationKey).update(invitationId).digest('base64url')
}
