/** The store on MongoDB: the contract of every store (`contracts/storage.ts`), and behaviour of this store only. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { MongoClient } from 'mongodb'
import { type Collection, platformCollection, type Storage, type StoredDocument, tenantCollection } from '../../../../server/core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError, StandaloneMongoError, StorageUnavailableError, UnfinishedCommitError } from '../../../../server/core/storage/errors.js'
import { newId } from '../../../../server/core/storage/id.js'
import { openMongoStorage } from '../../../../server/core/storage/mongo/index.js'
import { connect } from '../../../../server/core/storage/mongo/client.js'
import { storageContract } from '../../../contracts/storage.js'
import { insertAll } from '../../../support/insert-all.js'
import { crashing, openWatched } from '../../../support/mongo-writes.js'
import { keepsUniqueKeys, mongodForTests, skipWithoutMongod, startMongod, type TestMongod } from '../../../support/mongod.js'

interface Account extends StoredDocument {
  readonly slug?: string
  readonly n?: number
}

const ACCOUNTS = platformCollection<Account>('accounts', [])
const MEMBERS = platformCollection<Account>('members', [{ keys: { slug: 1 } }, { keys: { n: 1 } }])
const NOTES = platformCollection<Account>('notes', [])
const SLUGS = platformCollection<Account>('slugs', [{ keys: { slug: 1 }, unique: true }])
const DEFINITIONS = [ACCOUNTS, MEMBERS, NOTES, SLUGS]

/** Crashes that are tested at the same time. */
const AT_ONCE = 6

/** A database of one test, and storages on it. */
class Sandbox {
  readonly database = `test_${newId().replaceAll('-', '')}`
  readonly #server: TestMongod
  readonly #opened: { close(): Promise<void> }[] = []
  readonly client: MongoClient

  constructor(server: TestMongod) {
    this.#server = server
    this.client = new MongoClient(server.url(this.database))
  }

  async open(): Promise<Storage> {
    const { storage } = await openWatched(this.#server.url(this.database))
    this.#opened.push(storage)
    return storage
  }

  async prepared(): Promise<Storage> {
    const storage = await this.open()
    await storage.prepare(DEFINITIONS)
    return storage
  }

  /** Returns documents as stored, with all internal fields. */
  raw(collection: string): Promise<Record<string, unknown>[]> {
    return this.client.db().collection(collection).find().sort({ _id: 1 }).toArray()
  }

  async remove(): Promise<void> {
    await Promise.all(this.#opened.map((storage) => storage.close()))
    await this.client.close()
    await this.#server.drop(this.database)
  }
}

const byId = { sort: { _id: 1 } } as const

const { skip, server } = mongodForTests()
if (skip === false) {
  const open = async (): Promise<{ storage: Storage; close(): Promise<void> }> => {
    const sandbox = new Sandbox(await server())
    return { storage: await sandbox.open(), close: () => sandbox.remove() }
  }
  const kept = await keepsUniqueKeys(await server())
  storageContract('MongoDB', open, kept === false ? {} : { skip: { 'are free when their document takes another': kept } })
}
describe('MongoDB', { skip }, () => {
  const withSandbox = (test: (sandbox: Sandbox) => Promise<void>) => async () => {
    const sandbox = new Sandbox(await server())
    try {
      await test(sandbox)
    } finally {
      await sandbox.remove()
    }
  }

  it(
    'two instances can prepare at once',
    withSandbox(async (sandbox) => {
      const definitions = Array.from({ length: 12 }, (_, i) => platformCollection<Account>(`c${i}`, [{ keys: { slug: 1 }, unique: true }, { keys: { n: -1, slug: 1 } }]))
      const storages = await Promise.all([sandbox.open(), sandbox.open(), sandbox.open()])
      await Promise.all(storages.map((storage) => storage.prepare(definitions)))
      const indexes = await sandbox.client.db().collection('c11').listIndexes().toArray()
      assert.deepEqual(indexes.map(({ name }) => name).sort(), ['_id_', 'dc_n_-1_slug_1', 'dc_slug_1_unique'])
    }),
  )

  it(
    'indexes are changed to their definition, and an operator’s own are kept',
    withSandbox(async (sandbox) => {
      const expiring = (seconds: number) =>
        tenantCollection<{ _id: string; organization_id: string; at: Date; slug: string }>('things', [{ keys: { at: 1 }, expireAfterSeconds: seconds }])
      const first = await sandbox.open()
      await first.prepare([expiring(60), platformCollection<Account>('others', [{ keys: { slug: 1 }, unique: true }])])
      const native = sandbox.client.db()
      await native.collection('others').createIndex({ tags: 1 }, { name: 'mine' })
      await native.collection('others').createIndex({ n: 1 }, { name: 'also_mine' })
      const second = await sandbox.open()
      await second.prepare([expiring(120), platformCollection<Account>('others', [{ keys: { slug: 1 } }, { keys: { n: 1 } }])])
      const things = await native.collection('things').listIndexes().toArray()
      assert.deepEqual(
        things.filter(({ key }) => 'at' in key).map(({ key, expireAfterSeconds }) => ({ key, expireAfterSeconds })),
        [{ key: { at: 1 }, expireAfterSeconds: 120 }],
      )
      const others = await native.collection('others').listIndexes().toArray()
      assert.deepEqual(others.map(({ name, unique }) => `${name}${unique === true ? ' unique' : ''}`).sort(), ['_id_', 'also_mine', 'dc_slug_1', 'mine'])
      for (const _id of ['1', '2']) await second.open(platformCollection<Account>('others', [])).insert({ _id, slug: 'same' })
    }),
  )

  it(
    'two instances that commit on one document lose no update',
    withSandbox(async (sandbox) => {
      const storages = [await sandbox.prepared(), await sandbox.prepared()]
      await storages[0].open(ACCOUNTS).insert({ _id: 'counter', n: 0 })
      const rounds = 40
      await Promise.all(
        storages.flatMap((storage, instance) =>
          [0, 1].map(async (lane) => {
            for (let i = 0; i < rounds; i++) {
              await storage.commit([
                storage.open(ACCOUNTS).updating({ _id: 'counter' }, { increment: { n: 1 } }),
                storage.open(MEMBERS).inserting({ _id: `${instance}-${lane}-${i}` }),
                storage.open(NOTES).updating({ _id: 'none' }, { increment: { n: 1 } }, { optional: true }),
              ])
            }
          }),
        ),
      )
      assert.deepEqual(await storages[1].open(ACCOUNTS).findOne({ _id: 'counter' }), { _id: 'counter', n: 4 * rounds })
      assert.equal(await storages[1].open(MEMBERS).count({}), 4 * rounds)
    }),
  )

  it(
    'of commits that require the same state one succeeds, the others are refused and leave nothing',
    withSandbox(async (sandbox) => {
      const storages = [await sandbox.prepared(), await sandbox.prepared()]
      await storages[0].open(ACCOUNTS).insert({ _id: 'a', n: 1 })
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => {
          const storage = storages[i % 2]
          return storage.commit([storage.open(ACCOUNTS).updating({ _id: 'a', n: 1 }, { set: { n: 2 } }), storage.open(NOTES).inserting({ _id: `note-${i}` })])
        }),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof StaleWriteError, String(outcome.reason))
      assert.equal(await storages[0].open(NOTES).count({}), 1)
    }),
  )

  it(
    'of commits with the same unique key in their later writes one stores all, the others nothing',
    withSandbox(async (sandbox) => {
      const storages = [await sandbox.prepared(), await sandbox.prepared()]
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => {
          const storage = storages[i % 2]
          return storage.commit([
            storage.open(ACCOUNTS).inserting({ _id: `a${i}` }),
            storage.open(SLUGS).inserting({ _id: `m${i}`, slug: 'taken' }),
            storage.open(NOTES).inserting({ _id: `n${i}` }),
          ])
        }),
      )
      for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof DuplicateKeyError, String(outcome.reason))
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const collection of ['accounts', 'slugs', 'notes']) assert.equal((await sandbox.raw(collection)).length, 1, collection)
    }),
  )

  it(
    'dump returns every document once, without internal fields, and load restores it',
    withSandbox(async (sandbox) => {
      const storage = await sandbox.prepared()
      await insertAll(
        storage,
        storage.open(ACCOUNTS),
        Array.from({ length: 2_500 }, (_, i) => ({ _id: String(i), slug: `s${i}` })),
      )
      await storage.commit([storage.open(ACCOUNTS).updating({ _id: '1' }, { set: { n: 1 } }), storage.open(NOTES).inserting({ _id: 'note' })])
      const records = await listOf(storage.dump())
      assert.equal(records.length, 2_501)
      const other = new Sandbox(await server())
      try {
        const copy = await other.prepared()
        const given = async function* () {
          yield* records
        }
        assert.equal(await copy.load(given()), 2_501)
        assert.deepEqual(await copy.open(ACCOUNTS).find({}, byId), await storage.open(ACCOUNTS).find({}, byId))
        await assert.rejects(copy.load(given()), DuplicateKeyError)
      } finally {
        await other.remove()
      }
    }),
  )
})

describe('MongoDB that goes away', { skip: skipWithoutMongod() }, () => {
  it('all operations are unavailable meanwhile, and work again without a new storage', async () => {
    let server = await startMongod()
    const storage = await openMongoStorage({ url: `${server.url('away')}?serverSelectionTimeoutMS=500` })
    try {
      await storage.prepare(DEFINITIONS)
      const accounts = storage.open(ACCOUNTS)
      await accounts.insert({ _id: '1' })
      await server.kill('SIGKILL')
      const asked = [
        () => accounts.findOne({ _id: '1' }),
        () => accounts.insert({ _id: '2' }),
        () => accounts.update({ _id: '1' }, { set: { n: 1 } }),
        () => accounts.count({}),
        () => accounts.deleteMany({ n: 7 }),
        () => listOf(accounts.iterate({})),
        () => storage.commit([accounts.updating({ _id: '1' }, { increment: { n: 1 } }), storage.open(NOTES).inserting({ _id: 'n' })]),
        () => listOf(storage.dump()),
        () => storage.ping(),
      ]
      for (let round = 0; round < 2; round++) {
        for (const outcome of await Promise.allSettled(asked.map((ask) => ask()))) {
          assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StorageUnavailableError, inspect(outcome))
        }
      }
      server = await startMongod({ port: server.port, dbpath: server.dbpath })
      await untilUp(storage)
      assert.deepEqual(await accounts.findOne({ _id: '1' }), { _id: '1' })
      await storage.commit([accounts.updating({ _id: '1' }, { increment: { n: 1 } }), storage.open(NOTES).inserting({ _id: 'n' })])
      assert.deepEqual(await accounts.findOne({ _id: '1' }), { _id: '1', n: 1 })
    } finally {
      await storage.close()
      await server.stop()
    }
  })

  it('acknowledged writes are present after SIGKILL, and no commit is stored in part', async () => {
    const first = await startMongod()
    const { storage } = await openWatched(`${first.url('killed')}?serverSelectionTimeoutMS=1500`)
    await storage.prepare(DEFINITIONS)
    const accounts = storage.open(ACCOUNTS)
    const acknowledged = new Set<string>()
    let lanes = 12
    const write = async (lane: number): Promise<void> => {
      const anchor = `anchor-${lane}`
      await accounts.insert({ _id: anchor, n: 0 })
      for (let i = 0; ; i++) {
        const id = `${lane}-${i}`
        if (lane % 2 === 0) await accounts.insert({ _id: id })
        else await storage.commit([accounts.updating({ _id: anchor }, { increment: { n: 1 } }), accounts.inserting({ _id: id }), storage.open(NOTES).inserting({ _id: id })])
        acknowledged.add(id)
      }
    }
    const ended = Promise.all(
      Array.from({ length: lanes }, (_, lane) =>
        write(lane).catch((error: unknown) => {
          assert.ok(error instanceof StorageUnavailableError, inspect(error))
          lanes--
        }),
      ),
    )
    while (acknowledged.size < 1_000 && lanes > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await first.kill('SIGKILL')
    await ended
    assert.equal(lanes, 0)
    assert.ok(acknowledged.size >= 1_000, `only ${acknowledged.size}`)
    const second = await startMongod({ port: first.port, dbpath: first.dbpath })
    const { storage: other } = await openWatched(second.url('killed'))
    try {
      await other.prepare(DEFINITIONS)
      const found = new Set((await other.open(ACCOUNTS).find({})).map(({ _id }) => _id))
      const notes = new Set((await other.open(NOTES).find({})).map(({ _id }) => _id))
      assert.deepEqual(
        [...acknowledged].filter((id) => !found.has(id)),
        [],
      )
      for (let lane = 1; lane < 12; lane += 2) {
        const inserted = [...found].filter((id) => id.startsWith(`${lane}-`))
        assert.deepEqual(
          inserted.filter((id) => !notes.has(id)),
          [],
        )
        assert.equal((await other.open(ACCOUNTS).findOne({ _id: `anchor-${lane}` }))?.n, inserted.length)
      }
    } finally {
      await storage.close()
      await other.close()
      await second.stop()
    }
  })
})

describe('a commit on MongoDB', { skip: mongodForTests().skip }, () => {
  const { server } = mongodForTests()

  interface Scenario {
    readonly name: string
    readonly commit: (storage: Storage) => Promise<unknown>
    readonly done: State
  }
  type State = readonly [accounts: readonly Account[], members: readonly Account[], notes: readonly Account[]]
  const START: State = [
    [
      { _id: 'a', slug: 'a', n: 1 },
      { _id: 'b', slug: 'b', n: 1 },
    ],
    [
      { _id: 'm1', n: 1 },
      { _id: 'm2', n: 1 },
      { _id: 'm3', n: 2 },
    ],
    [
      { _id: 'n1', n: 1 },
      { _id: 'n2', n: 1 },
    ],
  ]
  const on = (storage: Storage): [Collection<Account>, Collection<Account>, Collection<Account>] => [storage.open(ACCOUNTS), storage.open(MEMBERS), storage.open(NOTES)]
  const SCENARIOS: readonly Scenario[] = [
    {
      name: 'that begins with a change',
      commit: (storage) => {
        const [accounts, members, notes] = on(storage)
        return storage.commit([
          accounts.updating({ _id: 'a', n: 1 }, { increment: { n: 1 } }),
          members.inserting({ _id: 'm4', slug: 'new' }),
          members.updatingMany({ n: 1 }, { increment: { n: 10 } }),
          members.updating({ _id: 'm4' }, { increment: { n: 5 } }),
          notes.deletingMany({ n: 1 }),
          notes.inserting({ _id: 'n3', n: 1 }),
          accounts.deleting({ _id: 'b' }),
          accounts.updating({ _id: 'a' }, { set: { slug: 'late' } }),
        ])
      },
      done: [
        [{ _id: 'a', slug: 'late', n: 2 }],
        [
          { _id: 'm1', n: 11 },
          { _id: 'm2', n: 11 },
          { _id: 'm3', n: 2 },
          { _id: 'm4', slug: 'new', n: 5 },
        ],
        [{ _id: 'n3', n: 1 }],
      ],
    },
    {
      name: 'that begins with a new document',
      commit: (storage) => {
        const [accounts, members, notes] = on(storage)
        return storage.commit([
          accounts.inserting({ _id: 'c', slug: 'c' }),
          members.inserting({ _id: 'm4' }),
          notes.inserting({ _id: 'n3' }),
          notes.updating({ _id: 'n1' }, { increment: { n: 1 } }),
        ])
      },
      done: [
        [...START[0], { _id: 'c', slug: 'c' }],
        [...START[1], { _id: 'm4' }],
        [{ _id: 'n1', n: 2 }, { _id: 'n2', n: 1 }, { _id: 'n3' }],
      ],
    },
    {
      name: 'that begins with a deletion',
      commit: (storage) => {
        const [accounts, members, notes] = on(storage)
        return storage.commit([accounts.deleting({ _id: 'a' }), members.updating({ _id: 'm1' }, { set: { slug: 'freed' } }), notes.inserting({ _id: 'n3' })])
      },
      done: [[{ _id: 'b', slug: 'b', n: 1 }], [{ _id: 'm1', n: 1, slug: 'freed' }, ...START[1].slice(1)], [...START[2], { _id: 'n3' }]],
    },
    {
      name: 'that puts a document in the place of another',
      commit: (storage) => {
        const [accounts, members] = on(storage)
        return storage.commit([
          accounts.deleting({ _id: 'a' }),
          accounts.inserting({ _id: 'c', slug: 'a' }),
          members.inserting({ _id: 'm4' }),
          accounts.inserting({ _id: 'a', n: 5 }),
        ])
      },
      done: [
        [
          { _id: 'a', n: 5 },
          { _id: 'b', slug: 'b', n: 1 },
          { _id: 'c', slug: 'a' },
        ],
        [...START[1], { _id: 'm4' }],
        START[2],
      ],
    },
    {
      name: 'that begins with many',
      commit: (storage) => {
        const [accounts, members, notes] = on(storage)
        return storage.commit([members.updatingMany({ n: 1 }, { increment: { n: 1 } }), notes.deletingMany({}), accounts.deleting({ _id: 'b' })])
      },
      done: [
        [START[0][0]],
        [
          { _id: 'm1', n: 2 },
          { _id: 'm2', n: 2 },
          { _id: 'm3', n: 2 },
        ],
        [],
      ],
    },
    {
      name: 'of many new documents',
      commit: (storage) => storage.commit(['n3', 'n4', 'n5'].map((_id) => storage.open(NOTES).inserting({ _id }))),
      done: [START[0], START[1], [...START[2], { _id: 'n3' }, { _id: 'n4' }, { _id: 'n5' }]],
    },
  ]

  async function stateOf(storage: Storage): Promise<State> {
    const [accounts, members, notes] = on(storage)
    return [await accounts.find({}, byId), await members.find({}, byId), await notes.find({}, byId)]
  }

  /** Begins a commit whose process ends after its nth write. @returns whether it was done by then */
  const crashed = async (sandbox: Sandbox, scenario: Scenario, writes: number): Promise<boolean> =>
    crashing((await server()).url(sandbox.database), writes, async (storage) => {
      await storage.prepare(DEFINITIONS)
      await scenario.commit(storage)
    })

  /** Returns what other clients see then. */
  async function afterCrash(scenario: Scenario, writes: number): Promise<{ readonly seen: string; readonly finished: boolean }> {
    const sandbox = new Sandbox(await server())
    try {
      const storage = await sandbox.prepared()
      for (const [i, collection] of on(storage).entries()) await insertAll(storage, collection, START[i])
      const finished = await crashed(sandbox, scenario, writes)
      const state = await stateOf(storage)
      const seen = inspect(state) === inspect(START) ? 'nothing' : 'all'
      if (seen === 'all') assert.deepEqual(state, scenario.done, `after write ${writes}`)
      // Its locks do not block others.
      await storage.commit([storage.open(ACCOUNTS).updating({ _id: 'a' }, { set: { n: 9 } }, { optional: true })])
      return { seen, finished }
    } finally {
      await sandbox.remove()
    }
  }

  for (const scenario of SCENARIOS) {
    it(`a crash at any step of a commit ${scenario.name} stores all of it or nothing`, async () => {
      const outcomes: string[] = []
      for (let first = 1, finished = false; !finished; first += AT_ONCE) {
        const several = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => afterCrash(scenario, first + i)))
        outcomes.push(...several.map(({ seen }) => seen))
        finished = several.some((one) => one.finished)
      }
      assert.equal(outcomes.at(-1), 'all')
      assert.deepEqual(outcomes, [...outcomes].sort().reverse(), 'nothing until the commit, all from then on')
    })
  }
})

describe('a MongoDB that this version can not use', { skip: skipWithoutMongod() }, () => {
  it('is a standalone, and is refused with one line that says what to do', async () => {
    const standalone = await startMongod({ standalone: true })
    try {
      await assert.rejects(openMongoStorage({ url: standalone.url('x') }), (error: unknown) => {
        assert.ok(error instanceof StandaloneMongoError)
        assert.match(error.message, /^[^\n]*standalone[^\n]*--replSet rs0[^\n]*rs\.initiate\(\)[^\n]*$/)
        return true
      })
    } finally {
      await standalone.stop()
    }
  })

  const withSandbox = (test: (sandbox: Sandbox) => Promise<void>) => async () => {
    const sandbox = new Sandbox(await mongodForTests().server())
    try {
      await test(sandbox)
    } finally {
      await sandbox.remove()
    }
  }
  const index = { key: { '_pending.id': 1 }, name: 'dc_pending', sparse: true } as const

  it(
    'has an unfinished commit of version 0.1, which is refused and kept',
    withSandbox(async (sandbox) => {
      const accounts = sandbox.client.db().collection<Account>('accounts')
      await accounts.createIndexes([index])
      const pending = { _id: 'a', _pending: { id: 'commit', turn: 0 } } as Account
      await accounts.insertOne(pending)
      const storage = await sandbox.open()
      for (let attempt = 0; attempt < 2; attempt++) await assert.rejects(storage.prepare(DEFINITIONS), UnfinishedCommitError)
      assert.deepEqual(await sandbox.raw('accounts'), [pending])
    }),
  )

  it(
    'has the rest of one in a separate collection',
    withSandbox(async (sandbox) => {
      await sandbox.client.db().collection<Account>('_commits').insertOne({ _id: 'commit' })
      await assert.rejects((await sandbox.open()).prepare(DEFINITIONS), UnfinishedCommitError)
    }),
  )

  it(
    'is usable when all are finished: the marks of version 0.1 are removed',
    withSandbox(async (sandbox) => {
      const database = sandbox.client.db()
      await database.createCollection('_commits')
      await database.collection('accounts').createIndexes([index])
      await database.collection<Account>('accounts').insertOne({ _id: 'a', n: 1, _applied: ['commit:1'] } as Account)
      const storage = await sandbox.prepared()
      assert.deepEqual(await storage.open(ACCOUNTS).find({}), [{ _id: 'a', n: 1 }])
      assert.deepEqual(
        (await database.collection('accounts').listIndexes().toArray()).map(({ name }) => name),
        ['_id_'],
      )
      assert.deepEqual(await database.listCollections({ name: '_commits' }).toArray(), [])
    }),
  )
})

describe('MongoDB addresses', () => {
  const SECRET = 'hunter2-secret'
  it('a password is in no error', async () => {
    const urls = [
      `mongodb://admin:${SECRET}@127.0.0.1:1/x?serverSelectionTimeoutMS=200`,
      `mongodb://admin:${SECRET}%@127.0.0.1:1/x`,
      `mongo://admin:${SECRET}@127.0.0.1/x`,
      `mongodb://admin:${SECRET}@127.0.0.1:1:2/x`,
      `mongodb://admin:${SECRET}@/x`,
      `mongodb://admin:${SECRET}@127.0.0.1:1/x?unknownOption=1&w=${SECRET}&tls=maybe`,
    ]
    for (const url of urls) {
      await assert.rejects(openMongoStorage({ url }), (error) => {
        assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), new RegExp(SECRET), url)
        return true
      })
    }
  })

  it('an unavailable MongoDB is reported, and soon unless the URL says otherwise', { skip: skipWithoutMongod() }, async () => {
    await assert.rejects(openMongoStorage({ url: 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=200' }), StorageUnavailableError)
    const server = await mongodForTests().server()
    const waits = async (options: string): Promise<readonly number[]> => {
      const { client } = await connect(server.url('away') + options)
      const { serverSelectionTimeoutMS, waitQueueTimeoutMS } = client.options
      await client.close()
      return [serverSelectionTimeoutMS, waitQueueTimeoutMS]
    }
    assert.deepEqual(await waits(''), [5_000, 5_000])
    assert.deepEqual(await waits('?serverSelectionTimeoutMS=1500'), [1_500, 5_000])
  })
})

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

async function untilUp(storage: Storage): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    try {
      return await storage.ping()
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}
