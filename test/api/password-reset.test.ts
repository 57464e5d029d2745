import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { addMember, type Actor, anonymous, bootstrap, login, PASSWORD } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Mail } from '../../server/core/mail/gateway.js'
import { ALL_STORES, from, PROXIED, refused, stored, waitFor, withApp } from './steps.js'

const NEW_PASSWORD = 'an entirely new passphrase'

/** Returns the nth mail to someone. */
const mailTo = ({ mail }: TestApp, to: string, nth = 1): Promise<Mail> => waitFor(() => mail.sent.filter((sent) => sent.to === to)[nth - 1])
const tokenOf = ({ text }: Mail): string => /[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? assert.fail(text)

describe('password reset', () => {
  let app: TestApp
  let admin: Actor
  let address = 0
  const ask = (email: string) => app.client.post('/auth/password-reset/request', { email }, from(`198.51.100.${++address}`))
  const confirm = (token: string, new_password = NEW_PASSWORD) => app.client.post('/auth/password-reset/confirm', { token, new_password })

  before(async () => {
    app = await startTestApp({ env: PROXIED })
    admin = await bootstrap(app.client)
  })
  after(() => app.close())

  test('the answer is the same whether or not the user exists', async () => {
    const user = await addMember(admin, 'engineer', 'alike@example.test')
    const [known, unknown] = [await ask(user.email), await ask('nobody@example.test')]
    assert.deepEqual([known.status, known.body], [200, { status: 'ok' }])
    assert.deepEqual([unknown.status, unknown.body], [200, { status: 'ok' }])
    await mailTo(app, user.email)
    assert.ok(!app.mail.sent.some(({ to }) => to === 'nobody@example.test'))
    refused(await app.client.post('/auth/password-reset/request', { email: 'no address' }), 422, 'request_validation_failed')
    refused(await app.client.post('/auth/password-reset/request', { email: user.email, other: 1 }), 422, 'request_validation_failed')
  })

  test('the mail is in the preferred language of its reader, else in that of the request', async () => {
    const user = await addMember(admin, 'engineer', 'reader@example.test')
    const asks = async (locale: string, count: number): Promise<string> => {
      await anonymous(app.client).post('/auth/password-reset/request', { email: user.email }, { headers: { 'x-locale': locale } })
      return (await mailTo(app, user.email, count)).subject
    }
    assert.equal(await asks('pt-BR', 1), 'Defina uma nova senha')
    assert.equal(await asks('en-US', 2), 'Set a new password')
    await user.client.patch('/auth/me/locale', { locale: 'pt-BR' })
    assert.equal(await asks('en-US', 3), 'Defina uma nova senha')
    await user.client.patch('/auth/me/locale', { locale: 'en' })
    assert.equal(await asks('pt-BR', 4), 'Set a new password')
  })

  test('the token of the mail sets a password once, and ends every session', async () => {
    const user = await addMember(admin, 'engineer', 'forgetful@example.test')
    const second = await login(app.client, user.email)
    // The spelling differs, but the mail is sent to the address of the account.
    await ask('Forgetful@Example.test')
    const token = tokenOf(await mailTo(app, user.email))
    assert.ok(token.length <= 256)
    assert.deepEqual((await confirm(token)).body, { status: 'ok' })
    for (const client of [user.client, second.client]) refused(await client.get('/auth/me'), 401, 'unauthorized')
    refused(await anonymous(app.client).post('/auth/login', { email: user.email, password: PASSWORD }), 401, 'unauthorized')
    const { status } = await anonymous(app.client).post('/auth/login', { email: user.email, password: NEW_PASSWORD })
    assert.equal(status, 200)
    refused(await confirm(token, 'yet another passphrase'), 400, 'bad_request')
    assert.equal((await admin.client.get('/auth/me')).status, 200)
  })

  test('a reset invalidates the other tokens of the user, and clears the login throttle', async () => {
    const user = await addMember(admin, 'engineer', 'twice@example.test')
    const here = app.client.as(from('203.0.113.9'))
    for (let at = 0; at < 6; at++) await here.post('/auth/login', { email: user.email, password: 'wrong passphrase' })
    refused(await here.post('/auth/login', { email: user.email, password: PASSWORD }), 429, 'rate_limited')
    await ask(user.email)
    await ask(user.email)
    const [first, second] = [tokenOf(await mailTo(app, user.email)), tokenOf(await mailTo(app, user.email, 2))]
    assert.equal((await here.post('/auth/password-reset/confirm', { token: second, new_password: NEW_PASSWORD })).status, 200)
    refused(await confirm(first), 400, 'bad_request')
    assert.equal((await here.post('/auth/login', { email: user.email, password: NEW_PASSWORD })).status, 200)
  })

  test('an invalid token and a short password are refused', async () => {
    refused(await confirm('unknown'), 400, 'bad_request')
    refused(await confirm('x'.repeat(256)), 400, 'bad_request')
    refused(await confirm('x'.repeat(257)), 422, 'request_validation_failed')
    refused(await confirm(''), 422, 'request_validation_failed')
    refused(await confirm('unknown', '123456789'), 422, 'request_validation_failed')
  })

  test('a deactivated user gets no mail, and cannot use a token', async () => {
    const user = await addMember(admin, 'engineer', 'gone@example.test')
    await ask(user.email)
    const token = tokenOf(await mailTo(app, user.email))
    assert.equal((await admin.client.patch(`/platform/admin/users/${user.userId}`, { is_active: false })).status, 200)
    refused(await confirm(token), 400, 'bad_request')
    await ask(user.email)
    await ask(admin.email)
    await mailTo(app, admin.email)
    assert.equal(app.mail.sent.filter(({ to }) => to === user.email).length, 1)
  })

  test('more than five mails an hour are not sent, without a different answer', async () => {
    const user = await addMember(admin, 'engineer', 'flooded@example.test')
    const marker = await addMember(admin, 'engineer', 'marker@example.test')
    for (let at = 0; at < 8; at++) assert.equal((await ask(user.email)).status, 200)
    await ask(marker.email)
    await mailTo(app, marker.email)
    // Several are sent at once: the last one may be overtaken.
    await mailTo(app, user.email, 5)
    assert.equal(app.mail.sent.filter(({ to }) => to === user.email).length, 5)
  })

  test('an address that requests resets for many users is throttled', async () => {
    const user = await addMember(admin, 'engineer', 'last@example.test')
    const marker = await addMember(admin, 'engineer', 'end@example.test')
    for (let at = 0; at < 30; at++) await app.client.post('/auth/password-reset/request', { email: `nobody${at}@example.test` }, from('203.0.113.10'))
    assert.equal((await app.client.post('/auth/password-reset/request', { email: user.email }, from('203.0.113.10'))).status, 200)
    await ask(marker.email)
    await mailTo(app, marker.email)
    assert.ok(!app.mail.sent.some(({ to }) => to === user.email))
  })

  test('the audit trail of the organization has the actions, without the token', async () => {
    const user = await addMember(admin, 'engineer', 'traced@example.test')
    await ask(user.email)
    const token = tokenOf(await mailTo(app, user.email))
    await confirm(token)
    const { body } = await admin.client.get<{ action: string; actor_type: string; actor_id: string | null }[]>(`/platform/audit?resource_id=${user.userId}&order=asc`)
    assert.deepEqual(
      body.filter(({ action }) => action.startsWith('user.password')).map(({ action, actor_type, actor_id }) => [action, actor_type, actor_id]),
      [
        ['user.password_reset_requested', 'system', null],
        ['user.password_reset', 'user', user.userId],
      ],
    )
    assert.ok(!(await stored(app)).includes(token))
    assert.ok(!app.log.join('\n').includes(token))
  })
})

test('a token expires', async () => {
  let now = Date.now()
  await withApp({ clock: () => now, env: { NATIVE_SERVICE_PASSWORD_RESET_TTL_SECONDS: '600' } }, async (app) => {
    const admin = await bootstrap(app.client)
    await app.client.post('/auth/password-reset/request', { email: admin.email })
    const token = tokenOf(await mailTo(app, admin.email))
    now += 600_000
    refused(await app.client.post('/auth/password-reset/confirm', { token, new_password: NEW_PASSWORD }), 400, 'bad_request')
    now -= 1000
    assert.equal((await app.client.post('/auth/password-reset/confirm', { token, new_password: NEW_PASSWORD })).status, 200)
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('exactly one of concurrent uses of a token succeeds', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        await app.client.post('/auth/password-reset/request', { email: admin.email })
        const token = tokenOf(await mailTo(app, admin.email))
        const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => app.client.post('/auth/password-reset/confirm', { token, new_password: `${NEW_PASSWORD} ${at}` })))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 400)])
      }))

    test('no session that is opened with the old password survives the reset', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        await app.client.post('/auth/password-reset/request', { email: admin.email })
        const token = tokenOf(await mailTo(app, admin.email))
        const attempts = Promise.all(
          Array.from({ length: 4 }, () => anonymous(app.client).post<{ access_token: string }>('/auth/login', { email: admin.email, password: PASSWORD })),
        )
        const reset = app.client.post('/auth/password-reset/confirm', { token, new_password: NEW_PASSWORD })
        const [answers] = await Promise.all([attempts, reset])
        for (const { status, body } of answers) if (status === 200) refused(await anonymous(app.client).get('/auth/me', { token: body.access_token }), 401, 'unauthorized')
      }))
  })
}
