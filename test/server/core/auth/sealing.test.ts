import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { seal, UnsealError, unseal, unsealWithAny } from '../../../../server/core/auth/sealing.js'

const key = randomBytes(32)

test('what was sealed is read again, and looks different every time', () => {
  const sealed = ['whsec_abc', 'whsec_abc', ''].map((text) => seal(key, text, 'webhook:1'))
  assert.deepEqual(
    sealed.map((text) => unseal(key, text, 'webhook:1')),
    ['whsec_abc', 'whsec_abc', ''],
  )
  assert.notEqual(sealed[0], sealed[1])
  assert.ok(!sealed[0].includes('whsec') && !Buffer.from(sealed[0].slice(3), 'base64url').toString('latin1').includes('whsec'))
})

test('another key, another place, a changed byte or something else altogether is refused, and nothing of it is told', () => {
  const sealed = seal(key, 'whsec_abc', 'webhook:1')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  const changed = [...bytes.keys()].map((at) => `v1.${Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))).toString('base64url')}`)
  for (const wrong of [...changed, `v1.${bytes.subarray(0, 27).toString('base64url')}`, sealed.replace('v1', 'v2'), `${sealed}.x`, 'whsec_abc', ''])
    assert.throws(() => unseal(key, wrong, 'webhook:1'), UnsealError)
  assert.throws(() => unseal(randomBytes(32), sealed, 'webhook:1'), UnsealError)
  assert.throws(
    () => unseal(key, sealed, 'webhook:2'),
    (error: Error) => error instanceof UnsealError && !error.message.includes('abc'),
  )
})

test('one of several keys is enough', () => {
  const other = randomBytes(32)
  const sealed = seal(key, 'whsec_abc', 'webhook:1')
  assert.equal(unsealWithAny([other, key], sealed, 'webhook:1'), 'whsec_abc')
  assert.throws(() => unsealWithAny([other], sealed, 'webhook:1'), UnsealError)
  assert.throws(() => unsealWithAny([other, key], sealed, 'webhook:2'), UnsealError)
  assert.throws(() => unsealWithAny([], sealed, 'webhook:1'), UnsealError)
})
