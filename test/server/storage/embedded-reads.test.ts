/** The embedded store: answers for which very many documents are read, and what happens to them when the file goes away. */
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Filter, type FindOptions, platformCollection } from '../../../server/storage/contract.js'
import { openEmbeddedStorage } from '../../../server/storage/embedded/index.js'
import { BrokenTransaction, Environment } from '../../../server/storage/embedded/environment.js'
import { READ_AT_ONCE } from '../../../server/storage/embedded/long-read.js'
import { Presence, type PresenceState } from '../../../server/storage/embedded/presence.js'
import { StorageUnavailableError } from '../../../server/storage/errors.js'
import type { Thing } from '../../contracts/storage.js'
import { directoriesForTests } from '../../support/storage.js'
import { insertAll } from '../../support/insert-all.js'

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
    c: n % 3 === 0 ? [n % 5, n % 7] : n % 5,
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
  it('are the same whichever way they are found', () =>
    withMany(async (storage) => {
      const filters = [
        {},
        { a: 1 },
        { a: { in: [0, 1] } },
        { a: 1, b: { gte: new Date(100), lt: new Date(900) } },
        { a: 1, b: { gt: new Date(100), lte: new Date(900) } },
        { a: 1, b: { lt: new Date(900) } },
        { a: 1, b: new Date(1_000_000) },
        { c: { gte: 2 } },
        { c: 3 },
        { text: { gte: 'l' } },
        { text: { contains: '9' } },
        { anyOf: [{ a: 1 }, { c: 2 }] },
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

  it('let others have their turn between their pieces, and are of one moment', () =>
    withMany(async (storage) => {
      const things = storage.open(BARE)
      const pieces = 10
      const more = Array.from({ length: pieces * READ_AT_ONCE - MANY }, (_, n) => ({ _id: `e${n}`, a: n % 2, b: new Date(n), c: n, text: '' }))
      await insertAll(storage, things, more)
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
      assert.ok(turns >= pieces - 1, `${turns} turns`)
      assert.equal(found.length, pieces * READ_AT_ONCE)
      assert.equal(new Set(found.map(({ a }) => (a === 2 ? 'after' : 'before'))).size, 1)
    }))

  it('may be very many at the same time', () =>
    withMany(async (storage) => {
      const counts = await Promise.all(Array.from({ length: 200 }, () => storage.open(BARE).count({ a: 1 })))
      assert.deepEqual(new Set(counts), new Set([MANY / 2]))
    }))

  it('end with the store', () =>
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
  it('is told by a ping, and never replaced by an empty one', async () => {
    const directory = newDirectory()
    let reopened = 0
    const environment = await Environment.open({ directory, onReopened: () => void reopened++ })
    await environment.write(() => environment.meta.putSync('format', 1))
    environment.checkPresent()
    // What can't be written has the file opened anew.
    await assert.rejects(
      environment.write(() => {
        renameSync(join(directory, 'data.mdb'), join(directory, 'elsewhere.mdb'))
        throw new BrokenTransaction('', { cause: new Error('the disk is gone') })
      }),
      /the disk is gone/,
    )
    assert.throws(() => environment.checkPresent(), StorageUnavailableError)
    assert.throws(() => environment.meta, StorageUnavailableError)
    await assert.rejects(async () => environment.usable(), StorageUnavailableError)
    renameSync(join(directory, 'elsewhere.mdb'), join(directory, 'data.mdb'))
    await environment.usable()
    assert.equal(environment.meta.get('format'), 1)
    assert.equal(reopened, 1)
    await environment.close()
  })

  it('takes no write until it is back, goes on being read, and tells it once each time', async () => {
    const directory = newDirectory()
    const states: PresenceState[] = []
    const environment = await Environment.open({ directory, onReopened: () => assert.fail('it stays open'), onPresence: (state) => states.push(state) })
    const [file, elsewhere] = [join(directory, 'data.mdb'), join(directory, 'elsewhere.mdb')]
    let runs = 0
    const write = (value: number): Promise<unknown> =>
      environment.write(() => {
        runs++
        return environment.meta.putSync('format', value)
      })
    await write(1)
    renameSync(file, elsewhere)
    for (let time = 0; time < 3; time++) await assert.rejects(write(2), StorageUnavailableError)
    assert.equal(runs, 1, 'nothing was written')
    assert.equal(environment.meta.get('format'), 1)
    renameSync(elsewhere, file)
    await write(3)
    // One of the same name is not the same file.
    renameSync(file, elsewhere)
    writeFileSync(file, readFileSync(elsewhere))
    await assert.rejects(write(4), StorageUnavailableError)
    rmSync(file)
    await assert.rejects(write(5), StorageUnavailableError)
    assert.deepEqual(states, ['missing', 'present', 'replaced', 'missing'])
    assert.equal(environment.meta.get('format'), 3)
    await environment.close()
  })

  it('acknowledges no write during which it went', async () => {
    const directory = newDirectory()
    const environment = await Environment.open({ directory, onReopened: () => {} })
    await assert.rejects(
      environment.write(() => {
        environment.meta.putSync('format', 1)
        rmSync(directory, { recursive: true })
      }),
      StorageUnavailableError,
    )
    await environment.close()
  })
})

describe('Presence', () => {
  it('looks by itself, and no more once it is closed', async () => {
    const directory = newDirectory()
    const path = join(directory, 'file')
    writeFileSync(path, '')
    // As a store has it: the inode of a file that nobody has open may become that of the next file.
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
    // The timer of a presence does not keep the process.
    const alive = setInterval(() => {}, 1000)
    await isTold
    clearInterval(alive)
    presence.close()
    writeFileSync(path, '')
    assert.equal(presence.look(), 'replaced')
    assert.deepEqual(told, ['missing', 'replaced'])
    closeSync(opened)
  })

  it('begins with a file that is there', () => {
    assert.throws(() => new Presence(join(newDirectory(), 'none'), () => {}), { code: 'ENOENT' })
  })
})
