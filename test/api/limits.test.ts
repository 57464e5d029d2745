/** Limits of an organization's objects, and of how often it may create more. Existing objects are put into the store directly. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { API_KEYS_LIMIT } from '../../server/features/accounts/api-keys/service.js'
import { API_KEYS } from '../../server/features/accounts/api-keys/store.js'
import { PENDING_INVITATIONS_LIMIT } from '../../server/features/accounts/invitations/service.js'
import { INVITATIONS } from '../../server/features/accounts/invitations/store.js'
import { Throttle } from '../../server/core/tenancy/counters.js'
import { MEMBERS_LIMIT, MEMBERSHIPS, newMembership, ORGANIZATIONS_LIMIT } from '../../server/core/tenancy/memberships.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, anonymous, createKey, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { from, PROXIED, refused, SIGNUP } from './steps.js'
import { insertAll } from '../support/insert-all.js'

describe('limits', () => {
  let app: TestApp
  let addresses = 0
  const now = new Date()
  const newOrganization = (name: string): Promise<Actor> => register(anonymous(app.client).as(from(`192.0.2.${++addresses}`)), name)
  const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
  const invite = ({ client, organizationId }: Actor, email: string) =>
    client.post<{ id: string; token: string }>(`/auth/organizations/${organizationId}/invitations`, { email, role: 'engineer' })
  const addMember = ({ client, organizationId }: Actor, email: string) =>
    client.post(`/auth/organizations/${organizationId}/members`, { email, display_name: 'New', password: PASSWORD, role: 'engineer' })
  const accept = (token: string, body: object) => anonymous(app.client).post(`/auth/invitations/${token}/accept`, body)

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED } })
  })
  after(() => app.close())

  test('of API keys', async () => {
    const admin = await newOrganization('keys')
    const { id } = await createKey(admin, ['analysis:run'])
    const key = { name: 'k', secret_hash: 'x', scopes: [], expires_at: now, last_used_at: null, created_at: now, updated_at: now, revision: 1 }
    const keys = new Tenancy(app.service.storage).of(admin.organizationId).collection(API_KEYS)
    await insertAll(
      app.service.storage,
      keys,
      many(API_KEYS_LIMIT - 1, (at) => ({ ...key, _id: `key-${at}`, public_id: `filler-${at}` })),
    )
    const path = `/platform/organizations/${admin.organizationId}/api-keys`
    const body = { name: 'one too many', scopes: ['analysis:run'] }
    const { message } = refused(await admin.client.post(path, body), 409, 'conflict')
    assert.match(message, /1000 API keys/)
    const portuguese = refused(await admin.client.post(path, body, { headers: { 'x-locale': 'pt-BR' } }), 409, 'conflict')
    assert.match(portuguese.message, /1000 chaves de API/)
    assert.equal((await admin.client.post(`${path}/${id}/rotate`)).status, 200)
    assert.equal((await admin.client.delete(`${path}/${id}`)).status, 204)
    assert.equal((await admin.client.post(path, body)).status, 200)
  })

  test('of pending invitations; accepted and expired ones do not count', async () => {
    const admin = await newOrganization('invitations')
    const { body } = await invite(admin, 'first@example.test')
    const common = { email: 'x@example.test', email_key: 'x@example.test', role: 'engineer', makes_platform_admin: false, accepted_at: null, created_at: now } as const
    const invitations = new Tenancy(app.service.storage).of(admin.organizationId).collection(INVITATIONS)
    const [later, before] = [new Date(now.getTime() + 86_400_000), new Date(now.getTime() - 1)]
    const filler = (kind: string) => (at: number) => ({ ...common, _id: `${kind}-${at}`, token_hash: `${kind}-${at}`, status: 'pending' as const, expires_at: later })
    await insertAll(app.service.storage, invitations, many(PENDING_INVITATIONS_LIMIT - 1, filler('pending')))
    await insertAll(
      app.service.storage,
      invitations,
      many(5, filler('expired')).map((invitation) => ({ ...invitation, expires_at: before })),
    )
    await insertAll(
      app.service.storage,
      invitations,
      many(5, filler('accepted')).map((invitation) => ({ ...invitation, status: 'accepted' as const })),
    )
    const { message } = refused(await invite(admin, 'late@example.test'), 409, 'conflict')
    assert.match(message, /1000 pending invitations/)
    assert.equal((await admin.client.delete(`/auth/organizations/${admin.organizationId}/invitations/${body.id}`)).status, 204)
    assert.equal((await invite(admin, 'late@example.test')).status, 200)
  })

  test('of members, whichever way they join', async () => {
    const admin = await newOrganization('members')
    const guest = await newOrganization('guest')
    const tokens = [(await invite(admin, 'joins@example.test')).body.token, (await invite(admin, guest.email)).body.token]
    const memberships = app.service.storage.open(MEMBERSHIPS)
    const members = many(MEMBERS_LIMIT - 1, (at) => newMembership(`member-${at}`, admin.organizationId, `filler-${at}`, 'read_only', now))
    // A transaction of all of them is more than the cache of a small MongoDB holds.
    await insertAll(app.service.storage, memberships, members)
    assert.match(refused(await addMember(admin, 'made@example.test'), 409, 'conflict').message, /11000 members/)
    for (const token of tokens) assert.match(refused(await accept(token, { display_name: 'New', password: PASSWORD }), 409, 'conflict').message, /11000 members/)
    assert.equal((await admin.client.delete(`/auth/organizations/${admin.organizationId}/members/${await memberOf(admin)}`)).status, 409)
    await memberships.delete({ _id: 'member-0' })
    assert.equal((await accept(tokens[0], { display_name: 'New', password: PASSWORD })).status, 200)
  })

  test('of organizations of one user', async () => {
    const [admin, guest] = [await newOrganization('host'), await newOrganization('traveller')]
    const { token } = (await invite(admin, guest.email)).body
    const memberships = app.service.storage.open(MEMBERSHIPS)
    await insertAll(
      app.service.storage,
      memberships,
      many(ORGANIZATIONS_LIMIT - 1, (at) => newMembership(`far-${at}`, `filler-${at}`, guest.userId, 'read_only', now)),
    )
    assert.match(refused(await accept(token, { password: PASSWORD }), 409, 'conflict').message, /1000 organizations/)
  })

  test('of invitations for one address, so that no mailbox is flooded', async () => {
    const admin = await newOrganization('flood')
    for (let at = 0; at < THROTTLES.invitationsByEmail.limit; at++) assert.equal((await invite(admin, 'Victim@example.test')).status, 200)
    const { details } = refused(await invite(admin, 'victim@EXAMPLE.test'), 429, 'rate_limited')
    assert.equal(details.route, THROTTLES.invitationsByEmail.name)
    assert.equal((await invite(admin, 'someone-else@example.test')).status, 200)
    assert.equal((await invite(await newOrganization('friendly'), 'victim@example.test')).status, 200)
  })

  test('of users that an organization creates in an hour, because password hashing is shared', async () => {
    const admin = await newOrganization('factory')
    const { name, limit } = THROTTLES.members
    const throttle = new Throttle(app.service.storage)
    for (let at = 0; at < limit - 1; at++) await throttle.attempt(name, admin.organizationId, THROTTLES.members)
    assert.equal((await addMember(admin, 'last@example.test')).status, 200)
    const answer = await addMember(admin, 'throttled@example.test')
    assert.equal(refused(answer, 429, 'rate_limited').details.route, name)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
  })

  async function memberOf({ client, organizationId, userId }: Actor): Promise<string> {
    return (await client.get<{ id: string }[]>(`/auth/organizations/${organizationId}/members?user_id=${userId}`)).body[0].id
  }
})
