/** Jobs run once without failures, again after a failure, and on one instance at a time. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../../server/core/errors.js'
import { JOB_FAILURES } from '../../../../server/core/jobs/failures.js'
import { type ClaimedJob, JobQueue, JOBS } from '../../../../server/core/jobs/queue.js'
import { type JobKind, JobRunner } from '../../../../server/core/jobs/runner.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { StaleWriteError } from '../../../../server/core/storage/errors.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

const LEASE_MS = 60_000

describe('jobs', () => {
  let opened: TestStorage
  let storage: Storage
  let tenancy: Tenancy
  let scope: Scope
  let now = Date.parse('2100-01-01T00:00:00Z')
  const runners: JobRunner[] = []
  const faults: unknown[] = []

  before(async () => {
    opened = await openTestStorage([JOBS, JOB_FAILURES])
    storage = opened.storage
    tenancy = new Tenancy(storage)
    scope = tenancy.of('mine')
  })
  after(async () => {
    for (const runner of runners) await runner.stop()
    await opened.close()
  })

  const queue = (): JobQueue => new JobQueue(storage, () => now)
  const start = (jobs: JobQueue, kind: Partial<JobKind> & Pick<JobKind, 'kind' | 'run'>): JobRunner => {
    const log = { error: (...told: unknown[]) => void faults.push(told) }
    const runner = new JobRunner({ queue: jobs, tenancy, log: log as never, clock: () => now, pollMs: 20 }, [{ concurrency: 4, perOrganization: 2, leaseMs: LEASE_MS, ...kind }])
    runners.push(runner)
    runner.start()
    return runner
  }
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let i = 0; i < 6000; i++) {
      if (await holds()) return
      await sleep(10)
    }
    assert.fail('the condition was not met in time')
  }
  const left = (kind: string): Promise<number> => storage.open(JOBS).count({ kind })

  test('run in the scope of their organization and are deleted', async () => {
    const jobs = queue()
    const seen: string[] = []
    start(jobs, {
      kind: 'plain',
      async run(job, { organizationId }) {
        seen.push(`${organizationId} ${job.subject} ${job.attempts}`)
        return 'done'
      },
    })
    await scope.commit([jobs.enqueuing(scope, { kind: 'plain', subject: 'a' }), jobs.enqueuing(scope, { kind: 'plain', subject: 'b' })])
    await until(async () => seen.length === 2 && (await left('plain')) === 0)
    assert.deepEqual(seen.sort(), ['mine a 1', 'mine b 1'])
  })

  test('are counted by kind while they wait, with the oldest due time, and every ending is reported', async () => {
    const jobs = queue()
    assert.deepEqual(await jobs.backlog('counted'), { kind: 'counted', waiting: 0, since: null })
    const endings: string[] = []
    const begun = now
    await scope.commit(['a', 'b', 'c'].map((subject) => jobs.enqueuing(scope, { kind: 'counted', subject })))
    await scope.commit([
      jobs.enqueuing(scope, { kind: 'counted', subject: 'later', dueAt: new Date(now + 60_000) }),
      jobs.enqueuing(scope, { kind: 'of another kind', subject: 'a' }),
    ])
    assert.deepEqual(await jobs.backlog('counted'), { kind: 'counted', waiting: 3, since: new Date(begun) })
    // A claimed job does not wait.
    const [job] = await jobs.due('counted', [], 1)
    const claimed = await jobs.claim(job, LEASE_MS)
    assert.equal((await jobs.backlog('counted')).waiting, 2)
    await jobs.finish(claimed as ClaimedJob)
    const [failing, again] = ['a', 'b', 'c'].filter((subject) => subject !== job.subject)
    const runner = new JobRunner(
      { queue: jobs, tenancy, log: { error: () => {} } as never, clock: () => now, pollMs: 20, onEnded: (kind, ending) => endings.push(`${kind} ${ending}`) },
      [
        {
          kind: 'counted',
          concurrency: 1,
          perOrganization: 1,
          leaseMs: LEASE_MS,
          run: async ({ subject, attempts }) => {
            if (subject === failing) throw new Error('each time')
            return subject === again && attempts === 1 ? { again: new Date(now) } : 'done'
          },
        },
      ],
    )
    runners.push(runner)
    runner.start()
    await until(() => endings.length >= 2)
    await runner.stop()
    assert.deepEqual([...endings.slice(0, 2)].sort(), ['counted again', 'counted failed'])
  })

  test('are not stored if their commit is refused', async () => {
    const jobs = queue()
    const impossible = storage.open(JOBS).updating({ _id: 'nothing' }, { set: { attempts: 1 } })
    await assert.rejects(scope.commit([impossible, jobs.enqueuing(scope, { kind: 'refused', subject: 'a' })]), StaleWriteError)
    assert.equal(await left('refused'), 0)
  })

  test('do not run before they are due', async () => {
    const jobs = queue()
    let runs = 0
    start(jobs, {
      kind: 'later',
      async run() {
        runs++
        return 'done'
      },
    })
    await scope.commit([jobs.enqueuing(scope, { kind: 'later', subject: 'a', dueAt: new Date(now + 1000) })])
    await sleep(150)
    assert.equal(runs, 0)
    now += 2000
    await until(() => runs === 1)
  })

  test('run again if their handler fails or requests it', async () => {
    const jobs = queue()
    let runs = 0
    start(jobs, {
      kind: 'failing',
      async run() {
        runs++
        if (runs === 1) throw new Error('not today')
        return runs === 2 ? { again: new Date(now + 5000) } : 'done'
      },
    })
    await scope.commit([jobs.enqueuing(scope, { kind: 'failing', subject: 'a' })])
    await until(() => faults.length === 1)
    assert.equal(runs, 1)
    now += 1500
    await until(() => runs === 2)
    now += 6000
    await until(async () => runs === 3 && (await left('failing')) === 0)
  })

  test('run on one of several instances', async () => {
    const seen: string[] = []
    const instances = [queue(), queue(), queue()]
    for (const jobs of instances)
      start(jobs, {
        kind: 'shared',
        concurrency: 20,
        perOrganization: 20,
        async run({ subject }) {
          seen.push(subject)
          return 'done'
        },
      })
    const subjects = Array.from({ length: 60 }, (_, i) => `s${i}`)
    await scope.commit(subjects.map((subject) => instances[0].enqueuing(scope, { kind: 'shared', subject })))
    await until(async () => (await left('shared')) === 0)
    assert.deepEqual(seen.sort(), subjects.sort())
  })

  test('are looked for by kind, and where many are due each kind is', async () => {
    const jobs = queue()
    await scope.commit(['near', 'far'].map((kind) => jobs.enqueuing(scope, { kind, subject: 'a', dueAt: new Date(kind === 'near' ? now : now + 1000) })))
    assert.deepEqual([...(await jobs.dueKinds(['far', 'near', 'none']))], ['near'])
    assert.deepEqual([...(await jobs.dueKinds(['far', 'none']))], [])
    await scope.commit(Array.from({ length: 100 }, (_, index) => jobs.enqueuing(scope, { kind: 'many', subject: String(index) })))
    assert.deepEqual([...(await jobs.dueKinds(['far', 'many', 'none']))], ['far', 'many', 'none'])
  })

  test('of a dead instance are due when its lease ends, and it cannot settle them afterwards', async () => {
    const jobs = queue()
    await scope.commit([jobs.enqueuing(scope, { kind: 'orphan', subject: 'a' })])
    const [job] = await jobs.due('orphan', [], 1)
    const held = await jobs.claim(job, LEASE_MS)
    assert.ok(held)
    assert.equal(await jobs.claim(job, LEASE_MS), null)
    assert.deepEqual(await jobs.due('orphan', [], 1), [])
    now += LEASE_MS
    const [again] = await jobs.due('orphan', [], 1)
    const taken = await jobs.claim(again, LEASE_MS)
    assert.equal(taken?.attempts, 2)
    await assert.rejects(scope.commit([jobs.finishing(held)]), StaleWriteError)
    await jobs.finish(held)
    await jobs.postpone(held, new Date(now))
    assert.equal(await left('orphan'), 1)
    await scope.commit([jobs.finishing(taken as NonNullable<typeof taken>)])
    assert.equal(await left('orphan'), 0)
  })

  test('that run longer than their lease keep it, until it is lost', async () => {
    const jobs = queue()
    const due = async (): Promise<number> => (await storage.open(JOBS).findOne({ kind: 'long' }))?.due_at.getTime() ?? 0
    const endings: unknown[] = []
    let runs = 0
    const kind = {
      kind: 'long',
      // Each third of it renews the lease, by the clock of the test.
      leaseMs: 90,
      longestMs: 60_000,
      async run({ attempts }: { readonly attempts: number }, _: unknown, signal: AbortSignal) {
        runs++
        if (attempts > 1) return 'done' as const
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        endings.push(signal.reason)
        return 'done' as const
      },
    }
    for (const instance of [jobs, queue()]) start(instance, kind)
    await scope.commit([jobs.enqueuing(scope, { kind: 'long', subject: 'a' })])
    await until(() => runs > 0)
    for (let lease = 0; lease < 3; lease++) {
      now += 60
      const renewed = now + kind.leaseMs
      await until(async () => (await due()) === renewed)
    }
    assert.equal(runs, 1)
    // As if another instance had claimed it after a pause of this one.
    await storage.open(JOBS).update({ kind: 'long' }, { set: { claim: 'of another', due_at: new Date(now) } })
    await until(async () => (await left('long')) === 0 && endings.length > 0)
    assert.deepEqual([endings, runs], [['the lease was lost'], 2])
  })

  test('of one organization do not block those of others', async () => {
    const jobs = queue()
    const running = new Set<string>()
    let max = 0
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const theirs = tenancy.of('theirs')
    await scope.commit(Array.from({ length: 10 }, (_, i) => jobs.enqueuing(scope, { kind: 'fair', subject: `mine ${i}` })))
    await theirs.commit([jobs.enqueuing(theirs, { kind: 'fair', subject: 'theirs' })])
    start(jobs, {
      kind: 'fair',
      async run({ subject }, { organizationId }) {
        if (organizationId === 'theirs') return 'done'
        running.add(subject)
        max = Math.max(max, running.size)
        await released
        running.delete(subject)
        return 'done'
      },
    })
    await until(async () => running.size === 2 && (await left('fair')) === 10)
    release()
    await until(async () => (await left('fair')) === 0)
    assert.equal(max, 2)
  })

  test('of an organization that waits run before further jobs of those that were served, however many wait there', async () => {
    const jobs = queue()
    const begun: string[] = []
    const ends: (() => void)[] = []
    start(jobs, {
      kind: 'in turn',
      concurrency: 2,
      perOrganization: 1,
      async run({ subject }) {
        begun.push(subject)
        await new Promise<void>((resolve) => ends.push(resolve))
        return 'done'
      },
    })
    const store = async (organization: string, count: number): Promise<void> => {
      const of = tenancy.of(organization)
      await of.commit(Array.from({ length: count }, (_, at) => jobs.enqueuing(of, { kind: 'in turn', subject: `${organization} ${at}` })))
      now += 1
    }
    await store('slow', 20)
    await store('slower', 20)
    await until(() => begun.length === 2)
    await store('late', 2)
    await store('later', 1)
    const end = async (): Promise<void> => {
      ends.shift()?.()
      const { length } = begun
      await until(() => begun.length > length)
    }
    await end()
    await end()
    const from = (first: number): string[] =>
      begun
        .slice(first)
        .map((subject) => subject.split(' ')[0])
        .sort()
    assert.deepEqual(from(2), ['late', 'later'])
    // All have had their turn. The oldest job of an organization that has a free slot is next.
    await end()
    await end()
    assert.deepEqual(from(4), ['slow', 'slower'])
    await storage.open(JOBS).deleteMany({ kind: 'in turn', claim: null })
    for (const stop of ends) stop()
    await until(async () => (await left('in turn')) === 0)
  })

  test('that a provider refuses are a warning with its code, and no fault of the service', async () => {
    const jobs = queue()
    const told: unknown[][] = []
    const log = { error: (...line: unknown[]) => void told.push(['error', ...line]), warn: (...line: unknown[]) => void told.push(['warn', ...line]) }
    const runner = new JobRunner({ queue: jobs, tenancy, log: log as never, clock: () => now, pollMs: 20 }, [
      {
        kind: 'refused by a forge',
        concurrency: 1,
        perOrganization: 1,
        leaseMs: LEASE_MS,
        run: async () => {
          throw new ApiError('provider_unavailable', { params: { provider: 'gitea' }, details: { text: 'of the forge' } })
        },
      },
    ])
    runners.push(runner)
    runner.start()
    await scope.commit([jobs.enqueuing(scope, { kind: 'refused by a forge', subject: 'a' })])
    await until(() => told.length > 0)
    await runner.stop()
    const [[level, line]] = told as [string, Record<string, unknown>][]
    assert.deepEqual([level, line.kind, line.code, line.attempts], ['warn', 'refused by a forge', 'provider_unavailable', 1])
    assert.ok(!JSON.stringify(told).includes('of the forge'))
  })

  test('are not due before the time to which they were rescheduled', async () => {
    const jobs = queue()
    await scope.commit([jobs.enqueuing(scope, { kind: 'put off', subject: 'b' })])
    await scope.commit([jobs.rescheduling(scope, 'put off', 'b', new Date(now + 1000))])
    assert.deepEqual(await jobs.due('put off', [], 10), [])
    now += 1000
    assert.deepEqual(
      (await jobs.due('put off', [], 10)).map(({ subject }) => subject),
      ['b'],
    )
  })
})
