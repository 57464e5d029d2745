/**
 * API keys: `svk_`, 8 public characters that identify the key, 32 secret characters. Only a keyed hash of the secret is stored. The secret has 190 bits, so a
 * fast hash is enough.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const KEY_PREFIX = 'svk_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PUBLIC_CHARACTERS = 8
const SECRET_CHARACTERS = 32
/** Bytes from here on are discarded: they would make the first letters of the alphabet more likely. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)
const SHAPE = new RegExp(`^${KEY_PREFIX}([0-9A-Za-z]{${PUBLIC_CHARACTERS}})([0-9A-Za-z]{${SECRET_CHARACTERS}})$`)

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

/** The complete key, which its owner sees once. */
export function formatKey({ publicId, secret }: KeyParts): string {
  return `${KEY_PREFIX}${publicId}${secret}`
}

/** Null: not in the format of a key. */
export function parseKey(key: string): KeyParts | null {
  const match = SHAPE.exec(key)
  return match === null ? null : { publicId: match[1], secret: match[2] }
}

/** The keyed hash of a secret, as stored. */
export function hashKeySecret(hashKey: Buffer, { publicId, secret }: KeyParts): string {
  return createHmac('sha256', hashKey).update(`api-key\0${publicId}\0${secret}`).digest('base64url')
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
