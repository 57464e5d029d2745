/** Users of all organizations, as platform admins search, look at and sign them out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { USERS } from '../../server/core/auth/users.js'
import { addMember, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { codeAt } from '../support/authenticator.js'
import type { Client } from '../support/client.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface User {
  readonly id: string
  readonly email: string
  readonly is_active: boolean
  readonly is_platform_admin: boolean
  readonly has_password: boolean
  readonly has_second_factor: boolean
  readonly last_login_at: string | null
}
interface Detail extends User {
  readonly open_sessions: number
  readonly memberships: readonly { organization_id: string; organization_name: string; organization_is_active: boolean; role: string }[]
}

const PATH = '/platform/admin/users'

for (const store of ALL_STORES) {
  describe(`users of the instance, ${store.name}`, { skip: store.skip }, () => {
    test('are found by organization, rights, second factor and last login', () =>
      withApp({ store, env: { ...SIGNUP, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: 'ops@example.test' } }, async (app) => {
        const admin = await bootstrap(app.client)
        const owner = await register(app.client, 'tenant')
        const engineer = await addMember(owner, 'engineer', 'engineer@tenant.test')
        await addMember(admin, 'read_only', 'ops@example.test')
        const absent = { email: 'absent@tenant.test', display_name: 'Absent', password: PASSWORD, role: 'reviewer' }
        assert.equal((await owner.client.post(`/auth/organizations/${owner.organizationId}/members`, absent)).status, 200)
        const { secret } = (await engineer.client.post<{ secret: string }>('/auth/me/second-factor', { password: PASSWORD })).body
        assert.equal((await engineer.client.post('/auth/me/second-factor/confirm', { code: codeAt(secret, Date.now()) })).status, 200)

        const found = async (query: string): Promise<string[]> => {
          const { status, body, headers, text } = await admin.client.get<User[]>(`${PATH}?sort=email&order=asc&${query}`)
          assert.equal(status, 200, text)
          assert.equal(headers.get('x-total-count'), String(body.length))
          return body.map(({ email }) => email)
        }
        const everyone = ['absent@tenant.test', admin.email, engineer.email, 'ops@example.test', owner.email].sort()
        assert.deepEqual(await found(''), everyone)
        assert.deepEqual(await found(`organization_id=${owner.organizationId}`), ['absent@tenant.test', engineer.email, owner.email].sort())
        assert.deepEqual(await found('organization_id=nobody'), [])
        assert.deepEqual(await found('is_platform_admin=true'), [admin.email, 'ops@example.test'])
        assert.deepEqual(await found('is_platform_admin=false'), ['absent@tenant.test', engineer.email, owner.email].sort())
        assert.deepEqual(await found(`is_platform_admin=true&organization_id=${owner.organizationId}`), [])
        assert.deepEqual(await found(`is_platform_admin=false&organization_id=${owner.organizationId}&q=ENGINEER`), [engineer.email])
        assert.deepEqual(await found('has_second_factor=true'), [engineer.email])
        assert.deepEqual(
          await found('has_second_factor=false'),
          everyone.filter((email) => email !== engineer.email),
        )
        assert.deepEqual((await admin.client.get<User[]>(`${PATH}?sort=last_login_at&order=asc`)).body.map(({ email, last_login_at }) => [email, last_login_at === null])[0], [
          'absent@tenant.test',
          true,
        ])
        await login(app.client, owner.email)
        assert.equal((await admin.client.get<User[]>(`${PATH}?sort=last_login_at`)).body[0].email, owner.email)
        // The factor that a platform admin removes is gone from the list as well.
        assert.equal((await admin.client.delete(`${PATH}/${engineer.userId}/second-factor`)).status, 204)
        assert.deepEqual(await found('has_second_factor=true'), [])
        refused(await admin.client.get(`${PATH}?has_second_factor=maybe`), 422, 'request_validation_failed')
      }))

    test('are shown with organizations, roles and sessions', () =>
      withApp({ store, env: SIGNUP }, async (app) => {
        const admin = await bootstrap(app.client)
        const owner = await register(app.client, 'tenant')
        await login(app.client, owner.email)
        const path = `${PATH}/${owner.userId}`
        const get = async () => admin.client.get<Detail>(path)
        const { body, headers } = await get()
        assert.equal(body.open_sessions, 2)
        assert.deepEqual([body.has_password, body.has_second_factor, body.is_platform_admin], [true, false, false])
        assert.deepEqual(
          body.memberships.map(({ organization_name, organization_is_active, role }) => [organization_name, organization_is_active, role]),
          [['tenant', true, 'org_admin']],
        )
        assert.equal((await admin.client.get(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })).status, 304)
        await login(app.client, owner.email)
        // A login changes what is shown, and disturbs no edit.
        assert.equal((await admin.client.get(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })).status, 200)
        const edited = await admin.client.patch<Detail>(path, { is_active: false }, { headers: { 'If-Match': headers.get('etag') ?? '' } })
        assert.deepEqual([edited.status, edited.body.is_active, edited.body.open_sessions], [200, false, 0])
        refused(await admin.client.patch(path, { is_active: true }, { headers: { 'If-Match': headers.get('etag') ?? '' } }), 412, 'precondition_failed')
        await app.service.storage.open(USERS).update({ _id: owner.userId }, { set: { password_hash: null } })
        assert.equal((await get()).body.has_password, false)
      }))

    test('are signed out everywhere, on every instance', () =>
      withInstances(store, { env: SIGNUP }, async ({ app, apps, admin }) => {
        const far = apps.at(-1)!.client
        const owner = await register(app.client, 'tenant')
        const { client: key } = await createKey(owner, ['projects:read'])
        const { secret } = (await owner.client.post<{ secret: string }>('/auth/me/second-factor', { password: PASSWORD })).body
        const { recovery_codes } = (await owner.client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/confirm', { code: codeAt(secret, Date.now()) })).body
        const challenged = await anonymous(far).post<{ details: { challenge: string } }>('/auth/login', { email: owner.email, password: PASSWORD })
        const { challenge } = challenged.body.details
        const sessions = [owner.client, anonymous(far).as({ token: owner.token })]
        for (const client of sessions) assert.equal((await client.get('/auth/me')).status, 200)

        assert.equal((await admin.client.post(`${PATH}/${owner.userId}/sign-out`)).status, 204)
        const ends = (client: Client) => waitFor(async () => ((await client.get('/auth/me')).status === 401 ? true : undefined))
        for (const client of sessions) await ends(client)
        // Neither a login that waits for its second factor nor a key of the organization is a session.
        refused(await anonymous(app.client).post('/auth/login/second-factor', { challenge, code: recovery_codes[0] }), 401, 'unauthorized')
        assert.equal((await key.get('/platform/projects')).status, 200)
        const again = await anonymous(app.client).post<{ details: { challenge: string } }>('/auth/login', { email: owner.email, password: PASSWORD })
        const code = { challenge: again.body.details.challenge, code: recovery_codes[0] }
        const opened = await anonymous(app.client).post<{ access_token: string }>('/auth/login/second-factor', code)
        assert.equal(opened.status, 200, opened.text)

        const trail = await anonymous(app.client).as({ token: opened.body.access_token }).get<{ actor_id: string }[]>('/platform/audit?action=user.signed_out')
        assert.deepEqual(
          trail.body.map(({ actor_id }) => actor_id),
          [admin.userId],
        )
        assert.equal((await admin.client.get<unknown[]>('/platform/admin/audit?action=user.signed_out&organization_id=instance')).body.length, 1)
        refused(await admin.client.post(`${PATH}/nobody/sign-out`), 404, 'not_found')
      }))
  })
}
