import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before, beforeEach } from 'node:test'
import { ARGON2 } from '../../../../server/core/auth/password.js'
import { requireSameSecret, SECRET_FINGERPRINTS } from '../../../../server/core/auth/secret-fingerprint.js'
import { deriveSecrets, type SecretKeys } from '../../../../server/core/auth/secrets.js'
import { ConfigError } from '../../../../server/core/config.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'

const OLD = 'the old secret, of more than sixteen characters'
const NEW = 'the new secret, of more than sixteen characters'
const folder = mkdtempSync(join(tmpdir(), 'fingerprint-'))
let storage: Storage

before(async () => {
  storage = await openEmbeddedStorage({ directory: join(folder, 'store') })
  await storage.prepare([SECRET_FINGERPRINTS])
})
beforeEach(() => storage.open(SECRET_FINGERPRINTS).deleteMany({}))
after(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const standing = (secret: string, previous: string | null = null, acceptNew = false) =>
  requireSameSecret(storage, deriveSecrets(secret, previous), { hasher: ARGON2, acceptNew, now: () => new Date() })

test('a store takes the first secret, and knows it again', async () => {
  assert.equal(await standing(OLD), 'first')
  assert.equal(await standing(OLD), 'same')
  assert.equal(await standing(OLD, NEW), 'same')
})

test('another secret is refused, until it is accepted, or the stored one is named as the previous', async () => {
  await standing(OLD)
  await assert.rejects(standing(NEW), ConfigError)
  await assert.rejects(standing(NEW, 'neither of the two, but long enough'), ConfigError)
  assert.equal(await standing(NEW, OLD), 'changed')
  assert.equal(await standing(NEW), 'same')
  await assert.rejects(standing(OLD), ConfigError)
  assert.equal(await standing(OLD, null, true), 'accepted')
  assert.equal(await standing(OLD, null, true), 'same')
})

test('of instances that start at once on an empty store all find the same fingerprint', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => standing(OLD)))
  assert.deepEqual([...all].sort(), ['first', 'same', 'same', 'same'])
  assert.equal((await storage.open(SECRET_FINGERPRINTS).find({})).length, 1)
})

test('of two that start at once with different secrets one is refused', async () => {
  const both = await Promise.allSettled([standing(OLD), standing(NEW)])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('what is stored is salted and dear to guess at, and none of the keys is in it', async () => {
  const stored = async (): Promise<string> => (await storage.open(SECRET_FINGERPRINTS).findOne({ _id: 'secret_key' }))?.fingerprint ?? ''
  await standing(OLD)
  const first = await stored()
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const { previous: _, ...keys } = deriveSecrets(OLD)
  for (const key of Object.values(keys satisfies SecretKeys)) for (const form of ['hex', 'base64', 'base64url'] as const) assert.ok(!first.includes(key.toString(form)))
  await storage.open(SECRET_FINGERPRINTS).deleteMany({})
  await standing(OLD)
  assert.notEqual(await stored(), first)
})
