/** The notifications of a notice are created once, whatever happens to the job; lists are read from an index. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { NOTICE_JOB, NOTICES, Notices } from '../../../../server/core/events/notices.js'
import { JOB_FAILURES } from '../../../../server/core/jobs/failures.js'
import { type ClaimedJob, JOBS, JobQueue } from '../../../../server/core/jobs/queue.js'
import { type FanOutParts, noticeJob } from '../../../../server/features/notifications/fan-out.js'
import { NOTIFICATIONS, NotificationStore } from '../../../../server/features/notifications/store.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { Memberships, MEMBERSHIPS, newMembership } from '../../../../server/core/tenancy/memberships.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { directoriesForTests } from '../../../support/storage.js'
import { sqlitePlan } from '../../../support/sqlite-plan.js'
import { insertAll } from '../../../support/insert-all.js'

const MEMBERS = 1000
const LEASE_MS = 120_000
const NEVER = new AbortController().signal

describe('notices', () => {
  const newDirectory = directoriesForTests()
  let storage: Storage
  let memberships: Memberships
  let now = Date.parse('2100-01-01T00:00:00Z')
  let scopes = 0
  const clock = (): number => now

  before(async () => {
    storage = await openEmbeddedStorage({ directory: newDirectory() })
    await storage.prepare([JOBS, JOB_FAILURES, MEMBERSHIPS, NOTICES, NOTIFICATIONS])
    memberships = new Memberships(storage)
  })
  after(() => storage?.close())

  /** Creates an organization with that many members. */
  const organization = async (members = MEMBERS): Promise<Scope> => {
    const scope = new Tenancy(storage).of(`o${++scopes}`)
    const documents = Array.from({ length: members }, (_, i) => String(i).padStart(4, '0')).map((id) =>
      newMembership(`${scope.organizationId} ${id}`, scope.organizationId, `u${id}`, 'engineer', new Date(now)),
    )
    await insertAll(storage, storage.open(MEMBERSHIPS), documents)
    return scope
  }
  const parts = (changed: FanOutParts['feed']['changed'] = () => undefined): FanOutParts => ({
    memberships,
    jobs: new JobQueue(storage, clock),
    notifications: new NotificationStore(),
    feed: { changed },
    clock,
  })
  const tell = async (scope: Scope, recipients: Parameters<Notices['notifying']>[1]['recipients'] = { everyoneBut: 'u0003' }): Promise<void> => {
    const notices = new Notices(new JobQueue(storage, clock), clock)
    await scope.commit(notices.notifying(scope, { kind: 'version.published', params: { project: 'P', version: 'V', actor: 'A' }, recipients }))
  }
  const claim = async ({ organizationId }: Scope): Promise<ClaimedJob> => {
    const queue = new JobQueue(storage, clock)
    const due = (await queue.due(NOTICE_JOB, [], 10)).find(({ organization_id }) => organization_id === organizationId)
    const claimed = due === undefined ? null : await queue.claim(due, LEASE_MS)
    assert.ok(claimed)
    return claimed
  }
  const toldOnce = async (scope: Scope, members = MEMBERS): Promise<void> => {
    const all = await scope.collection(NOTIFICATIONS).find({})
    assert.equal(all.length, members - 1)
    assert.equal(new Set(all.map(({ user_id }) => user_id)).size, members - 1)
    assert.ok(all.every(({ user_id, read_at, is_read }) => user_id !== 'u0003' && read_at === null && !is_read))
    assert.equal(await scope.collection(NOTICES).count({}), 0)
    assert.equal(await storage.open(JOBS).count({ organization_id: scope.organizationId }), 0)
  }

  test('are sent to all members in slices, and the feed is informed of each slice', async () => {
    const scope = await organization()
    await tell(scope)
    const slices: number[] = []
    const { run } = noticeJob(parts((_, users) => void slices.push(users.length)))
    assert.equal(await run(await claim(scope), scope, NEVER), 'settled')
    await toldOnce(scope)
    assert.equal(
      slices.reduce((sum, length) => sum + length, 0),
      MEMBERS - 1,
    )
    assert.ok(slices.length >= 5 && slices.every((length) => length <= 200), slices.join())
  })

  test('are continued after an interruption', async () => {
    const scope = await organization()
    await tell(scope)
    const job = await claim(scope)
    const stopping = new AbortController()
    const outcome = await noticeJob(parts(() => stopping.abort('stopping'))).run(job, scope, stopping.signal)
    assert.deepEqual(outcome, { again: new Date(now) })
    const made = await scope.collection(NOTIFICATIONS).count({})
    assert.ok(made > 0 && made < MEMBERS - 1, `${made}`)
    await new JobQueue(storage, clock).postpone(job, new Date(now))
    assert.equal(await noticeJob(parts()).run(await claim(scope), scope, NEVER), 'settled')
    await toldOnce(scope)
  })

  test('are sent once if the job fails after any slice', async () => {
    const scope = await organization()
    await tell(scope)
    // Each run ends after a slice, as a crash would end it; the job is due when its lease ends.
    for (let i = 0; i < 10; i++) {
      const crash = noticeJob(
        parts(() => {
          throw new Error('crash')
        }),
      )
      const before = await scope.collection(NOTICES).count({})
      if (before === 0) break
      await assert.rejects(async () => crash.run(await claim(scope), scope, NEVER), /crash/)
      now += LEASE_MS
    }
    await toldOnce(scope)
  })

  test('are sent once if two instances run the job', async () => {
    const scope = await organization()
    await tell(scope)
    const first = await claim(scope)
    now += LEASE_MS
    const second = await claim(scope)
    const outcomes = await Promise.all([noticeJob(parts()).run(first, scope, NEVER), noticeJob(parts()).run(second, scope, NEVER)])
    // An instance whose slice the other one has committed stops. The next run of the job does the rest.
    assert.ok(outcomes.includes('settled'))
    if ((await scope.collection(NOTICES).count({})) > 0) {
      now += LEASE_MS
      await noticeJob(parts()).run(await claim(scope), scope, NEVER)
    }
    await toldOnce(scope)
  })

  test('without recipients are deleted', async () => {
    const scope = await organization(0)
    await tell(scope, { users: ['u0001'] })
    assert.equal(await noticeJob(parts()).run(await claim(scope), scope, NEVER), 'settled')
    await tell(scope, { role: 'reviewer' })
    assert.equal(await noticeJob(parts()).run(await claim(scope), scope, NEVER), 'settled')
    assert.equal(await scope.collection(NOTIFICATIONS).count({}), 0)
    assert.equal(await scope.collection(NOTICES).count({}), 0)
  })

  test('for many named users are sent to each of them', async () => {
    const scope = await organization()
    await tell(scope, { users: Array.from({ length: 999 }, (_, i) => `u${String(i + 1).padStart(4, '0')}`) })
    assert.equal(await noticeJob(parts()).run(await claim(scope), scope, NEVER), 'settled')
    assert.equal(await scope.collection(NOTIFICATIONS).count({}), 999)
  })

  test('are listed, counted and marked with an index', async () => {
    const scope = await organization(10)
    await tell(scope, { everyoneBut: null })
    await noticeJob(parts()).run(await claim(scope), scope, NEVER)
    const store = new NotificationStore()
    const planOf = (filter: object, sorted: boolean): string => {
      const plan = sqlitePlan(NOTIFICATIONS, { organization_id: 'o', user_id: 'u0001', ...filter } as object, sorted ? { sort: { created_at: -1, _id: -1 } as object } : {})
      assert.ok(plan.sorted)
      return (plan.index ?? ['everything']).join(' ')
    }
    const all = 'organization_id user_id created_at _id'
    const unread = 'organization_id user_id is_read created_at _id'
    assert.equal(planOf({}, true), all)
    assert.equal(planOf({ is_read: false }, true), unread)
    assert.equal(planOf({ is_read: false }, false), unread)
    assert.equal((await store.list(scope, 'u0001', { limit: 50, unreadOnly: true })).total, 1)
    assert.equal(await store.markRead(scope, 'u0001', null, new Date(now)), 1)
    assert.equal(await store.unread(scope, 'u0001'), 0)
  })
})
