/**
 * Limits of an organization that concurrent requests reach, on every store; if two instances can share a store, both get requests. Existing objects are put
 * into the store directly.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { API_KEYS_LIMIT } from '../../server/features/accounts/api-keys/service.js'
import { API_KEYS } from '../../server/features/accounts/api-keys/store.js'
import { ATTACHMENTS_LIMIT, REPORTS_LIMIT } from '../../server/features/feedback/service.js'
import { FEEDBACK_ATTACHMENTS, FEEDBACK_REPORTS } from '../../server/features/feedback/store.js'
import { PENDING_INVITATIONS_LIMIT } from '../../server/features/accounts/invitations/service.js'
import { INVITATIONS } from '../../server/features/accounts/invitations/store.js'
import type { TenantCollection, TenantDocument } from '../../server/core/storage/contract.js'
import { MEMBERS_LIMIT, MEMBERSHIPS, newMembership, ORGANIZATIONS_LIMIT } from '../../server/core/tenancy/memberships.js'
import type { Scope } from '../../server/core/tenancy/scope.js'
import { anonymous, PASSWORD, register } from '../support/actors.js'
import type { Answer, Client } from '../support/client.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP } from './steps.js'
import { insertAll } from '../support/insert-all.js'

const SIX = [0, 1, 2, 3, 4, 5]
const PIXEL = { filename: 'pixel.png', content_type: 'image/png', content: 'AAAA' }

const ENV = { ...SIGNUP, ...PROXIED }

/** An anonymous caller from a separate address, at the instance of that client. */
const guest = (client: Client, index: number): Client => anonymous(client).as(from(`203.0.113.${index + 1}`))

/** Puts copies of an existing document into the store. */
async function fill(scope: Scope, definition: TenantCollection<TenantDocument>, count: number, fields: (at: number) => object = () => ({})): Promise<void> {
  const documents = scope.collection(definition)
  const [made] = await documents.find({}, { limit: 1 })
  const copies = Array.from({ length: count }, (_, at) => ({ ...made, ...fields(at), _id: `filler-${at}` }))
  await insertAll(scope, documents, copies)
}

/** Asserts that this many requests succeeded, and that all others were refused with the reason. */
function through(answers: readonly Answer<unknown>[], count: number, refusal: RegExp): void {
  assert.equal(answers.filter(({ status }) => status < 300).length, count, answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join('\n'))
  for (const answer of answers) if (answer.status >= 300) assert.match(refused(answer, 409, 'conflict').message, refusal)
}

for (const store of ALL_STORES) {
  describe(`at the limit of an organization at once, ${store.name}`, { skip: store.skip }, () => {
    test('the last API key is created once', () =>
      withInstances(store, { env: ENV }, async ({ admin, scope, at }) => {
        const make = (index: number) => at(index).post(`/platform/organizations/${admin.organizationId}/api-keys`, { name: `key ${index}`, scopes: ['analysis:run'] })
        assert.equal((await make(0)).status, 200)
        await fill(scope, API_KEYS, API_KEYS_LIMIT - 2, (index) => ({ public_id: `filler-${index}` }))
        through(await Promise.all(SIX.map(make)), 1, /1000 API keys/)
        assert.equal(await scope.collection(API_KEYS).count({}), API_KEYS_LIMIT)
      }))

    test('the last invitation is sent once', () =>
      withInstances(store, { env: ENV }, async ({ app, admin, scope, at }) => {
        const invite = (index: number) => at(index).post(`/auth/organizations/${admin.organizationId}/invitations`, { email: `guest${index}@example.test`, role: 'engineer' })
        assert.equal((await invite(9)).status, 200)
        await fill(scope, INVITATIONS, PENDING_INVITATIONS_LIMIT - 2, (index) => ({ token_hash: `filler-${index}` }))
        through(await Promise.all(SIX.map(invite)), 1, /1000 pending invitations/)
        assert.equal(await scope.collection(INVITATIONS).count({ status: 'pending' }), PENDING_INVITATIONS_LIMIT)
        // Refused requests send no mail.
        assert.ok(app.mail.sent.length <= 2)
      }))

    test('the last member is added once, whether created or invited', () =>
      withInstances(store, { env: ENV }, async ({ app, admin, at }) => {
        const { organizationId } = admin
        const tokens: string[] = []
        for (const index of SIX.slice(0, 3)) {
          const { body } = await at(index).post<{ token: string }>(`/auth/organizations/${organizationId}/invitations`, { email: `guest${index}@example.test`, role: 'engineer' })
          tokens.push(body.token)
        }
        const accept = (token: string, index: number) => guest(at(index), index).post(`/auth/invitations/${token}/accept`, { display_name: 'Guest', password: PASSWORD })
        const make = (_: string, index: number) =>
          at(index + 1).post(`/auth/organizations/${organizationId}/members`, { email: `made${index}@example.test`, display_name: 'Made', password: PASSWORD, role: 'engineer' })
        const memberships = app.service.storage.open(MEMBERSHIPS)
        const now = new Date()
        const members = Array.from({ length: MEMBERS_LIMIT - 2 }, (_, index) => newMembership(`filler-${index}`, organizationId, `filler-${index}`, 'read_only', now))
        await insertAll(app.service.storage, memberships, members)
        through(await Promise.all([...tokens.map(accept), ...tokens.map(make)]), 1, /11000 members/)
        assert.equal(await memberships.count({ organization_id: organizationId }), MEMBERS_LIMIT)
      }))

    test('the last feedback report is stored once', () =>
      withInstances(store, { env: ENV }, async ({ admin, scope, at }) => {
        const send = (index: number) => at(index).post(`/platform/organizations/${admin.organizationId}/feedback-reports`, { kind: 'bug', title: `report ${index}` })
        assert.equal((await send(0)).status, 200)
        await fill(scope, FEEDBACK_REPORTS, REPORTS_LIMIT - 2)
        through(await Promise.all(SIX.map(send)), 1, /10000 feedback reports/)
        assert.equal(await scope.collection(FEEDBACK_REPORTS).count({}), REPORTS_LIMIT)
      }))

    test('so are the last attachments, and reports without any are still accepted', () =>
      withInstances(store, { env: ENV }, async ({ admin, scope, at }) => {
        const path = `/platform/organizations/${admin.organizationId}/feedback-reports`
        const send = (index: number) => at(index).post(path, { kind: 'bug', title: `report ${index}`, attachments: [PIXEL, PIXEL] })
        assert.equal((await send(0)).status, 200)
        // With three places left, two reports of two attachments would need four.
        await fill(scope, FEEDBACK_ATTACHMENTS, ATTACHMENTS_LIMIT - 5)
        through(await Promise.all(SIX.map(send)), 1, /500 attachments/)
        assert.equal(await scope.collection(FEEDBACK_ATTACHMENTS).count({}), ATTACHMENTS_LIMIT - 1)
        assert.equal((await at(0).post(path, { kind: 'bug', title: 'without' })).status, 200)
      }))

    test('a user joins the last allowed organization once', () =>
      withInstances(store, { env: ENV }, async ({ app, at }) => {
        const traveller = await register(guest(at(0), 0), 'traveller')
        const hosts = await Promise.all(SIX.slice(1, 4).map((index) => register(guest(at(index), index), `host${index}`)))
        const tokens = await Promise.all(
          hosts.map(({ client, organizationId }) =>
            client.post<{ token: string }>(`/auth/organizations/${organizationId}/invitations`, { email: traveller.email, role: 'engineer' }),
          ),
        )
        const memberships = app.service.storage.open(MEMBERSHIPS)
        const now = new Date()
        await insertAll(
          app.service.storage,
          memberships,
          Array.from({ length: ORGANIZATIONS_LIMIT - 2 }, (_, index) => newMembership(`far-${index}`, `filler-${index}`, traveller.userId, 'read_only', now)),
        )
        // All at one instance: on a MongoDB without transactions nothing excludes two.
        const accept = ({ body }: Answer<{ token: string }>, index: number) => guest(app.client, index).post(`/auth/invitations/${body.token}/accept`, { password: PASSWORD })
        through(await Promise.all(tokens.map(accept)), 1, /1000 organizations/)
        assert.equal(await memberships.count({ user_id: traveller.userId }), ORGANIZATIONS_LIMIT)
      }))
  })
}
