/** Evictions between organizations that share a cache: an organization below half of it loses nothing to others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SharedCache } from '../../../workers/shared/shared-cache.js'

const held = (cache: SharedCache<string>, organization: string, keys: readonly string[]): string => keys.filter((key) => cache.peek(organization, key) !== undefined).join('')

describe('SharedCache', () => {
  it('returns to an organization only its own entries', () => {
    const cache = new SharedCache<string>({ maxSize: 10 })
    cache.set('a', 'k', 'of a', 1)
    assert.equal(cache.get('b', 'k'), undefined)
    cache.set('b', 'k', 'of b', 1)
    assert.deepEqual([cache.get('a', 'k'), cache.get('b', 'k'), cache.bytes, cache.size], ['of a', 'of b', 2, 2])
    assert.equal(cache.delete('b', 'k'), true)
    assert.deepEqual([cache.get('a', 'k'), cache.get('b', 'k'), cache.bytes, cache.size], ['of a', undefined, 1, 1])
  })

  it('lets a single organization use all of it, and evicts the least recently used', () => {
    const evicted: string[] = []
    const cache = new SharedCache<string>({ maxSize: 4, onEvict: (value, key, organization) => evicted.push(`${organization}${key}${value}`) })
    for (const key of 'wxyz') cache.set('a', key, '!', 1)
    assert.equal(cache.get('a', 'w'), '!')
    assert.equal(cache.peek('a', 'x'), '!')
    cache.set('a', 'q', '!', 1)
    assert.equal(held(cache, 'a', [...'wxyzq']), 'wyzq')
    assert.deepEqual(evicted, ['ax!'])
  })

  it('evicts nothing of others for an organization that uses more than half', () => {
    const cache = new SharedCache<string>({ maxSize: 10 })
    for (const key of 'vw') cache.set('quiet', key, key, 2)
    for (let i = 0; i < 100; i++) cache.set('busy', `${i}`, '', 1)
    assert.equal(held(cache, 'quiet', ['v', 'w']), 'vw')
    assert.deepEqual([cache.bytes, cache.size], [10, 8])
    // Others get their half back, entry by entry.
    cache.set('quiet', 'x', 'x', 1)
    assert.equal(held(cache, 'busy', ['94', '95', '96', '97', '98', '99']), '9596979899')
    // From then on the least recently used entry of any organization is evicted.
    cache.set('third', 'y', 'y', 2)
    assert.equal(held(cache, 'quiet', ['v', 'w', 'x']), 'wx')
    assert.equal(cache.bytes, 10)
  })

  it('counts entries like sizes if they have a limit', () => {
    const cache = new SharedCache<string>({ maxSize: 1_000, maxEntries: 4 })
    cache.set('quiet', 'v', 'v', 1)
    cache.set('quiet', 'w', 'w', 1)
    for (let i = 0; i < 100; i++) cache.set('busy', `${i}`, '', 1)
    assert.equal(held(cache, 'quiet', ['v', 'w']), 'vw')
    assert.equal(held(cache, 'busy', ['97', '98', '99']), '9899')
  })

  it('keeps an entry above its size until the next one is added', () => {
    const cache = new SharedCache<string>({ maxSize: 10 })
    cache.set('b', 'small', '', 4)
    cache.set('a', 'huge', '', 1_000)
    assert.deepEqual([held(cache, 'a', ['huge']), held(cache, 'b', ['small']), cache.bytes], ['huge', '', 10])
    cache.set('b', 'small', '', 4)
    assert.deepEqual([held(cache, 'a', ['huge']), held(cache, 'b', ['small']), cache.bytes], ['', 'small', 4])
  })

  it('counts a size that changed, and expires entries', () => {
    let now = 1
    const evicted: string[] = []
    const cache = new SharedCache<string>({ maxSize: 10, ttl: { ms: 100, clock: () => now }, onEvict: (_value, key) => evicted.push(key) })
    cache.set('a', 'k', 'old', 2)
    cache.set('a', 'k', 'new', 7)
    assert.deepEqual([cache.get('a', 'k'), cache.bytes, cache.size], ['new', 7, 1])
    now += 101
    assert.equal(cache.get('a', 'k'), undefined)
    assert.deepEqual([cache.bytes, cache.size, evicted], [0, 0, []])
    cache.set('a', 'k', 'again', 1)
    assert.equal(cache.get('a', 'k'), 'again')
  })

  it('keeps new entries when it is full of expired ones', () => {
    let now = 0
    const evicted: string[] = []
    const cache = new SharedCache<string>({ maxSize: 1_000, maxEntries: 8, ttl: { ms: 100, clock: () => now }, onEvict: (_value, key) => evicted.push(key) })
    const fill = (organizations: string): void => {
      for (const key of 'wxyz') for (const organization of organizations) cache.set(organization, key, key, 1)
    }
    fill('ab')
    assert.deepEqual([cache.size, cache.bytes], [8, 8])
    now = 101
    assert.equal(cache.peek('a', 'w'), undefined)
    assert.equal(cache.delete('a', 'w'), false)
    assert.deepEqual([...cache.values()], [])
    assert.deepEqual([cache.size, cache.bytes], [0, 0])
    fill('ab')
    now = 250
    fill('c')
    assert.equal(held(cache, 'c', [...'wxyz']), 'wxyz')
    assert.deepEqual([cache.size, evicted], [4, []])
    // Entries that were read lately are evicted like others, without a word when they have expired.
    now = 300
    for (const key of 'wxyz') cache.get('c', key)
    cache.set('d', 'w', 'w', 1)
    now = 351
    fill('de')
    assert.equal(held(cache, 'e', [...'wxyz']) + held(cache, 'd', [...'wxyz']), 'wxyzwxyz')
    assert.deepEqual([cache.size, evicted], [8, []])
  })
})
