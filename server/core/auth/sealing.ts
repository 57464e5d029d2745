/**
 * Encryption of stored secrets that must be readable again (signing secrets, credentials of other services): AES-256-GCM with a key derived for the purpose. A
 * sealed text is bound to its place of storage, so an attacker with write access to the database can't move it elsewhere.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** Version of the format. A new format gets a new name, and this one stays readable. */
const VERSION = 'v1'
/** NIST SP 800-38D, 8.2.2: up to 2^32 random nonces are safe with one key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The text was sealed with another key or for another place, or was modified. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
}

/** @param key 32 bytes @param place identifier of the place of storage: `webhook:<id>` */
export function seal(key: Buffer, text: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

/** Decrypts a text that was sealed with one of the keys. @throws UnsealError */
export function unsealWithAny(keys: readonly Buffer[], sealed: string, place: string): string {
  for (const [index, key] of keys.entries()) {
    try {
      return unseal(key, sealed, place)
    } catch (error) {
      if (!(error instanceof UnsealError) || index === keys.length - 1) throw error
    }
  }
  throw new UnsealError('no key can decrypt the sealed text')
}

/** Decrypts a sealed text. @throws UnsealError */
export function unseal(key: Buffer, sealed: string, place: string): string {
  const [version, content, ...rest] = sealed.split('.')
  const bytes = Buffer.from(content ?? '', 'base64url')
  if (version !== VERSION || rest.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) throw new UnsealError('not a sealed text')
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (error) {
    throw new UnsealError('the text was sealed with another key or for another place', { cause: error })
  }
}
