/**
 * API keys: `svk_`, 8 characters by which the key is found and shown, 32 that are the secret. Of the secret only a keyed hash is stored; it has 190 bits,
 * so a fast hash is enough.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const KEY_PREFIX = 'svk_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PUBLIC_CHARACTERS = 8
const SECRET_CHARACTERS = 32
/** The largest multiple of the alphabet's length in a byte: bytes from there on would make the first letters likelier. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)
const SHAPE = new RegExp(`^${KEY_PREFIX}([0-9A-Za-z]{${PUBLIC_CHARACTERS}})([0-9A-Za-z]{${SECRET_CHARACTERS}})$`)

/** A key in its parts. */
export interface KeyParts {
  readonly publicId: string
  readonly secret: string
}

/** A new public id, by which a key is found. Another key may have it: the store says so. */
export function newPublicId(): string {
  return randomText(PUBLIC_CHARACTERS)
}

export function newKeySecret(): string {
  return randomText(SECRET_CHARACTERS)
}

/** The key as its owner gets it, once. */
export function formatKey({ publicId, secret }: KeyParts): string {
  return `${KEY_PREFIX}${publicId}${secret}`
}

/** Null: no key at all. */
export function parseKey(key: string): KeyParts | null {
  const match = SHAPE.exec(key)
  return match === null ? null : { publicId: match[1], secret: match[2] }
}

/** What is stored of a key's secret. */
export function hashKeySecret(hashKey: Buffer, { publicId, secret }: KeyParts): string {
  return createHmac('sha256', hashKey).update(`api-key\0${publicId}\0${secret}`).digest('base64url')
}

/** Takes the same time wherever the hashes differ. */
export function hashesMatch(one: string, other: string): boolean {
  const left = Buffer.from(one)
  const right = Buffer.from(other)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Every letter is as likely as every other. */
function randomText(characters: number): string {
  let text = ''
  while (text.length < characters) for (const byte of randomBytes(characters)) if (byte < FAIR_BYTES && text.length < characters) text += ALPHABET[byte % ALPHABET.length]
  return text
}
