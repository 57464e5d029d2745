/** The second factor of password accounts: setup, login with a challenge, recovery codes, limits, and every other place where a password opens a session. */
import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { CHALLENGE_ATTEMPTS, CHALLENGE_SECONDS, LOGIN_CHALLENGES } from '../../server/core/auth/login-challenges.js'
import { SECOND_FACTORS } from '../../server/core/auth/second-factors.js'
import { SESSIONS } from '../../server/core/auth/sessions.js'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { type Actor, addMember, anonymous, bootstrap, login, PASSWORD, register, type Session } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { codeAt, wrongCode } from '../support/authenticator.js'
import { type Answer, Client, type Refusal } from '../support/client.js'
import { withInstances } from '../support/instances.js'
import { errorsOf, headingOf, PageClient, valuesOf } from '../support/forms.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

/** The clock of the service, at the beginning of a step. */
class Clock {
  now = Math.floor(Date.now() / 30_000) * 30_000
  readonly read = (): number => this.now
  /** The next step, whose code was not used yet. */
  next(): void {
    this.now += 30_000
  }
}

interface Factor {
  readonly secret: string
  readonly codes: readonly string[]
}

async function enable({ client }: Pick<Actor, 'client'>, clock: Clock, password = PASSWORD): Promise<Factor> {
  const begun = await client.post<{ secret: string; otpauth_uri: string }>('/auth/me/second-factor', { password })
  assert.equal(begun.status, 200, begun.text)
  const { secret } = begun.body
  const confirmed = await client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/confirm', { code: codeAt(secret, clock.now) })
  assert.equal(confirmed.status, 200, confirmed.text)
  clock.next()
  return { secret, codes: confirmed.body.recovery_codes }
}

const begin = async (client: Client, email: string, password = PASSWORD, call = {}): Promise<string> => {
  const { details } = refused(await anonymous(client).post('/auth/login', { email, password }, call), 401, 'second_factor_required')
  assert.match(String(details.challenge), /^[\w-]{43}$/)
  return String(details.challenge)
}
const finish = (client: Client, challenge: string, code: string, call = {}): Promise<Answer<Session & Refusal>> =>
  anonymous(client).post('/auth/login/second-factor', { challenge, code }, call)
const opened = ({ status, body, text, headers }: Answer<Session>): Client | Session => {
  assert.equal(status, 200, text)
  assert.match(headers.get('set-cookie') ?? '', /service_session=/)
  return body
}
const withFactor = (run: (parts: { app: TestApp; user: Actor; clock: Clock; factor: Factor }) => Promise<void>, options = {}): Promise<void> => {
  const clock = new Clock()
  return withApp({ clock: clock.read, ...options }, async (app) => {
    const user = await bootstrap(app.client)
    await run({ app, user, clock, factor: await enable(user, clock) })
  })
}

test('the limits equal those of the contract', () => {
  const { limit, windowSeconds } = THROTTLES.secondFactorFailures
  assert.deepEqual([limit, windowSeconds, CHALLENGE_SECONDS, CHALLENGE_ATTEMPTS], [10, 3600, 300, 5])
})

test('the authenticator of the tests has the codes of RFC 6238', () => {
  // Appendix B, SHA-1: the last six of eight digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  assert.deepEqual(
    [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000].map((seconds) => codeAt(secret, seconds * 1000)),
    ['287082', '081804', '050471', '005924', '279037', '353130'],
  )
})

for (const store of ALL_STORES) {
  describe(`the second factor, ${store.name}`, { skip: store.skip }, () => {
    test('is set up with the password and a code, and then every login needs one', () => {
      const clock = new Clock()
      return withInstances(store, { clock: clock.read }, async ({ app, apps, admin, at }) => {
        const none = { enabled: false, enabled_at: null, recovery_codes_left: 0 }
        assert.deepEqual((await admin.client.get('/auth/me/second-factor')).body, none)
        refused(await admin.client.post('/auth/me/second-factor', { password: 'wrong passphrase' }), 400, 'bad_request')
        refused(await admin.client.post('/auth/me/second-factor/confirm', { code: '123456' }), 409, 'conflict')
        const other = await login(app.client, admin.email)
        const { body } = await admin.client.post<{ secret: string; otpauth_uri: string }>('/auth/me/second-factor', { password: PASSWORD })
        const uri = new URL(body.otpauth_uri)
        assert.deepEqual([uri.protocol, uri.host, uri.searchParams.get('secret'), uri.searchParams.get('issuer')], ['otpauth:', 'totp', body.secret, 'Detection Content'])
        assert.ok(decodeURIComponent(uri.pathname).endsWith(admin.email))
        // A secret that is not confirmed changes no login.
        assert.deepEqual((await admin.client.get('/auth/me/second-factor')).body, none)
        await login(app.client, admin.email)
        refused(await admin.client.post('/auth/me/second-factor/confirm', { code: wrongCode(body.secret, clock.now) }), 400, 'bad_request')
        const confirmed = await at(1).post<{ recovery_codes: string[] }>('/auth/me/second-factor/confirm', { code: codeAt(body.secret, clock.now) })
        assert.equal(confirmed.status, 200, confirmed.text)
        assert.equal(new Set(confirmed.body.recovery_codes).size, 10)
        for (const code of confirmed.body.recovery_codes) assert.match(code, /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
        refused(await other.client.get('/auth/me'), 401, 'unauthorized')
        const shown = (await waitFor(async () => ((await admin.client.get<{ enabled: boolean }>('/auth/me/second-factor')).body.enabled ? admin : undefined))).client
        assert.equal((await shown.get<{ recovery_codes_left: number }>('/auth/me/second-factor')).body.recovery_codes_left, 10)
        refused(await admin.client.post('/auth/me/second-factor', { password: PASSWORD }), 409, 'conflict')
        // The code of the confirmation was used; a challenge of one instance is answered at another.
        const challenge = await begin(app.client, admin.email)
        refused(await finish(apps.at(-1)!.client, challenge, codeAt(body.secret, clock.now)), 401, 'unauthorized')
        clock.next()
        const session = opened(await finish(apps.at(-1)!.client, challenge, codeAt(body.secret, clock.now))) as Session
        const stored = await app.service.storage.open(SESSIONS).find({ user_id: admin.userId })
        assert.deepEqual(
          stored.map(({ has_second_factor }) => has_second_factor),
          [true, true],
        )
        assert.equal((await new Client(app.client.origin).as({ token: session.access_token }).get('/auth/me')).status, 200)
      })
    })

    test('opens one session for a challenge, and one for a code, of many at once', () => {
      const clock = new Clock()
      return withInstances(store, { clock: clock.read, env: PROXIED }, async ({ apps, admin }) => {
        const { secret, codes } = await enable(admin, clock)
        const far = (index: number) => from(`10.1.0.${index + 1}`)
        const challenge = await begin(apps[0].client, admin.email, PASSWORD, far(99))
        const same = await Promise.all(Array.from({ length: 4 }, (_, index) => finish(apps[index % apps.length].client, challenge, codes[index], far(index))))
        assert.deepEqual(same.map(({ status }) => status).sort(), [200, 401, 401, 401])
        const challenges = await Promise.all(Array.from({ length: 4 }, (_, index) => begin(apps[0].client, admin.email, PASSWORD, far(index))))
        const code = codeAt(secret, clock.now)
        const answers = await Promise.all(challenges.map((one, index) => finish(apps[index % apps.length].client, one, code, far(index))))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
      })
    })

    test('is removed with a code, and the other sessions end', () => {
      const clock = new Clock()
      return withInstances(store, { clock: clock.read }, async ({ app, admin }) => {
        const { secret, codes } = await enable(admin, clock)
        const session = opened(await finish(app.client, await begin(app.client, admin.email), codeAt(secret, clock.now))) as Session
        refused(await admin.client.post('/auth/me/second-factor/remove', { code: codeAt(secret, clock.now) }), 400, 'bad_request')
        const removed = await admin.client.post('/auth/me/second-factor/remove', { code: codes[0] })
        assert.equal(removed.status, 204, removed.text)
        refused(await app.client.as({ token: session.access_token }).get('/auth/me'), 401, 'unauthorized')
        const left = await app.service.storage.open(SESSIONS).find({ user_id: admin.userId })
        assert.deepEqual(
          left.map(({ has_second_factor }) => has_second_factor),
          [false],
        )
        assert.equal(await app.service.storage.open(SECOND_FACTORS).findOne({ _id: admin.userId }), null)
        await login(app.client, admin.email)
        refused(await admin.client.post('/auth/me/second-factor/remove', { code: codes[1] }), 409, 'conflict')
      })
    })
  })
}

test('codes one step before and after are valid, others are not, and no code or earlier one counts again', () =>
  withFactor(async ({ app, user, clock, factor: { secret } }) => {
    const attempt = async (steps: number): Promise<number> => (await finish(app.client, await begin(app.client, user.email), codeAt(secret, clock.now, steps))).status
    clock.now += 300_000
    assert.equal(await attempt(-2), 401)
    assert.equal(await attempt(2), 401)
    clock.now += 900_000
    assert.equal(await attempt(-1), 200)
    assert.equal(await attempt(0), 200)
    assert.equal(await attempt(1), 200)
    for (const used of [1, 0]) assert.equal(await attempt(used), 401)
  }))

test('a recovery code counts once, in any spelling, and new ones replace all', () =>
  withFactor(async ({ app, user, clock, factor: { secret, codes } }) => {
    const attempt = async (code: string): Promise<Answer<Session & Refusal>> => finish(app.client, await begin(app.client, user.email), code)
    opened(await attempt(codes[0].toLowerCase().replaceAll('-', ' ')))
    refused(await attempt(codes[0]), 401, 'unauthorized')
    assert.equal((await user.client.get<{ recovery_codes_left: number }>('/auth/me/second-factor')).body.recovery_codes_left, 9)
    const renewed = await user.client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/recovery-codes', { code: codeAt(secret, clock.now) })
    assert.equal(renewed.status, 200, renewed.text)
    refused(await attempt(codes[1]), 401, 'unauthorized')
    opened(await attempt(renewed.body.recovery_codes[0]))
    const trail = (await user.client.get<{ action: string; actor_name: string }[]>('/platform/audit')).body
    for (const action of ['user.second_factor_enabled', 'user.recovery_code_used', 'user.recovery_codes_created'])
      assert.equal(trail.find((entry) => entry.action === action)?.actor_name, user.email, action)
  }))

test('a challenge is valid for five minutes, five codes and one user, and not after a change of the password', () =>
  withFactor(
    async ({ app, user, clock, factor: { secret, codes } }) => {
      let address = 0
      const elsewhere = () => from(`10.2.0.${++address}`)
      refused(await finish(app.client, 'unknown', codeAt(secret, clock.now)), 401, 'unauthorized')
      const expired = await begin(app.client, user.email, PASSWORD, elsewhere())
      clock.now += CHALLENGE_SECONDS * 1000
      refused(await finish(app.client, expired, codeAt(secret, clock.now), elsewhere()), 401, 'unauthorized')
      const tried = await begin(app.client, user.email, PASSWORD, elsewhere())
      for (let at = 0; at < CHALLENGE_ATTEMPTS; at++) refused(await finish(app.client, tried, wrongCode(secret, clock.now), elsewhere()), 401, 'unauthorized')
      refused(await finish(app.client, tried, codeAt(secret, clock.now), elsewhere()), 401, 'unauthorized')
      const outdated = await begin(app.client, user.email, PASSWORD, elsewhere())
      const changed = await user.client.post('/auth/me/password', { current_password: PASSWORD, new_password: 'another passphrase' })
      assert.equal(changed.status, 200, changed.text)
      refused(await finish(app.client, outdated, codeAt(secret, clock.now), elsewhere()), 401, 'unauthorized')
      const used = await begin(app.client, user.email, 'another passphrase', elsewhere())
      opened(await finish(app.client, used, codeAt(secret, clock.now), elsewhere()))
      refused(await finish(app.client, used, codes[0], elsewhere()), 401, 'unauthorized')
    },
    { env: PROXIED },
  ))

test('wrong codes are limited for the pair of e-mail and address, and for the account from all addresses', () =>
  withFactor(
    async ({ app, user, clock, factor: { secret } }) => {
      const here = from('192.0.2.7')
      const wrong = wrongCode(secret, clock.now)
      const challenge = await begin(app.client, user.email, PASSWORD, here)
      for (let at = 0; at < 4; at++) refused(await finish(app.client, challenge, wrong, here), 401, 'unauthorized')
      assert.equal(refused(await finish(app.client, challenge, codeAt(secret, clock.now), here), 429, 'rate_limited').details.route, 'auth.login')
      // A right password does not clear the count.
      refused(await anonymous(app.client).post('/auth/login', { email: user.email, password: PASSWORD }, here), 429, 'rate_limited')
      let address = 0
      const elsewhere = () => from(`10.3.0.${++address}`)
      for (let at = 4; at < THROTTLES.secondFactorFailures.limit; at++)
        refused(await finish(app.client, await begin(app.client, user.email, PASSWORD, elsewhere()), wrong, elsewhere()), 401, 'unauthorized')
      const last = await begin(app.client, user.email, PASSWORD, elsewhere())
      refused(await finish(app.client, last, codeAt(secret, clock.now), elsewhere()), 429, 'rate_limited')
      // A reset of the password does not end it.
      await reset(app, user.email, elsewhere())
      const after = await begin(app.client, user.email, 'a new passphrase', elsewhere())
      refused(await finish(app.client, after, codeAt(secret, clock.now), elsewhere()), 429, 'rate_limited')
      clock.now += 3_600_000
      const free = await begin(app.client, user.email, 'a new passphrase', elsewhere())
      opened(await finish(app.client, free, codeAt(secret, clock.now), elsewhere()))
    },
    { env: PROXIED },
  ))

async function reset(app: TestApp, email: string, call: object): Promise<void> {
  await app.client.post('/auth/password-reset/request', { email }, call)
  const { text } = await waitFor(() => app.mail.sent.find(({ to, text }) => to === email && text.includes('token=')))
  const token = /[A-Za-z0-9_-]{43}/.exec(text)?.[0]
  assert.equal((await anonymous(app.client).post('/auth/password-reset/confirm', { token, new_password: 'a new passphrase' }, call)).status, 200)
}

test('a platform admin removes the factor of a user, whose sessions end', () => {
  const clock = new Clock()
  return withApp({ clock: clock.read }, async (app) => {
    const admin = await bootstrap(app.client)
    const user = await addMember(admin, 'engineer')
    const path = `/platform/admin/users/${user.userId}/second-factor`
    refused(await admin.client.delete(path), 404, 'not_found')
    await enable(user, clock)
    refused(await user.client.delete(path), 403, 'forbidden')
    await begin(app.client, user.email)
    assert.equal((await admin.client.delete(path)).status, 204)
    refused(await user.client.get('/auth/me'), 401, 'unauthorized')
    await login(app.client, user.email)
    const [entry] = (await admin.client.get<{ actor_name: string; resource_id: string }[]>('/platform/audit?action=user.second_factor_removed')).body
    assert.deepEqual([entry.actor_name, entry.resource_id], [admin.email, user.userId])
  })
})

test('a login with the code chooses the default organization although it requires a second factor', () =>
  withFactor(
    async ({ app, user, clock, factor: { secret } }) => {
      const other = await register(app.client, 'second')
      const { body } = await other.client.post<{ token: string }>(`/auth/organizations/${other.organizationId}/invitations`, { email: user.email, role: 'engineer' })
      const joined = await anonymous(app.client).post(`/auth/invitations/${body.token}/accept`, { password: PASSWORD, code: codeAt(secret, clock.now) })
      assert.equal(joined.status, 200, joined.text)
      clock.next()
      const policy = await user.client.patch(`/platform/organizations/${user.organizationId}/identity-policy`, { require_two_factor: true })
      assert.equal(policy.status, 200, policy.text)
      const session = opened(await finish(app.client, await begin(app.client, user.email), codeAt(secret, clock.now))) as Session
      assert.equal(session.current_organization.id, user.organizationId)
    },
    { env: SIGNUP },
  ))

test('a platform admin does not remove the own factor without a code', () =>
  withFactor(async ({ user, clock, factor }) => {
    const path = `/platform/admin/users/${user.userId}/second-factor`
    assert.match(refused(await user.client.delete(path), 403, 'forbidden').hint, /another platform admin/)
    assert.equal((await user.client.get<{ enabled: boolean }>('/auth/me/second-factor')).body.enabled, true)
    assert.equal((await user.client.post('/auth/me/second-factor/remove', { code: codeAt(factor.secret, clock.now) })).status, 204)
  }))

test('the password alone does not tell which organizations the user reaches', () =>
  withFactor(
    async ({ app, user, clock, factor }) => {
      const other = await register(app.client, 'other')
      const credentials = { email: user.email, password: PASSWORD }
      const member = await addMember(other, 'engineer', 'member@other.test')
      const own = await enable(member, clock)
      const mine = { email: member.email, password: PASSWORD }
      // A platform admin reaches every organization, a member only their own.
      for (const organization_id of [user.organizationId, other.organizationId, '00000000-0000-4000-8000-000000000000'])
        refused(await anonymous(app.client).post('/auth/login', { ...mine, organization_id }), 401, 'second_factor_required')
      refused(await anonymous(app.client).post('/auth/login', { ...credentials, organization_id: other.organizationId }), 401, 'second_factor_required')
      const challenge = refused(await anonymous(app.client).post('/auth/login', { ...mine, organization_id: user.organizationId }), 401, 'second_factor_required').details.challenge
      refused(await finish(app.client, String(challenge), codeAt(own.secret, clock.now), from('203.0.113.9')), 403, 'forbidden')
      assert.ok(factor.secret !== own.secret)
    },
    { env: { ...SIGNUP, ...PROXIED } },
  ))

test('an invitation of an existing user needs the code too, also on the page', () => {
  const clock = new Clock()
  return withApp({ clock: clock.read, env: SIGNUP }, async (app) => {
    const admin = await bootstrap(app.client)
    const user = await register(app.client, 'joining')
    const invite = async ({ client, organizationId }: Actor): Promise<string> =>
      (await client.post<{ token: string }>(`/auth/organizations/${organizationId}/invitations`, { email: user.email, role: 'engineer' })).body.token
    const third = await register(app.client, 'third')
    const { secret } = await enable(user, clock)
    const accept = async (token: string, body: object): Promise<Answer<Session & Refusal>> => anonymous(app.client).post(`/auth/invitations/${token}/accept`, body)
    const token = await invite(admin)
    refused(await accept(token, { password: PASSWORD }), 401, 'second_factor_required')
    refused(await accept(token, { password: PASSWORD, code: wrongCode(secret, clock.now) }), 401, 'unauthorized')
    const code = codeAt(secret, clock.now)
    const session = opened(await accept(token, { password: PASSWORD, code })) as Session
    const stored = await app.service.storage.open(SESSIONS).find({ user_id: user.userId, organization_id: session.current_organization.id })
    assert.deepEqual(
      stored.map(({ has_second_factor }) => has_second_factor),
      [true],
    )

    const path = `/invitations/${await invite(third)}`
    const pages = new PageClient(app.client.origin)
    assert.ok(!(await pages.get(path)).text.includes('name="code"'), 'the page shows nothing before the password')
    const asked = await pages.post(path, { password: PASSWORD })
    assert.equal(asked.status, 401)
    assert.match(errorsOf(asked).code, /second factor/)
    const wrong = await pages.post(path, { password: PASSWORD, code })
    assert.match(errorsOf(wrong).code, /used already/)
    assert.equal(valuesOf(wrong).code ?? '', '', 'the code is not shown again')
    clock.next()
    const done = await pages.post(path, { password: PASSWORD, code: codeAt(secret, clock.now) })
    assert.equal(done.status, 200, done.text)
    assert.match(headingOf(done), /third/)
  })
})

test('a session of an identity provider changes neither the password nor the second factor', () => {
  const clock = new Clock()
  return withApp({ clock: clock.read }, async (app) => {
    const user = await bootstrap(app.client)
    const [session] = await app.service.storage.open(SESSIONS).find({ user_id: user.userId })
    await app.service.storage.open(SESSIONS).update({ _id: session._id }, { set: { provider_id: 'provider' } })
    await waitFor(async () => ((await user.client.get<{ user: { is_platform_admin: boolean } }>('/platform/admin/users')).status === 403 ? true : undefined))
    for (const [path, body] of [
      ['password', { current_password: PASSWORD, new_password: 'another passphrase' }],
      ['second-factor', { password: PASSWORD }],
      ['second-factor/confirm', { code: '123456' }],
      ['second-factor/recovery-codes', { code: '123456' }],
      ['second-factor/remove', { code: '123456' }],
    ] as const)
      refused(await user.client.post(`/auth/me/${path}`, body), 403, 'forbidden')
    await login(app.client, user.email)
  })
})

test('no secret, code or challenge is in the store, the log or the audit', () =>
  withFactor(async ({ app, user, clock, factor: { secret, codes } }) => {
    const challenge = await begin(app.client, user.email)
    const kept = (await app.service.storage.open(LOGIN_CHALLENGES).find({})).length
    assert.equal(kept, 1)
    const code = codeAt(secret, clock.now)
    const everything = `${await stored(app)}\n${app.log.join('\n')}\n${(await user.client.get('/platform/audit?limit=200')).text}`
    for (const word of [secret, challenge, codes[0], codes[0].replaceAll('-', '')]) assert.ok(!everything.includes(word), word)
    opened(await finish(app.client, challenge, code))
    assert.equal((await app.service.storage.open(LOGIN_CHALLENGES).find({})).length, 0)
    const [factor] = await app.service.storage.open(SECOND_FACTORS).find({})
    // A sealed secret that is copied to another user's document is of no use there.
    const other = await addMember(user, 'engineer')
    await app.service.storage.open(SECOND_FACTORS).insert({ ...factor, _id: other.userId, last_step: 0 })
    clock.next()
    refused(await finish(app.client, await begin(app.client, other.email), codeAt(secret, clock.now)), 401, 'unauthorized')
  }))
