import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { addMember, type Actor, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { ALL_STORES, refused, SIGNUP, withApp } from './steps.js'

interface Member {
  readonly id: string
  readonly organization_id: string
  readonly user_id: string
  readonly email: string
  readonly display_name: string
  readonly role: string
}

const membersOf = ({ organizationId }: Actor): string => `/auth/organizations/${organizationId}/members`
const memberIdOf = async (admin: Actor, actor: Actor): Promise<string> => (await admin.client.get<Member[]>(`${membersOf(admin)}?user_id=${actor.userId}`)).body[0].id

describe('members', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let reader: Actor

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    reader = await addMember(admin, 'read_only')
  })
  after(() => app.close())

  test('every member sees the members of the organization, and of no other', async () => {
    const { status, body, headers } = await reader.client.get<Member[]>(membersOf(admin))
    assert.equal(status, 200)
    assert.equal(Number(headers.get('x-total-count')), body.length)
    assert.ok(body.every(({ organization_id }) => organization_id === admin.organizationId))
    assert.deepEqual(Object.keys(body[0]).sort(), ['created_at', 'display_name', 'email', 'id', 'organization_id', 'role', 'updated_at', 'user_id'])
    refused(await other.client.get(membersOf(admin)), 404, 'not_found')
    const key = await createKey(admin, ['admin:*'])
    refused(await key.client.get(membersOf(admin)), 401, 'unauthorized')
  })

  test('the list is sorted, filtered and paged', async () => {
    const owner = await register(app.client, 'paged')
    for (const role of ['engineer', 'reviewer', 'engineer'] as const) await addMember(owner, role, `${role}-${Math.random()}@example.test`)
    const list = async (query: string) => (await owner.client.get<Member[]>(`${membersOf(owner)}?${query}`)).body
    assert.equal((await list('')).length, 4)
    assert.equal((await list('order=asc'))[0].user_id, owner.userId)
    assert.equal((await list('role=engineer')).length, 2)
    const pages = [...(await list('limit=3&order=asc')), ...(await list('limit=3&offset=3&order=asc'))]
    assert.deepEqual(pages, await list('order=asc'))
    refused(await owner.client.get(`${membersOf(owner)}?sort=email`), 422, 'request_validation_failed')
    refused(await owner.client.get(`${membersOf(owner)}?limit=201`), 422, 'request_validation_failed')
  })

  test('an org_admin creates a user who can log in at once', async () => {
    const body = { email: 'made@example.test', display_name: ' Made ', password: 'their own passphrase', role: 'engineer' }
    const made = await admin.client.post<Member>(membersOf(admin), body)
    assert.equal(made.status, 200, made.text)
    assert.equal(made.body.role, 'engineer')
    assert.equal(made.body.display_name, 'Made')
    assert.equal(
      app.mail.sent.some(({ to }) => to === body.email),
      false,
    )
    const session = await login(app.client, body.email, body.password)
    assert.equal(session.organizationId, admin.organizationId)
    refused(await session.client.post(membersOf(admin), { ...body, email: 'x@example.test' }), 403, 'forbidden')
    refused(await admin.client.post(membersOf(admin), body), 409, 'conflict')
    refused(await other.client.post(membersOf(other), { ...body, email: body.email.toUpperCase() }), 409, 'conflict')
    refused(await other.client.post(membersOf(admin), { ...body, email: 'x@example.test' }), 404, 'not_found')
    for (const wrong of [{ role: 'owner' }, { password: 'short' }, { display_name: '' }, { email: 'x' }, { other: 1 }]) {
      refused(await admin.client.post(membersOf(admin), { ...body, email: 'x@example.test', ...wrong }), 422, 'request_validation_failed')
    }
  })

  test('an API key with every permission can do so as well', async () => {
    const key = await createKey(admin, ['admin:*'])
    const body = { email: 'by-key@example.test', display_name: 'By key', password: PASSWORD, role: 'reviewer' }
    assert.equal((await key.client.post(membersOf(admin), body)).status, 200)
  })

  test('a role changes at once, and the update can be conditional', async () => {
    const member = await addMember(admin, 'read_only', 'rising@example.test')
    const path = `${membersOf(admin)}/${await memberIdOf(admin, member)}`
    const shown = await reader.client.get<Member>(path)
    const etag = shown.headers.get('etag') ?? ''
    refused(await member.client.get('/platform/audit'), 403, 'forbidden')
    const changed = await admin.client.patch<Member>(path, { role: 'reviewer' }, { headers: { 'If-Match': etag } })
    assert.equal(changed.status, 200, changed.text)
    assert.equal(changed.body.role, 'reviewer')
    assert.notEqual(changed.headers.get('etag'), etag)
    assert.equal((await member.client.get('/platform/audit')).status, 200)
    refused(await admin.client.patch(path, { role: 'engineer' }, { headers: { 'If-Match': etag } }), 412, 'precondition_failed')
    assert.equal((await admin.client.patch<Member>(path, {})).body.role, 'reviewer')
    refused(await member.client.patch(path, { role: 'org_admin' }), 403, 'forbidden')
    refused(await other.client.patch(path, { role: 'org_admin' }), 404, 'not_found')
    refused(await other.client.patch(path.replace(admin.organizationId, other.organizationId), { role: 'org_admin' }), 404, 'not_found')
  })

  test('a removed member loses access at once, and keeps the account', async () => {
    const member = await addMember(admin, 'engineer', 'leaving@example.test')
    const path = `${membersOf(admin)}/${await memberIdOf(admin, member)}`
    refused(await reader.client.delete(path), 403, 'forbidden')
    const removed = await admin.client.delete(path)
    assert.equal(removed.status, 204)
    assert.equal(removed.text, '')
    refused(await member.client.get('/auth/me'), 401, 'unauthorized')
    refused(await admin.client.delete(path), 404, 'not_found')
    const again = await anonymous(app.client).post<{ current_organization: null; organizations: [] }>('/auth/login', { email: member.email, password: PASSWORD })
    assert.equal(again.status, 200, again.text)
    assert.deepEqual([again.body.current_organization, again.body.organizations], [null, []])
  })

  test('a session ends with the organization in which it was opened, also for its requests in another one', async () => {
    const member = await addMember(admin, 'engineer', 'both@example.test')
    const invited = await other.client.post<{ token: string }>(`/auth/organizations/${other.organizationId}/invitations`, { email: member.email, role: 'read_only' })
    assert.equal((await anonymous(app.client).post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })).status, 200)
    const elsewhere = () => member.client.get('/auth/me', { organization: other.organizationId })
    assert.equal((await elsewhere()).status, 200)
    assert.equal((await admin.client.delete(`${membersOf(admin)}/${await memberIdOf(admin, member)}`)).status, 204)
    refused(await elsewhere(), 401, 'unauthorized')
    assert.equal((await login(app.client, member.email)).organizationId, other.organizationId)
  })

  test('the last org_admin cannot be removed or changed', async () => {
    const owner = await register(app.client, 'lonely')
    const path = `${membersOf(owner)}/${await memberIdOf(owner, owner)}`
    refused(await owner.client.patch(path, { role: 'engineer' }), 409, 'conflict')
    refused(await owner.client.delete(path), 409, 'conflict')
    const second = await addMember(owner, 'org_admin', 'second@example.test')
    // A deactivated admin does not count, because they cannot act.
    assert.equal((await admin.client.patch(`/platform/admin/users/${second.userId}`, { is_active: false })).status, 200)
    refused(await owner.client.delete(path), 409, 'conflict')
    assert.equal((await admin.client.patch(`/platform/admin/users/${second.userId}`, { is_active: true })).status, 200)
    assert.equal((await owner.client.patch(path, { role: 'engineer' })).status, 200)
  })

  test('the audit trail has actors and actions', async () => {
    const { body } = await admin.client.get<{ action: string; actor_id: string; diff: object }[]>('/platform/audit?resource_type=member&limit=200')
    assert.deepEqual([...new Set(body.map(({ action }) => action))].sort(), ['member.added', 'member.removed', 'member.updated'])
    const changed = body.find(({ action }) => action === 'member.updated')
    assert.equal(changed?.actor_id, admin.userId)
    assert.deepEqual(changed?.diff, { role: { before: 'read_only', after: 'reviewer' } })
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('when all org_admins step down concurrently, one remains', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const admins = [admin]
        for (let at = 1; at < 5; at++) admins.push(await addMember(admin, 'org_admin', `admin${at}@example.test`))
        const paths = await Promise.all(admins.map(async (actor) => `${membersOf(admin)}/${await memberIdOf(admin, actor)}`))
        // The first is a platform admin, and may continue without the role.
        const answers = await Promise.all(paths.map((path, at) => (at % 2 === 0 ? admin.client.patch(path, { role: 'engineer' }) : admin.client.delete(path))))
        assert.deepEqual(answers.map(({ status }) => (status < 300 ? 'done' : status)).sort(), [409, 'done', 'done', 'done', 'done'])
        const { body } = await admin.client.get<Member[]>(`${membersOf(admin)}?role=org_admin`)
        assert.equal(body.length, 1)
      }))

    test('of members created concurrently with one e-mail one is stored', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const body = { email: 'made@example.test', display_name: 'Made', password: PASSWORD, role: 'engineer' }
        const answers = await Promise.all(Array.from({ length: 6 }, () => admin.client.post(membersOf(admin), body)))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
        assert.equal((await admin.client.get<Member[]>(membersOf(admin))).body.length, 2)
      }))
  })
}
