/** The store on MongoDB: what every store does (`contracts/storage.ts`), and what only this one has to survive. */
import assert from 'node:assert/strict'
import { before, describe, it, mock } from 'node:test'
import { inspect } from 'node:util'
import { MongoClient } from 'mongodb'
import { type Collection, platformCollection, type Storage, type StoredDocument, tenantCollection } from '../../../server/storage/contract.js'
import { DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageUnavailableError } from '../../../server/storage/errors.js'
import { newId } from '../../../server/storage/id.js'
import { openMongoStorage } from '../../../server/storage/mongo/index.js'
import { connect } from '../../../server/storage/mongo/client.js'
import { MongoStorage, type MongoStorageTuning } from '../../../server/storage/mongo/storage.js'
import { storageContract } from '../../contracts/storage.js'
import { crashing, openTuned, TURN_MS, watched } from '../../support/mongo-writes.js'
import { keepsUniqueKeys, mongodForTests, skipWithoutMongod, startMongod, type TestMongod } from '../../support/mongod.js'

interface Account extends StoredDocument {
  readonly slug?: string
  readonly n?: number
  readonly tags?: readonly string[]
}

const ACCOUNTS = platformCollection<Account>('accounts', [{ keys: { slug: 1 }, unique: true, onlyWith: ['slug'] }])
const MEMBERS = platformCollection<Account>('members', [{ keys: { slug: 1 }, unique: true, onlyWith: ['slug'] }, { keys: { n: 1 } }])
const NOTES = platformCollection<Account>('notes', [])
const DEFINITIONS = [ACCOUNTS, MEMBERS, NOTES]

const KINDS = [
  { name: 'replica set', replicaSet: true },
  { name: 'standalone', replicaSet: false },
]
/** Crashes that are looked at side by side. */
const AT_ONCE = 6

/** A database of a test's own, and storages on it. */
class Sandbox {
  readonly database = `test_${newId().replaceAll('-', '')}`
  readonly warnings: string[] = []
  readonly #server: TestMongod
  readonly #opened: { close(): Promise<void> }[] = []
  readonly client: MongoClient

  constructor(server: TestMongod) {
    this.#server = server
    this.client = new MongoClient(server.url(this.database))
  }

  async open(tuning: MongoStorageTuning = {}): Promise<Storage> {
    const { storage } = await openTuned(this.#server.url(this.database), tuning, (message) => this.warnings.push(message))
    this.#opened.push(storage)
    return storage
  }

  async prepared(tuning: MongoStorageTuning = {}): Promise<Storage> {
    const storage = await this.open(tuning)
    await storage.prepare(DEFINITIONS)
    return storage
  }

  /** Documents as they lie there, with whatever the store adds. */
  raw(collection: string): Promise<Record<string, unknown>[]> {
    return this.client.db().collection(collection).find().sort({ _id: 1 }).toArray()
  }

  async remove(): Promise<void> {
    await Promise.all(this.#opened.map((storage) => storage.close()))
    await this.client.close()
    await this.#server.drop(this.database)
  }
}

/** The first document's fields that a commit on a standalone leaves for a moment. */
const reserved = (documents: readonly Record<string, unknown>[]): string[] => documents.flatMap((document) => Object.keys(document)).filter((field) => field === '_pending')

const byId = { sort: { _id: 1 } } as const

for (const { name, replicaSet } of KINDS) {
  const { skip, server } = mongodForTests({ replicaSet })
  if (skip === false) {
    const open = async (): Promise<{ storage: Storage; close(): Promise<void> }> => {
      const sandbox = new Sandbox(await server())
      return { storage: await sandbox.open(), close: () => sandbox.remove() }
    }
    const kept = await keepsUniqueKeys(await server())
    storageContract(`MongoDB ${name}`, open, kept === false ? {} : { skip: { 'are free when their document takes another': kept } })
  }
  describe(`MongoDB ${name}`, { skip }, () => {
    const withSandbox = (test: (sandbox: Sandbox) => Promise<void>) => async () => {
      const sandbox = new Sandbox(await server())
      try {
        await test(sandbox)
      } finally {
        await sandbox.remove()
      }
    }

    it(
      'two instances prepare at once',
      withSandbox(async (sandbox) => {
        const definitions = Array.from({ length: 12 }, (_, i) => platformCollection<Account>(`c${i}`, [{ keys: { slug: 1 }, unique: true }, { keys: { n: -1, slug: 1 } }]))
        const storages = await Promise.all([sandbox.open(), sandbox.open(), sandbox.open()])
        await Promise.all(storages.map((storage) => storage.prepare(definitions)))
        const indexes = await sandbox.client.db().collection('c11').listIndexes().toArray()
        assert.deepEqual(indexes.map(({ name }) => name).sort(), ['_id_', 'dc_n_-1_slug_1', 'dc_pending', 'dc_slug_1_unique'])
      }),
    )

    it(
      'indexes become what their definition says, an operator’s own stay',
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
        assert.deepEqual(others.map(({ name, unique }) => `${name}${unique === true ? ' unique' : ''}`).sort(), ['_id_', 'also_mine', 'dc_pending', 'dc_slug_1', 'mine'])
        await second.open(platformCollection<Account>('others', [])).insertMany([
          { _id: '1', slug: 'same' },
          { _id: '2', slug: 'same' },
        ])
      }),
    )

    it(
      'a partial unique index counts texts only, and is used for look-ups',
      withSandbox(async (sandbox) => {
        const accounts = (await sandbox.prepared()).open(ACCOUNTS)
        await accounts.insertMany([{ _id: '1' }, { _id: '2' }, { _id: '3', slug: 'a' }])
        await assert.rejects(accounts.insert({ _id: '4', slug: 'a' }), { name: 'DuplicateKeyError', collection: 'accounts', fields: ['slug'] })
        const plan = JSON.stringify(await sandbox.client.db().collection('accounts').find({ slug: 'a' }).explain('queryPlanner'))
        assert.match(plan, /IXSCAN|EXPRESS/)
      }),
    )

    it(
      'two instances that commit on one document lose nothing',
      withSandbox(async (sandbox) => {
        const storages = [await sandbox.prepared(), await sandbox.prepared()]
        await storages[0].open(ACCOUNTS).insert({ _id: 'counter', n: 0 })
        const rounds = 40
        await Promise.all(
          storages.flatMap((storage, instance) =>
            [0, 1].map(async (lane) => {
              for (let i = 0; i < rounds; i++) {
                await storage.commit([
                  storage.open(ACCOUNTS).updating({ _id: 'counter' }, { $inc: { n: 1 } }),
                  storage.open(MEMBERS).inserting({ _id: `${instance}-${lane}-${i}` }),
                  storage.open(NOTES).updating({ _id: 'none' }, { $inc: { n: 1 } }, { optional: true }),
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
      'of commits that ask for the same state one wins, the others are refused and leave nothing',
      withSandbox(async (sandbox) => {
        const storages = [await sandbox.prepared(), await sandbox.prepared()]
        await storages[0].open(ACCOUNTS).insert({ _id: 'a', n: 1 })
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => {
            const storage = storages[i % 2]
            return storage.commit([storage.open(ACCOUNTS).updating({ _id: 'a', n: 1 }, { $set: { n: 2 } }), storage.open(NOTES).inserting({ _id: `note-${i}` })])
          }),
        )
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof StaleWriteError, String(outcome.reason))
        assert.equal(await storages[0].open(NOTES).count({}), 1)
      }),
    )

    it(
      'commits that want the same unique key in their later writes: one has all, the others nothing',
      withSandbox(async (sandbox) => {
        const storages = [await sandbox.prepared(), await sandbox.prepared()]
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => {
            const storage = storages[i % 2]
            return storage.commit([
              storage.open(ACCOUNTS).inserting({ _id: `a${i}` }),
              storage.open(MEMBERS).inserting({ _id: `m${i}`, slug: 'taken' }),
              storage.open(NOTES).inserting({ _id: `n${i}` }),
            ])
          }),
        )
        for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof DuplicateKeyError, String(outcome.reason))
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const collection of ['accounts', 'members', 'notes']) assert.equal((await sandbox.raw(collection)).length, 1, collection)
        assert.deepEqual(sandbox.warnings, [])
      }),
    )

    it(
      'insertMany leaves nothing when one is refused',
      withSandbox(async (sandbox) => {
        const storage = await sandbox.prepared()
        const accounts = storage.open(ACCOUNTS)
        await accounts.insert({ _id: 'x', slug: 'taken' })
        await assert.rejects(accounts.insertMany([{ _id: '1', slug: 'free' }, { _id: '2', slug: 'taken' }, { _id: '3' }]), DuplicateKeyError)
        assert.deepEqual(await sandbox.raw('accounts'), [{ _id: 'x', slug: 'taken' }])
      }),
    )

    it(
      'a document that is too large is refused, alone and in a commit',
      withSandbox(async (sandbox) => {
        const storage = await sandbox.prepared()
        const accounts = storage.open(ACCOUNTS)
        const half = 'x'.repeat(8 * 1024 * 1024)
        await accounts.insert({ _id: 'a', slug: half.slice(0, 100) })
        await assert.rejects(accounts.insert({ _id: 'b', tags: [half, half] }), DocumentTooLargeError)
        await accounts.update({ _id: 'a' }, { $set: { tags: [half] } })
        await assert.rejects(accounts.update({ _id: 'a' }, { $set: { n: 1, tags: [half, half] } }), DocumentTooLargeError)
        await assert.rejects(storage.commit([accounts.updating({ _id: 'a' }, { $set: { 'more.text': half } as never }), accounts.inserting({ _id: 'c' })]), DocumentTooLargeError)
        assert.equal(await accounts.count({}), 1)
      }),
    )

    it(
      'dump gives every document once and clean, load puts it back',
      withSandbox(async (sandbox) => {
        const storage = await sandbox.prepared()
        await storage.open(ACCOUNTS).insertMany(Array.from({ length: 2_500 }, (_, i) => ({ _id: String(i), slug: `s${i}`, tags: ['a'] })))
        await storage.commit([storage.open(ACCOUNTS).updating({ _id: '1' }, { $set: { n: 1 } }), storage.open(NOTES).inserting({ _id: 'note' })])
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

  describe(`MongoDB ${name} that goes away`, { skip: skipWithoutMongod() }, () => {
    it('everything is unavailable meanwhile, and works again without a new storage', async () => {
      let server = await startMongod({ replicaSet })
      const storage = await openMongoStorage({ url: `${server.url('away')}?serverSelectionTimeoutMS=500` })
      try {
        await storage.prepare(DEFINITIONS)
        const accounts = storage.open(ACCOUNTS)
        await accounts.insert({ _id: '1' })
        await server.kill('SIGKILL')
        const asked = [
          () => accounts.findOne({ _id: '1' }),
          () => accounts.insert({ _id: '2' }),
          () => accounts.update({ _id: '1' }, { $set: { n: 1 } }),
          () => accounts.count({}),
          () => accounts.deleteMany({ n: 7 }),
          () => listOf(accounts.iterate({})),
          () => storage.commit([accounts.updating({ _id: '1' }, { $inc: { n: 1 } }), storage.open(NOTES).inserting({ _id: 'n' })]),
          () => listOf(storage.dump()),
          () => storage.ping(),
        ]
        for (let round = 0; round < 2; round++) {
          for (const outcome of await Promise.allSettled(asked.map((ask) => ask()))) {
            assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StorageUnavailableError, inspect(outcome))
          }
        }
        server = await startMongod({ replicaSet, port: server.port, dbpath: server.dbpath })
        await untilUp(storage)
        assert.deepEqual(await accounts.findOne({ _id: '1' }), { _id: '1' })
        await storage.commit([accounts.updating({ _id: '1' }, { $inc: { n: 1 } }), storage.open(NOTES).inserting({ _id: 'n' })])
        assert.deepEqual(await accounts.findOne({ _id: '1' }), { _id: '1', n: 1 })
      } finally {
        await storage.close()
        await server.stop()
      }
    })

    it('what was acknowledged is there after SIGKILL, and no commit is half there', async () => {
      const first = await startMongod({ replicaSet })
      const { storage } = await openTuned(`${first.url('killed')}?serverSelectionTimeoutMS=1500`, {})
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
          else await storage.commit([accounts.updating({ _id: anchor }, { $inc: { n: 1 } }), accounts.inserting({ _id: id }), storage.open(NOTES).inserting({ _id: id })])
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
      const second = await startMongod({ replicaSet, port: first.port, dbpath: first.dbpath })
      const { storage: other } = await openTuned(second.url('killed'), {})
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
}

describe('MongoDB standalone commits', { skip: mongodForTests({ replicaSet: false }).skip }, () => {
  let server: TestMongod
  before(async () => {
    server = await mongodForTests({ replicaSet: false }).server()
  })

  interface Scenario {
    readonly name: string
    readonly commit: (storage: Storage) => Promise<unknown>
    readonly done: State
    /** No document of its own decides it: what it has changed may be seen until a sweep. */
    readonly decidedElsewhere?: true
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
          accounts.updating({ _id: 'a', n: 1 }, { $inc: { n: 1 } }),
          members.inserting({ _id: 'm4', slug: 'new' }),
          members.updatingMany({ n: 1 }, { $inc: { n: 10 } }),
          members.updating({ _id: 'm4' }, { $inc: { n: 5 } }),
          notes.deletingMany({ n: 1 }),
          notes.inserting({ _id: 'n3', n: 1 }),
          accounts.deleting({ _id: 'b' }),
          accounts.updating({ _id: 'a' }, { $addToSet: { tags: 'late' } }),
        ])
      },
      done: [
        [{ _id: 'a', slug: 'a', n: 2, tags: ['late'] }],
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
          notes.updating({ _id: 'n1' }, { $inc: { n: 1 } }),
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
        return storage.commit([accounts.deleting({ _id: 'a' }), members.updating({ _id: 'm1' }, { $set: { slug: 'freed' } }), notes.inserting({ _id: 'n3' })])
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
      decidedElsewhere: true,
    },
    {
      name: 'that begins with many',
      commit: (storage) => {
        const [accounts, members, notes] = on(storage)
        return storage.commit([members.updatingMany({ n: 1 }, { $inc: { n: 1 } }), notes.deletingMany({}), accounts.deleting({ _id: 'b' })])
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
      decidedElsewhere: true,
    },
    {
      name: 'of many new documents',
      commit: (storage) => storage.open(NOTES).insertMany([{ _id: 'n3' }, { _id: 'n4' }, { _id: 'n5' }]),
      done: [START[0], START[1], [...START[2], { _id: 'n3' }, { _id: 'n4' }, { _id: 'n5' }]],
    },
  ]

  async function stateOf(storage: Storage): Promise<State> {
    const [accounts, members, notes] = on(storage)
    return [await accounts.find({}, byId), await members.find({}, byId), await notes.find({}, byId)]
  }

  /** Begins a commit whose process dies after its nth write. @returns whether it was done by then */
  const crashed = (sandbox: Sandbox, scenario: Scenario, writes: number): Promise<boolean> =>
    crashing(server.url(sandbox.database), writes, async (storage) => {
      await storage.prepare(DEFINITIONS)
      await scenario.commit(storage)
    })

  /** What others see, before and after they have finished it. */
  async function afterCrash(scenario: Scenario, writes: number): Promise<{ readonly seen: readonly string[]; readonly finished: boolean }> {
    const sandbox = new Sandbox(server)
    try {
      const storage = await sandbox.prepared()
      for (const [i, collection] of on(storage).entries()) await collection.insertMany(START[i])
      const finished = await crashed(sandbox, scenario, writes)
      // Whoever reads what the commit began with doesn't get half of it, whether or not a sweep has been there.
      if (writes % 2 === 0 || scenario.decidedElsewhere === true) await sandbox.prepared()
      const seen: string[] = []
      for (const state of [await stateOf(storage), await stateOf(storage)]) {
        seen.push(inspect(state) === inspect(START) ? 'nothing' : 'all')
        if (seen.at(-1) === 'all') assert.deepEqual(state, scenario.done, `after write ${writes}`)
      }
      await sandbox.prepared()
      for (const { name } of DEFINITIONS) assert.deepEqual(reserved(await sandbox.raw(name)), [], `${name} after write ${writes}`)
      assert.deepEqual(await sandbox.raw('_commits'), [])
      assert.deepEqual(sandbox.warnings, [])
      return { seen, finished }
    } finally {
      await sandbox.remove()
    }
  }

  for (const scenario of SCENARIOS) {
    it(`a crash at any step of a commit ${scenario.name} leaves all of it, or nothing`, async () => {
      const outcomes: string[] = []
      for (let first = 1, finished = false; !finished; first += AT_ONCE) {
        const several = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => afterCrash(scenario, first + i)))
        for (const { seen } of several) outcomes.push(...seen)
        finished = several.some((one) => one.finished)
      }
      assert.equal(outcomes.at(-1), 'all')
      assert.deepEqual(outcomes, [...outcomes].sort().reverse(), 'nothing until the decision, all from then on')
    })
  }

  it('transfers between the same documents, by instances of which some crash, lose nothing', async () => {
    const sandbox = new Sandbox(server)
    try {
      const survivor = await sandbox.prepared({ sweepMs: 100 })
      const accounts = 6
      await survivor.open(ACCOUNTS).insertMany(Array.from({ length: accounts }, (_, i) => ({ _id: String(i), n: 100 })))
      const transfer = (storage: Storage, id: string): Promise<unknown> => {
        const from = Math.floor(Math.random() * accounts)
        const to = (from + 1 + Math.floor(Math.random() * (accounts - 1))) % accounts
        const [money, , notes] = on(storage)
        return storage.commit([
          money.updating({ _id: String(from) }, { $inc: { n: -1 } }),
          notes.inserting({ _id: id, n: 1 }),
          money.updating({ _id: String(to) }, { $inc: { n: 1 } }),
        ])
      }
      const lives = async (instance: number): Promise<string[]> => {
        const made: string[] = []
        for (let life = 0; life < 4; life++) {
          let writes = 20 + Math.floor(Math.random() * 60)
          let dead: () => void = () => {}
          const died = new Promise<'died'>((resolve) => {
            dead = () => resolve('died')
          })
          const crash = (): Promise<void> => {
            if (--writes > 0) return Promise.resolve()
            dead()
            return new Promise(() => {})
          }
          const { storage, connection } = await openTuned(server.url(sandbox.database), watched({ after: crash }))
          await storage.prepare(DEFINITIONS)
          for (let i = 0; ; i++) {
            const id = `${instance}-${life}-${i}`
            if ((await Promise.race([transfer(storage, id), died])) === 'died') break
            made.push(id)
          }
          await connection.client.close(true)
        }
        return made
      }
      const made = (await Promise.all([0, 1, 2].map(lives))).flat()
      for (let i = 0; i < 20; i++) await transfer(survivor, `survivor-${i}`)
      await sandbox.prepared()
      const all = (await survivor.open(ACCOUNTS).find({})).map(({ n }) => n ?? 0)
      const notes = new Set((await survivor.open(NOTES).find({})).map(({ _id }) => _id))
      assert.equal(
        all.reduce((sum, n) => sum + n, 0),
        accounts * 100,
      )
      assert.deepEqual(
        made.filter((id) => !notes.has(id)),
        [],
      )
      assert.deepEqual(sandbox.warnings, [])
    } finally {
      await sandbox.remove()
    }
  })

  it('marks of commits are taken away', async () => {
    const sandbox = new Sandbox(server)
    try {
      const storage = await sandbox.open()
      await storage.prepare(DEFINITIONS)
      for (const [i, collection] of on(storage).entries()) await collection.insertMany(START[i])
      await SCENARIOS[0].commit(storage)
      await storage.close()
      const all = (await Promise.all(DEFINITIONS.map(({ name }) => sandbox.raw(name)))).flat()
      assert.deepEqual(
        all.filter((document) => (document._applied as unknown[] | undefined)?.length),
        [],
      )
    } finally {
      await sandbox.remove()
    }
  })

  it('an instance that is slow and one that takes over do each step once', async () => {
    const sandbox = new Sandbox(server)
    try {
      const slow = await sandbox.prepared({ turnMs: 90, ...watched({ after: () => new Promise((resolve) => setTimeout(resolve, 120)) }) })
      const quick = await sandbox.prepared({ turnMs: 90, sweepMs: 20 })
      await quick.open(ACCOUNTS).insert({ _id: 'a', n: 0 })
      await quick.open(MEMBERS).insertMany([
        { _id: 'm1', n: 0 },
        { _id: 'm2', n: 0 },
      ])
      for (let i = 1; i <= 5; i++) {
        const [account, first, second] = await slow.commit([
          slow.open(ACCOUNTS).updating({ _id: 'a' }, { $inc: { n: 1 } }),
          slow.open(MEMBERS).updating({ _id: 'm1' }, { $inc: { n: 1 } }),
          slow.open(MEMBERS).updating({ _id: 'm2' }, { $inc: { n: 1 } }),
        ])
        assert.deepEqual(
          [account, first, second],
          [
            { _id: 'a', n: i },
            { _id: 'm1', n: i },
            { _id: 'm2', n: i },
          ],
        )
      }
    } finally {
      await sandbox.remove()
    }
  })

  it('a decision that is long on its way is whole, though others have taken back what was made ahead of it', async () => {
    const sandbox = new Sandbox(server)
    try {
      const impatient = await sandbox.prepared({ sweepMs: 20 })
      await impatient.open(ACCOUNTS).insert({ _id: 'a', n: 0 })
      let takenBack = 0
      const slow = await sandbox.prepared(
        watched({
          before: async (method) => {
            if (method !== 'findOneAndUpdate' || takenBack > 0) return
            takenBack = 1
            const until = Date.now() + 200 * TURN_MS
            while ((await sandbox.raw('notes')).length > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
            takenBack += (await sandbox.raw('notes')).length === 0 ? 1 : 0
          },
        }),
      )
      await slow.commit([
        slow.open(ACCOUNTS).updating({ _id: 'a' }, { $inc: { n: 1 } }),
        slow.open(NOTES).inserting({ _id: 'n1' }),
        slow.open(NOTES).inserting({ _id: 'n2' }),
        slow.open(MEMBERS).inserting({ _id: 'm' }),
      ])
      assert.equal(takenBack, 2, 'nobody has taken anything back')
      assert.deepEqual(await sandbox.raw('notes'), [{ _id: 'n1' }, { _id: 'n2' }])
      assert.deepEqual(await sandbox.raw('members'), [{ _id: 'm' }])
      assert.deepEqual(await impatient.open(ACCOUNTS).findOne({ _id: 'a' }), { _id: 'a', n: 1 })
      assert.deepEqual(sandbox.warnings, [])
    } finally {
      await sandbox.remove()
    }
  })

  it('documents that are made again, as others have taken them back, are all made, however long that takes', async () => {
    const sandbox = new Sandbox(server)
    const turnMs = 5 * TURN_MS
    try {
      const impatient = await sandbox.prepared({ turnMs, sweepMs: 20 })
      await impatient.open(ACCOUNTS).insert({ _id: 'a', n: 0 })
      let isTakenBack = false
      const slow = await sandbox.prepared({
        turnMs,
        ...watched({
          before: async (method) => {
            if (method !== 'findOneAndUpdate' || isTakenBack) return
            for (let look = 0; look < 3000 && !isTakenBack; look++) {
              await new Promise((resolve) => setTimeout(resolve, 20))
              isTakenBack = (await sandbox.raw('notes')).length === 0
            }
          },
          // All together take longer than others wait for a word.
          after: (method) => (method === 'insertOne' ? new Promise((resolve) => setTimeout(resolve, TURN_MS)) : Promise.resolve()),
        }),
      })
      const ids = Array.from({ length: 10 }, (_, i) => `n${i}`)
      await slow.commit([slow.open(ACCOUNTS).updating({ _id: 'a' }, { $inc: { n: 1 } }), ...ids.map((_id) => slow.open(NOTES).inserting({ _id }))])
      assert.ok(isTakenBack, 'nobody has taken anything back')
      assert.deepEqual(
        await sandbox.raw('notes'),
        ids.map((_id) => ({ _id })),
      )
      assert.deepEqual(sandbox.warnings, [])
    } finally {
      await sandbox.remove()
    }
  })

  it('a commit whose documents take long to make comes to its decision, and others wait for it', async () => {
    const sandbox = new Sandbox(server)
    try {
      const impatient = await sandbox.prepared({ turnMs: 90, sweepMs: 20 })
      let made = 0
      let began = 0
      const before = (method: string, [documents]: unknown[]): Promise<void> => {
        if (method !== 'insertMany') return Promise.resolve()
        const tookMs = performance.now() - began
        began += tookMs
        const { wait = 0 } = (documents as readonly { readonly _pending: { readonly wait?: number } }[])[0]._pending
        // Twice what it took, and what the write that decides may be on its way: all who meet what a crash leaves wait for as long.
        if (made > 0) assert.ok(wait > 2 * 400 && wait < 2 * tookMs + 90, `${wait} ms for what took ${tookMs}`)
        return Promise.resolve()
      }
      const after = async (method: string): Promise<void> => {
        if (method !== 'insertMany') return
        made++
        await new Promise((resolve) => setTimeout(resolve, 401))
      }
      const slow = await sandbox.prepared({ turnMs: 90, ...watched({ before, after }) })
      await slow.open(NOTES).insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: `n${i}` })))
      assert.ok(made > 1, 'it was not slow')
      assert.equal((await sandbox.raw('notes')).filter((note) => !('_pending' in note)).length, 10)
      assert.equal(await impatient.open(NOTES).count({}), 10)
      assert.deepEqual(sandbox.warnings, [])
    } finally {
      await sandbox.remove()
    }
  })

  it('who has waited long for a slow commit that came to nothing goes on where it is settled, and does not fail', async () => {
    const sandbox = new Sandbox(server)
    // What a commit has left that asked for more than others are patient for, and never came to its decision.
    const wait = 40_000
    const leave = () =>
      sandbox.client
        .db()
        .collection<StoredDocument>('notes')
        .insertMany(['n1', 'n2'].map((_id) => ({ _id, _pending: { id: 'gone', turn: 0, anchor: { collection: 'accounts', id: 'a' }, wait } })))
    try {
      const other = await sandbox.prepared()
      const notes = other.open(NOTES)
      const act: Record<string, () => Promise<unknown>> = {
        find: () => notes.find({}),
        upsert: () => notes.upsert('n1', { $set: { n: 1 } }, { n: 1 }),
        commit: () => notes.insertMany([{ _id: 'n1' }, { _id: 'n2' }]),
      }
      const now = performance.now.bind(performance)
      for (const [name, acting] of Object.entries(act)) {
        await notes.deleteMany({})
        await leave()
        let ahead = 0
        const clock = mock.method(performance, 'now', () => now() + ahead)
        try {
          const acted = acting()
          // Once it waits, the whole time has gone by.
          await new Promise((resolve) => setTimeout(resolve, 200))
          ahead = wait
          await assert.doesNotReject(acted, name)
        } finally {
          clock.mock.restore()
        }
      }
      assert.deepEqual(await notes.find({}, byId), [{ _id: 'n1' }, { _id: 'n2' }])
    } finally {
      await sandbox.remove()
    }
  })

  it('whoever meets a document in the middle of a commit waits for it', async () => {
    const sandbox = new Sandbox(server)
    try {
      let let_go: () => void = () => {}
      let reached: () => void = () => {}
      const there = new Promise<void>((resolve) => {
        reached = resolve
      })
      const held = new Promise<void>((resolve) => {
        let_go = resolve
      })
      let writes = 0
      const slow = await sandbox.prepared(
        watched({
          after: () => {
            if (++writes !== 3) return Promise.resolve()
            reached()
            return held
          },
        }),
      )
      const other = await sandbox.prepared()
      await other.open(ACCOUNTS).insert({ _id: 'a', n: 0 })
      const committed = slow.commit([
        slow.open(ACCOUNTS).updating({ _id: 'a' }, { $inc: { n: 1 } }),
        slow.open(NOTES).inserting({ _id: 'note' }),
        slow.open(MEMBERS).inserting({ _id: 'm' }),
      ])
      await there
      const read = other.open(NOTES).find({})
      const deleted = other.open(ACCOUNTS).deleteMany({})
      const counted = slow.open(MEMBERS).count({})
      assert.equal(await Promise.race([read, deleted, counted, new Promise((resolve) => setTimeout(resolve, 100, 'waiting'))]), 'waiting')
      let_go()
      await committed
      assert.deepEqual(await read, [{ _id: 'note' }])
      assert.equal(await counted, 1)
      assert.equal(await deleted, 1)
    } finally {
      await sandbox.remove()
    }
  })

  it('a replica set that was a standalone finishes what that has left', async () => {
    const sandbox = new Sandbox(server)
    try {
      const storage = await sandbox.prepared()
      for (const [i, collection] of on(storage).entries()) await collection.insertMany(START[i])
      await crashed(sandbox, SCENARIOS[0], 4)
      const asReplicaSet = new MongoStorage({ ...(await connect(server.url(sandbox.database))), transactions: true }, () => {}, { turnMs: TURN_MS })
      await asReplicaSet.prepare(DEFINITIONS)
      assert.deepEqual(await stateOf(asReplicaSet), SCENARIOS[0].done)
      await asReplicaSet.close()
    } finally {
      await sandbox.remove()
    }
  })
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

  it('a MongoDB that is away is told, and soon unless the URL says otherwise', { skip: skipWithoutMongod() }, async () => {
    await assert.rejects(openMongoStorage({ url: 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=200' }), StorageUnavailableError)
    const server = await mongodForTests({ replicaSet: true }).server()
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
