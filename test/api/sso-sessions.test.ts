/** Sessions of providers end with their provider, their user and their membership, on every instance; the policy that requires a provider holds everywhere. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Actor, addMember, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { openStream } from '../support/event-stream.js'
import { type Instances, withInstances } from '../support/instances.js'
import { type CertifiedProvider, startCertifiedProvider } from '../support/openid/certified.js'
import { type LinkedProvider, linkProvider, PRIVATE_TARGETS, signedIn, signIn } from '../support/openid/sign-in.js'
import { UserAgent } from '../support/openid/user-agent.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface Setup extends Instances {
  readonly openid: CertifiedProvider
  readonly provider: LinkedProvider
  readonly member: Actor
  /** Token of a session that the provider opened for the member. */
  readonly token: string
}

const policyOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/identity-policy`

for (const store of ALL_STORES) {
  describe(`sessions of a provider, ${store.name}`, { skip: store.skip }, () => {
    const ENDINGS: Readonly<Record<string, readonly [status: number, end: (setup: Setup) => Promise<unknown>]>> = {
      'end with their provider': [401, async ({ admin, provider }) => assert.equal((await admin.client.delete(provider.path)).status, 204)],
      'end when the provider becomes another one': [
        401,
        async ({ admin, provider, openid }) => {
          const { status, text } = await admin.client.patch(provider.path, { issuer: `${openid.issuer}/other`, client_secret: 'another' })
          assert.equal(status, 200, text)
        },
      ],
      'end when their user is deactivated': [
        401,
        async ({ admin, member }) => assert.equal((await admin.client.patch(`/platform/admin/users/${member.userId}`, { is_active: false })).status, 200),
      ],
      'end when their user is expelled': [
        401,
        async ({ admin, member }) => {
          const path = `/auth/organizations/${admin.organizationId}/members`
          const [{ id }] = (await admin.client.get<{ id: string }[]>(`${path}?user_id=${member.userId}`)).body
          assert.equal((await admin.client.delete(`${path}/${id}`)).status, 204)
        },
      ],
      'end when their user resets the password': [
        401,
        async ({ app, member }) => {
          await anonymous(app.client).post('/auth/password-reset/request', { email: member.email })
          const mail = await waitFor(() => app.mail.sent.find(({ to }) => to === member.email))
          const token = new URL(/^http\S+$/m.exec(mail.text)?.[0] ?? '').searchParams.get('token')
          assert.equal((await anonymous(app.client).post('/auth/password-reset/confirm', { token, new_password: 'an entirely new passphrase' })).status, 200)
        },
      ],
      'are refused while their organization is suspended': [
        403,
        async ({ admin }) => assert.equal((await admin.client.patch(`/platform/admin/organizations/${admin.organizationId}`, { is_active: false })).status, 200),
      ],
    }
    for (const [name, [status, end]] of Object.entries(ENDINGS))
      test(`${name}, on every instance, with the streams that they opened`, () =>
        withSession(store, async (setup) => {
          const clients = setup.apps.map(({ client }) => anonymous(client).as({ token: setup.token }))
          for (const client of clients) assert.equal((await client.get('/platform/projects')).status, 200)
          const stream = await openStream(clients[0])
          assert.equal(stream.status, 200)
          await stream.unread()
          await end(setup)
          assert.equal((await clients[0].get('/platform/projects')).status, status, 'at once where it was changed')
          for (const client of clients) await waitFor(async () => ((await client.get('/platform/projects')).status === status ? true : undefined))
          await stream.ended()
        }))
  })
}

async function withSession(store: (typeof ALL_STORES)[number], run: (setup: Setup) => Promise<void>): Promise<void> {
  const openid = await startCertifiedProvider()
  try {
    await withInstances(store, { env: { ...PRIVATE_TARGETS, ...SIGNUP } }, async (instances) => {
      const { app, admin } = instances
      const provider = await linkProvider(admin, openid)
      const member = await addMember(admin, 'engineer')
      const account = await openid.addAccount(member.email)
      const agent = new UserAgent()
      const token = signedIn(agent, await signIn(agent, app.client.origin, provider, account))
      await run({ ...instances, openid, provider, member, token })
    })
  } finally {
    await openid.close()
  }
}

describe('an organization that requires a provider', () => {
  test('refuses passwords of its members and the sessions they opened, but no provider, key or break-glass user', async () => {
    const openid = await startCertifiedProvider()
    try {
      await withApp({ env: { ...PRIVATE_TARGETS, ...SIGNUP } }, async (app) => {
        await bootstrap(app.client, 'operator@example.test')
        const admin = await register(app.client, 'strict')
        const provider = await linkProvider(admin, openid)
        const member = await addMember(admin, 'engineer')
        const glass = await addMember(admin, 'org_admin', 'glass@example.test')
        const key = await createKey(admin, ['projects:read'])
        const set = await glass.client.patch(policyOf(admin), { sso_required: true, break_glass_user_ids: [glass.userId] })
        assert.equal(set.status, 200, set.text)
        refused(await member.client.get('/platform/projects'), 403, 'forbidden')
        refused(await anonymous(app.client).post('/auth/login', { email: member.email, password: PASSWORD }), 403, 'forbidden')
        refused(await anonymous(app.client).post('/auth/login', { email: admin.email, password: PASSWORD }), 403, 'forbidden')
        assert.equal((await login(app.client, glass.email)).userId, glass.userId)
        assert.equal((await key.client.get('/platform/projects')).status, 200)
        const agent = new UserAgent()
        const token = signedIn(agent, await signIn(agent, app.client.origin, provider, await openid.addAccount(member.email)))
        assert.equal((await app.client.get('/platform/projects', { token })).status, 200)
        // The last provider stays while it is required.
        refused(await glass.client.delete(provider.path), 409, 'conflict')
      })
    } finally {
      await openid.close()
    }
  })
})
