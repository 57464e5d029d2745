import assert from 'node:assert/strict'
import test from 'node:test'
import { IdentityCache, type Reading } from '../../../server/auth/identity-cache.js'
import type { ApiKeyPrincipal } from '../../../server/auth/principal.js'

const principal = (keyId: string): ApiKeyPrincipal => ({ kind: 'api_key', keyId, name: keyId, ownerId: null, organizationId: 'o', scopes: [], permissions: new Set() })

class Clock {
  now = 1_000_000
  readonly read = (): number => this.now
}

/** A cache, and readings that the test finishes. */
function setUp() {
  const clock = new Clock()
  const cache = new IdentityCache(clock.read, clock.read)
  const readings: { resolve: (reading: Reading) => void; reject: (error: Error) => void }[] = []
  const read = (): Promise<Reading> => new Promise((resolve, reject) => readings.push({ resolve, reject }))
  const quick =
    (keyId: string, expiresAt: number | null = null) =>
    async (): Promise<Reading> => ({ principal: principal(keyId), expiresAt })
  return { clock, cache, readings, read, quick }
}

test('what was read is fresh for less than a second, from when the reading began', async () => {
  const { clock, cache, readings, read, quick } = setUp()
  const first = cache.find('k', read)
  clock.now += 500
  readings[0].resolve({ principal: principal('first'), expiresAt: null })
  assert.deepEqual(await first, principal('first'))
  assert.deepEqual(await cache.find('k', quick('second')), principal('first'))
  clock.now += 250
  assert.deepEqual(await cache.find('k', quick('second')), principal('second'))
})

test('many who ask at once share one reading', async () => {
  const { cache, readings, read } = setUp()
  const all = [cache.find('k', read), cache.find('k', read), cache.find('k', read)]
  assert.equal(readings.length, 1)
  readings[0].resolve({ principal: principal('one'), expiresAt: null })
  for (const found of await Promise.all(all)) assert.deepEqual(found, principal('one'))
})

test('what is asked after forgetting is read after forgetting, also while a reading is under way', async () => {
  const { cache, readings, read, quick } = setUp()
  const before = cache.find('k', read)
  cache.forget({ key: 'before' })
  assert.deepEqual(await cache.find('k', quick('after')), principal('after'))
  readings[0].resolve({ principal: principal('before'), expiresAt: null })
  await before
  assert.deepEqual(await cache.find('k', quick('later')), principal('after'))
  cache.forget({ key: 'after' })
  assert.deepEqual(await cache.find('k', quick('later')), principal('later'))
})

test('a late reading from before forgetting is not kept', async () => {
  const { cache, readings, read, quick } = setUp()
  const before = cache.find('k', read)
  cache.forget({ key: 'before' })
  readings[0].resolve({ principal: principal('before'), expiresAt: null })
  assert.deepEqual(await before, principal('before'))
  assert.deepEqual(await cache.find('k', quick('after')), principal('after'))
})

test('nothing outlives its own end', async () => {
  const { clock, cache, quick } = setUp()
  await cache.find('k', quick('first', clock.now + 100))
  clock.now += 99
  assert.deepEqual(await cache.find('k', quick('second')), principal('first'))
  clock.now += 1
  assert.deepEqual(await cache.find('k', quick('second')), principal('second'))
})

test('a refusal is not remembered', async () => {
  const { cache, readings, read, quick } = setUp()
  const first = cache.find('k', read)
  readings[0].reject(new Error('no'))
  await assert.rejects(first, /no/)
  assert.deepEqual(await cache.find('k', quick('second')), principal('second'))
})

test('a change concerns those it is about, and nobody else', async () => {
  const { cache, quick } = setUp()
  await cache.find('k', quick('first'))
  for (const other of [{ key: 'second' }, { user: 'first' }, { organization: 'p' }]) {
    cache.forget(other)
    assert.deepEqual(await cache.find('k', quick('later')), principal('first'))
  }
  cache.forget({ organization: 'o' })
  assert.deepEqual(await cache.find('k', quick('later')), principal('later'))
})

test('so many changes that they are not remembered one by one end everything', async () => {
  const { cache, quick } = setUp()
  await cache.find('k', quick('first'))
  cache.forget({ key: 'first' })
  for (let at = 0; at < 10_000; at++) cache.forget({ key: `other ${at}` })
  assert.deepEqual(await cache.find('k', quick('later')), principal('later'))
})
