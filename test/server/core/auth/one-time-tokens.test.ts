import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { hashToken, invitationToken, newToken } from '../../../../server/core/auth/one-time-tokens.js'

const KEY = randomBytes(32)

test('a token has 256 bits, and no two are alike', () => {
  const tokens = new Set(Array.from({ length: 1000 }, newToken))
  assert.equal(tokens.size, 1000)
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{43}$/)
})

test('the hash of one kind of token is never that of another', () => {
  const token = newToken()
  assert.notEqual(hashToken(KEY, 'invitation', token), hashToken(KEY, 'password-reset', token))
  assert.notEqual(hashToken(KEY, 'invitation', token), hashToken(randomBytes(32), 'invitation', token))
})

test('an invitation has one token, which nobody makes without the key', () => {
  const token = invitationToken(KEY, 'invitation-1')
  assert.match(token, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(invitationToken(KEY, 'invitation-1'), token)
  assert.notEqual(invitationToken(KEY, 'invitation-2'), token)
  assert.notEqual(invitationToken(randomBytes(32), 'invitation-1'), token)
})
