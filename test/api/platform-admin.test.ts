import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { addMember, type Actor, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { ALL_STORES, PROXIED, refused, SIGNUP, withApp } from './steps.js'

interface User {
  readonly id: string
  readonly email: string
  readonly is_active: boolean
  readonly is_platform_admin: boolean
}
interface Organization {
  readonly id: string
  readonly name: string
  readonly is_active: boolean
  readonly role: string | null
}

const USERS = '/platform/admin/users'
const ORGANIZATIONS = '/platform/admin/organizations'

describe('platform administration', () => {
  let app: TestApp
  let admin: Actor
  let owner: Actor

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED } })
    admin = await bootstrap(app.client)
    owner = await register(app.client, 'tenant')
  })
  after(() => app.close())

  test('is for sessions of platform admins only', async () => {
    const { client: key } = await createKey(admin, ['admin:*'])
    for (const path of [USERS, ORGANIZATIONS, `${USERS}/${owner.userId}`, `${ORGANIZATIONS}/${owner.organizationId}`]) {
      refused(await owner.client.get(path), 403, 'forbidden')
      refused(await key.get(path), 401, 'unauthorized')
      refused(await anonymous(app.client).get(path), 401, 'unauthorized')
      assert.equal((await admin.client.get(path)).status, 200)
    }
    refused(await owner.client.patch(`${USERS}/${owner.userId}`, { is_active: true }), 403, 'forbidden')
    refused(await owner.client.patch(`${ORGANIZATIONS}/${owner.organizationId}`, { is_active: true }), 403, 'forbidden')
  })

  test('all users and organizations are listed, and found', async () => {
    const users = await admin.client.get<User[]>(`${USERS}?order=asc`)
    assert.deepEqual(
      users.body.slice(0, 2).map(({ email, is_platform_admin }) => [email, is_platform_admin]),
      [
        [admin.email, true],
        [owner.email, false],
      ],
    )
    assert.equal(Number(users.headers.get('x-total-count')), users.body.length)
    assert.deepEqual(
      (await admin.client.get<User[]>(`${USERS}?q=TENANT`)).body.map(({ id }) => id),
      [owner.userId],
    )
    assert.deepEqual((await admin.client.get<User[]>(`${USERS}?q=.*`)).body, [])
    assert.deepEqual((await admin.client.get<User[]>(`${USERS}?is_active=false`)).body, [])
    const organizations = (await admin.client.get<Organization[]>(`${ORGANIZATIONS}?sort=name&order=asc`)).body
    assert.deepEqual(
      organizations.map(({ name, role }) => [name, role]),
      [
        ['First Organization', 'org_admin'],
        ['tenant', null],
      ],
    )
    assert.deepEqual(
      (await admin.client.get<Organization[]>(`${ORGANIZATIONS}?q=tena`)).body.map(({ id }) => id),
      [owner.organizationId],
    )
    refused(await admin.client.get(`${USERS}?sort=password_hash`), 422, 'request_validation_failed')
    refused(await admin.client.get(`${USERS}/unknown`), 404, 'not_found')
    refused(await admin.client.get(`${ORGANIZATIONS}/unknown`), 404, 'not_found')
  })

  test('a user is deactivated with all sessions, and activated without them', async () => {
    const user = await addMember(owner, 'engineer', 'engineer@tenant.test')
    const second = await login(app.client, user.email)
    const off = await admin.client.patch<User>(`${USERS}/${user.userId}`, { is_active: false })
    assert.deepEqual([off.status, off.body.is_active], [200, false])
    for (const { client } of [user, second]) refused(await client.get('/auth/me'), 401, 'unauthorized')
    refused(await anonymous(app.client).post('/auth/login', { email: user.email, password: PASSWORD }), 403, 'forbidden')
    assert.deepEqual(
      (await admin.client.get<User[]>(`${USERS}?is_active=false`)).body.map(({ id }) => id),
      [user.userId],
    )
    assert.equal((await admin.client.patch<User>(`${USERS}/${user.userId}`, { is_active: true })).body.is_active, true)
    for (const { client } of [user, second]) refused(await client.get('/auth/me'), 401, 'unauthorized')
    assert.equal((await login(app.client, user.email)).userId, user.userId)
    const trail = await owner.client.get<{ action: string; actor_id: string; diff: object }[]>(`/platform/audit?resource_id=${user.userId}&action=user.updated`)
    assert.deepEqual(
      trail.body.map(({ actor_id, diff }) => [actor_id, diff]),
      [
        [admin.userId, { is_active: { before: false, after: true } }],
        [admin.userId, { is_active: { before: true, after: false } }],
      ],
    )
  })

  test('a change can be conditional', async () => {
    for (const path of [`${USERS}/${owner.userId}`, `${ORGANIZATIONS}/${owner.organizationId}`]) {
      const etag = (await admin.client.get(path)).headers.get('etag') ?? ''
      const given = { headers: { 'If-Match': etag } }
      const changed = await admin.client.patch(path, { is_active: false }, given)
      assert.equal(changed.status, 200, changed.text)
      assert.notEqual(changed.headers.get('etag'), etag)
      refused(await admin.client.patch(path, { is_active: true }, given), 412, 'precondition_failed')
      assert.equal((await admin.client.patch(path, { is_active: true })).status, 200)
      assert.equal((await admin.client.patch(path, {})).status, 200)
      for (const body of [{ is_active: 'no' }, { is_platform_admin: true }, { name: 'x' }]) refused(await admin.client.patch(path, body), 422, 'request_validation_failed')
    }
  })

  test('the last platform admin stays', async () => {
    refused(await admin.client.patch(`${USERS}/${admin.userId}`, { is_active: false }), 409, 'conflict')
    assert.equal((await admin.client.get('/auth/me')).status, 200)
  })

  test("a platform admin may suspend their own organization, and isn't locked out", async () => {
    const path = `${ORGANIZATIONS}/${admin.organizationId}`
    const member = await addMember(admin, 'engineer', 'engineer@first.test')
    assert.equal((await admin.client.patch(path, { is_active: false })).status, 200)
    refused(await member.client.get('/auth/me'), 403, 'forbidden')
    assert.equal((await login(app.client, admin.email)).organizationId, admin.organizationId)
    assert.equal((await admin.client.patch(path, { is_active: true })).status, 200)
    assert.equal((await member.client.get('/auth/me')).status, 200)
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('of platform admins who deactivate each other at once one stays', () =>
      withApp({ store, env: { NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: 'second@example.test,third@example.test' } }, async ({ client }) => {
        const first = await bootstrap(client)
        const second = await addMember(first, 'engineer', 'second@example.test')
        const third = await addMember(first, 'engineer', 'third@example.test')
        const deactivate = (by: Actor, whom: Actor) => by.client.patch(`${USERS}/${whom.userId}`, { is_active: false })
        const answers = await Promise.all([deactivate(first, second), deactivate(second, third), deactivate(third, first)])
        assert.ok(answers.filter(({ status }) => status === 200).length <= 2)
        for (const { status } of answers) assert.ok([200, 401, 409].includes(status), String(status))
        const alive = await Promise.all([first, second, third].map(({ client: caller }) => caller.get(USERS)))
        assert.ok(alive.some(({ status }) => status === 200))
      }))
  })
}
