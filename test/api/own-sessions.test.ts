/** The caller's sessions, and the change of the caller's password. */
import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { SESSIONS } from '../../server/core/auth/sessions.js'
import { type Actor, addMember, anonymous, bootstrap, login, PASSWORD, type Session } from '../support/actors.js'
import type { Client } from '../support/client.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, from, PROXIED, refused, waitFor, withApp } from './steps.js'

interface Shown {
  readonly id: string
  readonly is_current: boolean
  readonly opened_by: string
  readonly has_second_factor: boolean
  readonly address: string | null
  readonly client: string | null
}

const PATH = '/auth/me/sessions'
const NEW_PASSWORD = 'another passphrase'
const list = async (client: Client): Promise<Shown[]> => (await client.get<Shown[]>(PATH)).body
/** Another instance may have the session in its cache for a second. */
const ends = (client: Client): Promise<true> => waitFor(async () => ((await client.get('/auth/me')).status === 401 ? true : undefined))

for (const store of ALL_STORES) {
  describe(`own sessions, ${store.name}`, { skip: store.skip }, () => {
    test('are listed with address and program, the newest first, and only their own', () => {
      let now = Date.now()
      return withInstances(store, { clock: () => now, env: PROXIED }, async ({ app, admin }) => {
        await addMember(admin, 'engineer')
        now += 10_000
        const headers = { ...from('192.0.2.9').headers, 'User-Agent': `browser\u00ad${'x'.repeat(500)}`.replace('\u00ad', '\t') }
        const second = await anonymous(app.client).post<Session>('/auth/login', { email: admin.email, password: PASSWORD }, { headers })
        assert.equal(second.status, 200)
        const { body, headers: answered } = await admin.client.get<Shown[]>(PATH)
        assert.equal(answered.get('x-total-count'), '2')
        assert.deepEqual(
          body.map(({ is_current, opened_by, has_second_factor, address }) => [is_current, opened_by, has_second_factor, address]),
          [
            [false, 'password', false, '192.0.2.9'],
            [true, 'password', false, body[1].address],
          ],
        )
        assert.match(String(body[0].client), /^browser x{192}$/)
        // An expired session is not listed, whether or not the store has deleted it.
        await app.service.storage.open(SESSIONS).update({ _id: body[0].id }, { set: { expires_at: new Date(now + 1000) } })
        now += 2000
        assert.deepEqual(
          (await list(admin.client)).map(({ id }) => id),
          [body[1].id],
        )
      })
    })

    test('end one by one, or all others at once, on every instance', () =>
      withInstances(store, {}, async ({ app, apps, admin, at }) => {
        const far = apps.at(-1)!.client
        const other = await login(far, admin.email)
        const stranger = await addMember(admin, 'engineer')
        const [theirs] = await list(stranger.client)
        refused(await admin.client.delete(`${PATH}/${theirs.id}`), 404, 'not_found')
        const ended = (await list(admin.client)).find(({ is_current }) => !is_current)!
        assert.equal((await other.client.get('/auth/me')).status, 200)
        assert.equal((await admin.client.delete(`${PATH}/${ended.id}`)).status, 204)
        await ends(other.client)
        refused(await admin.client.delete(`${PATH}/${ended.id}`), 404, 'not_found')

        const more = [await login(app.client, admin.email), await login(far, admin.email)]
        assert.equal((await admin.client.delete(PATH)).status, 204)
        for (const { client } of more) await ends(client)
        assert.equal((await at(1).get('/auth/me')).status, 200)
        assert.deepEqual(
          (await list(admin.client)).map(({ is_current }) => is_current),
          [true],
        )
        assert.equal((await stranger.client.get('/auth/me')).status, 200)

        const own = await admin.client.delete(`${PATH}/${(await list(admin.client))[0].id}`)
        assert.equal(own.status, 204)
        assert.match(own.headers.get('set-cookie') ?? '', /^service_session=;/)
        await ends(admin.client)
      }))

    test('end, except for the one that changes the password', () =>
      withInstances(store, {}, async ({ app, admin, at }) => {
        const other = await login(app.client, admin.email)
        assert.equal((await app.client.post('/auth/password-reset/request', { email: admin.email })).status, 200)
        const { text } = await waitFor(() => app.mail.sent[0])
        const token = /[A-Za-z0-9_-]{43}/.exec(text)?.[0]
        refused(await admin.client.post('/auth/me/password', { current_password: 'wrong passphrase', new_password: NEW_PASSWORD }), 400, 'bad_request')
        assert.equal((await other.client.get('/auth/me')).status, 200)
        const changed = await admin.client.post('/auth/me/password', { current_password: PASSWORD, new_password: NEW_PASSWORD })
        assert.equal(changed.status, 200, changed.text)
        await ends(other.client)
        assert.equal((await at(1).get('/auth/me')).status, 200)
        refused(await anonymous(app.client).post('/auth/login', { email: admin.email, password: PASSWORD }), 401, 'unauthorized')
        await login(app.client, admin.email, NEW_PASSWORD)
        refused(await anonymous(app.client).post('/auth/password-reset/confirm', { token, new_password: PASSWORD }), 400, 'bad_request')
        const [entry] = (await admin.client.get<{ actor_name: string }[]>('/platform/audit?action=user.password_changed')).body
        assert.equal(entry.actor_name, admin.email)
      }))
  })
}

test('guesses of the current password are throttled like logins', () =>
  withApp({}, async (app) => {
    const admin = await bootstrap(app.client)
    const user = await addMember(admin, 'engineer')
    const guess = (password: string) => user.client.post('/auth/me/password', { current_password: password, new_password: NEW_PASSWORD })
    for (let at = 0; at < 5; at++) refused(await guess('wrong passphrase'), 400, 'bad_request')
    refused(await guess(PASSWORD), 429, 'rate_limited')
    refused(await anonymous(app.client).post('/auth/login', { email: user.email, password: PASSWORD }), 429, 'rate_limited')
  }))

test('a session of a provider sees and ends only sessions of this provider', () =>
  withApp({}, async (app) => {
    const user = await bootstrap(app.client)
    const [first, second, foreign] = await Promise.all([login(app.client, user.email), login(app.client, user.email), login(app.client, user.email)])
    const sessions = app.service.storage.open(SESSIONS)
    const sessionOf = async ({ client }: Actor): Promise<string> => (await list(client)).find(({ is_current }) => is_current)!.id
    const ids = await Promise.all([first, second, foreign].map(sessionOf))
    const outside = await sessionOf(user)
    for (const [index, provider_id] of ['provider', 'provider', 'another provider'].entries()) await sessions.update({ _id: ids[index] }, { set: { provider_id } })
    await waitFor(async () => ((await list(first.client)).length === 2 ? true : undefined))
    assert.deepEqual(new Set((await list(first.client)).map(({ id, opened_by }) => `${opened_by} ${id}`)), new Set([`identity_provider ${ids[0]}`, `identity_provider ${ids[1]}`]))
    for (const id of [outside, ids[2]]) refused(await first.client.delete(`${PATH}/${id}`), 404, 'not_found')
    assert.equal((await first.client.delete(PATH)).status, 204)
    await ends(second.client)
    for (const { client } of [first, foreign, user]) assert.equal((await client.get('/auth/me')).status, 200)
    assert.equal((await list(user.client)).length, 3)
  }))
