import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { formatKey, hashesMatch, hashKeySecret, newKeySecret, newPublicId, parseKey } from '../../../../server/core/auth/api-keys.js'

const KEY = randomBytes(32)

test('a key is svk_, 8 characters to find it, 32 that are secret', () => {
  const parts = { publicId: newPublicId(), secret: newKeySecret() }
  const key = formatKey(parts)
  assert.match(key, /^svk_[0-9A-Za-z]{40}$/)
  assert.equal(parts.publicId.length, 8)
  assert.equal(parts.secret.length, 32)
  assert.deepEqual(parseKey(key), parts)
})

test('what has another shape is no key', () => {
  const key = formatKey({ publicId: 'a'.repeat(8), secret: 'b'.repeat(32) })
  for (const text of ['', 'svk_', key.slice(0, -1), `${key}c`, `${key}\n`, ` ${key}`, key.replace('svk_', 'SVK_'), key.replace('b', '-'), key.replace('b', 'é')])
    assert.equal(parseKey(text), null, text)
})

test('every letter is as likely as every other', () => {
  const counts = new Map<string, number>()
  for (let at = 0; at < 4000; at++) for (const letter of newKeySecret()) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const expected = (4000 * 32) / 62
  assert.equal(counts.size, 62)
  // Ten standard deviations; a remainder of 256 would make the first letters a fifth likelier, which is nine.
  for (const [letter, count] of counts) assert.ok(Math.abs(count - expected) < 10 * Math.sqrt(expected) * 0.8, `${letter}: ${count}`)
})

test('the stored hash depends on the key of the instance and on both parts', () => {
  const parts = { publicId: 'aaaaaaaa', secret: 'b'.repeat(32) }
  const hash = hashKeySecret(KEY, parts)
  assert.equal(hashKeySecret(KEY, parts), hash)
  assert.ok(!hash.includes('bbbb'))
  for (const other of [hashKeySecret(randomBytes(32), parts), hashKeySecret(KEY, { ...parts, publicId: 'aaaaaaab' }), hashKeySecret(KEY, { ...parts, secret: 'c'.repeat(32) })]) {
    assert.equal(hashesMatch(hash, other), false)
  }
  assert.equal(hashesMatch(hash, hash), true)
  assert.equal(hashesMatch(hash, hash.slice(1)), false)
})
