/** `/sso/logout`: the end of a session from a form of a page, and who may cause it. */
import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { SESSIONS } from '../../server/core/auth/sessions.js'
import { addMember, anonymous, bootstrap, createKey, login } from '../support/actors.js'
import type { Answer, Client } from '../support/client.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, refused, waitFor, withApp } from './steps.js'

const PATH = '/sso/logout'
const HOME = 'https://detection.example.com'
const ENV = { NATIVE_SERVICE_PUBLIC_BASE_URL: `${HOME}/` }
const CLEARED = /^service_session=; .*Max-Age=0/
const cookieOf = (token: string): Record<string, string> => ({ Cookie: `service_session=${token}` })
const leave = (client: Client, headers: Readonly<Record<string, string>> = {}) => anonymous(client).post(PATH, undefined, { headers })
const entries = async (client: Client) => (await client.get<{ actor_name: string; resource_id: string }[]>('/platform/audit?action=session.revoked')).body

function isGone({ status, headers, text }: Answer): void {
  assert.equal(status, 302, text)
  assert.equal(headers.get('location'), HOME)
  assert.match(headers.get('set-cookie') ?? '', CLEARED)
}

for (const store of ALL_STORES) {
  describe(`logout of single sign-on, ${store.name}`, { skip: store.skip }, () => {
    test('ends the session on every instance, and says so in the audit', () =>
      withInstances(store, { env: ENV }, async ({ apps, admin }) => {
        const member = await addMember(admin, 'engineer')
        const far = apps.at(-1)!.client
        const kept = await login(far, member.email)
        // The session of a provider ends like that of a password.
        const { jti } = JSON.parse(Buffer.from(member.token.split('.')[1], 'base64url').toString()) as { jti: string }
        await apps[0].service.storage.open(SESSIONS).update({ _id: jti }, { set: { provider_id: 'a provider' } })
        assert.equal((await anonymous(far).get('/auth/me', { token: member.token })).status, 200)
        isGone(await leave(far, { ...cookieOf(member.token), Origin: HOME }))
        for (const { client } of apps) await waitFor(async () => ((await anonymous(client).get('/auth/me', { token: member.token })).status === 401 ? true : undefined))
        assert.equal((await kept.client.get('/auth/me')).status, 200)
        assert.deepEqual(
          (await entries(admin.client)).map(({ actor_name, resource_id }) => [actor_name, resource_id]),
          [[member.email, jti]],
        )
        // Twice is once.
        isGone(await leave(far, { ...cookieOf(member.token), Origin: HOME }))
        assert.equal((await entries(admin.client)).length, 1)
      }))
  })
}

test('a page of another site logs nobody out', () =>
  withApp({ env: ENV }, async (app) => {
    const admin = await bootstrap(app.client)
    const foreign = [{ Origin: 'https://elsewhere.example' }, { Origin: 'null' }, { Referer: 'https://elsewhere.example/page' }, { Origin: `${HOME}.elsewhere.example` }]
    for (const page of foreign) {
      // With SameSite=Lax the browser leaves the cookie out; the answer must not clear it either.
      for (const cookie of [cookieOf(admin.token), cookieOf('a.b.c'), {}]) {
        const answer = await leave(app.client, { ...cookie, ...page })
        refused(answer, 403, 'forbidden')
        assert.equal(answer.headers.get('set-cookie'), null)
      }
    }
    // A browser names the page in every POST, so a request with a cookie alone comes from no page of this service.
    refused(await leave(app.client, cookieOf(admin.token)), 403, 'forbidden')
    assert.equal((await admin.client.get('/auth/me')).status, 200)
    assert.equal((await anonymous(app.client).get(PATH)).status, 405)
    // A token cannot be sent by another site.
    isGone(await leave(app.client, { Authorization: `Bearer ${admin.token}`, Origin: 'https://elsewhere.example' }))
    await waitFor(async () => ((await admin.client.get('/auth/me')).status === 401 ? true : undefined))
  }))

test('redirects without a session as well, whatever else is sent', () =>
  withApp({ env: ENV }, async (app) => {
    const admin = await bootstrap(app.client)
    const { key } = await createKey(admin, ['admin:*'])
    for (const headers of [{}, { Origin: HOME }, { Referer: `${HOME}/account` }, { Origin: app.client.origin }, cookieOf('a.b.c'), cookieOf('not a token;')])
      isGone(await leave(app.client, headers))
    isGone(await leave(app.client, { 'X-API-Key': key }))
    isGone(await leave(app.client, { Authorization: 'Basic bm86' }))
    // The organization does not matter.
    isGone(await leave(app.client, { ...cookieOf(admin.token), Origin: HOME, 'X-Org-Id': '00000000-0000-4000-8000-000000000000' }))
    await waitFor(async () => ((await admin.client.get('/auth/me')).status === 401 ? true : undefined))
    assert.equal((await anonymous(app.client).get('/platform/projects', { key })).status, 200)
  }))

test('ends the session of a member of a suspended organization', () =>
  withApp({ env: { ...ENV, NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' } }, async (app) => {
    const admin = await bootstrap(app.client)
    const member = await addMember(admin, 'read_only')
    assert.equal((await admin.client.patch(`/platform/admin/organizations/${admin.organizationId}`, { is_active: false })).status, 200)
    await waitFor(async () => ((await member.client.get('/templates')).status === 403 ? true : undefined))
    isGone(await leave(app.client, { ...cookieOf(member.token), Origin: HOME }))
    await waitFor(async () => ((await member.client.get('/auth/me')).status === 401 ? true : undefined))
  }))

test('leads to the service itself without a public address', () =>
  withApp({}, async (app) => {
    const { status, headers } = await leave(app.client)
    assert.deepEqual([status, headers.get('location')], [302, app.client.origin])
  }))
