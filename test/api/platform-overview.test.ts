/** The overview of the service: exact counts of both stores, and figures of each instance. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { JOB_FAILURES } from '../../server/core/jobs/failures.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { DailyCounts } from '../../server/core/tenancy/daily-counts.js'
import { addMember, anonymous, register } from '../support/actors.js'
import { withInstances } from '../support/instances.js'
import { FAILED_LOGIN } from '../support/projects.js'
import { ALL_STORES, midMonth, refused, SIGNUP, waitFor } from './steps.js'

interface Counts {
  readonly analysis_runs: number
  readonly api_requests: number
  readonly deliveries_failed: number
}
interface Overview {
  readonly organizations: { readonly active: number; readonly suspended: number }
  readonly users: { readonly active: number; readonly inactive: number }
  readonly members: number
  readonly period: Counts & { readonly from: string; readonly to: string }
  readonly days: readonly (Counts & { readonly date: string })[]
  readonly deliveries: { readonly waiting: number; readonly failed: number }
  readonly jobs: readonly {
    readonly kind: string
    readonly waiting: number
    readonly running: number
    readonly scheduled: number
    readonly retrying: number
    readonly failed: number
  }[]
  readonly store: { readonly kind: string; readonly is_up: boolean; readonly migrations: number }
  readonly instances: readonly { readonly id: string; readonly is_current: boolean; readonly uptime_seconds: number; readonly pool: { readonly threads: number } }[]
}

const OVERVIEW = '/platform/admin/overview'
const DAY_MS = 24 * 60 * 60 * 1000

for (const store of ALL_STORES) {
  describe(`the overview of the service, ${store.name}`, { skip: store.skip }, () => {
    test('counts exactly, over all instances, and names no organization', async () => {
      const real = midMonth()
      let ahead = 0
      const clock = () => real() + ahead
      await withInstances(store, { env: { ...SIGNUP, NATIVE_SERVICE_SESSION_TTL_SECONDS: '604800' }, clock }, async ({ apps, app, admin, scope, at }) => {
        /** A reading of that instance that is not cached. */
        const read = async (index = 0): Promise<Overview> => {
          ahead += 6_000
          const { status, body, text } = await at(index).get<Overview>(OVERVIEW)
          assert.equal(status, 200, text)
          return body
        }
        const other = await register(app.client, 'a name of a tenant', 'owner@tenant.test')
        const engineer = await addMember(other, 'engineer', 'engineer@tenant.test')
        refused(await other.client.get(OVERVIEW), 403, 'forbidden')
        refused(await anonymous(app.client).get(OVERVIEW), 401, 'unauthorized')
        const before = await read()
        assert.deepEqual([before.organizations, before.users, before.members], [{ active: 2, suspended: 0 }, { active: 3, inactive: 0 }, 3])
        assert.equal((await admin.client.patch(`/platform/admin/users/${engineer.userId}`, { is_active: false })).status, 200)
        assert.equal((await admin.client.patch(`/platform/admin/organizations/${other.organizationId}`, { is_active: false })).status, 200)
        const logtest = { files: [], input: { event: FAILED_LOGIN } }
        for (const index of [0, 1, 1]) assert.equal((await at(index).post('/analysis/logtest-native', logtest)).status, 200)
        // The other instance has written its counts when it is asked; this one writes within a second.
        await read(1)
        const after = await waitFor(async () => {
          const found = await read()
          return found.period.analysis_runs === before.period.analysis_runs + 3 ? found : undefined
        })
        assert.deepEqual([after.organizations, after.users, after.members], [{ active: 1, suspended: 1 }, { active: 2, inactive: 1 }, 3])
        assert.equal(after.days.length, 30)
        assert.equal(after.days[29].analysis_runs, 3)
        assert.equal(after.days[29].date, after.period.to)
        assert.ok(after.period.api_requests > before.period.api_requests)
        assert.deepEqual([after.store.kind, after.store.is_up], [app.service.storage.kind, true])
        assert.ok(!JSON.stringify(after).includes('a name of a tenant') && !JSON.stringify(after).includes(other.organizationId))

        // The next day, nothing has happened yet.
        ahead += DAY_MS
        const tomorrow = await read()
        assert.deepEqual([tomorrow.days[28].analysis_runs, tomorrow.days[29].analysis_runs, tomorrow.period.analysis_runs], [3, 0, 3])

        const due = new Date(clock())
        const job = { organization_id: scope.organizationId, kind: 'of no instance', subject: 'x', attempts: 1, claim: null, created_at: due }
        await app.service.storage.open(JOBS).insert({ ...job, _id: 'delivery', kind: 'webhook.deliver', due_at: new Date(due.getTime() + DAY_MS / 2) })
        await app.service.storage.open(JOBS).insert({ ...job, _id: 'running', kind: 'webhook.clear', claim: 'held', due_at: new Date(clock() + 60_000) })
        const failure = { organization_id: scope.organizationId, kind: 'notice', subject: 'x', attempts: 1, failures: 1, error: null, created_at: due, failed_at: due }
        await app.service.storage.open(JOB_FAILURES).insert({ ...failure, _id: 'f', status: 'failed', next_attempt_at: null, mark: 'f' })
        await app.service.storage.open(JOB_FAILURES).insert({ ...failure, _id: 'r', status: 'retrying', next_attempt_at: due, mark: 'r' })
        const last = await read()
        const of = (kind: string) => last.jobs.find((found) => found.kind === kind)!
        assert.deepEqual([of('webhook.deliver').scheduled, of('webhook.clear').running, of('notice').failed, of('notice').retrying], [1, 1, 1, 1])
        assert.equal(last.deliveries.waiting, 1)

        // Each instance is listed, and the one that answers says so.
        const [first, second] = [await read(0), await read(1)]
        const currentOf = ({ instances }: Overview) => instances.filter(({ is_current }) => is_current).map(({ id }) => id)
        assert.deepEqual([currentOf(first).length, currentOf(second).length], [1, 1])
        assert.equal(apps.length === 1, currentOf(first)[0] === currentOf(second)[0])
        assert.ok(first.instances[0].pool.threads > 0)
      })
    })

    test('lists the instances that are alive, and not those that have stopped', async () => {
      await withInstances(store, {}, async ({ apps, at }) => {
        const found = await waitFor(async () => {
          const { body } = await at(0).get<Overview>(OVERVIEW)
          return body.instances.length === apps.length ? body : undefined
        })
        assert.equal(found.instances.filter(({ is_current }) => is_current).length, 1)
        if (apps.length === 1) return
        await apps[1].service.close()
        await waitFor(async () => ((await at(0).get<Overview>(OVERVIEW)).body.instances.length === 1 ? true : undefined))
      })
    })

    test('keeps counts that could not be written, and adds those of several instances', async () => {
      await withInstances(store, {}, async ({ app }) => {
        const { storage } = app.service
        let fails = true
        const faults: unknown[] = []
        const failing = {
          open: (definition: never) =>
            new Proxy(storage.open(definition) as object, { get: (target, name) => (fails && name === 'update' ? () => Promise.reject(new Error('away')) : bound(target, name)) }),
        }
        const now = Date.parse('2100-03-01T12:00:00Z')
        const counts = () => new DailyCounts({ storage: failing as never, onError: (error) => faults.push(error), clock: () => now })
        const [one, two] = [counts(), counts()]
        one.add('deliveries_failed', 2)
        await one.flush()
        assert.equal(faults.length, 1)
        fails = false
        two.add('deliveries_failed', 5)
        one.add('deliveries_failed', -1)
        await Promise.all([one.flush(), two.flush()])
        const days = await one.last(2)
        assert.deepEqual(
          days.map(({ date, deliveries_failed }) => [date, deliveries_failed]),
          [
            ['2100-02-28', 0],
            ['2100-03-01', 6],
          ],
        )
      })
    })
  })
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}
