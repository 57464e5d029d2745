import assert from 'node:assert/strict'
import test from 'node:test'
import { IdentityCache, type Reading } from '../../../../server/core/auth/identity-cache.js'
import { sliceOf } from '../../../../server/core/auth/identity-changes.js'
import type { ApiKeyPrincipal } from '../../../../server/core/auth/principal.js'

const principal = (keyId: string): ApiKeyPrincipal => ({
  kind: 'api_key',
  keyId,
  name: keyId,
  ownerId: null,
  organizationId: 'o',
  expiresAt: null,
  scopes: [],
  permissions: new Set(),
})

class Clock {
  now = 1_000_000
  readonly read = (): number => this.now
}

/** A cache, and readings that the test finishes. */
function setUp() {
  const clock = new Clock()
  const cache = new IdentityCache(clock.read, clock.read, () => 0)
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

test('what a look has confirmed stays fresh, for as long as looks go on', async () => {
  const { clock, cache, quick } = setUp()
  await cache.find('k', quick('first'))
  for (let look = 0; look < 10; look++) {
    clock.now += 700
    cache.confirm(clock.now, [])
    assert.deepEqual(await cache.find('k', quick('second')), principal('first'), `after look ${look}`)
  }
  clock.now += 750
  assert.deepEqual(await cache.find('k', quick('second')), principal('second'), 'and no longer than that after the last')
})

test('nothing is kept for more than ten seconds, however quiet it is', async () => {
  const { clock, cache, quick } = setUp()
  await cache.find('k', quick('first'))
  clock.now += 9_999
  cache.confirm(clock.now, [])
  assert.deepEqual(await cache.find('k', quick('second')), principal('first'))
  clock.now += 1
  cache.confirm(clock.now, [])
  assert.deepEqual(await cache.find('k', quick('second')), principal('second'))
})

test('a look ends those in whose slice something changed, and nobody else', async () => {
  const { clock, cache, quick } = setUp()
  const other = Array.from({ length: 1000 }, (_, n) => `k${n}`).find((key) => ![sliceOf('key:first'), sliceOf('o')].includes(sliceOf(`key:${key}`)))!
  await cache.find('k', quick('first'))
  cache.confirm(clock.now, [sliceOf(`key:${other}`)])
  assert.deepEqual(await cache.find('k', quick('second')), principal('first'))
  cache.confirm(clock.now, [sliceOf('key:first')])
  assert.deepEqual(await cache.find('k', quick('second')), principal('second'))
  cache.confirm(clock.now, [sliceOf('o')])
  assert.deepEqual(await cache.find('k', quick('third')), principal('third'), 'by the organization')
  cache.confirm(clock.now, null)
  assert.deepEqual(await cache.find('k', quick('fourth')), principal('fourth'), 'when nobody knows')
})

test('a reading under way while a look finds a change is not kept', async () => {
  const { clock, cache, readings, read, quick } = setUp()
  const before = cache.find('k', read)
  cache.confirm(clock.now, [sliceOf('key:before')])
  readings[0].resolve({ principal: principal('before'), expiresAt: null })
  await before
  assert.deepEqual(await cache.find('k', quick('after')), principal('after'))
})

test('those who came together come back one by one', async () => {
  const clock = new Clock()
  const cache = new IdentityCache(clock.read, clock.read)
  let readings = 0
  const ask = (key: string) =>
    cache.find(key, async () => {
      readings += 1
      return { principal: principal(key), expiresAt: null }
    })
  const keys = Array.from({ length: 1000 }, (_, n) => `k${n}`)
  for (const key of keys) await ask(key)
  const perSecond: number[] = []
  for (let second = 0; second < 10; second++) {
    readings = 0
    clock.now += 1000
    cache.confirm(clock.now, [])
    for (const key of keys) await ask(key)
    perSecond.push(readings)
  }
  assert.deepEqual(perSecond.slice(0, 4), [0, 0, 0, 0])
  assert.ok(Math.max(...perSecond) < 400, perSecond.join(' '))
})
