/** Signatures, compared with the example of the specification. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { newSigningSecret, signatureHeaders } from '../../../../server/features/webhooks/sign.js'

test('the example of the specification has the signature of the specification', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
  assert.deepEqual(signatureHeaders(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('each secret adds a signature', () => {
  const secrets = [newSigningSecret(), newSigningSecret()]
  const { 'webhook-signature': both } = signatureHeaders({ id: 'a', timestamp: 1, body: '{}' }, secrets)
  const each = secrets.map((secret) => signatureHeaders({ id: 'a', timestamp: 1, body: '{}' }, [secret])['webhook-signature'])
  assert.equal(both, each.join(' '))
  assert.notEqual(each[0], each[1])
})

test('secrets are random and have 32 bytes', () => {
  const secrets = Array.from({ length: 100 }, newSigningSecret)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
  assert.equal(new Set(secrets).size, secrets.length)
})
