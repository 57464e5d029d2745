import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import test from 'node:test'
import jwt from 'jsonwebtoken'
import { AccessTokens, AUDIENCE, ISSUER } from '../../../../server/core/auth/tokens.js'

const KEY = randomBytes(32)
const NOW = Date.parse('2026-01-02T03:04:05Z')
const tokens = new AccessTokens(KEY, () => NOW)
const CLAIMS = { userId: 'user-1', sessionId: 'session-1', organizationId: 'org-1', issuedAt: new Date(NOW), expiresAt: new Date(NOW + 3600_000) }
const PAYLOAD = { sub: 'user-1', jti: 'session-1', org: 'org-1', iat: NOW / 1000, exp: NOW / 1000 + 3600, iss: ISSUER, aud: AUDIENCE }

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Without `iat` where the payload has none. */
const sign = (payload: object, key: Buffer | string = KEY): string => jwt.sign(payload, key, { algorithm: 'HS256', noTimestamp: !('iat' in payload) })

test('what is signed is read again, and says just what the contract names', () => {
  const token = tokens.sign(CLAIMS)
  assert.deepEqual(tokens.verify(token), CLAIMS)
  assert.deepEqual(jwt.decode(token, { complete: true })?.header, { alg: 'HS256', typ: 'JWT' })
  assert.deepEqual(jwt.decode(token), PAYLOAD)
  assert.equal(tokens.verify(tokens.sign({ ...CLAIMS, organizationId: null }))?.organizationId, null)
})

test('no other algorithm is taken', () => {
  const none = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(PAYLOAD)}.`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  assert.equal(tokens.verify(none), null)
  assert.equal(tokens.verify(`${encode({ alg: 'NONE' })}.${encode(PAYLOAD)}.`), null)
  assert.equal(tokens.verify(jwt.sign(PAYLOAD, KEY, { algorithm: 'HS512' })), null)
  assert.equal(tokens.verify(jwt.sign(PAYLOAD, privateKey, { algorithm: 'RS256' })), null)
})

test('no other key is taken, and no change of a signed token', () => {
  assert.equal(tokens.verify(sign(PAYLOAD, randomBytes(32))), null)
  assert.notEqual(tokens.verify(sign(PAYLOAD)), null)
  const [header, payload, signature] = sign(PAYLOAD).split('.')
  assert.equal(tokens.verify(`${header}.${encode({ ...PAYLOAD, sub: 'user-2' })}.${signature}`), null)
  assert.equal(tokens.verify(`${header}.${payload}.`), null)
  assert.equal(tokens.verify(`${header}.${payload}`), null)
})

test('what is signed right and says something else is refused', () => {
  const wrong: object[] = [
    { ...PAYLOAD, exp: NOW / 1000 },
    { ...PAYLOAD, exp: NOW / 1000 - 1 },
    { ...PAYLOAD, aud: 'another service' },
    { ...PAYLOAD, iss: 'another service' },
    { ...PAYLOAD, nbf: NOW / 1000 + 60 },
    { ...PAYLOAD, iat: NOW / 1000 + 61 },
    { ...PAYLOAD, org: 7 },
    { ...PAYLOAD, sub: undefined },
    { ...PAYLOAD, jti: undefined },
    { ...PAYLOAD, exp: undefined },
    { ...PAYLOAD, iat: undefined },
    { ...PAYLOAD, org: undefined },
  ]
  for (const payload of wrong) assert.equal(tokens.verify(sign(JSON.parse(JSON.stringify(payload)))), null, JSON.stringify(payload))
})

test("another instance's clock may be a minute ahead", () => {
  assert.notEqual(tokens.verify(sign({ ...PAYLOAD, iat: NOW / 1000 + 60 })), null)
})

test('what is no token at all is refused, and throws nothing', () => {
  const header = encode({ alg: 'HS256', typ: 'JWT' })
  const signed = (payload: string): string => `${header}.${payload}.${createHmac('sha256', KEY).update(`${header}.${payload}`).digest('base64url')}`
  const text = Buffer.from('no JSON').toString('base64url')
  for (const token of ['', '.', '..', 'a.b.c', `${header}..`, '\0', 'é.é.é', signed(text), signed(encode([])), `${text}.${text}.${text}`, `${sign(PAYLOAD)}${'A'.repeat(5000)}`]) {
    assert.equal(tokens.verify(token), null, token.slice(0, 40))
  }
})

test('a previous key is believed, and signs nothing', () => {
  const next = new AccessTokens(randomBytes(32), () => NOW, [KEY])
  assert.deepEqual(next.verify(tokens.sign(CLAIMS)), CLAIMS)
  assert.deepEqual(next.verify(next.sign(CLAIMS)), CLAIMS)
  assert.equal(tokens.verify(next.sign(CLAIMS)), null)
  assert.equal(next.verify(sign(PAYLOAD, randomBytes(32))), null)
  assert.equal(next.verify(sign({ ...PAYLOAD, exp: NOW / 1000 - 1 })), null)
})
