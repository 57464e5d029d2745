/** JSON Web Tokens that tests sign by their own code, so that the service is not compared with its own library. */
import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto'

export type Claims = Readonly<Record<string, unknown>>

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  /** With the private part, for the provider. */
  readonly jwk: JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: string }
}

/** `none`: not signed. `HS256`: with a text as the secret. */
export type Signature =
  | { readonly alg: 'RS256'; readonly key: SigningKey }
  | { readonly alg: 'HS256'; readonly secret: string | Buffer; readonly kid?: string }
  | { readonly alg: 'none' }

/** Keys of providers that have ended. Making one takes a quarter of a second, which was a tenth of the time of the tests that sign in. */
const released: KeyObject[] = []

/** A key that no other provider has now. */
export function newSigningKey(kid: string = randomUUID()): SigningKey {
  const privateKey = released.pop() ?? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  return { kid, privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } }
}

/** Nobody signs with the key any more. */
export function releaseKey({ privateKey }: SigningKey): void {
  released.push(privateKey)
}

/** The public half of a key, as the provider publishes it. */
export function publicJwk({ jwk: { kty, n, e, kid, alg, use } }: SigningKey): JsonWebKey & { readonly kid: string } {
  return { kty, n, e, kid, alg, use } as JsonWebKey & { readonly kid: string }
}

/** Forms in which a careless verifier takes a public key as the secret of `HS256`. */
export function publicKeyTexts({ privateKey }: SigningKey): readonly (string | Buffer)[] {
  const key = createPublicKey(privateKey)
  const pem = key.export({ type: 'spki', format: 'pem' }) as string
  return [pem, pem.trimEnd(), key.export({ type: 'spki', format: 'der' }), key.export({ type: 'pkcs1', format: 'pem' }) as string, JSON.stringify(key.export({ format: 'jwk' }))]
}

export function signToken(claims: Claims, signature: Signature, header: Claims = {}): string {
  const kid = signature.alg === 'RS256' ? signature.key.kid : signature.alg === 'HS256' ? signature.kid : undefined
  const text = [{ alg: signature.alg, ...(kid === undefined ? {} : { kid }), ...header }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${signed(text, signature).toString('base64url')}`
}

function signed(text: string, signature: Signature): Buffer {
  if (signature.alg === 'none') return Buffer.alloc(0)
  if (signature.alg === 'HS256') return createHmac('sha256', signature.secret).update(text).digest()
  return sign('sha256', Buffer.from(text), signature.key.privateKey)
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString('utf8')) as Claims
}
