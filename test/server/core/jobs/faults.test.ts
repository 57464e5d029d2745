/** Jobs that fail or hang, and clocks that jump: no job is lost, none runs for ever, and none delays others. On every store. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NOTICES } from '../../../../server/core/events/notices.js'
import { OUTBOX } from '../../../../server/core/events/outbox.js'
import { JOB_FAILURES } from '../../../../server/core/jobs/failures.js'
import { type ClaimedJob, JobQueue, JOBS } from '../../../../server/core/jobs/queue.js'
import { abandonJob, FAILURES_LIMIT, type JobKind, JobRunner } from '../../../../server/core/jobs/runner.js'
import { noticeJob } from '../../../../server/features/notifications/fan-out.js'
import { clearJob } from '../../../../server/features/webhooks/clear.js'
import { deliverJob } from '../../../../server/features/webhooks/deliver.js'
import { dispatchJob } from '../../../../server/features/webhooks/dispatch.js'
import { DELIVERIES, WEBHOOKS } from '../../../../server/features/webhooks/store.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../../../server/core/storage/embedded/index.js'
import { openMongoStorage } from '../../../../server/core/storage/mongo/index.js'
import { StaleWriteError } from '../../../../server/core/storage/errors.js'
import { type Scope, Tenancy } from '../../../../server/core/tenancy/scope.js'
import { EMBEDDED, type FreshStore, REPLICA_SET } from '../../../support/stores.js'

/** Interval of polls. Tests wait for several of them before they assert that nothing has run. */
const POLL_MS = 20
const SEVERAL_POLLS_MS = 15 * POLL_MS
const LEASE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NEW_YEAR = Date.parse('2100-01-01T00:00:00Z')

for (const store of [EMBEDDED, REPLICA_SET]) {
  describe(`failing jobs, ${store.name}`, { skip: store.skip }, () => {
    let fresh: FreshStore
    let storage: Storage
    let tenancy: Tenancy
    let scope: Scope
    let now = NEW_YEAR
    let runners: JobRunner[] = []
    let told: { readonly fields: Readonly<Record<string, unknown>>; readonly text: string }[] = []

    before(async () => {
      fresh = await store.fresh()
      const { NATIVE_SERVICE_MONGODB_URL: url, NATIVE_SERVICE_DATA_DIR: directory } = fresh.env
      storage = url === undefined ? await openEmbeddedStorage({ directory }) : await openMongoStorage({ url })
      await storage.prepare([JOBS, JOB_FAILURES, NOTICES, OUTBOX, WEBHOOKS, DELIVERIES])
      tenancy = new Tenancy(storage)
      scope = tenancy.of('mine')
    })
    afterEach(async () => {
      for (const runner of runners) await runner.stop()
      await storage.open(JOBS).deleteMany({ kind: { not: '' } })
      await storage.open(JOB_FAILURES).deleteMany({ kind: { not: '' } })
      runners = []
      told = []
      now = NEW_YEAR
    })
    after(async () => {
      await storage?.close()
      await fresh?.remove()
    })

    const queue = (): JobQueue => new JobQueue(storage, () => now)
    const failures = () => storage.open(JOB_FAILURES).find({})
    const log = { error: (fields: Readonly<Record<string, unknown>>, text: string) => void told.push({ fields, text }) }
    const start = (jobs: JobQueue, ...kinds: readonly (Partial<JobKind> & Pick<JobKind, 'run'>)[]): JobRunner => {
      const definitions = kinds.map((kind) => ({ kind: 'work', concurrency: 4, perOrganization: 2, leaseMs: LEASE_MS, ...kind }))
      const runner = new JobRunner({ queue: jobs, tenancy, log: log as never, clock: () => now, graceMs: 50, pollMs: POLL_MS }, definitions)
      runners.push(runner)
      runner.start()
      return runner
    }
    const add = (jobs: JobQueue, ...subjects: readonly string[]) => scope.commit(subjects.map((subject) => jobs.enqueuing(scope, { kind: 'work', subject })))
    const stored = () => storage.open(JOBS).find({ kind: 'work' })
    const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
      for (let i = 0; i < 6000; i++) {
        if (await holds()) return
        await sleep(10)
      }
      assert.fail('the condition was not met in time')
    }
    /** Waits until a job has failed that often in a row and is released. @returns milliseconds until it is due */
    const waiting = async (failures: number) => {
      await until(async () => (await stored()).some((job) => job.claim === null && job.failures === failures))
      return (await stored())[0].due_at.getTime() - now
    }

    test('are retried with growing pauses, whatever their handler throws', async () => {
      const thrown: unknown[] = [new Error('an error'), 'a text', undefined, null, { toJSON: () => assert.fail('read') }, new Error('once more')]
      const jobs = queue()
      let runs = 0
      start(jobs, {
        // It throws instead of returning a promise.
        run() {
          throw thrown[runs++]
        },
      })
      await add(jobs, 'a')
      for (const [at, seconds] of [1, 2, 4, 8, 16, 32].entries()) {
        assert.equal(await waiting(at + 1), seconds * 1000)
        assert.equal(runs, at + 1)
        now += seconds * 1000
      }
      await until(() => told.length >= thrown.length)
      for (const [at, { fields, text }] of told.slice(0, thrown.length).entries()) {
        assert.equal(fields.err, thrown[at])
        assert.match(text, /failed; will retry/)
      }
    })

    test('are given up after FAILURES_LIMIT consecutive failures, with a line in the log, and are kept with their object', async () => {
      const jobs = queue()
      let runs = 0
      await add(jobs, 'poison')
      await scope.collection(OUTBOX).insert({ _id: 'poison', name: 'project.created' as never, payload: {}, created_at: new Date(now) })
      await storage.open(JOBS).update({ subject: 'poison' }, { set: { failures: FAILURES_LIMIT - 1 } })
      const abandoning: JobKind['abandoning'] = ({ subject }, own) => [own.collection(OUTBOX).deleting({ _id: subject }, { optional: true })]
      start(jobs, {
        async run() {
          runs++
          throw new Error('never')
        },
        abandoning,
      })
      assert.equal(await waiting(FAILURES_LIMIT), 600_000)
      assert.equal(runs, 1)
      now += 600_000
      // The line is logged after the job is deleted.
      await until(async () => (await stored()).length === 0 && told.length === 2)
      assert.equal(runs, 1)
      assert.equal(await scope.collection(OUTBOX).count({}), 1)
      const last = told[told.length - 1]
      assert.match(last.text, /given up/)
      assert.deepEqual([last.fields.subject, last.fields.kept], ['poison', true])
      const [kept] = await failures()
      assert.deepEqual(
        [kept.status, kept.subject, kept.organization_id, kept.next_attempt_at, kept.error?.class, kept.error?.text],
        ['failed', 'poison', 'mine', null, 'Error', 'never'],
      )
      // It is no job any more.
      now += DAY_MS
      await sleep(SEVERAL_POLLS_MS)
      assert.equal(runs, 1)
      // Too old to be kept, it is dropped with its object.
      for (const runner of runners) await runner.stop()
      now += 30 * DAY_MS
      start(jobs, { run: async () => 'done', abandoning })
      await until(async () => (await failures()).length === 0)
      assert.equal(await scope.collection(OUTBOX).count({}), 0)
    })

    test('count their failures from zero after a success, like jobs of older versions without a count', async () => {
      const jobs = queue()
      let runs = 0
      await add(jobs, 'a')
      const [{ failures: _, ...old }] = await storage.open(JOBS).find({ subject: 'a' })
      await storage.commit([storage.open(JOBS).deleting({ _id: old._id }), storage.open(JOBS).inserting(old)])
      start(jobs, {
        async run() {
          if (++runs === 3) return { again: new Date(now + 1000) }
          throw new Error('not now')
        },
      })
      assert.equal(await waiting(1), 1000)
      now += 1000
      assert.equal(await waiting(2), 2000)
      now += 2000
      assert.equal(await waiting(0), 1000)
      now += 1000
      assert.equal(await waiting(1), 1000)
    })

    test('do not delay others when they fail or never end', async () => {
      const jobs = queue()
      const done: string[] = []
      const signals: AbortSignal[] = []
      await add(jobs, 'hangs 1', 'hangs 2', 'fails 1', 'fails 2', 'good 1', 'good 2')
      start(jobs, {
        concurrency: 2,
        leaseMs: 100,
        async run({ subject }, _, signal) {
          if (subject.startsWith('hangs')) {
            signals.push(signal)
            return new Promise(() => undefined)
          }
          if (subject.startsWith('fails')) throw new Error('bad')
          done.push(subject)
          return 'done'
        },
      })
      await until(async () => done.length === 2 && (await stored()).every(({ claim, failures }) => claim === null && failures === 1))
      assert.deepEqual(done.sort(), ['good 1', 'good 2'])
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [true, true],
      )
      assert.equal(told.filter(({ fields }) => /did not end/.test(String((fields.err as Error).message))).length, 2)
    })

    test('that end shortly after their lease are settled', async () => {
      const jobs = queue()
      await add(jobs, 'a')
      start(jobs, { leaseMs: 30, run: async (_, __, signal) => new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 10, 'done'))) })
      await until(async () => (await stored()).length === 0)
      assert.deepEqual(told, [])
    })

    test('that never end delay the stop of an instance for the grace period only, and are due at once', async () => {
      const jobs = queue()
      let isRunning = false
      await add(jobs, 'a')
      const runner = start(jobs, {
        async run() {
          isRunning = true
          return new Promise(() => undefined)
        },
      })
      await until(() => isRunning)
      await runner.stop()
      const [job] = await stored()
      assert.deepEqual([job.claim, job.due_at.getTime(), job.failures], [null, now, 0])
      assert.deepEqual(told, [])
    })

    test('that request to run again at once are postponed by the minimum pause', async () => {
      const jobs = queue()
      let runs = 0
      await add(jobs, 'a')
      start(jobs, {
        async run() {
          runs++
          return { again: new Date(now - HOUR_MS) }
        },
      })
      await until(async () => runs === 1 && (await stored())[0].claim === null)
      assert.equal((await stored())[0].due_at.getTime(), now + 20)
      assert.equal(runs, 1)
    })

    test('that request an invalid or distant time fail', async () => {
      const jobs = queue()
      const moments = [new Date(Number.NaN), new Date(now + DAY_MS + 60_000)]
      await add(jobs, 'a', 'b')
      start(jobs, { run: async () => ({ again: moments.pop() as Date }) })
      await until(async () => (await stored()).every(({ failures, claim }) => failures === 1 && claim === null))
      assert.throws(() => jobs.enqueuing(scope, { kind: 'work', subject: 'c', dueAt: new Date(now + DAY_MS + 1) }), RangeError)
    })

    test('are recorded while they are retried, without what their error quotes, and forgotten after a success', async () => {
      const jobs = queue()
      let works = false
      await add(jobs, 'a')
      start(jobs, {
        async run() {
          if (works) return 'done'
          throw Object.assign(new TypeError('the field "password of ana" of svk_0123456789 is odd'), { code: 'ERR_ODD' })
        },
      })
      await until(async () => (await failures()).length === 1)
      const [{ _id, status, kind, attempts, failures: count, error, next_attempt_at }] = await failures()
      assert.deepEqual([status, kind, attempts, count, next_attempt_at], ['retrying', 'work', 1, 1, new Date(now + 1000)])
      assert.deepEqual({ ...error, place: null }, { class: 'TypeError', code: 'ERR_ODD', text: 'the field', place: null })
      assert.equal((await stored())[0]._id, _id)
      works = true
      now += 1000
      await until(async () => (await failures()).length === 0)
      assert.deepEqual(await stored(), [])
    })

    test('that an operator retries run once, and a second change of the same state is refused', async () => {
      const jobs = queue()
      let runs = 0
      await add(jobs, 'a')
      await storage.open(JOBS).update({ subject: 'a' }, { set: { failures: FAILURES_LIMIT } })
      const failing = start(jobs, { run: () => Promise.reject(new Error('never')) })
      await until(async () => (await failures()).length === 1)
      await failing.stop()
      const [failure] = await failures()
      const commits = await Promise.allSettled([scope.commit(jobs.retrying(failure)), scope.commit(jobs.retrying(failure))])
      assert.deepEqual(commits.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      for (const commit of commits) if (commit.status === 'rejected') assert.ok(commit.reason instanceof StaleWriteError)
      await assert.rejects(scope.commit(jobs.dropping(failure)), StaleWriteError)
      assert.equal((await stored()).length, 1)
      for (let instance = 0; instance < 2; instance++)
        start(queue(), {
          async run() {
            runs++
            return 'done'
          },
        })
      await until(async () => (await stored()).length === 0 && (await failures()).length === 0)
      assert.equal(runs, 1)
    })

    test('can be dropped unless they run, and are forgotten when the process ends before that', async () => {
      const jobs = queue()
      await add(jobs, 'a', 'b')
      const [first, second] = await jobs.due('work', [], 2)
      for (const job of [first, second]) await jobs.retry((await jobs.claim(job, LEASE_MS)) as ClaimedJob, new Date(now), { class: 'Error', code: null, text: '', place: null })
      const [running] = await jobs.due('work', [], 1)
      await jobs.claim(running, LEASE_MS)
      const held = await jobs.failures.byId(running._id)
      await assert.rejects(scope.commit(jobs.dropping(held!)), StaleWriteError)
      const free = (await failures()).find(({ _id }) => _id !== running._id)
      await scope.commit(jobs.dropping(free!))
      assert.deepEqual(
        (await stored()).map(({ _id }) => _id),
        [running._id],
      )
      // The job is done, and the process ends before it deletes the record.
      await storage.open(JOBS).deleteMany({ _id: running._id })
      now += 2 * HOUR_MS
      start(jobs, { run: async () => 'done' })
      await until(async () => (await failures()).length === 0)
    })

    test('are kept up to a limit of their organization', async () => {
      const jobs = queue()
      const old = { organization_id: 'mine', kind: 'old', subject: 'x', status: 'failed', attempts: 1, failures: 1, error: null, next_attempt_at: null, mark: 'm' } as const
      const record = (i: number) => storage.open(JOB_FAILURES).inserting({ ...old, _id: `old-${i}`, created_at: new Date(now), failed_at: new Date(now) })
      await storage.commit(Array.from({ length: 999 }, (_, i) => record(i)))
      await add(jobs, 'kept')
      await storage.open(JOBS).updateMany({ kind: 'work' }, { set: { failures: FAILURES_LIMIT } })
      const first = start(jobs, { run: async () => 'done' })
      await until(() => told.length === 1)
      await first.stop()
      await add(jobs, 'beyond')
      await storage.open(JOBS).updateMany({ kind: 'work' }, { set: { failures: FAILURES_LIMIT } })
      start(jobs, { run: async () => 'done' })
      await until(async () => told.length === 2 && (await stored()).length === 0)
      assert.deepEqual(
        told.map(({ fields }) => [fields.subject, fields.kept]),
        [
          ['kept', true],
          ['beyond', false],
        ],
      )
      assert.equal((await failures()).length, 1000)
    })

    test('whose object was deleted are done, and can be given up', async () => {
      const jobs = queue()
      const clock = () => now
      const parts = { jobs, clock } as never
      const kinds = [noticeJob(parts), dispatchJob(parts), deliverJob(parts), clearJob()]
      await scope.commit(kinds.map(({ kind }) => jobs.enqueuing(scope, { kind, subject: 'gone' })))
      await scope.commit(kinds.map(({ kind }) => jobs.enqueuing(scope, { kind, subject: 'gone, poison' })))
      await storage.open(JOBS).updateMany({ subject: 'gone, poison' }, { set: { failures: FAILURES_LIMIT } })
      start(jobs, ...kinds)
      await until(async () => told.length >= kinds.length && (await storage.open(JOBS).count({ kind: { not: '' } })) === 0)
      assert.deepEqual(
        told.map(({ text, fields }) => [/given up/.test(text), fields.subject]),
        kinds.map(() => [true, 'gone, poison']),
      )
    })

    test('that are given up keep their object, or record the failure there', async () => {
      const jobs = queue()
      const clock = () => now
      const parts = { jobs, clock } as never
      const kinds = [noticeJob(parts), dispatchJob(parts), deliverJob(parts)]
      await scope.collection(NOTICES).insert({ _id: 'x' } as never)
      await scope.collection(OUTBOX).insert({ _id: 'x', name: 'project.created' as never, payload: {}, created_at: new Date(now) })
      await scope.collection(DELIVERIES).insert({ _id: 'x', status: 'pending', next_attempt_at: new Date(now) } as never)
      await scope.commit(kinds.map(({ kind }) => jobs.enqueuing(scope, { kind, subject: 'x' })))
      await storage.open(JOBS).updateMany({ subject: 'x' }, { set: { failures: FAILURES_LIMIT } })
      start(jobs, ...kinds)
      await until(async () => (await storage.open(JOBS).count({ kind: { not: '' } })) === 0)
      assert.deepEqual([await scope.collection(NOTICES).count({}), await scope.collection(OUTBOX).count({})], [1, 1])
      // The organization sees the delivery, and sends it again.
      assert.deepEqual((await failures()).map(({ kind, error }) => [kind, error]).sort(), [
        ['event.dispatch', null],
        ['notice', null],
      ])
      const [notice, event] = kinds
      for (const failure of await failures()) {
        const kind = failure.kind === notice.kind ? notice : event
        await scope.commit([...jobs.dropping(failure), ...abandonJob(kind, failure, scope)])
      }
      assert.deepEqual([await scope.collection(NOTICES).count({}), await scope.collection(OUTBOX).count({}), (await failures()).length], [0, 0, 0])
      const delivery = await scope.collection(DELIVERIES).findOne({ _id: 'x' })
      assert.deepEqual([delivery?.status, delivery?.reason, delivery?.next_attempt_at], ['failed', 'attempts_exhausted', null])
    })

    describe('when the clock jumps', () => {
      const counting = () => {
        const runs = new Map<string, number>()
        const run: JobKind['run'] = async ({ subject }) => {
          runs.set(subject, (runs.get(subject) ?? 0) + 1)
          return subject.startsWith('again') ? { again: new Date(now + 1000) } : 'done'
        }
        return { runs, run }
      }

      test('back by an hour, new jobs run at once and earlier ones when they are due, once each', async () => {
        const jobs = queue()
        const { runs, run } = counting()
        await add(jobs, 'before')
        now -= HOUR_MS
        start(jobs, { run })
        await add(jobs, 'after')
        await until(() => runs.get('after') === 1)
        await sleep(SEVERAL_POLLS_MS)
        assert.deepEqual([...runs], [['after', 1]])
        now += HOUR_MS
        await until(async () => (await stored()).length === 0)
        assert.deepEqual(
          [...runs],
          [
            ['after', 1],
            ['before', 1],
          ],
        )
      })

      test('back by an hour while jobs run, they are settled', async () => {
        const jobs = queue()
        let release = (): void => undefined
        const released = new Promise<void>((resolve) => {
          release = resolve
        })
        let runs = 0
        start(jobs, {
          async run({ subject }) {
            runs++
            await released
            return subject === 'done' ? 'done' : { again: new Date(now + 1000) }
          },
        })
        await add(jobs, 'done', 'again')
        await until(() => runs === 2)
        now -= HOUR_MS
        release()
        assert.equal(await waiting(0), 1000)
        await until(async () => (await stored()).length === 1)
        now += 1000
        await until(() => runs === 3)
      })

      test('forward by a day, waiting jobs run early, running ones are claimed once more, and none is repeated without a pause', async () => {
        const jobs = queue()
        const { runs, run } = counting()
        let isReleased = false
        start(jobs, {
          perOrganization: 4,
          async run(job, own, signal) {
            if (job.subject !== 'slow') return run(job, own, signal)
            runs.set('slow', (runs.get('slow') ?? 0) + 1)
            while (!isReleased) await sleep(5)
            return 'done'
          },
        })
        await add(jobs, 'slow', 'again')
        await until(async () => runs.get('slow') === 1 && runs.get('again') === 1 && (await stored()).some(({ claim }) => claim === null))
        now += DAY_MS
        await until(() => runs.get('slow') === 2 && runs.get('again') === 2)
        await sleep(SEVERAL_POLLS_MS)
        assert.deepEqual([runs.get('slow'), runs.get('again')], [2, 2])
        isReleased = true
        await until(async () => (await stored()).length === 1)
      })

      test('far ahead and back, jobs from that time are due after one lease', async () => {
        const jobs = queue()
        const { runs, run } = counting()
        now += 365 * DAY_MS
        await add(jobs, 'later')
        const [held] = await jobs.due('work', [], 1)
        assert.ok(await jobs.claim(held, LEASE_MS))
        await add(jobs, 'new')
        now = NEW_YEAR
        await scope.commit([jobs.enqueuing(scope, { kind: 'work', subject: 'in half a day', dueAt: new Date(now + DAY_MS / 2) })])
        start(jobs, { run })
        await until(async () => (await stored()).filter(({ due_at }) => due_at.getTime() === now + LEASE_MS).length === 2)
        assert.deepEqual([...runs], [])
        await until(() => told.length === 1)
        assert.match(told[0].text, /a clock was wrong/)
        now += LEASE_MS
        await until(async () => (await stored()).length === 1)
        assert.deepEqual([...runs].sort(), [
          ['later', 1],
          ['new', 1],
        ])
        assert.equal((await stored())[0].due_at.getTime(), NEW_YEAR + DAY_MS / 2)
      })
    })
  })
}
