import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { addMember, type Actor, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { ALL_STORES, PROXIED, refused, SIGNUP, waitFor, withApp } from './steps.js'

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

  test('is limited to sessions of platform admins', async () => {
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

  test('all users and organizations are listed, and can be searched', async () => {
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

  test('a deactivated user loses all sessions, and does not get them back', async () => {
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

  test('an organization is created with an invitation for its first admin', async () => {
    const { status, body, headers, text } = await admin.client.post<Organization & { slug: string; description: string }>(ORGANIZATIONS, {
      name: ' Ação SOC ',
      description: ' of the north ',
      admin_email: 'Ｏwner@north.test',
    })
    assert.equal(status, 200, text)
    assert.deepEqual([body.name, body.slug, body.description, body.role, body.is_active], ['Ação SOC', 'acao-soc', 'of the north', null, true])
    const shown = await admin.client.get<Organization>(`${ORGANIZATIONS}/${body.id}`)
    assert.deepEqual([shown.body, shown.headers.get('etag')], [body, headers.get('etag')])
    const mail = await waitFor(() => app.mail.sent.find(({ to }) => to === 'Owner@north.test'))
    assert.equal(mail.subject, 'Invitation to Ação SOC')
    const token = /[A-Za-z0-9_-]{43}/.exec(mail.text)?.[0] ?? assert.fail(mail.text)
    const invitations = `/auth/organizations/${body.id}/invitations`
    const listed = (await admin.client.get<{ email: string; role: string; token: string }[]>(invitations)).body
    assert.deepEqual(
      listed.map(({ email, role, token: shownToken }) => [email, role, shownToken]),
      [['Owner@north.test', 'org_admin', token]],
    )
    assert.deepEqual((await admin.client.get(`/auth/organizations/${body.id}/members`)).body, [])
    refused(await owner.client.get(invitations), 404, 'not_found')
    const accepted = await anonymous(app.client).post<{ access_token: string; current_organization: Organization }>(`/auth/invitations/${token}/accept`, {
      display_name: 'Owner',
      password: PASSWORD,
    })
    assert.deepEqual([accepted.status, accepted.body.current_organization.id, accepted.body.current_organization.role], [200, body.id, 'org_admin'])
    // An existing user accepts with the account; a used name gets another slug.
    const again = await admin.client.post<Organization & { slug: string }>(ORGANIZATIONS, { name: 'Ação SOC', admin_email: owner.email })
    assert.match(again.body.slug, /^acao-soc-[0-9a-f]{8}$/)
    const { text: linking } = await waitFor(() => app.mail.sent.find(({ to }) => to === owner.email))
    const linked = await anonymous(app.client).post<{ user: User }>(`/auth/invitations/${/[A-Za-z0-9_-]{43}/.exec(linking)?.[0]}/accept`, { password: PASSWORD })
    assert.deepEqual([linked.status, linked.body.user.id], [200, owner.userId])
  })

  test('only platform admins create organizations, with valid fields', async () => {
    const right = { name: 'Tenant', admin_email: 'x@example.test' }
    const { client: key } = await createKey(admin, ['admin:*'])
    refused(await owner.client.post(ORGANIZATIONS, right), 403, 'forbidden')
    refused(await key.post(ORGANIZATIONS, right), 401, 'unauthorized')
    refused(await anonymous(app.client).post(ORGANIZATIONS, right), 401, 'unauthorized')
    const wrong = [
      { name: '' },
      { name: 'x'.repeat(121) },
      { name: '\u200b' },
      { description: 'x'.repeat(2001) },
      { admin_email: 'nobody' },
      { admin_email: null },
      { slug: 'mine' },
    ]
    for (const fields of wrong) refused(await admin.client.post(ORGANIZATIONS, { ...right, ...fields }), 422, 'request_validation_failed')
    for (const fields of [{ name: 'x' }, { admin_email: 'x@example.test' }]) refused(await admin.client.post(ORGANIZATIONS, fields), 422, 'request_validation_failed')
    const count = async () => (await admin.client.get(`${ORGANIZATIONS}?limit=1`)).headers.get('x-total-count')
    const before = await count()
    // No mailbox is flooded by creating organizations.
    for (let at = 0; at < 10; at++) assert.equal((await admin.client.post(ORGANIZATIONS, { ...right, admin_email: 'flooded@example.test' })).status, 200)
    refused(await admin.client.post(ORGANIZATIONS, { ...right, admin_email: 'Flooded@example.test' }), 429, 'rate_limited')
    assert.equal(await count(), String(Number(before) + 10))
  })

  test('an update can be conditional', async () => {
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

  test('the last platform admin cannot be deactivated', async () => {
    refused(await admin.client.patch(`${USERS}/${admin.userId}`, { is_active: false }), 409, 'conflict')
    assert.equal((await admin.client.get('/auth/me')).status, 200)
  })

  test('a platform admin may suspend their own organization, and is not locked out', async () => {
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
    test('of platform admins who deactivate each other concurrently one remains', () =>
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
