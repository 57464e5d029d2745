/** Feedback reports of all organizations, for platform admins. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addMember, bootstrap, createKey, register } from '../support/actors.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface Report {
  readonly id: string
  readonly organization_id: string
  readonly organization_name: string
  readonly title: string
  readonly status: string
}
interface Notification {
  readonly kind: string
  readonly title: string
  readonly body: string
}

interface Notifications {
  readonly items: readonly Notification[]
}

const PATH = '/platform/admin/feedback'

for (const store of ALL_STORES) {
  describe(`feedback of all organizations, ${store.name}`, { skip: store.skip }, () => {
    test('is listed, filtered, and answered to the user who sent it', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        const admin = await bootstrap(client)
        const owner = await register(client, 'tenant')
        const engineer = await addMember(owner, 'engineer', 'engineer@tenant.test')
        const of = (organizationId: string) => `/platform/organizations/${organizationId}/feedback-reports`
        const own = (await admin.client.post<Report>(of(admin.organizationId), { kind: 'question', title: 'How?' })).body
        const theirs = (await engineer.client.post<Report>(of(owner.organizationId), { kind: 'bug', title: 'Shown twice' })).body
        const found = async (query: string): Promise<string[]> => {
          const { status, body, headers, text } = await admin.client.get<Report[]>(`${PATH}?order=asc&${query}`)
          assert.equal(status, 200, text)
          assert.equal(headers.get('x-total-count'), String(body.length))
          return body.map(({ title, organization_name }) => `${organization_name}: ${title}`)
        }
        assert.deepEqual((await found('')).sort(), ['First Organization: How?', 'tenant: Shown twice'])
        assert.deepEqual(await found(`organization_id=${owner.organizationId}`), ['tenant: Shown twice'])
        assert.deepEqual(await found('kind=question'), ['First Organization: How?'])
        assert.deepEqual(await found('status=resolved'), [])

        const path = `${PATH}/${theirs.id}`
        const { body, headers } = await admin.client.get<Report>(path)
        assert.deepEqual([body.organization_id, body.organization_name, body.status], [owner.organizationId, 'tenant', 'open'])
        const match = { headers: { 'If-Match': headers.get('etag') ?? '' } }
        const changed = await admin.client.patch<Report>(path, { status: 'resolved' }, match)
        assert.deepEqual([changed.status, changed.body.status], [200, 'resolved'])
        refused(await admin.client.patch(path, { status: 'closed' }, match), 412, 'precondition_failed')
        assert.deepEqual(await found('status=resolved'), ['tenant: Shown twice'])
        const told = await waitFor(async () => (await engineer.client.get<Notifications>('/notifications')).body.items.find(({ kind }) => kind === 'feedback.updated'))
        assert.match(`${told.title} ${told.body}`, /Shown twice.*resolved/)
        const trail = await owner.client.get<{ actor_id: string; acting_as_platform_admin: boolean; diff: object }[]>('/platform/audit?action=feedback.updated')
        assert.deepEqual(
          trail.body.map(({ actor_id, acting_as_platform_admin, diff }) => [actor_id, acting_as_platform_admin, diff]),
          [[admin.userId, true, { status: { before: 'open', after: 'resolved' } }]],
        )
        // Nobody is told what they did themselves.
        assert.equal((await admin.client.patch(`${PATH}/${own.id}`, { status: 'closed' })).status, 200)
        assert.deepEqual(
          (await admin.client.get<Notifications>('/notifications')).body.items.filter(({ kind }) => kind === 'feedback.updated'),
          [],
        )

        refused(await admin.client.get(`${PATH}/nothing`), 404, 'not_found')
        refused(await admin.client.patch(path, { status: 'forgotten' }), 422, 'request_validation_failed')
        for (const route of [PATH, path]) {
          refused(await owner.client.get(route), 403, 'forbidden')
          refused(await (await createKey(owner, ['admin:*'])).client.get(route), 401, 'unauthorized')
        }
      }))
  })
}
