/** Migrations, on every store: they run in order, once each, by one instance at a time, and again after a crash. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { MongoClient } from 'mongodb'
import { COLLECTIONS } from '../../../../server/features.js'
import { type UserDocument, USERS } from '../../../../server/core/auth/users.js'
import { type ProjectDocument, PROJECTS } from '../../../../server/content/shared/project.js'
import { REFUSALS, type RefusalDocument, type ReviewDocument, REVIEWS } from '../../../../server/content/shared/review.js'
import { type InvitationDocument, INVITATIONS } from '../../../../server/features/accounts/invitations/store.js'
import { type VersionDocument, VERSIONS } from '../../../../server/content/shared/version.js'
import { platformCollection, type Storage, type StoredDocument } from '../../../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import { newId } from '../../../../server/core/storage/id.js'
import { DatabaseTooNewError, MIGRATIONS, MIGRATIONS_COLLECTION, type Migration, migrate } from '../../../../server/core/storage/migrations/index.js'
import type { Warn } from '../../../../server/core/storage/migrations/migration.js'
import { openMongoStorage } from '../../../../server/core/storage/mongo/index.js'
import { mongodForTests } from '../../../support/mongod.js'
import { startServiceProcess } from '../../../support/service-process.js'
import { REPLICA_SET } from '../../../support/stores.js'
import { insertAll } from '../../../support/insert-all.js'

interface Thing extends StoredDocument {
  readonly n: number
}
const THINGS = platformCollection<Thing>('things', [])
/** No lease ends, however slow the machine is. */
const PATIENT = { leaseMs: 60_000, pollMs: 10 }
/** A lease that is renewed several times a second, by the test's clock. */
const SHORT_MS = 300
/** Time limit for the renewal of a lease. */
const RENEWAL_MS = 60_000

/** A database with several instances; an embedded one has a single instance, which is returned each time. */
interface Database {
  instance(): Promise<Storage>
  remove(): Promise<void>
}

async function embedded(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'migrations-'))
  const storage = await openEmbeddedStorage({ directory })
  await storage.prepare([MIGRATIONS_COLLECTION, THINGS])
  return {
    instance: () => Promise.resolve(storage),
    async remove() {
      await storage.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function onMongo(): { readonly skip: string | false; readonly open: () => Promise<Database> } {
  const { skip, server } = mongodForTests()
  const open = async (): Promise<Database> => {
    const mongod = await server()
    const name = `test_${newId().replaceAll('-', '')}`
    const storages: Storage[] = []
    return {
      async instance() {
        const storage = await openMongoStorage({ url: mongod.url(name) })
        storages.push(storage)
        await storage.prepare([MIGRATIONS_COLLECTION, THINGS])
        return storage
      },
      async remove() {
        await Promise.all(storages.map((storage) => storage.close()))
        await mongod.drop(name)
      },
    }
  }
  return { skip, open }
}

const STORES = [
  { name: 'embedded', skip: false, open: embedded },
  { name: 'MongoDB', ...onMongo() },
]

const nothing = (number: number): Migration => ({ number, name: `nothing-${number}`, apply: async () => {} })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

for (const { name, skip, open } of STORES) {
  describe(`migrations: ${name}`, { skip }, () => {
    const on = (test: (database: Database) => Promise<void>) => async () => {
      const database = await open()
      try {
        await test(database)
      } finally {
        await database.remove()
      }
    }
    const applied = async (storage: Storage): Promise<string[]> => (await storage.open(MIGRATIONS_COLLECTION).find({ kind: 'applied' }, { sort: { _id: 1 } })).map(({ _id }) => _id)

    it(
      'run in order, once each, also those of a later version',
      on(async (database) => {
        const storage = await database.instance()
        const order: number[] = []
        const step = (number: number): Migration => ({ number, name: `step-${number}`, apply: async () => void order.push(number) })
        await migrate(storage, [step(1), step(2)], PATIENT)
        await migrate(storage, [step(1), step(2)], PATIENT)
        await migrate(storage, [step(1), step(2), step(3)], PATIENT)
        assert.deepEqual(order, [1, 2, 3])
        assert.deepEqual(await applied(storage), ['0001', '0002', '0003'])
      }),
    )

    it(
      'continue after a crash in the middle',
      on(async (database) => {
        const storage = await database.instance()
        await insertAll(
          storage,
          storage.open(THINGS),
          [1, 2, 3].map((n) => ({ _id: String(n), n })),
        )
        let crashes = 1
        const double: Migration = {
          number: 2,
          name: 'double',
          // Documents that are done do not match any more, so it may be called again.
          async apply(at) {
            const things = at.open(THINGS)
            for await (const { _id, n } of things.iterate({ n: { lt: 10 } })) {
              await things.update({ _id, n }, { set: { n: n * 10 } })
              if (crashes-- > 0) throw new Error('crash')
            }
          },
        }
        await assert.rejects(migrate(storage, [nothing(1), double, nothing(3)], PATIENT), /crash/)
        assert.deepEqual(await applied(storage), ['0001'])
        await migrate(await database.instance(), [nothing(1), double, nothing(3)], PATIENT)
        assert.deepEqual(await applied(storage), ['0001', '0002', '0003'])
        assert.deepEqual(
          (await storage.open(THINGS).find({}, { sort: { _id: 1 } })).map(({ n }) => n),
          [10, 20, 30],
        )
      }),
    )

    it(
      'run at one of several instances that start at once, while the others wait',
      on(async (database) => {
        const storages = await Promise.all([database.instance(), database.instance(), database.instance()])
        // Time advances only when the lease is renewed, so no busy machine is too late.
        let time = Date.now()
        const renewed = async (): Promise<void> => {
          const lease = storages[0].open(MIGRATIONS_COLLECTION)
          for (const given = Date.now() + RENEWAL_MS; (await lease.findOne({ _id: 'lease' }))?.until?.getTime() !== time + SHORT_MS; await pause(PATIENT.pollMs))
            assert.ok(Date.now() < given, 'the lease is not renewed')
        }
        let running = 0
        const runs: number[] = []
        const slow = (number: number): Migration => ({
          number,
          name: `slow-${number}`,
          async apply() {
            assert.equal(++running, 1)
            runs.push(number)
            // The first takes longer than the lease, which is renewed.
            for (let third = 0; number === 1 && third < 5; third++) {
              time += SHORT_MS / 3
              await renewed()
            }
            running--
          },
        })
        await Promise.all(
          storages.map(async (storage) => {
            await migrate(storage, [slow(1), slow(2)], { ...PATIENT, leaseMs: SHORT_MS, now: () => new Date(time) })
            assert.deepEqual(await applied(storage), ['0001', '0002'])
          }),
        )
        assert.deepEqual(runs, [1, 2])
      }),
    )

    it(
      'of an instance that has ended are taken over after its lease, and it records nothing any more',
      on(async (database) => {
        const [gone, next] = [await database.instance(), await database.instance()]
        let go_on: () => void = () => {}
        const asleep = new Promise<void>((resolve) => {
          go_on = resolve
        })
        // Its clock stays in the past, so that it renews nothing.
        const past = new Date(Date.now() - PATIENT.leaseMs - 1_000)
        let begin: () => void = () => {}
        const begun = new Promise<void>((resolve) => {
          begin = resolve
        })
        const apply = (): Promise<void> => {
          begin()
          return asleep
        }
        const sleeper = migrate(gone, [{ number: 1, name: 'asleep', apply }], { ...PATIENT, now: () => past })
        sleeper.catch(() => {})
        await begun
        await migrate(next, [nothing(1)], PATIENT)
        assert.deepEqual(await applied(next), ['0001'])
        go_on()
        await assert.rejects(sleeper, /lease was lost/)
        assert.equal((await next.open(MIGRATIONS_COLLECTION).findOne({ _id: '0001' }))?.name, 'nothing-1')
      }),
    )

    it(
      'of a newer version are never overwritten',
      on(async (database) => {
        const storage = await database.instance()
        await migrate(storage, [nothing(1), nothing(2)], PATIENT)
        await assert.rejects(migrate(storage, [nothing(1)], PATIENT), (error) => error instanceof DatabaseTooNewError && error.migration === '0002')
      }),
    )

    it(
      'of this version run on an empty database',
      on(async (database) => {
        const storage = await database.instance()
        await storage.prepare(COLLECTIONS)
        await migrate(storage, MIGRATIONS)
        assert.equal((await applied(storage)).length, MIGRATIONS.length)
      }),
    )

    it(
      '0002 counts the versions of projects without a count, and finds the newest',
      on(async (database) => {
        const storage = await database.instance()
        await storage.prepare(COLLECTIONS)
        const [projects, versions] = [storage.openTenant(PROJECTS), storage.openTenant(VERSIONS)]
        const counted = { _id: 'counted', organization_id: 'a', slug: 'counted', version_count: 7, latest_version_id: 'known' }
        const projectOf = (_id: string, organization_id: string): unknown => ({ _id, organization_id, slug: _id })
        await insertAll(storage, projects, [counted, projectOf('two', 'a'), projectOf('one', 'b'), projectOf('none', 'b')] as ProjectDocument[])
        const versionOf = (_id: string, organization_id: string, project_id: string, second = 0): unknown => ({
          _id,
          organization_id,
          project_id,
          status: 'archived',
          created_at: new Date(second * 1000),
        })
        const made = [versionOf('1', 'a', 'two', 2), versionOf('2', 'a', 'two', 1), versionOf('3', 'b', 'one'), versionOf('4', 'a', 'counted'), versionOf('5', 'b', 'two', 3)]
        await insertAll(storage, versions, made as VersionDocument[])
        await migrate(storage, MIGRATIONS)
        const counts = Object.fromEntries((await projects.find({})).map(({ _id, version_count, latest_version_id }) => [_id, [version_count, latest_version_id]]))
        assert.deepEqual(counts, { counted: [7, 'known'], two: [2, '1'], one: [1, '3'], none: [0, null] })
      }),
    )

    it(
      '0003 orders earlier decisions before all later ones, and knows what was refused in them',
      on(async (database) => {
        const storage = await database.instance()
        await storage.prepare(COLLECTIONS)
        const reviews = storage.openTenant(REVIEWS)
        const common = { organization_id: 'a', project_id: 'p' }
        const decided = (_id: string, status: string, at: number): unknown => ({ ...common, _id, status, decided_at: new Date(at), decided_content_hash: `hash of ${_id}` })
        const open = { ...common, _id: 'open', status: 'open', decided_at: null, decided_content_hash: null }
        const now = Date.now()
        const made = [
          open,
          decided('rejected', 'rejected', now + 1),
          decided('approved', 'approved', now),
          decided('asked', 'changes_requested', 7),
          decided('closed', 'closed', 8),
        ]
        await insertAll(storage, reviews, [...made, { ...common, _id: 'new', status: 'approved', decided_turn: 1 }] as unknown as ReviewDocument[])
        await migrate(storage, MIGRATIONS)
        const after = await reviews.find({}, { sort: { decision_sequence: 1 } })
        assert.deepEqual(
          after.map(({ _id }) => _id),
          ['asked', 'closed', 'approved', 'rejected', 'open', 'new'],
        )
        const sequenceOf = (id: string) => after.find(({ _id }) => _id === id)?.decision_sequence
        const refusals = await storage.openTenant(REFUSALS).find({}, { sort: { decision_sequence: 1 } })
        assert.deepEqual(
          refusals.map(({ review_id, content_hash, decision_sequence, organization_id, project_id }) => [review_id, content_hash, decision_sequence, organization_id, project_id]),
          [
            ['asked', 'hash of asked', sequenceOf('asked'), 'a', 'p'],
            ['rejected', 'hash of rejected', sequenceOf('rejected'), 'a', 'p'],
          ],
        )
        assert.deepEqual(
          after.map(({ decision_sequence }) => Math.sign(decision_sequence)),
          [-1, -1, -1, -1, 0, 1],
        )
        assert.equal(after[4].decision_sequence, 0)
      }),
    )

    it(
      '0004 normalizes the addresses of users and invitations, and keeps those that cannot change',
      on(async (database) => {
        const storage = await database.instance()
        await storage.prepare(COLLECTIONS)
        const users = storage.open(USERS)
        const invitations = storage.openTenant(INVITATIONS)
        // As earlier versions stored them: NFC, in lower case.
        const userOf = (_id: string, email: string, second = 0): unknown => ({ _id, email, email_key: email.normalize('NFC').toLowerCase(), created_at: new Date(second * 1000) })
        const made = [
          userOf('plain', 'Ana@example.test', 9),
          userOf('wide', 'ａｎａ@example.test', 1),
          userOf('younger', 'ru\u200bi@example.test', 3),
          userOf('older', 'ｒｕｉ@example.test', 2),
          userOf('alone', 'Jos\u200bＥ@example.test'),
        ]
        await insertAll(storage, users, made as UserDocument[])
        const invitation = { _id: 'i', organization_id: 'a', token_hash: 'h', email: 'ＥＶＡ@example.test', email_key: 'ｅｖａ@example.test' }
        await insertAll(storage, invitations, [invitation] as unknown as InvitationDocument[])
        // Once more, as after a crash.
        for (const run of [(warn: Warn) => migrate(storage, MIGRATIONS, { warn }), (warn: Warn) => MIGRATIONS[3].apply(storage, warn)]) {
          const warned: unknown[] = []
          await run(({ user, same_as }) => void warned.push([user, same_as]))
          assert.deepEqual(warned, [
            ['wide', 'plain'],
            ['younger', 'older'],
          ])
          assert.deepEqual(
            (await users.find({}, { sort: { _id: 1 } })).map(({ _id, email, email_key }) => [_id, email, email_key]),
            [
              ['alone', 'JosE@example.test', 'jose@example.test'],
              ['older', 'rui@example.test', 'rui@example.test'],
              ['plain', 'Ana@example.test', 'ana@example.test'],
              ['wide', 'ａｎａ@example.test', 'ａｎａ@example.test'],
              ['younger', 'ru\u200bi@example.test', 'ru\u200bi@example.test'],
            ],
          )
        }
        const [{ email, email_key }] = await invitations.find({})
        assert.deepEqual([email, email_key], ['EVA@example.test', 'eva@example.test'])
      }),
    )

    it(
      '0005 copies the order of decisions to its new name, also of a review that is decided meanwhile, and may run again',
      on(async (database) => {
        const storage = await database.instance()
        await storage.prepare(COLLECTIONS)
        const [reviews, refusals] = [storage.openTenant(REVIEWS), storage.openTenant(REFUSALS)]
        // As the version before wrote them.
        const former = (_id: string, fields: object): unknown => ({ _id, organization_id: 'a', project_id: 'p', ...fields })
        const stored = [former('early', { decided_turn: -7 }), former('open', { decided_turn: 0 }), former('late', { decided_turn: 3 }), former('new', { decision_sequence: 9 })]
        await insertAll(storage, reviews, stored as ReviewDocument[])
        await insertAll(storage, refusals, [former('refusal', { turn: 4 })] as RefusalDocument[])
        const rename = MIGRATIONS[4]
        let decisions = 1
        // A process of the former version decides a review after the migration has read it.
        const openTenant = (definition: Parameters<Storage['openTenant']>[0]) => {
          const opened = storage.openTenant(definition)
          const update: typeof opened.update = async (filter, change) => {
            if (filter._id === 'open' && decisions-- > 0) await reviews.update({ _id: 'open' }, { set: { decided_turn: 5 } as object })
            return opened.update(filter, change)
          }
          return { iterate: opened.iterate.bind(opened), update }
        }
        await rename.apply({ openTenant } as unknown as Storage, () => {})
        for (let run = 1; run <= 2; run++) {
          assert.deepEqual(
            (await reviews.find({}, { sort: { decision_sequence: 1 } })).map(({ _id, decision_sequence }) => [_id, decision_sequence]),
            [
              ['early', -7],
              ['late', 3],
              ['open', 5],
              ['new', 9],
            ],
          )
          assert.deepEqual(
            (await refusals.find({})).map(({ decision_sequence }) => decision_sequence),
            [4],
          )
          // Again, as after a crash.
          await rename.apply(storage, () => {})
        }
      }),
    )
  })
}

it('migrations must be numbered without gaps', async () => {
  const database = await embedded()
  try {
    await assert.rejects(migrate(await database.instance(), [nothing(1), nothing(3)]), TypeError)
  } finally {
    await database.remove()
  }
})

describe('a service that is older than its database', () => {
  for (const store of [REPLICA_SET]) {
    it(`does not start, and does not change the newer indexes, ${store.name}`, { skip: store.skip }, async () => {
      const { env, remove } = await store.fresh()
      const client = new MongoClient(env.NATIVE_SERVICE_MONGODB_URL)
      try {
        const projects = client.db().collection(PROJECTS.name)
        await projects.createIndex({ organization_id: 1, newer: 1 }, { name: 'dc_newer' })
        await client.db().collection<StoredDocument & { readonly kind: string }>(MIGRATIONS_COLLECTION.name).insertOne({ _id: '9999', kind: 'applied' })
        await assert.rejects(startServiceProcess(env), /migration 9999/)
        assert.ok((await projects.indexes()).some(({ name }) => name === 'dc_newer'))
      } finally {
        await client.close()
        await remove()
      }
    })
  }
})
