/** The hourly limits of failed logins: of an account from all addresses, and of an address with all accounts. */
import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { type Actor, addMember, anonymous, bootstrap, PASSWORD, register } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, waitFor, withApp } from './steps.js'

const PER_ACCOUNT = THROTTLES.failuresByAccount.limit
const PER_ADDRESS = THROTTLES.failuresByAddress.limit
const WRONG = 'wrong passphrase'

/** Attempts from different addresses, unless one is named. */
function attempts({ client }: TestApp) {
  let last = 0
  const elsewhere = () => `10.0.${++last >> 8}.${last & 255}`
  return {
    elsewhere,
    login: (email: string, password: string, address = elsewhere()): Promise<Answer<Refusal>> => anonymous(client).post('/auth/login', { email, password }, from(address)),
    accept: (token: string, password: string, address = elsewhere()): Promise<Answer<Refusal>> =>
      anonymous(client).post(`/auth/invitations/${token}/accept`, { password }, from(address)),
  }
}

const invitationTo = async (admin: Actor, email: string): Promise<string> =>
  (await admin.client.post<{ token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, { email, role: 'engineer' })).body.token

test('the limits equal those of the contract', () => {
  const { failuresByAccount, failuresByAddress } = THROTTLES
  assert.deepEqual([failuresByAccount.limit, failuresByAccount.windowSeconds, failuresByAddress.limit, failuresByAddress.windowSeconds], [20, 3600, 100, 3600])
})

test('after 20 failures in an hour an account accepts no password from any address until the hour is over', async () => {
  let now = Date.now()
  await withApp({ clock: () => now, env: PROXIED }, async (app) => {
    const admin = await bootstrap(app.client)
    const user = await addMember(admin, 'engineer')
    const { login } = attempts(app)
    // In any spelling.
    for (let at = 0; at < PER_ACCOUNT; at++) refused(await login(at % 2 === 0 ? user.email : user.email.toUpperCase(), WRONG), 401, 'unauthorized')
    const answer = await login(user.email, PASSWORD)
    const { details, hint } = refused(answer, 429, 'rate_limited')
    assert.equal(details.route, 'auth.login')
    assert.match(hint, /password-reset/)
    assert.deepEqual(
      ['limit', 'remaining'].map((name) => answer.headers.get(`x-ratelimit-${name}`)),
      [String(PER_ACCOUNT), '0'],
    )
    assert.equal(Number(answer.headers.get('retry-after')), 3600)
    assert.equal((await login(admin.email, PASSWORD)).status, 200)
    assert.equal((await user.client.get('/auth/me')).status, 200)
    now += 3_600_001
    assert.equal((await login(user.email, PASSWORD)).status, 200)
  })
})

test('an unknown e-mail is refused in the same way', () =>
  withApp({ env: PROXIED }, async (app) => {
    const user = await bootstrap(app.client)
    const { login } = attempts(app)
    const both = ['nobody@example.test', user.email]
    for (const email of both) for (let at = 0; at < PER_ACCOUNT; at++) refused(await login(email, WRONG), 401, 'unauthorized')
    const [unknown, known] = await Promise.all(both.map(async (email) => refused(await login(email, WRONG), 429, 'rate_limited')))
    assert.deepEqual({ ...unknown, debug_id: '', details: {} }, { ...known, debug_id: '', details: {} })
  }))

test('successful logins do not count, and do not reset the count', () =>
  withApp({ env: { ...PROXIED, ...SIGNUP } }, async (app) => {
    const admin = await bootstrap(app.client)
    const user = await addMember(admin, 'engineer')
    const { login } = attempts(app)
    const busy = '192.0.2.1'
    for (let at = 0; at < PER_ADDRESS + 5; at++) assert.equal((await login(user.email, PASSWORD, busy)).status, 200)
    for (let at = 0; at < PER_ACCOUNT; at++) {
      assert.equal((await login(user.email, WRONG)).status, 401)
      if (at < PER_ACCOUNT - 1) assert.equal((await login(user.email, PASSWORD)).status, 200)
    }
    assert.equal((await login(user.email, PASSWORD)).status, 429)
    // A right password that is refused for another reason is not a failure.
    const owner = await register(app.client, 'suspended')
    await admin.client.patch(`/platform/admin/organizations/${owner.organizationId}`, { is_active: false })
    for (let at = 0; at < PER_ACCOUNT + 1; at++) assert.equal((await login(owner.email, PASSWORD)).status, 403)
  }))

test('a password reset ends the block of an account', () =>
  withApp({ env: PROXIED }, async (app) => {
    const user = await bootstrap(app.client)
    const { login, elsewhere } = attempts(app)
    for (let at = 0; at < PER_ACCOUNT; at++) await login(user.email, WRONG)
    assert.equal((await login(user.email, PASSWORD)).status, 429)
    await app.client.post('/auth/password-reset/request', { email: user.email })
    const { text } = await waitFor(() => app.mail.sent[0])
    const token = /[A-Za-z0-9_-]{43}/.exec(text)?.[0]
    assert.equal((await anonymous(app.client).post('/auth/password-reset/confirm', { token, new_password: 'a new passphrase' }, from(elsewhere()))).status, 200)
    assert.equal((await login(user.email, 'a new passphrase')).status, 200)
  }))

test('guesses at an invitation count as guesses at the account', () =>
  withApp({ env: { ...PROXIED, ...SIGNUP } }, async (app) => {
    const admin = await bootstrap(app.client)
    const user = await register(app.client, 'guessed')
    const token = await invitationTo(admin, user.email)
    const { login, accept } = attempts(app)
    for (let at = 0; at < PER_ACCOUNT / 2; at++) {
      refused(await accept(token, WRONG), 401, 'unauthorized')
      refused(await login(user.email, WRONG), 401, 'unauthorized')
    }
    refused(await accept(token, PASSWORD), 429, 'rate_limited')
    refused(await login(user.email, PASSWORD), 429, 'rate_limited')
  }))

test('after 100 failures in an hour an address is blocked for all accounts', () =>
  withApp({ env: PROXIED }, async (app) => {
    const user = await bootstrap(app.client)
    const { login } = attempts(app)
    const here = '192.0.2.1'
    // Attempts that the account's limit refuses do not count for the address.
    for (let at = 0; at < PER_ACCOUNT; at++) await login('tried@example.test', WRONG)
    for (let at = 0; at < 5; at++) assert.equal((await login('tried@example.test', WRONG, here)).status, 429)
    for (let at = 0; at < PER_ADDRESS; at++) refused(await login(`nobody${at}@example.test`, WRONG, here), 401, 'unauthorized')
    const answer = await login(user.email, PASSWORD, here)
    const { details } = refused(answer, 429, 'rate_limited')
    assert.equal(details.route, 'auth.login')
    assert.equal(answer.headers.get('x-ratelimit-limit'), String(PER_ADDRESS))
    assert.ok(Number(answer.headers.get('retry-after')) > 3500)
    assert.equal((await login(user.email, PASSWORD)).status, 200)
  }))

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('of concurrent guesses at one account from many addresses no more than the limit are checked', () =>
      withApp({ store, env: PROXIED }, async (app) => {
        const user = await bootstrap(app.client)
        const { login } = attempts(app)
        const answers = await Promise.all(Array.from({ length: 2 * PER_ACCOUNT }, () => login(user.email, WRONG)))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array.from({ length: PER_ACCOUNT }, () => 401), ...Array.from({ length: PER_ACCOUNT }, () => 429)])
      }))
  })
}
