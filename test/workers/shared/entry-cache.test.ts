/** Caches with a limit of entries. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { entryCache } from '../../../workers/shared/entry-cache.js'

test('a cache evicts the least recently used entries above its limit', () => {
  const cache = entryCache<number>(3)
  for (const [value, key] of ['a', 'b', 'c'].entries()) cache.set(key, value)
  assert.equal(cache.get('a'), 0)
  cache.set('c', 5)
  cache.set('d', 3)
  assert.deepEqual([...cache.keys()].sort(), ['a', 'c', 'd'])
  assert.equal(cache.size, 3)
  for (let i = 0; i < 1000; i++) cache.set(`more ${i}`, i)
  assert.equal(cache.size, 3)
})

test('entries expire, and setting one again does not prolong it where that is wanted', async (context) => {
  let now = 1_000
  context.mock.method(performance, 'now', () => now)
  /** The cache reads the clock at most once in a millisecond of the real one. */
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds
    await sleep(10)
  }
  const cache = entryCache<number>(10, { ttl: 60, noUpdateTTL: true })
  cache.set('kept', 1)
  await pass(40)
  cache.set('kept', 2)
  assert.equal(cache.get('kept'), 2)
  await pass(40)
  assert.equal(cache.get('kept'), undefined)
  cache.set('kept', 3)
  assert.equal(cache.get('kept'), 3)
})
