/** Mails and notifications about changes of passwords and second factors: stored with the change, in the user's language, without secrets. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { JOB_FAILURES } from '../../server/core/jobs/failures.js'
import { ACCOUNT_NOTICES } from '../../server/features/accounts/account-notices/store.js'
import { addMember, anonymous, bootstrap, login, PASSWORD } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { codeAt } from '../support/authenticator.js'
import type { Client } from '../support/client.js'
import { ALL_STORES, PROXIED, from, refused, waitFor, withApp } from './steps.js'

const EMAIL = 'ana@example.test'
const NEW_PASSWORD = 'another long passphrase'

/** The subjects of the mails to a user, the oldest first, once there are so many. */
const subjects = (app: TestApp, count: number): Promise<readonly string[]> =>
  waitFor(() => {
    const mails = app.mail.sent.filter(({ to }) => to === EMAIL)
    return mails.length >= count ? mails.map(({ subject }) => subject) : undefined
  })
const titles = async (client: Client): Promise<readonly string[]> =>
  (await client.get<{ items: readonly { title: string }[] }>('/notifications')).body.items.map(({ title }) => title)

for (const store of ALL_STORES) {
  describe(`notices about accounts, ${store.name}`, { skip: store.skip }, () => {
    test('tell of each change, and of nothing else', async () => {
      let now = Math.floor(Date.now() / 30_000) * 30_000
      await withApp({ store, clock: () => now, env: PROXIED }, async (app) => {
        const admin = await bootstrap(app.client)
        await addMember(admin, 'engineer', EMAIL)
        const { client, userId } = await login(app.client, EMAIL)
        refused(await client.post('/auth/me/password', { current_password: 'not the password', new_password: NEW_PASSWORD }), 400, 'bad_request')
        assert.equal((await client.post('/auth/me/password', { current_password: PASSWORD, new_password: NEW_PASSWORD }, from('203.0.113.7'))).status, 200)
        await subjects(app, 1)
        const { secret } = (await client.post<{ secret: string }>('/auth/me/second-factor', { password: NEW_PASSWORD })).body
        refused(await client.post('/auth/me/second-factor/confirm', { code: '000000' }), 400, 'bad_request')
        const { recovery_codes } = (await client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/confirm', { code: codeAt(secret, now) })).body
        await subjects(app, 2)
        const challenge = refused(await anonymous(app.client).post('/auth/login', { email: EMAIL, password: NEW_PASSWORD }), 401, 'second_factor_required').details.challenge
        assert.equal((await anonymous(app.client).post('/auth/login/second-factor', { challenge, code: recovery_codes[0] })).status, 200)
        await subjects(app, 3)
        const renewed = (await client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/recovery-codes', { code: recovery_codes[1] })).body.recovery_codes
        await subjects(app, 4)
        now += 30_000
        assert.equal((await client.post('/auth/me/second-factor/remove', { code: codeAt(secret, now) })).status, 204)
        await subjects(app, 5)
        const again = (await client.post<{ secret: string }>('/auth/me/second-factor', { password: NEW_PASSWORD })).body
        assert.equal((await client.post('/auth/me/second-factor/confirm', { code: codeAt(again.secret, now) })).status, 200)
        await subjects(app, 6)
        assert.equal((await admin.client.delete(`/platform/admin/users/${userId}/second-factor`)).status, 204)
        await subjects(app, 7)
        await anonymous(app.client).post('/auth/password-reset/request', { email: EMAIL })
        const token = await waitFor(() => app.mail.sent.map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1]).find((found) => found !== undefined))
        assert.equal((await anonymous(app.client).post('/auth/password-reset/confirm', { token, new_password: PASSWORD })).status, 200)
        const all = await subjects(app, 9)
        assert.deepEqual(all.toSorted(), [
          'A recovery code was used',
          'A second factor was added to your account',
          'A second factor was added to your account',
          'An administrator removed the second factor of your account',
          'Set a new password',
          'The second factor of your account was removed',
          'Your password was changed',
          'Your password was reset',
          'Your recovery codes were replaced',
        ])
        const notices = app.mail.sent.filter(({ subject }) => subject !== 'Set a new password')
        const said = JSON.stringify(notices)
        for (const text of [PASSWORD, NEW_PASSWORD, secret, again.secret, token, ...recovery_codes, ...renewed]) assert.ok(!said.includes(text), text)
        const changed = notices.find(({ subject }) => subject === 'Your password was changed')!
        assert.match(changed.text, /Address: 203\.0\.113\.7\n/)
        assert.ok(changed.text.includes(`Time: ${new Date(now - 30_000).toISOString().slice(0, 16).replace('T', ' ')} (UTC)`), changed.text)
        // The address of an admin is none of the user's concern.
        assert.ok(!notices.find(({ subject }) => subject.startsWith('An administrator'))!.text.includes('Address'))
        const { client: back } = await login(app.client, EMAIL)
        const shown = await waitFor(async () => {
          const found = await titles(back)
          return found.length === 8 ? found : undefined
        })
        assert.deepEqual(shown.toSorted(), all.filter((subject) => subject !== 'Set a new password').toSorted())
        assert.deepEqual((await titles(admin.client)).length, 0)
        assert.equal(await app.service.storage.open(ACCOUNT_NOTICES).count({}), 0)
      })
    })

    test('are mailed after failures of the mail server and a restart, in the language of the user', async () => {
      const fresh = await store.fresh()
      const shared = { ...store, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
      const first = await startTestApp({ store: shared })
      try {
        const { client } = await bootstrap(first.client, EMAIL)
        assert.equal((await client.patch('/auth/me/locale', { locale: 'pt-BR' })).status, 200)
        first.mail.failures = 1_000_000
        assert.equal((await client.post('/auth/me/password', { current_password: PASSWORD, new_password: NEW_PASSWORD })).status, 200)
        const failure = await waitFor(async () => (await first.service.storage.open(JOB_FAILURES).findOne({ kind: 'account.notice' })) ?? undefined)
        assert.equal(failure.status, 'retrying')
        assert.ok(!JSON.stringify(failure).includes(EMAIL))
        const { body } = await client.get<{ id: string; organization_id: string | null }[]>('/platform/admin/jobs')
        assert.deepEqual(
          body.map(({ id, organization_id }) => [id, organization_id]),
          [[failure._id, null]],
        )
      } finally {
        await first.close()
      }
      const second = await startTestApp({ store: shared })
      try {
        assert.deepEqual(await subjects(second, 1), ['Sua senha foi alterada'])
        await waitFor(async () => ((await second.service.storage.open(ACCOUNT_NOTICES).count({})) === 0 ? true : undefined))
        assert.equal(second.mail.sent.length, 1)
      } finally {
        await second.close()
        await fresh.remove()
      }
    })
  })
}
