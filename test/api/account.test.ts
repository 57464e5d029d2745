import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import jwt from 'jsonwebtoken'
import { deriveSecrets } from '../../server/core/auth/secrets.js'
import { AUDIENCE, ISSUER } from '../../server/core/auth/tokens.js'
import { addMember, anonymous, type Actor, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client, Refusal } from '../support/client.js'
import { TEST_SECRET } from '../support/stores.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

interface Organization {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly role: string | null
  readonly is_active: boolean
}
interface Session {
  readonly access_token: string
  readonly token_type: string
  readonly expires_at: string
  readonly user: Readonly<Record<string, unknown>> & { readonly id: string }
  readonly organizations: readonly Organization[]
  readonly current_organization: Organization | null
  readonly memberships: readonly Readonly<Record<string, unknown>>[]
}

const FOUNDER = { organization_name: 'Acme', organization_description: 'of the tests', email: 'founder@example.test', display_name: 'Founder', password: PASSWORD }
const SECRET = { NATIVE_SERVICE_SECRET_KEY: TEST_SECRET }

describe('bootstrap', () => {
  test('works once, and returns everything about the session', () =>
    withApp({}, async ({ client }) => {
      const status = await client.get('/auth/bootstrap-status')
      assert.deepEqual(status.body, { bootstrap_available: true, registration_enabled: false })
      const before = Date.now()
      const { body, headers, text, status: code } = await client.post<Session>('/auth/bootstrap', FOUNDER)
      assert.equal(code, 200, text)
      assert.match(body.access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
      assert.equal(body.token_type, 'bearer')
      // Whole seconds, like tokens.
      const issued = Date.parse(body.expires_at) - 43_200_000
      assert.ok(issued > before - 1000 && issued <= Date.now())
      assert.equal(body.user.email, FOUNDER.email)
      assert.equal(body.user.display_name, 'Founder')
      assert.equal(body.user.is_active, true)
      assert.equal(body.user.is_platform_admin, true)
      assert.deepEqual(body.organizations, [body.current_organization])
      assert.equal(body.current_organization?.slug, 'acme')
      assert.equal(body.current_organization?.role, 'org_admin')
      assert.equal(body.current_organization?.description, 'of the tests')
      assert.equal(body.memberships.length, 1)
      assert.equal(body.memberships[0].user_id, body.user.id)
      assert.equal(body.memberships[0].role, 'org_admin')
      assert.equal(headers.get('set-cookie'), `service_session=${body.access_token}; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax`)
      assert.deepEqual((await client.get('/auth/bootstrap-status')).body, { bootstrap_available: false, registration_enabled: false })
      refused(await client.post('/auth/bootstrap', { ...FOUNDER, email: 'second@example.test' }), 409, 'conflict')
    }))

  test('every wrong field is reported', () =>
    withApp({}, async ({ client }) => {
      const paths = async (body: object) => ((await client.post<Refusal>('/auth/bootstrap', body)).body.details.errors as { path: string }[]).map(({ path }) => path).sort()
      const wrong = { organization_name: ' ', organization_description: 7, email: 'no address', display_name: 'a\u0000b', password: '123456789', other: 1 }
      refused(await client.post('/auth/bootstrap', wrong), 422, 'request_validation_failed')
      assert.deepEqual(await paths(wrong), ['/display_name', '/email', '/organization_description', '/organization_name', '/other', '/password'])
      assert.deepEqual(await paths({}), ['/display_name', '/email', '/organization_name', '/password'])
      for (const field of [
        { email: `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(4)}test` },
        { email: 'a@b.test\r\nBcc: c@d.test' },
        { display_name: 'x'.repeat(121) },
        { organization_name: '' },
        { organization_name: 'x'.repeat(121) },
        { display_name: '\ud800' },
        { password: 'x'.repeat(1025) },
      ]) {
        refused(await client.post('/auth/bootstrap', { ...FOUNDER, ...field }), 422, 'request_validation_failed')
      }
      assert.equal((await client.get<{ bootstrap_available: boolean }>('/auth/bootstrap-status')).body.bootstrap_available, true)
      const limits = { ...FOUNDER, organization_name: 'x'.repeat(120), display_name: 'y'.repeat(120), password: '1234567890' }
      assert.equal((await client.post('/auth/bootstrap', limits)).status, 200)
    }))
})

describe('registration', () => {
  test('is refused unless it is enabled', () => withApp({}, async ({ client }) => void refused(await client.post('/auth/register-organization', FOUNDER), 403, 'forbidden')))

  test('creates an organization with an admin who is not a platform admin', () =>
    withApp({ env: { ...SIGNUP, ...PROXIED } }, async ({ client }) => {
      await bootstrap(client)
      const one = await client.post<Session>('/auth/register-organization', FOUNDER)
      assert.equal(one.status, 200, one.text)
      assert.equal(one.body.user.is_platform_admin, false)
      assert.equal(one.body.current_organization?.role, 'org_admin')
      assert.match(one.headers.get('set-cookie') ?? '', /^service_session=/)
      refused(await client.post('/auth/register-organization', { ...FOUNDER, email: 'Founder@Example.test' }), 409, 'conflict')
      const same = await client.post<Session>('/auth/register-organization', { ...FOUNDER, email: 'other@example.test' })
      assert.match(same.body.current_organization?.slug ?? '', /^acme-[0-9a-f]{8}$/)
    }))

  test('is throttled by address, whatever its result, also when rate limits are off', () =>
    withApp({ env: { ...SIGNUP, ...PROXIED } }, async ({ client }) => {
      await bootstrap(client)
      const statuses: number[] = []
      for (let at = 0; at < 10; at++) statuses.push((await client.post('/auth/register-organization', FOUNDER, from('192.0.2.1'))).status)
      assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 409)])
      const answer = await client.post('/auth/register-organization', { ...FOUNDER, email: 'new@example.test' }, from('192.0.2.1'))
      const { details } = refused(answer, 429, 'rate_limited')
      assert.equal(details.route, 'auth.register')
      assert.ok(Number(answer.headers.get('retry-after')) > 3000)
      const told = ['limit', 'remaining', 'reset'].map((name) => answer.headers.get(`x-ratelimit-${name}`))
      assert.deepEqual(told, ['10', '0', details.reset_at])
      assert.equal((await client.post('/auth/register-organization', { ...FOUNDER, email: 'new@example.test' }, from('192.0.2.2'))).status, 200)
    }))

  test('on an empty instance ends its bootstrap', () =>
    withApp({ env: SIGNUP }, async ({ client }) => {
      assert.equal((await client.post('/auth/register-organization', FOUNDER)).status, 200)
      assert.deepEqual((await client.get('/auth/bootstrap-status')).body, { bootstrap_available: false, registration_enabled: true })
      refused(await client.post('/auth/bootstrap', { ...FOUNDER, email: 'second@example.test' }), 409, 'conflict')
    }))

  test('leaves an empty instance empty when it fails', () =>
    withApp({ env: SIGNUP }, async ({ client, service: { storage } }) => {
      const { commit } = storage
      storage.commit = () => Promise.reject(new Error('the disk is away'))
      refused(await client.post('/auth/register-organization', FOUNDER), 500, 'internal_error')
      storage.commit = commit
      assert.deepEqual((await client.get('/auth/bootstrap-status')).body, { bootstrap_available: true, registration_enabled: true })
      assert.equal((await client.post('/auth/bootstrap', FOUNDER)).status, 200)
    }))

  test('equal spellings are one address, and invisible characters are refused', () =>
    withApp({ env: { ...SIGNUP, ...PROXIED, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: 'ｒｏｏｔ@example.test' } }, async ({ client, mail }) => {
      const first = await client.post<Session>('/auth/bootstrap', { ...FOUNDER, email: 'Ａna@Example.test' })
      assert.equal(first.body.user.email, 'Ana@Example.test')
      const admin = await login(client, 'ａｎａ@example.test')
      const members = `/auth/organizations/${admin.organizationId}/members`
      const invitations = `/auth/organizations/${admin.organizationId}/invitations`
      const member = (email: string) => admin.client.post(members, { email, display_name: 'x', password: PASSWORD, role: 'engineer' })
      const register = (email: string) => client.post('/auth/register-organization', { ...FOUNDER, email })
      refused(await register('ＡＮＡ@example.test'), 409, 'conflict')
      refused(await register('ROOT@example.test'), 409, 'conflict')
      refused(await member('ana@ｅxample.test'), 409, 'conflict')
      refused(await admin.client.post(invitations, { email: 'ａna@example.test', role: 'engineer' }), 409, 'conflict')
      const invited = await admin.client.post<{ email: string }>(invitations, { email: 'ｒui@example.test', role: 'engineer' })
      assert.equal(invited.body.email, 'rui@example.test')
      await client.post('/auth/password-reset/request', { email: 'ＡＮＡ@example.test' })
      assert.equal((await waitFor(() => mail.sent.find(({ subject }) => subject === 'Set a new password'))).to, 'Ana@Example.test')
      for (const email of ['an\u200ba@example.test', 'ana\u202e@example.test', 'ana@example.test\u3000', 'ana\u3164@example.test']) {
        const answers = [
          register(email),
          member(email),
          client.post('/auth/login', { email, password: PASSWORD }),
          client.post('/auth/bootstrap', { ...FOUNDER, email }),
          client.post('/auth/password-reset/request', { email }),
          admin.client.post(invitations, { email, role: 'engineer' }),
        ]
        for (const answer of await Promise.all(answers)) refused(answer, 422, 'request_validation_failed')
      }
    }))

  test('nobody can register the e-mail of a platform admin of the settings', () =>
    withApp({ env: { ...SIGNUP, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: 'root@example.test' } }, async ({ client }) => {
      const admin = await bootstrap(client)
      refused(await client.post('/auth/register-organization', { ...FOUNDER, email: 'Root@example.test' }), 409, 'conflict')
      const other = await register(client, 'other')
      const member = { email: 'root@example.test', display_name: 'Root', password: PASSWORD, role: 'engineer' }
      refused(await other.client.post(`/auth/organizations/${other.organizationId}/members`, member), 409, 'conflict')
      const invited = await other.client.post<{ token: string }>(`/auth/organizations/${other.organizationId}/invitations`, { email: member.email, role: 'engineer' })
      refused(await client.post(`/auth/invitations/${invited.body.token}/accept`, { display_name: 'Root', password: PASSWORD }), 409, 'conflict')
      assert.equal((await admin.client.post(`/auth/organizations/${admin.organizationId}/members`, member)).status, 200)
      const root = await login(client, member.email)
      assert.equal((await root.client.get('/platform/admin/users')).status, 200)
    }))
})

describe('login and session', () => {
  let app: TestApp
  let client: Client
  let admin: Actor
  let other: Actor
  let address = 0
  /** Every test uses a different address, so that throttles do not affect each other. */
  const elsewhere = (): Client => client.as(from(`198.51.100.${++address}`))

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED, ...SECRET } })
    client = app.client
    admin = await bootstrap(client)
    other = await register(client, 'other')
  })
  after(() => app.close())

  test('a login returns a session, whatever the case of the e-mail', async () => {
    const { status, body, headers } = await elsewhere().post<Session>('/auth/login', { email: 'ADMIN@example.test', password: PASSWORD })
    assert.equal(status, 200)
    assert.equal(body.user.id, admin.userId)
    assert.equal(body.current_organization?.id, admin.organizationId)
    assert.match(headers.get('set-cookie') ?? '', /^service_session=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/)
  })

  test('the answers to an unknown e-mail and to a wrong password are equal', async () => {
    const unknown = refused(await elsewhere().post('/auth/login', { email: 'nobody@example.test', password: PASSWORD }), 401, 'unauthorized')
    const wrong = refused(await elsewhere().post('/auth/login', { email: admin.email, password: `${PASSWORD}!` }), 401, 'unauthorized')
    assert.deepEqual({ ...unknown, debug_id: '' }, { ...wrong, debug_id: '' })
  })

  test('a deactivated user is informed only after the right password', async () => {
    const user = await addMember(admin, 'engineer', 'leaving@example.test')
    assert.equal((await admin.client.patch(`/platform/admin/users/${user.userId}`, { is_active: false })).status, 200)
    refused(await user.client.get('/auth/me'), 401, 'unauthorized')
    const wrong = refused(await elsewhere().post('/auth/login', { email: user.email, password: 'another passphrase' }), 401, 'unauthorized')
    const unknown = refused(await elsewhere().post('/auth/login', { email: 'nobody@example.test', password: PASSWORD }), 401, 'unauthorized')
    assert.equal(wrong.message, unknown.message)
    refused(await elsewhere().post('/auth/login', { email: user.email, password: PASSWORD }), 403, 'forbidden')
    assert.equal((await admin.client.patch(`/platform/admin/users/${user.userId}`, { is_active: true })).status, 200)
    refused(await user.client.get('/auth/me'), 401, 'unauthorized')
    assert.equal((await elsewhere().post('/auth/login', { email: user.email, password: PASSWORD })).status, 200)
  })

  test('more than five attempts in fifteen minutes are refused, right or wrong, for one pair of e-mail and address', async () => {
    const user = await addMember(admin, 'engineer', 'throttled@example.test')
    const here = elsewhere()
    const attempt = (password: string, by = here) => by.post('/auth/login', { email: user.email, password })
    for (let at = 0; at < 5; at++) assert.equal((await attempt('wrong passphrase')).status, 401)
    const answer = await attempt(PASSWORD)
    const { details } = refused(answer, 429, 'rate_limited')
    assert.equal(details.route, 'auth.login')
    assert.ok(Date.parse(details.reset_at as string) > Date.now())
    const told = ['limit', 'remaining', 'reset'].map((name) => answer.headers.get(`x-ratelimit-${name}`))
    assert.deepEqual(told, ['5', '0', details.reset_at])
    const wait = Number(answer.headers.get('retry-after'))
    assert.ok(wait > 800 && wait <= 900, String(wait))
    assert.equal((await attempt(PASSWORD, elsewhere())).status, 200)
    assert.equal((await here.post('/auth/login', { email: admin.email, password: PASSWORD })).status, 200)
  })

  test('all addresses of one IPv6 network count as one, because its owner could use a new one for every attempt', async () => {
    const user = await addMember(admin, 'engineer', 'network@example.test')
    const attempt = (address: string) => client.post('/auth/login', { email: user.email, password: 'wrong passphrase' }, from(address))
    for (let at = 1; at <= 5; at++) assert.equal((await attempt(`2001:db8:0:1::${at}`)).status, 401)
    refused(await attempt('2001:db8:0:1:ffff::6'), 429, 'rate_limited')
    assert.equal((await attempt('2001:db8:0:2::1')).status, 401)
  })

  test('a successful login clears the count', async () => {
    const user = await addMember(admin, 'engineer', 'forgetful@example.test')
    const here = elsewhere()
    const attempt = (password: string) => here.post('/auth/login', { email: user.email, password })
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 4; at++) assert.equal((await attempt('wrong passphrase')).status, 401)
      assert.equal((await attempt(PASSWORD)).status, 200)
    }
  })

  test("organization_id selects one of the user's organizations", async () => {
    const invited = await other.client.post<{ token: string }>(`/auth/organizations/${other.organizationId}/invitations`, { email: 'both@example.test', role: 'reviewer' })
    const both = await addMember(admin, 'engineer', 'both@example.test')
    assert.equal((await client.post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })).status, 200)
    const to = (organization_id?: string) =>
      elsewhere().post<Session>('/auth/login', { email: both.email, password: PASSWORD, ...(organization_id === undefined ? {} : { organization_id }) })
    const plain = await to()
    assert.equal(plain.body.current_organization?.id, admin.organizationId)
    assert.equal(plain.body.current_organization?.role, 'engineer')
    const picked = await to(other.organizationId)
    assert.equal(picked.body.current_organization?.id, other.organizationId)
    assert.equal(picked.body.current_organization?.role, 'reviewer')
    assert.equal(picked.body.organizations.length, 2)
    assert.equal(picked.body.memberships.length, 2)
    const me = await client.as({ token: picked.body.access_token }).get<Session>('/auth/me')
    assert.equal(me.body.current_organization?.id, other.organizationId)
    const foreign = await register(client, 'foreign')
    const theirs = refused(await to(foreign.organizationId), 403, 'forbidden')
    const nobodys = refused(await to('00000000-0000-4000-8000-000000000000'), 403, 'forbidden')
    assert.equal(theirs.message, nobodys.message)
    assert.doesNotMatch(theirs.message, /X-Org-Id/, 'it was named in the body')
    const switched = both.client.as({ organization: other.organizationId })
    assert.equal((await switched.get<Session>('/auth/me')).body.current_organization?.id, other.organizationId)
  })

  test('only platform admins can log in to a suspended organization', async () => {
    const owner = await register(client.as(from('203.0.113.1')), 'suspended')
    const key = await createKey(owner, ['admin:*'])
    const suspend = (is_active: boolean) => admin.client.patch(`/platform/admin/organizations/${owner.organizationId}`, { is_active })
    assert.equal((await suspend(false)).status, 200)
    refused(await owner.client.get('/auth/me'), 403, 'forbidden')
    refused(await key.client.get('/health'), 403, 'forbidden')
    refused(await elsewhere().post('/auth/login', { email: owner.email, password: PASSWORD }), 403, 'forbidden')
    refused(await elsewhere().post('/auth/login', { email: owner.email, password: PASSWORD, organization_id: owner.organizationId }), 403, 'forbidden')
    assert.equal((await admin.client.get(`/auth/organizations/${owner.organizationId}/members`)).status, 200)
    // Their sessions can be ended anyway.
    assert.equal((await owner.client.post('/auth/logout')).status, 200)
    assert.equal((await suspend(true)).status, 200)
    refused(await owner.client.get('/auth/me'), 401, 'unauthorized')
    assert.equal((await elsewhere().post('/auth/login', { email: owner.email, password: PASSWORD })).status, 200)
    assert.equal((await key.client.get('/health')).status, 200)
  })

  test('the session is returned to its user, and not to API keys', async () => {
    const me = await admin.client.get<Session>('/auth/me')
    assert.equal(me.status, 200)
    assert.equal(me.body.access_token, admin.token)
    const cookie = await anonymous(client).get<Session>('/auth/me', { headers: { Cookie: `service_session=${admin.token}` } })
    assert.equal(cookie.body.access_token, 'cookie-session')
    assert.equal(cookie.body.user.id, admin.userId)
    const key = await createKey(admin, ['admin:*'])
    for (const path of ['/auth/me'] as const) refused(await key.client.get(path), 401, 'unauthorized')
    refused(await key.client.post('/auth/logout'), 401, 'unauthorized')
    refused(await anonymous(client).get('/auth/me'), 401, 'unauthorized')
  })

  test('a logout ends the session at once, and clears the cookie', async () => {
    const session = await login(client, other.email)
    assert.equal((await session.client.get('/auth/me')).status, 200)
    const answer = await session.client.post('/auth/logout')
    assert.deepEqual(answer.body, { status: 'logged_out' })
    assert.match(answer.headers.get('set-cookie') ?? '', /^service_session=; Path=\/; Max-Age=0; .*HttpOnly; SameSite=Lax$/)
    refused(await session.client.get('/auth/me'), 401, 'unauthorized')
    refused(await session.client.post('/auth/logout'), 401, 'unauthorized')
    assert.equal((await other.client.get('/auth/me')).status, 200)
  })

  test('concurrent logouts fail only because the session has ended', async () => {
    const session = await login(client, other.email)
    const answers = await Promise.all(Array.from({ length: 6 }, () => session.client.post('/auth/logout')))
    assert.ok(answers.some(({ status }) => status === 200))
    for (const { status } of answers) assert.ok(status === 200 || status === 401, String(status))
  })

  test('a change with the cookie alone must be sent from this site', async () => {
    const session = await login(client, other.email)
    const cookie = { Cookie: `service_session=${session.token}` }
    refused(await anonymous(client).post('/auth/logout', undefined, { headers: cookie }), 403, 'forbidden')
    refused(await anonymous(client).post('/auth/logout', undefined, { headers: { ...cookie, Origin: 'https://evil.test' } }), 403, 'forbidden')
    assert.equal((await anonymous(client).post('/auth/logout', undefined, { headers: { ...cookie, Origin: client.origin } })).status, 200)
  })

  test('the preferred language is used if a request names none', async () => {
    const unsaid = { headers: { 'x-locale': '' } }
    const message = async () => (await other.client.get<Refusal>(`/auth/organizations/${other.organizationId}/members/none`, unsaid)).body.message
    const portuguese = await message()
    assert.deepEqual((await other.client.patch('/auth/me/locale', { locale: 'en' })).body, { status: 'ok' })
    const english = await message()
    assert.notEqual(english, portuguese)
    assert.deepEqual((await other.client.patch('/auth/me/locale', { locale: 'pt-BR' })).body, { status: 'ok' })
    assert.equal(await message(), portuguese)
    assert.deepEqual((await other.client.patch('/auth/me/locale', { locale: null })).body, { status: 'ok' })
    for (const body of [{}, { locale: 'en-US' }, { locale: 'de' }, { locale: null, other: 1 }])
      refused(await other.client.patch('/auth/me/locale', body), 422, 'request_validation_failed')
  })

  test('a token is accepted only with our key and algorithm, and until it expires', async () => {
    const claims = jwt.decode(admin.token) as jwt.JwtPayload
    assert.deepEqual(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'org', 'sub'])
    const { jwt: key, tokenHash } = deriveSecrets(TEST_SECRET)
    const sign = (change: object, by: Buffer | string = key, algorithm: jwt.Algorithm = 'HS256') => jwt.sign({ ...claims, ...change }, by, { algorithm })
    const refuse = async (token: string) => refused(await anonymous(client).get('/auth/me', { token }), 401, 'unauthorized')
    assert.equal((await anonymous(client).get('/auth/me', { token: sign({}) })).status, 200)
    const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${admin.token.split('.')[1]}.`
    const past = Math.floor(Date.now() / 1000) - 1
    for (const token of [
      none,
      none.slice(0, -1),
      sign({}, tokenHash),
      sign({}, TEST_SECRET),
      sign({}, key, 'HS512'),
      sign({ exp: past }),
      sign({ aud: 'another' }),
      sign({ iss: 'another' }),
      sign({ iat: past + 3600 }),
      sign({ jti: 'unknown' }),
      sign({ sub: other.userId }),
      sign({ sub: 'unknown' }),
    ]) {
      await refuse(token)
    }
    assert.equal(claims.aud, AUDIENCE)
    assert.equal(claims.iss, ISSUER)
    // The session has the organization; a token cannot name another.
    const moved = await anonymous(client).get<Session>('/auth/me', { token: sign({ org: other.organizationId }) })
    assert.equal(moved.body.current_organization?.id, admin.organizationId)
  })

  test("X-Org-Id names one of the user's organizations, or any for a platform admin", async () => {
    const theirs = refused(await other.client.get('/auth/me', { organization: admin.organizationId }), 403, 'forbidden')
    const nobodys = refused(await other.client.get('/auth/me', { organization: 'unknown' }), 403, 'forbidden')
    assert.equal(theirs.message, nobodys.message)
    assert.doesNotMatch(theirs.message, /X-Org-Id/, 'it was named in the body')
    assert.equal((await other.client.get('/auth/me', { organization: other.organizationId })).status, 200)
    const guest = await admin.client.get<Session>('/auth/me', { organization: other.organizationId })
    assert.equal(guest.body.current_organization?.id, other.organizationId)
    assert.equal(guest.body.current_organization?.role, null)
    refused(await admin.client.get('/auth/me', { organization: 'unknown' }), 403, 'forbidden')
    refused(await other.client.get(`/auth/organizations/${admin.organizationId}/members`), 404, 'not_found')
    refused(await other.client.get('/auth/organizations/unknown/members'), 404, 'not_found')
    refused(await other.client.get(`/auth/organizations/${'x'.repeat(64)}/members`), 404, 'not_found')
    refused(await admin.client.get('/auth/organizations/unknown/members'), 404, 'not_found')
    assert.equal((await admin.client.get(`/auth/organizations/${other.organizationId}/members`)).status, 200)
  })

  test('no secret is stored or logged', async () => {
    const key = await createKey(admin, ['analysis:run'])
    const invited = await admin.client.post<{ token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, { email: 'hidden@example.test', role: 'engineer' })
    await client.post('/auth/password-reset/request', { email: other.email })
    const mail = await waitFor(() => app.mail.sent.find(({ to }) => to === other.email))
    const reset = /[A-Za-z0-9_-]{43}/.exec(mail.text)?.[0] ?? ''
    const places = `${await stored(app)}${app.log.join('\n')}`
    for (const secret of [PASSWORD, key.key, key.key.slice(12), invited.body.token, reset, admin.token, admin.token.split('.')[2], TEST_SECRET]) {
      assert.ok(secret.length >= 10)
      assert.ok(!places.includes(secret), `${secret.slice(0, 4)}…`)
    }
  })
})

test('the cookie is secure only if the service uses TLS', () =>
  withApp({ env: { NATIVE_SERVICE_PUBLIC_BASE_URL: 'https://content.example.test' } }, async ({ client }) => {
    const { headers } = await client.post('/auth/bootstrap', FOUNDER)
    assert.match(headers.get('set-cookie') ?? '', /; HttpOnly; SameSite=Lax; Secure$/)
  }))

test('behind a trusted proxy the cookie is secure only if the proxy reports TLS', async () => {
  const cookieOf = ({ headers }: { headers: Headers }): string => headers.get('set-cookie') ?? ''
  const over = (scheme: string) => ({ headers: { 'X-Forwarded-Proto': scheme } })
  const credentials = { email: FOUNDER.email, password: PASSWORD }
  await withApp({ env: PROXIED }, async ({ client }) => {
    assert.match(cookieOf(await client.post('/auth/bootstrap', FOUNDER, over('https'))), /; SameSite=Lax; Secure$/)
    assert.match(cookieOf(await client.post('/auth/login', credentials, over('http'))), /; SameSite=Lax$/)
    const { body, headers } = await client.post<Session>('/auth/login', credentials, over('https'))
    assert.match(cookieOf({ headers }), /; SameSite=Lax; Secure$/)
    // The browser removes a cookie only with the attributes with which it was set.
    assert.match(cookieOf(await client.post('/auth/logout', undefined, { token: body.access_token, ...over('https') })), /^service_session=; .*; SameSite=Lax; Secure$/)
  })
  await withApp({}, async ({ client }) => assert.match(cookieOf(await client.post('/auth/bootstrap', FOUNDER, over('https'))), /; SameSite=Lax$/))
})

test('token and cookie expire as configured', () =>
  withApp({ env: { NATIVE_SERVICE_SESSION_TTL_SECONDS: '120' } }, async ({ client }) => {
    const { body, headers } = await client.post<Session>('/auth/bootstrap', FOUNDER)
    assert.match(headers.get('set-cookie') ?? '', /; Max-Age=120;/)
    const { iat = 0, exp = 0 } = jwt.decode(body.access_token) as jwt.JwtPayload
    assert.equal(exp - iat, 120)
    assert.equal(Date.parse(body.expires_at), exp * 1000)
  }))

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('exactly one of twenty concurrent bootstraps succeeds, and the others store nothing', () =>
      withApp({ store }, async (app) => {
        const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => app.client.post('/auth/bootstrap', { ...FOUNDER, email: `founder${at}@example.test` })))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 409)])
        const text = await stored(app)
        for (const collection of ['users', 'organizations', 'memberships', 'sessions', 'instance']) assert.equal(text.split(`{"collection":"${collection}"`).length, 2, collection)
      }))

    test('exactly one of concurrent registrations with one e-mail succeeds', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        await bootstrap(client)
        const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => client.post('/auth/register-organization', { ...FOUNDER, organization_name: `Acme ${at}` })))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)])
      }))

    test('with concurrent registrations and a bootstrap all registrations succeed, and at most one bootstrap', () =>
      withApp({ store, env: { ...SIGNUP, ...PROXIED } }, async ({ client }) => {
        const one = (at: number) => ({ ...FOUNDER, email: `founder${at}@example.test` })
        const [bootstrapped, ...registered] = await Promise.all([
          client.post('/auth/bootstrap', one(0)),
          ...Array.from({ length: 5 }, (_, at) => client.post('/auth/register-organization', one(at + 1), from(`192.0.2.${at + 1}`))),
        ])
        assert.ok(bootstrapped.status === 200 || bootstrapped.status === 409, bootstrapped.text)
        assert.deepEqual(
          registered.map(({ status }) => status),
          [200, 200, 200, 200, 200],
        )
        assert.equal((await client.get<{ bootstrap_available: boolean }>('/auth/bootstrap-status')).body.bootstrap_available, false)
      }))

    test('concurrent registrations with one name all succeed, with different slugs', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        await bootstrap(client)
        const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => client.post<Session>('/auth/register-organization', { ...FOUNDER, email: `f${at}@example.test` })))
        assert.equal(new Set(answers.map(({ body }) => body.current_organization?.slug)).size, 8)
      }))
  })
}
