/** Sign-in through two real OpenID providers, over HTTP with cookies, until the session is used and ended. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SESSION_COOKIE } from '../../server/core/auth/cookies.js'
import { bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { forgeForTests } from '../support/git/forge.js'
import { startCertifiedProvider } from '../support/openid/certified.js'
import { forgeAsProvider } from '../support/openid/forge.js'
import type { OpenidProvider } from '../support/openid/provider.js'
import { beginSignIn, linkProvider, PRIVATE_TARGETS, requestCallback, signedIn, signIn, signInAtProvider } from '../support/openid/sign-in.js'
import { UserAgent } from '../support/openid/user-agent.js'
import { ALL_STORES, withApp } from './steps.js'

interface Me {
  readonly user: { readonly email: string; readonly is_platform_admin: boolean }
  readonly current_organization: { readonly id: string }
  readonly organizations: readonly { readonly id: string }[]
  readonly memberships: readonly { readonly role: string }[]
}

interface OwnSession {
  readonly id: string
  readonly provider_id: string | null
}

const JSON_ALONE = { Accept: 'application/json' }
const { skip: noForge, forge } = forgeForTests()

for (const store of ALL_STORES) {
  describe(`sign-in through a provider, ${store.name}`, { skip: store.skip }, () => {
    test('of the certified provider', async () => {
      const openid = await startCertifiedProvider()
      try {
        await withApp({ store, env: PRIVATE_TARGETS }, (app) => whole(app, openid))
      } finally {
        await openid.close()
      }
    })

    test('of the certified provider, with the claims in userinfo alone and the secret in the body', async () => {
      const openid = await startCertifiedProvider({ hasClaimsInToken: false, clientAuthentication: 'client_secret_post' })
      try {
        await withApp({ store, env: PRIVATE_TARGETS }, (app) => whole(app, openid))
      } finally {
        await openid.close()
      }
    })

    test('of the forge', { skip: noForge }, async () => {
      const openid = forgeAsProvider(await forge())
      await withApp({ store, env: PRIVATE_TARGETS }, (app) => whole(app, openid))
    })
  })
}

/** From the login to the end of the session, and a second time. */
async function whole(app: TestApp, openid: OpenidProvider): Promise<void> {
  const { origin } = app.client
  const admin = await bootstrap(app.client)
  const provider = await linkProvider(admin, openid)
  const email = `person-${Math.random().toString(36).slice(2)}@example.test`
  const account = await openid.addAccount(email)
  const agent = new UserAgent()
  const call = (path: string, visit: Parameters<UserAgent['request']>[1] = {}) =>
    agent.request(`${origin}/api/v1${path}`, { from: new URL(origin), ...visit, headers: { ...JSON_ALONE, ...visit.headers } })

  const page = await signIn(agent, origin, provider, account, '/projects?tab=mine')
  const token = signedIn(agent, page)
  assert.equal(page.redirect?.href, `${origin}/projects?tab=mine`)
  const cookie = page.headers.getSetCookie().find((line) => line.startsWith(`${SESSION_COOKIE}=`))
  assert.match(cookie ?? '', /; HttpOnly/i)
  assert.match(cookie ?? '', /; SameSite=Lax/i)
  assert.deepEqual(
    agent.cookieNames(origin).filter((name) => name.startsWith('service_')),
    [SESSION_COOKIE],
    'the cookie of the login is gone',
  )

  const me = JSON.parse((await call('/auth/me')).text) as Me
  assert.deepEqual([me.user.email, me.user.is_platform_admin, me.memberships.map(({ role }) => role)], [email, false, ['engineer']])
  assert.deepEqual([me.current_organization.id, me.organizations.map(({ id }) => id)], [admin.organizationId, [admin.organizationId]])
  assert.equal((await call('/platform/projects', { method: 'POST', json: { name: 'by the person' } })).status, 200)
  // The token of the cookie is the same credential.
  assert.equal((await app.client.get('/auth/me', { token })).status, 200)
  const sessions = JSON.parse((await call('/auth/me/sessions')).text) as readonly OwnSession[]
  assert.equal(sessions.length, 1)

  // The same person again, in another browser: the same account.
  const second = new UserAgent()
  signedIn(second, await signIn(second, origin, provider, account))
  const people = await admin.client.get<{ email: string }[]>(`/auth/organizations/${admin.organizationId}/members`)
  assert.deepEqual(people.body.map((person) => person.email).sort(), [admin.email, email].sort())

  assert.equal((await call('/auth/logout', { method: 'POST' })).status, 200)
  assert.equal((await app.client.get('/auth/me', { token })).status, 401)
  assert.equal(agent.cookie(origin, SESSION_COOKIE), undefined)

  const actions = (await admin.client.get<{ action: string }[]>('/platform/audit?limit=200')).body.map(({ action }) => action)
  for (const action of ['identity_provider.created', 'user.created', 'member.added', 'session.created', 'session.revoked'])
    assert.ok(actions.includes(action), `${action} of ${actions}`)
}

describe('a sign-in through a provider', () => {
  let openid: Awaited<ReturnType<typeof startCertifiedProvider>>
  before(async () => {
    openid = await startCertifiedProvider()
  })
  after(() => openid?.close())

  test('sends what the standards ask for, and nothing else', () =>
    withApp({ env: PRIVATE_TARGETS }, async (app) => {
      const admin = await bootstrap(app.client)
      const provider = await linkProvider(admin, openid)
      const agent = new UserAgent()
      const { authorizationUrl, state } = await beginSignIn(agent, app.client.origin, provider)
      const { nonce, code_challenge, ...sent } = Object.fromEntries(authorizationUrl.searchParams)
      assert.match(nonce, /^[\w-]{43}$/)
      assert.match(code_challenge, /^[\w-]{43}$/)
      assert.deepEqual(sent, {
        client_id: provider.registered.clientId,
        redirect_uri: `${app.client.origin}/api/v1/sso/oidc/callback?provider_id=${provider.id}`,
        response_type: 'code',
        scope: 'openid email profile groups',
        state,
        code_challenge_method: 'S256',
      })
      const again = await beginSignIn(agent, app.client.origin, provider)
      for (const name of ['state', 'nonce', 'code_challenge']) assert.notEqual(again.authorizationUrl.searchParams.get(name), authorizationUrl.searchParams.get(name))
    }))

  test('runs in two tabs of one browser at once', () =>
    withApp({ env: PRIVATE_TARGETS }, async (app) => {
      const admin = await bootstrap(app.client)
      const provider = await linkProvider(admin, openid)
      const account = await openid.addAccount('tabs@example.test')
      const agent = new UserAgent()
      const first = await signInAtProvider(agent, app.client.origin, provider, account, '/first')
      const second = await signInAtProvider(agent, app.client.origin, provider, account, '/second')
      const [one, two] = [await requestCallback(agent, provider, first), await requestCallback(agent, provider, second)]
      assert.deepEqual([one.redirect?.pathname, two.redirect?.pathname], ['/first', '/second'])
    }))
})
