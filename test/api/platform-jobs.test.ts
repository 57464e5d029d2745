/** Failed jobs of a running service: seen, retried and dropped by platform admins, on every store and from every instance. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOTICES } from '../../server/core/events/notices.js'
import { OUTBOX } from '../../server/core/events/outbox.js'
import { JOB_FAILURES } from '../../server/core/jobs/failures.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { FAILURES_LIMIT } from '../../server/core/jobs/runner.js'
import { type Scope, Tenancy } from '../../server/core/tenancy/scope.js'
import { addMember, anonymous, register } from '../support/actors.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, refused, SIGNUP, waitFor } from './steps.js'

const JOBS_PATH = '/platform/admin/jobs'

interface Job {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly organization_id: string | null
  readonly subject: string
  readonly attempts: number
  readonly failures: number
  readonly error: { readonly class: string; readonly code: string | null; readonly text: string; readonly place: string | null } | null
  readonly next_attempt_at: string | null
}

for (const store of ALL_STORES) {
  describe(`failed jobs, ${store.name}`, { skip: store.skip }, () => {
    test('are listed with their error, retried once, and audited in their organization', async () => {
      await withInstances(store, { env: SIGNUP }, async ({ app, admin, at }) => {
        const { storage } = app.service
        const other = await register(app.client, 'other')
        const reader = await addMember(other, 'engineer', 'reader@other.test')
        const scope = new Tenancy(storage).of(other.organizationId)
        const listed = async (query = '') => (await admin.client.get<Job[]>(JOBS_PATH + query)).body
        // A notice that a fault has left without its recipients.
        const params = { title: 'A title of the tenant', project: 'P', actor: 'A' }
        await scope.collection(NOTICES).insert({ _id: 'odd', kind: 'review.created', params, link: null, but: null, roles: null, reached: '', created_at: new Date() } as never)
        await storeJob(scope, 'notice', 'odd', FAILURES_LIMIT - 1)
        const job = await waitFor(async () => (await listed())[0])
        assert.deepEqual(
          [job.kind, job.status, job.organization_id, job.subject, job.failures, job.error?.class],
          ['notice', 'retrying', other.organizationId, 'odd', FAILURES_LIMIT, 'TypeError'],
        )
        assert.match(job.error?.place ?? '', /^server\/.*\.js:\d+$/)
        assert.ok(!JSON.stringify(await listed()).includes('A title of the tenant'))
        // Without waiting for the pause.
        await storage.open(JOBS).update({ _id: job.id }, { set: { due_at: new Date() } })
        const failed = await waitFor(async () => (await listed('?status=failed'))[0])
        assert.deepEqual([failed.id, failed.next_attempt_at, failed.error], [job.id, null, job.error])
        for (const [query, count] of [
          ['?status=retrying', 0],
          ['?kind=notice', 1],
          ['?kind=event.dispatch', 0],
          [`?organization_id=${other.organizationId}&status=failed`, 1],
          [`?organization_id=${admin.organizationId}`, 0],
        ] as const)
          assert.equal((await listed(query)).length, count, query)
        refused(await other.client.get(`${JOBS_PATH}/${job.id}`), 403, 'forbidden')
        refused(await other.client.post(`${JOBS_PATH}/${job.id}/retry`), 403, 'forbidden')
        refused(await anonymous(app.client).delete(`${JOBS_PATH}/${job.id}`), 401, 'unauthorized')
        // The cause is gone.
        await scope.collection(NOTICES).update({ _id: 'odd' }, { set: { users: [reader.userId] } })
        const answers = await Promise.all([0, 1].map((index) => at(index).post<Job>(`${JOBS_PATH}/${job.id}/retry`)))
        assert.ok(answers.some(({ status }) => status === 200))
        for (const { status } of answers) assert.ok([200, 404, 409].includes(status), String(status))
        const inbox = await waitFor(async () => {
          const { body } = await reader.client.get<{ total: number }>('/notifications')
          return body.total > 0 ? body : undefined
        })
        assert.equal(inbox.total, 1)
        await waitFor(async () => ((await admin.client.get(`${JOBS_PATH}/${job.id}`)).status === 404 ? true : undefined))
        refused(await at(1).post(`${JOBS_PATH}/${job.id}/retry`), 404, 'not_found')
        assert.deepEqual([await storage.open(JOBS).count({ subject: 'odd' }), await storage.open(JOB_FAILURES).count({})], [0, 0])
        const trail = (await other.client.get<{ actor_name: string; resource_id: string }[]>('/platform/audit?action=job.retried')).body
        assert.deepEqual([...new Set(trail.map(({ actor_name, resource_id }) => `${actor_name} ${resource_id}`))], [`${admin.email} ${job.id}`])
        assert.equal(trail.length, answers.filter(({ status }) => status === 200).length)
        assert.deepEqual((await admin.client.get<unknown[]>('/platform/audit?action=job.retried')).body, [])
      })
    })

    test('are retried by kind, and dropped with what only they need', async () => {
      await withInstances(store, { env: SIGNUP }, async ({ app, admin, scope, at }) => {
        const { storage } = app.service
        for (const id of ['a', 'b', 'c']) {
          await scope.collection(OUTBOX).insert({ _id: id, name: 'webhook.test', payload: {}, created_at: new Date() })
          await storeJob(scope, 'event.dispatch', id, FAILURES_LIMIT)
        }
        const failed = await waitFor(async () => {
          const { body } = await admin.client.get<Job[]>(`${JOBS_PATH}?status=failed`)
          return body.length === 3 ? body : undefined
        })
        assert.deepEqual(
          failed.map(({ error }) => error),
          [null, null, null],
        )
        const dropped = failed.find(({ subject }) => subject === 'a')!
        assert.equal((await at(1).delete(`${JOBS_PATH}/${dropped.id}`)).status, 204)
        refused(await admin.client.delete(`${JOBS_PATH}/${dropped.id}`), 404, 'not_found')
        assert.equal(await scope.collection(OUTBOX).count({ _id: 'a' }), 0)
        const none = { kind: 'event.dispatch', organization_id: '00000000-0000-4000-8000-000000000000' }
        assert.deepEqual((await admin.client.post(`${JOBS_PATH}/retry`, none)).body, { retried: 0, remaining: 0 })
        assert.deepEqual((await admin.client.post(`${JOBS_PATH}/retry`, { kind: 'event.dispatch' })).body, { retried: 2, remaining: 0 })
        await waitFor(async () => ((await scope.collection(OUTBOX).count({})) === 0 && (await storage.open(JOB_FAILURES).count({})) === 0 ? true : undefined))
        assert.equal(await storage.open(JOBS).count({ kind: 'event.dispatch' }), 0)
        const trail = (await admin.client.get<{ action: string }[]>('/platform/audit?resource_type=job')).body
        assert.deepEqual(trail.map(({ action }) => action).sort(), ['job.dropped', 'job.retried', 'job.retried'])
      })
    })

    /** Stores a job that has failed before. */
    async function storeJob(scope: Scope, kind: string, subject: string, failures: number): Promise<void> {
      const { organizationId } = scope
      const now = new Date()
      const job = { _id: `${kind}-${subject}`, organization_id: organizationId, kind, subject, due_at: now, claim: null, attempts: failures, failures, created_at: now }
      await scope.commit([{ collection: JOBS.name, operation: { kind: 'insert', document: job } }])
    }
  })
}
