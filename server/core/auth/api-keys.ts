/**
 * API keys: `svk_`, 8 public characters that identify the key, 32 secret characters. Only a keyed hash of the secret is stored. The secret has 190 bits, so a
 * fast hash is enough.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const KEY_PREFIX = 'svk_'
/** Prefix of tokens for provisioning, which have the same parts as keys. */
export const SCIM_TOKEN_PREFIX = 'scim_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PUBLIC_CHARACTERS = 8
const SECRET_CHARACTERS = 32
/** Bytes from here on are discarded: they would make the first letters of the alphabet more likely. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)
const SHAPE = new RegExp(`^(${KEY_PREFIX}|${SCIM_TOKEN_PREFIX})([0-9A-Za-z]{${PUBLIC_CHARACTERS}})([0-9A-Za-z]{${SECRET_CHARACTERS}})$`)

export type KeyPrefix = typeof KEY_PREFIX | typeof SCIM_TOKEN_PREFIX
const PURPOSES: Readonly<Record<KeyPrefix, string>> = { [KEY_PREFIX]: 'api-key', [SCIM_TOKEN_PREFIX]: 'scim-token' }

/** The parts of a key. */
export interface KeyParts {
  readonly publicId: string
  readonly secret: string
}

/** A new random public id. It may already exist; the unique index of the store detects that. */
export function newPublicId(): string {
  return randomText(PUBLIC_CHARACTERS)
}

export function newKeySecret(): string {
  return randomText(SECRET_CHARACTERS)
}

/** The complete key or token, which its owner sees once. */
export function formatKey({ publicId, secret }: KeyParts, prefix: KeyPrefix = KEY_PREFIX): string {
  return `${prefix}${publicId}${secret}`
}

/** Null: not in the format of a key or token with this prefix. */
export function parseKey(key: string, prefix: KeyPrefix = KEY_PREFIX): KeyParts | null {
  const match = SHAPE.exec(key)
  return match === null || match[1] !== prefix ? null : { publicId: match[2], secret: match[3] }
}

/** The keyed hash of a secret, as stored. The hash of a token is never valid as the hash of a key. */
export function hashKeySecret(hashKey: Buffer, { publicId, secret }: KeyParts, prefix: KeyPrefix = KEY_PREFIX): string {
  return createHmac('sha256', hashKey).update(`${PURPOSES[prefix]}\0${publicId}\0${secret}`).digest('base64url')
}

/** Compares in constant time. */
export function hashesMatch(one: string, other: string): boolean {
  const left = Buffer.from(one)
  const right = Buffer.from(other)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Random text with evenly distributed letters. */
function randomText(characters: number): string {
  let text = ''
  while (text.length < characters) for (const byte of randomBytes(characters)) if (byte < FAIR_BYTES && text.length < characters) text += ALPHABET[byte % ALPHABET.length]
  return text
}
