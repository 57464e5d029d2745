/** The embedded store: results with very many documents, and the effect of a missing file. */
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Filter, type FindOptions, platformCollection } from '../../../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import { Presence, type PresenceState } from '../../../../server/core/storage/embedded/presence.js'
import { STORE_FILE } from '../../../../server/core/storage/embedded/storage.js'
import { StorageUnavailableError } from '../../../../server/core/storage/errors.js'
import type { Thing } from '../../../contracts/storage.js'
import { insertAll } from '../../../support/insert-all.js'
import { directoriesForTests } from '../../../support/storage.js'

const newDirectory = directoriesForTests()
const unchecked = <T>(value: unknown): T => value as T

const INDEXED = platformCollection<Thing>('indexed', [{ keys: { a: 1, b: -1, _id: 1 } }, { keys: { c: 1 } }, { keys: { text: 1, _id: 1 } }, { keys: { b: -1, _id: -1 } }])
const BARE = platformCollection<Thing>('bare', [])
const MANY = 3000

async function withMany(act: (storage: Awaited<ReturnType<typeof openEmbeddedStorage>>) => Promise<void>): Promise<void> {
  const storage = await openEmbeddedStorage({ directory: newDirectory() })
  await storage.prepare([INDEXED, BARE])
  const long = 'l'.repeat(300)
  const documents = Array.from({ length: MANY }, (_, n) => ({
    _id: `d${(n * 7919) % MANY}`,
    a: n % 2,
    b: new Date(n % 997),
    c: n % 5,
    tags: [`t${n % 3}`, `u${n % 7}`],
    text: n % 100 === 0 ? `${long}${n}` : `t${n}`,
  }))
  for (const collection of [INDEXED, BARE]) await insertAll(storage, storage.open(collection), documents)
  try {
    await act(storage)
  } finally {
    await storage.close()
  }
}

describe('embedded store: long answers', () => {
  it('are the same with and without indexes', () =>
    withMany(async (storage) => {
      const filters = [
        {},
        { a: 1 },
        { a: { in: [0, 1] } },
        { a: 1, b: { gte: new Date(100), lt: new Date(900) } },
        { a: 1, b: { lt: new Date(900) } },
        { a: 1, b: new Date(1_000_000) },
        { c: { gte: 2 } },
        { c: 3, tags: { has: 'u1' } },
        { text: { gte: 'l' } },
        { text: { contains: '9' } },
        { anyOf: [{ a: 1 }, { c: 2 }] },
        { c: { not: 0 }, anyOf: [{ a: 1, text: { contains: 'L2' } }, { c: 2 }] },
        { _id: { in: Array.from({ length: MANY }, (_, n) => `d${n}`) }, a: 1 },
      ]
      const orders = [{ _id: 1 }, { b: -1, _id: -1 }, { b: 1, _id: 1 }, { a: 1, b: -1, _id: 1 }, { text: 1, _id: 1 }, { text: -1, _id: -1 }, { c: 1, _id: 1 }]
      const pages = [{}, { skip: 1500, limit: 5 }, { skip: 1490, limit: 20 }, { skip: MANY, limit: 1 }, { skip: 1001 }]
      let asked = 0
      for (const filter of filters.map((one) => unchecked<Filter<Thing>>(one))) {
        assert.equal(await storage.open(INDEXED).count(filter), await storage.open(BARE).count(filter), JSON.stringify(filter))
        for (const sort of orders) {
          const options = unchecked<FindOptions<Thing>>({ ...pages[asked++ % pages.length], sort })
          const [one, other] = await Promise.all([INDEXED, BARE].map((collection) => storage.open(collection).find(filter, options)))
          assert.deepEqual(
            one.map(({ _id }) => _id),
            other.map(({ _id }) => _id),
            JSON.stringify([filter, options]),
          )
        }
      }
    }))

  it('let other requests run while they are read, and are consistent snapshots', () =>
    withMany(async (storage) => {
      const things = storage.open(BARE)
      await insertAll(
        storage,
        things,
        Array.from({ length: MANY }, (_, n) => ({ _id: `e${n}`, a: n % 2, text: 'x'.repeat(500) })),
      )
      let turns = 0
      let isReading = true
      const count = (): void => {
        turns++
        if (isReading) setImmediate(count)
      }
      setImmediate(count)
      const reading = things.find({ a: { in: [0, 1, 2] } }).finally(() => (isReading = false))
      await things.updateMany({}, { set: { a: 2 } })
      const found = await reading
      assert.ok(turns >= 4, `${turns} turns`)
      assert.equal(found.length, 2 * MANY)
      assert.equal(new Set(found.map(({ a }) => (a === 2 ? 'after' : 'before'))).size, 1)
    }))

  it('may be read many times at once', () =>
    withMany(async (storage) => {
      const counts = await Promise.all(Array.from({ length: 200 }, () => storage.open(BARE).count({ a: 1 })))
      assert.deepEqual(new Set(counts), new Set([MANY / 2]))
    }))

  it('are read page by page, each document once, while others are written', () =>
    withMany(async (storage) => {
      const things = storage.open(BARE)
      const seen: string[] = []
      for await (const { _id } of things.iterate({ a: 1 })) {
        seen.push(_id)
        if (seen.length === 10) await things.updateMany({}, { increment: { c: 1 } })
      }
      assert.equal(seen.length, MANY / 2)
      assert.equal(new Set(seen).size, MANY / 2)
    }))

  it('have pages of few large documents', async () => {
    const storage = await openEmbeddedStorage({ directory: newDirectory() })
    await storage.prepare([BARE])
    for (let n = 0; n < 5; n++) await storage.open(BARE).insert({ _id: `d${n}`, text: 'x'.repeat(700_000) })
    const ids: string[] = []
    for await (const { _id } of storage.open(BARE).iterate({})) ids.push(_id)
    assert.deepEqual(ids, ['d0', 'd1', 'd2', 'd3', 'd4'])
    await storage.close()
  })

  it('end when the store is closed', () =>
    withMany(async (storage) => {
      const asked = Array.from({ length: 20 }, () => storage.open(BARE).find({ a: 1 }))
      const outcomes = Promise.allSettled(asked)
      await storage.close()
      for (const outcome of await outcomes) {
        if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof StorageUnavailableError, String(outcome.reason))
        else assert.equal(outcome.value.length, MANY / 2)
      }
    }))
})

describe('embedded store: a file that was taken away', () => {
  it('accepts no write until it is back, is still read, and reports it once each time', async () => {
    const directory = newDirectory()
    const states: PresenceState[] = []
    const storage = await openEmbeddedStorage({ directory, onPresence: (state) => states.push(state) })
    await storage.prepare([BARE])
    const things = storage.open(BARE)
    const [file, elsewhere] = [join(directory, STORE_FILE), join(directory, 'elsewhere')]
    await things.insert({ _id: '1' })
    renameSync(file, elsewhere)
    for (let time = 0; time < 3; time++) await assert.rejects(things.insert({ _id: '2' }), StorageUnavailableError)
    await assert.rejects(storage.ping(), StorageUnavailableError)
    assert.equal(await things.count({}), 1)
    renameSync(elsewhere, file)
    await storage.ping()
    await things.insert({ _id: '3' })
    // A new file of the same name is not the same file.
    renameSync(file, elsewhere)
    writeFileSync(file, readFileSync(elsewhere))
    await assert.rejects(things.insert({ _id: '4' }), StorageUnavailableError)
    rmSync(file)
    await assert.rejects(things.insert({ _id: '5' }), StorageUnavailableError)
    assert.deepEqual(states, ['missing', 'present', 'replaced', 'missing'])
    assert.deepEqual(
      (await things.find({}, { sort: { _id: 1 } })).map(({ _id }) => _id),
      ['1', '3'],
    )
    await storage.close()
  })

  it('acknowledges no write during which the file disappeared', async () => {
    const directory = newDirectory()
    const storage = await openEmbeddedStorage({ directory })
    await storage.prepare([BARE])
    const writing = storage.open(BARE).insert({ _id: '1' })
    // The write is with its thread by then, and its answer waits until this task ends.
    await null
    await null
    rmSync(directory, { recursive: true })
    await assert.rejects(writing, StorageUnavailableError)
    await storage.close()
  })
})

describe('Presence', () => {
  it('checks by itself, and stops when it is closed', async () => {
    const directory = newDirectory()
    const path = join(directory, 'file')
    writeFileSync(path, '')
    // Like the store: the inode of a file that nobody has open may be reused for the next file.
    const opened = openSync(path, 'r')
    const told: PresenceState[] = []
    let tell!: () => void
    const isTold = new Promise<void>((resolve) => {
      tell = resolve
    })
    const presence = new Presence(
      path,
      (state) => {
        told.push(state)
        tell()
      },
      5,
    )
    rmSync(path)
    // The timer of a presence does not keep the process alive.
    const alive = setInterval(() => {}, 1000)
    await isTold
    clearInterval(alive)
    presence.close()
    writeFileSync(path, '')
    assert.equal(presence.check(), 'replaced')
    assert.deepEqual(told, ['missing', 'replaced'])
    closeSync(opened)
  })

  it('starts with a file that exists', () => {
    assert.throws(() => new Presence(join(newDirectory(), 'none'), () => {}), { code: 'ENOENT' })
  })
})
