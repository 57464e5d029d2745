/** Logins through identity providers: the callback in its order, which account logs in, and its roles. Providers are stubs; real ones are elsewhere. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OidcError } from '../../server/features/sso/oidc/oidc-error.js'
import type { ProvenIdentity } from '../../server/features/sso/oidc/gateway.js'
import type { IdentityProviderRecord } from '../../server/features/sso/identity-providers/schema.js'
import { type Actor, addMember, anonymous, bootstrap, login, PASSWORD, register, type Session } from '../support/actors.js'
import type { TestApp, TestAppOptions } from '../support/app.js'
import { Client, type Refusal } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { withInstances } from '../support/instances.js'
import { identityOf, StubGateway } from '../support/openid/stub-gateway.js'
import { type Page, UserAgent } from '../support/openid/user-agent.js'
import { createProject } from '../support/projects.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

const RESERVED = 'operator@example.test'
const JSON_ONLY = { headers: { Accept: 'application/json' } }

interface Stage {
  readonly app: TestApp
  readonly admin: Actor
  readonly gateway: StubGateway
  readonly provider: IdentityProviderRecord
  /** Begins a login in a browser. */
  readonly begin: (agent: UserAgent, query?: string, providerId?: string) => Promise<string>
  /** The callback of a login. */
  readonly end: (agent: UserAgent, parameters: Readonly<Record<string, string>>, accept?: string) => Promise<Page>
  /** A whole login. */
  readonly signIn: (identity: ProvenIdentity | Error, agent?: UserAgent, providerId?: string) => Promise<Page>
  /** A whole login that succeeds. */
  readonly session: (identity: ProvenIdentity, providerId?: string) => Promise<Actor>
  /** Proves a domain for the admin's organization. */
  readonly prove: (domain: string) => Promise<void>
  readonly actions: (resourceId: string) => Promise<string[]>
}

function stageOf(app: TestApp, admin: Actor, gateway: StubGateway, provider: IdentityProviderRecord, texts: string[]): Stage {
  const api = `${app.client.origin}/api/v1`
  const stage: Stage = {
    app,
    admin,
    gateway,
    provider,
    async begin(agent, query = '', providerId = provider.id) {
      const { status, text } = await agent.request(`${api}/sso/oidc/${providerId}/login${query}`, JSON_ONLY)
      assert.equal(status, 200, text)
      return (JSON.parse(text) as { state: string }).state
    },
    end: (agent, parameters, accept = 'application/json') =>
      agent.request(`${api}/sso/oidc/callback?${new URLSearchParams({ provider_id: provider.id, ...parameters })}`, { headers: { Accept: accept, 'x-locale': 'en-US' } }),
    async signIn(identity, agent = new UserAgent(), providerId = provider.id) {
      const state = await stage.begin(agent, '', providerId)
      return stage.end(agent, { provider_id: providerId, state, code: gateway.code(identity) })
    },
    async session(identity, providerId = provider.id) {
      const agent = new UserAgent()
      const { status, text } = await stage.signIn(identity, agent, providerId)
      assert.equal(status, 302, text)
      const token = agent.cookie(api, 'service_session') ?? assert.fail('no session cookie')
      const client = new Client(app.client.origin).as({ token })
      const me = await client.get<Session>('/auth/me')
      assert.equal(me.status, 200, me.text)
      return { client, token, userId: me.body.user.id, email: me.body.user.email, organizationId: me.body.current_organization.id }
    },
    async prove(domain) {
      const below = `/platform/organizations/${admin.organizationId}/domains`
      const claimed = await admin.client.post<{ id: string; txt_record: { value: string } }>(below, { domain })
      texts.push(claimed.body.txt_record.value)
      assert.equal((await admin.client.post(`${below}/${claimed.body.id}/verify`)).status, 200)
    },
    actions: async (id) => (await admin.client.get<{ action: string }[]>(`/platform/audit?resource_id=${id}&order=asc`)).body.map(({ action }) => action),
  }
  return stage
}

function withStage(options: TestAppOptions, run: (stage: Stage) => Promise<void>, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const gateway = new StubGateway()
  const texts: string[] = []
  const env = { ...SIGNUP, ...PROXIED, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: RESERVED, ...options.env }
  return withApp({ ...options, env, oidc: gateway, readTxt: async () => texts }, async (app) => {
    const admin = await bootstrap(app.client)
    const provider = await createProvider(admin, { default_role: 'engineer', ...fields })
    await run(stageOf(app, admin, gateway, provider, texts))
  })
}

const refusalOf = ({ text }: Page): Refusal => JSON.parse(text) as Refusal
const policyOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/identity-policy`
const membersOf = ({ organizationId }: Actor): string => `/auth/organizations/${organizationId}/members`
const roleOf = async ({ admin }: Stage, userId: string) => (await admin.client.get<{ role: string }[]>(`${membersOf(admin)}?user_id=${userId}`)).body[0]?.role

function isRefused(page: Page, status: number, code: string, message?: RegExp): void {
  assert.equal(page.status, status, page.text)
  assert.equal(refusalOf(page).code, code, page.text)
  if (message !== undefined) assert.match(refusalOf(page).message, message)
  assert.equal(page.headers.get('location'), null)
  assert.ok(!page.headers.getSetCookie().some((cookie) => cookie.startsWith('service_session=')), 'a refusal opens no session')
}

for (const store of ALL_STORES) {
  describe(`states of logins, ${store.name}`, { skip: store.skip }, () => {
    test('a state is used once, whatever instances the callbacks meet', async () => {
      const gateway = new StubGateway()
      // The redirect URI is that of the service, whatever instance answers.
      const env = { ...PROXIED, NATIVE_SERVICE_API_PUBLIC_BASE_URL: 'http://content.example/api/v1' }
      await withInstances(store, { oidc: gateway, env }, async ({ apps, admin }) => {
        const provider = await createProvider(admin)
        const [one, other] = [apps[0], apps[apps.length - 1]].map((app) => stageOf(app, admin, gateway, provider, []))
        const agent = new UserAgent()
        const state = await one.begin(agent)
        const code = gateway.code(identityOf('ana@example.test'))
        const copies = Array.from({ length: 6 }, () => agent.clone())
        const pages = await Promise.all(copies.map((copy, index) => (index % 2 === 0 ? one : other).end(copy, { state, code })))
        assert.deepEqual(pages.map(({ status }) => status).sort(), [302, 400, 400, 400, 400, 400])
        assert.equal(gateway.exchanged, 1)
        for (const page of pages.filter(({ status }) => status === 400)) isRefused(page, 400, 'bad_request', /expired, was used already/)
        // Begun at one instance, ended at the other.
        const again = new UserAgent()
        assert.equal((await other.end(again, { state: await one.begin(again), code: gateway.code(identityOf('ana@example.test')) })).status, 302)
      })
    })

    test('concurrent first logins of a person create one account', () =>
      withStage({ store }, async (stage) => {
        const sessions = await Promise.all(Array.from({ length: 8 }, () => stage.session(identityOf('new@example.test'))))
        assert.equal(new Set(sessions.map(({ userId }) => userId)).size, 1)
        assert.deepEqual((await stage.actions(sessions[0].userId)).sort(), ['identity.linked', 'user.created'])
        assert.equal((await stage.admin.client.get<unknown[]>(membersOf(stage.admin))).body.length, 2)
      }))

    test('a removed member stays out until an invitation lets them in again', () =>
      withStage({ store }, async (stage) => {
        const { admin, signIn, session, prove } = stage
        const member = await session(identityOf('ana@proven.example'))
        const [{ id }] = (await admin.client.get<{ id: string }[]>(`${membersOf(admin)}?user_id=${member.userId}`)).body
        await prove('proven.example')
        assert.equal((await admin.client.delete(`${membersOf(admin)}/${id}`)).status, 204)
        await waitFor(async () => ((await member.client.get('/auth/me')).status === 401 ? true : undefined))
        isRefused(await signIn(identityOf('ana@proven.example')), 403, 'forbidden', /were removed/)
        isRefused(await signIn(identityOf('ana@proven.example', { subject: 'another' })), 403, 'forbidden', /were removed/)
        const invited = await admin.client.post(`/auth/organizations/${admin.organizationId}/invitations`, { email: member.email, role: 'reviewer' })
        assert.equal(invited.status, 200, invited.text)
        assert.equal((await session(identityOf('ana@proven.example'))).userId, member.userId)
        assert.equal(await roleOf(stage, member.userId), 'engineer')
      }))
  })
}

describe('login through an identity provider', () => {
  test('begins with a state that is bound to the browser', () =>
    withStage({}, async ({ app, provider, gateway }) => {
      const path = `/sso/oidc/${provider.id}/login`
      const begun = await anonymous(app.client).get<{ authorization_url: string; state: string }>(`${path}?redirect_path=/projects`)
      assert.deepEqual([begun.status, Object.keys(begun.body)], [200, ['authorization_url', 'state']])
      const { searchParams, origin } = new URL(begun.body.authorization_url)
      assert.equal(origin, provider.issuer)
      assert.equal(searchParams.get('state'), begun.body.state)
      assert.match(begun.body.state, /^[\w-]{43}$/)
      assert.equal(searchParams.get('redirect_uri'), `${app.client.origin}/api/v1/sso/oidc/callback?provider_id=${provider.id}`)
      const [cookie, ...others] = begun.headers.getSetCookie()
      assert.match(cookie, /^service_sso_[\w-]{16}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
      assert.deepEqual(others, [])
      const secure = await anonymous(app.client).get(path, { headers: { 'X-Forwarded-Proto': 'https' } })
      assert.match(secure.headers.getSetCookie()[0], /; Secure$/)
      // Nothing of a login can be read from the store.
      const all = await stored(app)
      for (const secret of [begun.body.state, cookie.split(/[=;]/)[1], searchParams.get('nonce')!]) assert.ok(!all.includes(secret))
      assert.ok(app.log.every((line) => !line.includes(begun.body.state)))
      const browser = await new UserAgent().request(`${app.client.origin}/api/v1${path}`)
      assert.deepEqual([browser.status, browser.redirect?.origin, browser.text], [302, provider.issuer, ''])
      // A provider that does not answer leaves no state and no cookie behind.
      gateway.fault = new OidcError('unreachable', { endpoint: 'discovery' })
      const failed = await anonymous(app.client).get<Refusal>(path)
      refused(failed, 502, failed.body.code)
      assert.deepEqual(failed.headers.getSetCookie(), [])
    }))

  test('does not begin for unknown providers and suspended organizations', async () => {
    await withStage({}, async ({ app, admin, provider }) => {
      const begin = (id: string) => anonymous(app.client).get(`/sso/oidc/${id}/login`)
      const unknown = refused(await begin('b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'), 404, 'not_found')
      refused(await begin('%00'), 404, 'not_found')
      const other = await register(app.client, 'other')
      const theirs = await createProvider(other)
      await admin.client.patch(`/platform/admin/organizations/${other.organizationId}`, { is_active: false })
      assert.equal(refused(await begin(theirs.id), 404, 'not_found').message, unknown.message)
      assert.equal((await admin.client.delete(`${providersOf(admin)}/${provider.id}`)).status, 204)
      refused(await begin(provider.id), 404, 'not_found')
    })
  })

  test('is limited for each address', () =>
    withStage({}, async ({ app, provider }) => {
      const path = `/sso/oidc/${provider.id}/login`
      const begin = (address: string) => anonymous(app.client).get<Refusal>(path, from(address))
      for (let at = 0; at < 600; at += 50) await Promise.all(Array.from({ length: 50 }, () => begin('192.0.2.1')))
      const { headers } = await begin('192.0.2.1')
      refused(await begin('192.0.2.1'), 429, 'rate_limited')
      assert.ok(Number(headers.get('retry-after')) > 0)
      assert.equal((await begin('192.0.2.2')).status, 200)
    }))

  test('ends at the path of its beginning, which stays on the own origin', () =>
    withStage({ env: { NATIVE_SERVICE_PUBLIC_BASE_URL: 'http://content.example/app' } }, async ({ app, provider, begin, end, gateway }) => {
      for (const path of ['//evil.example', '/\\evil.example', '/%2fevil.example', '/%5cevil.example', 'https://evil.example', '/a\nb', 'projects', '']) {
        const answer = await anonymous(app.client).get(`/sso/oidc/${provider.id}/login?redirect_path=${encodeURIComponent(path)}`)
        const { details } = refused(answer, 422, 'request_validation_failed')
        assert.equal((details.errors as { path: string }[])[0].path, 'query/redirect_path')
      }
      const agent = new UserAgent()
      for (const [query, location] of [
        ['', 'http://content.example/app/'],
        ['?redirect_path=/projects%3Ftab%3Dcases', 'http://content.example/app/projects?tab=cases'],
      ]) {
        const { status, headers } = await end(agent, { state: await begin(agent, query), code: gateway.code(identityOf('ana@example.test')) })
        assert.deepEqual([status, headers.get('location')], [302, location])
      }
    }))

  test('opens a session of the provider, in its organization alone', () =>
    withStage({}, async (stage) => {
      const { app, admin, provider, signIn, session, actions } = stage
      const agent = new UserAgent()
      const { status, headers } = await signIn(identityOf('Ana.Maria@example.test', { name: ' Ana\u202e \n Maria ' }), agent)
      assert.deepEqual([status, headers.get('location')], [302, `${app.client.origin}/`])
      // The cookie of the login is gone, and the session is there.
      assert.deepEqual(agent.cookieNames(app.client.origin), ['service_session'])
      assert.match(headers.getSetCookie().find((cookie) => cookie.startsWith('service_session=')) ?? '', /; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/)
      const actor = await session(identityOf('Ana.Maria@example.test', { name: null }))
      const me = await actor.client.get<Session & { user: { display_name: string }; organizations: unknown[] }>('/auth/me')
      assert.deepEqual([me.body.user.email, me.body.user.display_name, me.body.organizations.length], ['Ana.Maria@example.test', 'Ana Maria', 1])
      assert.equal(await roleOf(stage, actor.userId), 'engineer')
      assert.deepEqual((await actions(actor.userId)).sort(), ['identity.linked', 'user.created'])
      const { body } = await actor.client.get<{ id: string; opened_by: string; has_second_factor: boolean }[]>('/auth/me/sessions')
      assert.deepEqual(body[0].opened_by, 'identity_provider')
      const entries = await admin.client.get<{ diff: unknown; actor_name: string }[]>(`/platform/audit?action=session.created&resource_id=${body[0].id}`)
      assert.deepEqual(entries.body[0].diff, { identity_provider: { before: null, after: provider.name } })
      assert.equal(entries.body[0].actor_name, 'Ana.Maria@example.test')
      const other = await register(app.client, 'other')
      refused(await actor.client.get('/platform/projects', { organization: other.organizationId }), 403, 'forbidden')
    }))

  test('ends in the browser that began alone, and with the provider that it began with', () =>
    withStage({}, async ({ admin, begin, end, gateway, provider, app }) => {
      const code = () => gateway.code(identityOf('ana@example.test'))
      const [attacker, victim] = [new UserAgent(), new UserAgent()]
      // A login that somebody else began logs nobody in, and is used up.
      const state = await begin(attacker)
      isRefused(await end(victim, { state, code: code() }), 400, 'bad_request', /another browser/)
      isRefused(await end(attacker, { state, code: code() }), 400, 'bad_request', /expired/)
      // Neither does the cookie of another login.
      const [first, second] = [await begin(attacker), await begin(victim)]
      const name = (agent: UserAgent) => agent.cookieNames(app.client.origin).find((cookie) => cookie.startsWith('service_sso_'))!
      const forged = new UserAgent()
      forged.setCookie(app.client.origin, name(attacker), victim.cookie(app.client.origin, name(victim))!)
      isRefused(await end(forged, { state: first, code: code() }), 400, 'bad_request', /another browser/)
      assert.equal((await end(victim, { state: second, code: code() })).status, 302)
      const other = await createProvider(admin, { name: 'other' })
      isRefused(await end(victim, { provider_id: other.id, state: await begin(victim), code: code() }), 400, 'bad_request', /expired/)
      for (const wrong of [{ code: code() }, { state: 'unknown', code: code() }]) isRefused(await end(victim, wrong as Record<string, string>), 400, 'bad_request')
      const { status } = await victim.request(`${app.client.origin}/api/v1/sso/oidc/callback?state=${await begin(victim)}&code=${code()}`)
      assert.equal(status, 400)
      assert.equal(gateway.exchanged, 1)
      assert.equal((await begin(victim)).length, 43)
      assert.equal((await admin.client.delete(`${providersOf(admin)}/${other.id}`)).status, 204)
      const gone = new UserAgent()
      const late = await begin(gone)
      assert.equal((await admin.client.delete(`${providersOf(admin)}/${provider.id}`)).status, 204)
      isRefused(await end(gone, { state: late, code: code() }), 404, 'not_found')
    }))

  test('two logins in one browser do not disturb one another', () =>
    withStage({}, async ({ begin, end, gateway, app }) => {
      const agent = new UserAgent()
      const [first, second] = [await begin(agent), await begin(agent)]
      isRefused(await end(agent, { state: first, code: gateway.code(new OidcError('login_canceled')) }), 400, 'oidc_login_canceled')
      assert.equal(agent.cookieNames(app.client.origin).length, 1)
      assert.equal((await end(agent, { state: second, code: gateway.code(identityOf('ana@example.test')) })).status, 302)
    }))

  test('expires', async () => {
    let now = Date.now()
    await withStage({ clock: () => now, env: { NATIVE_SERVICE_SSO_STATE_TTL_SECONDS: '60' } }, async ({ begin, end, gateway }) => {
      const agent = new UserAgent()
      const [early, late] = [await begin(agent), await begin(agent)]
      now += 59_999
      assert.equal((await end(agent, { state: early, code: gateway.code(identityOf('ana@example.test')) })).status, 302)
      now += 1
      isRefused(await end(agent, { state: late, code: gateway.code(identityOf('ana@example.test')) }), 400, 'bad_request', /expired/)
    })
  })

  test('what the provider refuses is an error, a page for browsers, and in the audit trail', () =>
    withStage({}, async ({ app, admin, provider, begin, end, gateway }) => {
      const agent = new UserAgent()
      const hostile = '<script>alert(1)</script>'
      const failing = async (accept: string) =>
        end(agent, { state: await begin(agent), code: gateway.code(new OidcError('login_refused', { error: 'server_error' })), error: hostile, error_description: hostile }, accept)
      const shape = await failing('application/json')
      isRefused(shape, 400, 'oidc_login_refused')
      const login_url = `${app.client.origin}/api/v1/sso/oidc/${provider.id}/login`
      assert.deepEqual(refusalOf(shape).details, { error: 'server_error', login_url })
      const page = await failing('text/html')
      assert.equal(page.status, 400)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.ok(page.text.includes(`href="${login_url}"`) && page.text.includes(page.headers.get('x-request-id')!))
      assert.ok(!page.text.includes('<script') && !page.text.includes('alert(1)'))
      assert.deepEqual(agent.cookieNames(app.client.origin), [])
      const portuguese = await new UserAgent('pt-BR').request(`${app.client.origin}/api/v1/sso/oidc/callback?state=unknown`)
      assert.match(portuguese.text, /<html lang="pt-BR">[\s\S]*Este login expirou/)
      const { body } = await admin.client.get<{ actor_type: string; diff: unknown }[]>(`/platform/audit?action=session.refused&resource_id=${provider.id}`)
      assert.equal(body.length, 2)
      assert.deepEqual(body[0], { ...body[0], actor_type: 'system', diff: { reason: { before: null, after: 'oidc_login_refused' } } })
      isRefused(await end(agent, { state: await begin(agent), code: gateway.code(new Error('a fault of the service')) }), 500, 'internal_error')
    }))

  test('leaves no session of a provider that is deleted, and no link to it', () =>
    withStage({}, async ({ app, admin, provider, signIn, session, gateway }) => {
      gateway.during = async () => {
        assert.equal((await admin.client.delete(`${providersOf(admin)}/${provider.id}`)).status, 204)
      }
      isRefused(await signIn(identityOf('ana@example.test')), 404, 'not_found')
      assert.ok(!(await stored(app)).includes(`"provider_id":"${provider.id}","has_second_factor"`))
      gateway.during = async () => undefined
      const next = await createProvider(admin)
      const { client } = await session(identityOf('ana@example.test'), next.id)
      const links = async () => (await stored(app)).split('\n').filter((line) => line.includes('linked_identities') && line.includes(next.id)).length
      assert.equal(await links(), 1)
      assert.equal((await admin.client.delete(`${providersOf(admin)}/${next.id}`)).status, 204)
      assert.equal(await links(), 0)
      await waitFor(async () => ((await client.get('/auth/me')).status === 401 ? true : undefined))
    }))
})

describe('the account of an identity', () => {
  test('needs an e-mail that the provider has verified, or vouches for', () =>
    withStage({}, async ({ admin, signIn, session, provider }) => {
      for (const emailVerified of [false, null]) isRefused(await signIn(identityOf('ana@example.test', { emailVerified })), 403, 'forbidden', /not verified/)
      for (const email of [null, '', 'ana', 'ana@', 'ana@example.test\n', 'ａｎａ@example.test', `${'a'.repeat(300)}@example.test`]) {
        isRefused(await signIn(identityOf('ana@example.test', { email })), 403, 'forbidden', /does not give/)
      }
      assert.equal((await admin.client.get<unknown[]>(membersOf(admin))).body.length, 1)
      const trusted = await createProvider(admin, { name: 'trusted', trust_email: true })
      isRefused(await signIn(identityOf('ana@example.test', { emailVerified: false }), new UserAgent(), trusted.id), 403, 'forbidden', /not verified/)
      assert.equal((await session(identityOf('ana@example.test', { emailVerified: null }), trusted.id)).email, 'ana@example.test')
      // The identity of one provider is none of another, but its verified e-mail is the same.
      isRefused(await signIn(identityOf('ana@example.test', { emailVerified: null }), new UserAgent(), provider.id), 403, 'forbidden')
      await session(identityOf('ana@example.test'), provider.id)
    }))

  test('is that of the subject after the first login, whatever its e-mail becomes', () =>
    withStage({}, async ({ session, admin, actions }) => {
      const first = await session(identityOf('ana@example.test', { subject: '1' }))
      const later = await session(identityOf('ana.silva@example.test', { subject: '1', emailVerified: false }))
      assert.deepEqual([later.userId, later.email], [first.userId, 'ana@example.test'])
      assert.deepEqual((await actions(first.userId)).sort(), ['identity.linked', 'user.created'])
      // Another issuer of the same provider has subjects of its own.
      const tenant = await session(identityOf('other@example.test', { subject: '1', issuer: 'https://9.9.9.9/other' }))
      assert.notEqual(tenant.userId, first.userId)
      assert.equal((await admin.client.get<unknown[]>(membersOf(admin))).body.length, 3)
    }))

  test('is linked if it is a member already, and keeps its role', () =>
    withStage({}, async (stage) => {
      const member = await addMember(stage.admin, 'reviewer', 'Rui@example.test')
      const actor = await stage.session(identityOf('rui@EXAMPLE.test'))
      assert.deepEqual([actor.userId, actor.email, await roleOf(stage, actor.userId)], [member.userId, 'Rui@example.test', 'reviewer'])
      assert.deepEqual((await stage.actions(actor.userId)).slice(-1), ['identity.linked'])
      // Their password still opens sessions.
      await login(stage.app.client, member.email)
    }))

  test('joins from another organization only if its domain is proven', () =>
    withStage({}, async (stage) => {
      const { app, signIn, session, prove } = stage
      const outside = await register(app.client, 'outside', 'ana@elsewhere.example')
      isRefused(await signIn(identityOf('ana@elsewhere.example')), 403, 'forbidden', /has not proven its domain/)
      assert.deepEqual((await outside.client.get<{ organizations: unknown[] }>('/auth/me')).body.organizations.length, 1)
      await prove('elsewhere.example')
      const actor = await session(identityOf('ana@elsewhere.example'))
      assert.deepEqual([actor.userId, actor.organizationId], [outside.userId, stage.admin.organizationId])
      assert.equal(await roleOf(stage, actor.userId), 'engineer')
      refused(await actor.client.get('/platform/projects', { organization: outside.organizationId }), 403, 'forbidden')
    }))

  test('of a platform admin is linked only if the organization has proven its domain', () =>
    withStage({}, async ({ admin, signIn, session, prove }) => {
      isRefused(await signIn(identityOf(admin.email)), 403, 'forbidden', /has not proven its domain/)
      isRefused(await signIn(identityOf(RESERVED)), 409, 'conflict')
      await prove('example.test')
      const actor = await session(identityOf(admin.email))
      assert.equal(actor.userId, admin.userId)
      // The session has no permissions of a platform admin.
      refused(await actor.client.get('/platform/admin/users'), 403, 'forbidden')
      isRefused(await signIn(identityOf(RESERVED)), 409, 'conflict')
    }))

  test('of a deactivated user or of a full organization is refused', () =>
    withStage({}, async ({ app, admin, signIn, session }) => {
      const member = await addMember(admin, 'engineer')
      const linked = await session(identityOf('linked@example.test'))
      for (const id of [member.userId, linked.userId]) assert.equal((await admin.client.patch(`/platform/admin/users/${id}`, { is_active: false })).status, 200)
      for (const email of [member.email, linked.email]) isRefused(await signIn(identityOf(email)), 403, 'forbidden', /deactivated/)
      const other = await register(app.client, 'other')
      const theirs = await createProvider(other)
      const agent = new UserAgent()
      await session(identityOf('theirs@example.test'), theirs.id)
      await admin.client.patch(`/platform/admin/organizations/${other.organizationId}`, { is_active: false })
      assert.equal((await agent.request(`${app.client.origin}/api/v1/sso/oidc/${theirs.id}/login`)).status, 404)
    }))
})

describe('roles by groups', () => {
  test('follow the claim at each login', () =>
    withStage(
      {},
      async (stage) => {
        const { admin, session, app } = stage
        const project = await createProject(admin)
        const group_mappings = [
          { group: '/soc/leads', role: 'security_content_lead' },
          { group: 'reviewers', role: 'reviewer' },
          { group: 'reviewers', role: 'security_content_lead', project_id: project.id },
        ]
        assert.equal((await admin.client.patch(policyOf(admin), { group_mappings })).status, 200)
        const projectRole = async (userId: string) =>
          (await admin.client.get<{ user_id: string; role: string }[]>(`/platform/projects/${project.id}/members`)).body.find((role) => role.user_id === userId)?.role
        const sent = (groups: readonly string[] | null, claims: Readonly<Record<string, unknown>> = {}) => identityOf('ana@example.test', { groups, claims })
        const { userId } = await session(sent(['/soc/leads', 'all']))
        assert.equal(await roleOf(stage, userId), 'security_content_lead')
        await session(sent(['all', 'reviewers']))
        assert.deepEqual([await roleOf(stage, userId), await projectRole(userId)], ['reviewer', 'security_content_lead'])
        // Too many groups for a token, and what is no list: the roles stay, and the log says so.
        await session(sent(null, { _claim_names: { groups: 'src1' } }))
        await session(sent(null, { groups: { nested: true } }))
        assert.deepEqual([await roleOf(stage, userId), await projectRole(userId)], ['reviewer', 'security_content_lead'])
        assert.deepEqual(
          app.log.flatMap((line) => /"reason":"(overage|malformed)"/.exec(line)?.[1] ?? []),
          ['overage', 'malformed'],
        )
        // No claim: no group.
        await session(sent(null))
        assert.deepEqual([await roleOf(stage, userId), await projectRole(userId)], ['engineer', undefined])
        // A role by hand lasts until the next login, and for good where no mapping is of the organization.
        const [member] = (await admin.client.get<{ id: string }[]>(`${membersOf(admin)}?user_id=${userId}`)).body
        const byHand = async () => assert.equal((await admin.client.patch(`${membersOf(admin)}/${member.id}`, { role: 'reviewer' })).status, 200)
        await byHand()
        await session(sent([]))
        assert.equal(await roleOf(stage, userId), 'engineer')
        await byHand()
        assert.equal((await admin.client.patch(policyOf(admin), { group_mappings: group_mappings.slice(2) })).status, 200)
        await session(sent([]))
        assert.equal(await roleOf(stage, userId), 'reviewer')
      },
      { groups_claim: 'groups' },
    ))

  test('do not change without a claim, and never take the last admin away', () =>
    withStage({}, async (stage) => {
      const { admin, session, prove } = stage
      await prove('example.test')
      assert.equal((await admin.client.patch(policyOf(admin), { group_mappings: [{ group: 'all', role: 'read_only' }] })).status, 200)
      await addMember(admin, 'reviewer', 'rui@example.test')
      const rui = await session(identityOf('rui@example.test', { groups: ['all'] }))
      assert.equal(await roleOf(stage, rui.userId), 'reviewer')
      const mapped = await createProvider(admin, { name: 'mapped', groups_claim: 'groups' })
      await session(identityOf('rui@example.test', { groups: ['all'] }), mapped.id)
      await session(identityOf(admin.email, { groups: ['all'] }), mapped.id)
      assert.deepEqual([await roleOf(stage, rui.userId), await roleOf(stage, admin.userId)], ['read_only', 'org_admin'])
    }))
})

describe('an organization that requires its provider', () => {
  test('names the login address to members who log in with a password', () =>
    withStage({}, async ({ app, admin, provider }) => {
      const member = await addMember(admin, 'engineer')
      const policy = await admin.client.patch(policyOf(admin), { sso_required: true, break_glass_user_ids: [admin.userId] })
      assert.equal(policy.status, 200, policy.text)
      const answer = await anonymous(app.client).post('/auth/login', { email: member.email, password: PASSWORD })
      const { details } = refused(answer, 403, 'forbidden')
      assert.deepEqual(details, { organization_id: admin.organizationId, login_url: `${app.client.origin}/api/v1/sso/oidc/${provider.id}/login` })
    }))
})

describe('the test of a provider', () => {
  const begin = async ({ app, admin, provider }: Stage, actor: Actor, agent: UserAgent): Promise<string> => {
    const answer = await actor.client.post<{ authorization_url: string; state: string }>(`${providersOf(admin)}/${provider.id}/test?redirect_path=/settings`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(new URL(answer.body.authorization_url).searchParams.get('state'), answer.body.state)
    const [name, value] = answer.headers.getSetCookie()[0].split(/[=;]/)
    agent.setCookie(app.client.origin, name, value)
    return answer.body.state
  }
  /** The report of a test with this identity. */
  const report = async (stage: Stage, identity: ProvenIdentity): Promise<Report> => {
    const agent = new UserAgent()
    const page = await stage.end(agent, { state: await begin(stage, stage.admin, agent), code: stage.gateway.code(identity) })
    assert.equal(page.status, 200, page.text)
    return JSON.parse(page.text) as Report
  }

  test('says what a login would do, which the login then does', () =>
    withStage(
      {},
      async (stage) => {
        const { app, admin, signIn, session, prove } = stage
        const project = await createProject(admin)
        const group_mappings = [
          { group: 'leads', role: 'security_content_lead' },
          { group: 'leads', role: 'reviewer', project_id: project.id },
        ]
        assert.equal((await admin.client.patch(policyOf(admin), { group_mappings })).status, 200)
        await addMember(admin, 'reviewer', 'rui@example.test')
        await register(app.client, 'outside', 'ana@elsewhere.example')
        const inactive = await addMember(admin, 'read_only', 'old@example.test')
        await admin.client.patch(`/platform/admin/users/${inactive.userId}`, { is_active: false })
        const leads = { groups: ['leads'] }
        const outcome = async (identity: ProvenIdentity) => {
          const { outcome: kind, role, project_roles, account, refusal } = await report(stage, identity)
          return [kind, role, project_roles, account, refusal?.code ?? null]
        }
        const lead = ['security_content_lead', [{ project_id: project.id, role: 'reviewer' }]]
        assert.deepEqual(await outcome(identityOf('new@example.test', leads)), ['created', ...lead, null, null])
        assert.deepEqual(await outcome(identityOf('rui@example.test', { groups: [] })), ['member', 'engineer', [], 'rui@example.test', null])
        assert.deepEqual(await outcome(identityOf('rui@example.test', { claims: { _claim_names: { groups: 'src1' } } })), ['member', 'reviewer', [], 'rui@example.test', null])
        const refusedOnes = [
          identityOf('ana@elsewhere.example'),
          identityOf('old@example.test'),
          identityOf('x@example.test', { emailVerified: null }),
          identityOf(admin.email),
          identityOf(RESERVED),
        ]
        for (const identity of refusedOnes) {
          const [kind, role, , , code] = await outcome(identity)
          assert.deepEqual([kind, role], ['refused', null])
          const real = await signIn(identity)
          assert.equal(refusalOf(real).code, code)
        }
        // Nothing has changed yet; the logins do what the reports say.
        assert.equal((await admin.client.get<unknown[]>(membersOf(admin))).body.length, 3)
        assert.equal((await admin.client.get<unknown[]>('/platform/audit?action=identity.linked')).body.length, 0)
        const created = await session(identityOf('new@example.test', leads))
        assert.equal(await roleOf(stage, created.userId), 'security_content_lead')
        assert.deepEqual(await outcome(identityOf('new@example.test', leads)), ['linked', ...lead, 'new@example.test', null])
        await prove('elsewhere.example')
        await prove('example.test')
        assert.deepEqual(await outcome(identityOf('ana@elsewhere.example')), ['joined', 'engineer', [], 'ana@elsewhere.example', null])
        assert.deepEqual(await outcome(identityOf(admin.email, leads)), ['member', 'org_admin', lead[1], admin.email, null])
        await session(identityOf(admin.email, leads))
        assert.equal(await roleOf(stage, admin.userId), 'org_admin')
      },
      { groups_claim: 'groups' },
    ))

  test('shows names of claims and no values, opens no session, and ends in the browser that began', () =>
    withStage({ env: { NATIVE_SERVICE_PUBLIC_BASE_URL: 'http://content.example' } }, async (stage) => {
      const { app, admin, provider, gateway, end } = stage
      const member = await addMember(admin, 'read_only')
      const agent = new UserAgent()
      const hostile = '<img src=x onerror=alert(1)>'
      const code = () => gateway.code(identityOf('new@example.test', { name: hostile, claims: { salary: 'secret-value', [hostile]: 1 } }))
      const page = await end(agent, { state: await begin(stage, member, agent), code: code() }, 'text/html')
      assert.equal(page.status, 200)
      assert.deepEqual(
        page.headers.getSetCookie().filter((cookie) => !cookie.includes('Max-Age=0')),
        [],
      )
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.ok(page.text.includes('<code>salary</code>') && !page.text.includes('secret-value') && !page.text.includes('<img'))
      assert.ok(page.text.includes('href="http://content.example/settings"'))
      assert.deepEqual(agent.cookieNames(app.client.origin), [])
      isRefused(await end(new UserAgent(), { state: await begin(stage, member, agent), code: code() }), 400, 'bad_request', /another browser/)
      const failed = await end(agent, { state: await begin(stage, member, agent), code: gateway.code(new OidcError('claim_refused', { claim: 'hd' })) })
      isRefused(failed, 403, refusalOf(failed).code)
      assert.deepEqual(refusalOf(failed).details, { claim: 'hd' })
      // A test of a former member ends nowhere.
      const state = await begin(stage, member, agent)
      const [{ id }] = (await admin.client.get<{ id: string }[]>(`${membersOf(admin)}?user_id=${member.userId}`)).body
      assert.equal((await admin.client.delete(`${membersOf(admin)}/${id}`)).status, 204)
      isRefused(await end(agent, { state, code: code() }), 400, 'bad_request', /expired/)
      assert.equal((await admin.client.get<unknown[]>(`/platform/audit?action=session.refused&resource_id=${provider.id}`)).body.length, 0)
      const wrong = await admin.client.post(`${providersOf(admin)}/${provider.id}/test?redirect_path=//evil.example`)
      refused(wrong, 422, 'request_validation_failed')
    }))
})

interface Report {
  readonly outcome: string
  readonly role: string | null
  readonly project_roles: unknown
  readonly account: string | null
  readonly refusal: { readonly code: string } | null
}
