import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { addMember, type Actor, anonymous, bootstrap, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client, Refusal } from '../support/client.js'
import { EMBEDDED, type TestStore } from '../support/stores.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

interface Invitation {
  readonly id: string
  readonly organization_id: string
  readonly email: string
  readonly role: string
  readonly token: string
  readonly status: string
  readonly expires_at: string
  readonly created_at: string
}
interface Session {
  readonly access_token: string
  readonly user: { readonly id: string; readonly display_name: string }
  readonly current_organization: { readonly id: string; readonly role: string }
  readonly organizations: readonly unknown[]
}

const invitationsOf = ({ organizationId }: Actor): string => `/auth/organizations/${organizationId}/invitations`
const invite = async (admin: Actor, email: string, role = 'reviewer'): Promise<Invitation> => {
  const { status, body, text } = await admin.client.post<Invitation>(invitationsOf(admin), { email, role })
  assert.equal(status, 200, text)
  return body
}

describe('invitations', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let reader: Actor
  const accept = (token: string, body: object, call = {}) => anonymous(app.client).post<Session>(`/auth/invitations/${token}/accept`, body, call)
  const show = (token: string) => anonymous(app.client).get<Invitation>(`/auth/invitations/${token}`)

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED } })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    reader = await addMember(admin, 'read_only')
  })
  after(() => app.close())

  test('an invitation is returned with its token, and mailed', async () => {
    const invitation = await invite(admin, 'new@example.test')
    assert.deepEqual(Object.keys(invitation).sort(), ['created_at', 'email', 'expires_at', 'id', 'organization_id', 'role', 'status', 'token'])
    assert.equal(invitation.status, 'pending')
    assert.ok(invitation.token.length >= 43)
    assert.equal(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at), 604_800_000)
    const mail = await waitFor(() => app.mail.sent.find(({ to }) => to === 'new@example.test'))
    assert.ok(mail.text.includes(invitation.token) && mail.text.includes('First Admin'))
    assert.equal(mail.subject, 'Invitation to First Organization')
    assert.deepEqual((await show(invitation.token)).body, invitation)
    assert.ok(!(await stored(app)).includes(invitation.token))
    assert.ok(!app.log.join('\n').includes(invitation.token))
  })

  test('the mail is in the preferred language of its reader, else in that of the inviter', async () => {
    const invites = async (email: string, locale: string): Promise<string> => {
      await other.client.post(invitationsOf(other), { email, role: 'reviewer' }, { headers: { 'x-locale': locale } })
      return (await waitFor(() => app.mail.sent.find(({ to, subject }) => to === email && subject.includes('other')))).subject
    }
    assert.equal(await invites('new-pt@example.test', 'pt-BR'), 'Convite para other')
    assert.equal(await invites('new-en@example.test', 'en-US'), 'Invitation to other')
    const known = await addMember(admin, 'engineer', 'prefers@example.test')
    await known.client.patch('/auth/me/locale', { locale: 'pt-BR' })
    assert.equal(await invites(known.email, 'en-US'), 'Convite para other')
  })

  test('only those with the permission can invite and see tokens', async () => {
    refused(await reader.client.post(invitationsOf(admin), { email: 'x@example.test', role: 'engineer' }), 403, 'forbidden')
    refused(await other.client.post(invitationsOf(admin), { email: 'x@example.test', role: 'engineer' }), 404, 'not_found')
    refused(await other.client.get(invitationsOf(admin)), 404, 'not_found')
    const { token, id } = await invite(admin, 'listed@example.test')
    const find = async (actor: Actor) => (await actor.client.get<Invitation[]>(`${invitationsOf(admin)}?status=pending`)).body.find((listed) => listed.id === id)
    assert.equal((await find(admin))?.token, token)
    assert.equal((await find(reader))?.token, '')
    for (const wrong of [
      { email: 'x@example.test' },
      { email: 'x', role: 'engineer' },
      { email: 'x@example.test', role: 'owner' },
      { email: 'x@example.test', role: 'engineer', other: 1 },
    ]) {
      refused(await admin.client.post(invitationsOf(admin), wrong), 422, 'request_validation_failed')
    }
    refused(await admin.client.post(invitationsOf(admin), { email: reader.email.toUpperCase(), role: 'engineer' }), 409, 'conflict')
  })

  test('a new user accepts with a name and a password, and is logged in', async () => {
    const { token } = await invite(admin, 'fresh@example.test', 'engineer')
    const { details } = refused(await accept(token, { password: PASSWORD }), 422, 'request_validation_failed')
    assert.deepEqual(
      (details.errors as { path: string }[]).map(({ path }) => path),
      ['/display_name'],
    )
    refused(await accept(token, { display_name: 'Fresh', password: '123456789' }), 422, 'request_validation_failed')
    const answer = await accept(token, { display_name: 'Fresh', password: PASSWORD })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.user.display_name, 'Fresh')
    assert.deepEqual([answer.body.current_organization.id, answer.body.current_organization.role], [admin.organizationId, 'engineer'])
    assert.match(answer.headers.get('set-cookie') ?? '', /^service_session=/)
    assert.equal((await anonymous(app.client).get('/auth/me', { token: answer.body.access_token })).status, 200)
    assert.equal((await show(token)).body.status, 'accepted')
    refused(await accept(token, { display_name: 'Fresh', password: PASSWORD }), 409, 'conflict')
    const listed = (await admin.client.get<Invitation[]>(`${invitationsOf(admin)}?status=accepted`)).body
    assert.deepEqual(
      listed.map(({ email, token: shown }) => [email, shown]),
      [['fresh@example.test', '']],
    )
  })

  test('an existing user accepts with their password, and becomes a member', async () => {
    const { token } = await invite(admin, other.email.toUpperCase())
    refused(await accept(token, { password: 'not their password' }), 401, 'unauthorized')
    const answer = await accept(token, { password: PASSWORD, display_name: 'Another Name' })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.user.id, other.userId)
    assert.equal(answer.body.user.display_name, 'other')
    assert.equal(answer.body.organizations.length, 2)
    assert.equal(answer.body.current_organization.id, admin.organizationId)
    assert.equal((await show(token)).body.status, 'linked')
    refused(await admin.client.post(invitationsOf(admin), { email: other.email, role: 'engineer' }), 409, 'conflict')
    assert.equal((await other.client.get(invitationsOf(admin))).status, 200)
  })

  test('guesses of the password here are throttled like logins', async () => {
    const user = await register(app.client, 'guessed')
    const { token } = await invite(admin, user.email)
    const here = from('203.0.113.7')
    for (let at = 0; at < 5; at++) refused(await accept(token, { password: 'wrong passphrase' }, here), 401, 'unauthorized')
    refused(await accept(token, { password: PASSWORD }, here), 429, 'rate_limited')
    refused(await app.client.post('/auth/login', { email: user.email, password: PASSWORD }, here), 429, 'rate_limited')
    assert.equal((await accept(token, { password: PASSWORD }, from('203.0.113.8'))).status, 200)
  })

  test('a revoked invitation cannot be accepted', async () => {
    const { id, token } = await invite(admin, 'revoked@example.test')
    const path = `${invitationsOf(admin)}/${id}`
    refused(await reader.client.delete(path), 403, 'forbidden')
    refused(await register(app.client, 'third').then(({ client, organizationId }) => client.delete(`/auth/organizations/${organizationId}/invitations/${id}`)), 404, 'not_found')
    assert.equal((await admin.client.delete(path)).status, 204)
    refused(await show(token), 404, 'not_found')
    refused(await accept(token, { display_name: 'X', password: PASSWORD }), 404, 'not_found')
    refused(await admin.client.delete(path), 404, 'not_found')
    const used = await invite(admin, 'used@example.test')
    assert.equal((await accept(used.token, { display_name: 'Used', password: PASSWORD })).status, 200)
    refused(await admin.client.delete(`${invitationsOf(admin)}/${used.id}`), 409, 'conflict')
  })

  test('an invalid token finds nothing', async () => {
    refused(await show('unknown'), 404, 'not_found')
    refused(await show('x'.repeat(257)), 404, 'not_found')
    refused(await accept('unknown', { display_name: 'X', password: PASSWORD }), 404, 'not_found')
  })

  test('nobody joins a suspended organization, and no deactivated user joins any', async () => {
    const owner = await register(app.client, 'suspended')
    const { token } = await invite(owner, 'late@example.test')
    await admin.client.patch(`/platform/admin/organizations/${owner.organizationId}`, { is_active: false })
    refused(await accept(token, { display_name: 'Late', password: PASSWORD }), 403, 'forbidden')
    const user = await addMember(admin, 'engineer', 'inactive@example.test')
    const invitation = await invite(other, user.email)
    await admin.client.patch(`/platform/admin/users/${user.userId}`, { is_active: false })
    refused(await accept(invitation.token, { password: 'wrong passphrase' }), 401, 'unauthorized')
    refused(await accept(invitation.token, { password: PASSWORD }), 403, 'forbidden')
  })

  test('a name cannot inject a mail header', async () => {
    const owner = await register(app.client, 'header', 'header@example.test')
    const answer = await owner.client.post<Refusal>('/auth/register-organization', {
      organization_name: 'x\r\nBcc: y@example.test',
      email: 'h@example.test',
      display_name: 'x',
      password: PASSWORD,
    })
    refused(answer, 422, 'request_validation_failed')
  })

  test('the audit trail has the actions', async () => {
    const { body } = await admin.client.get<{ action: string }[]>('/platform/audit?resource_type=invitation&limit=200')
    assert.deepEqual([...new Set(body.map(({ action }) => action))].sort(), ['invitation.accepted', 'invitation.created', 'invitation.revoked'])
  })
})

test('only platform admins see the token of an invitation that makes a platform admin', () =>
  withApp({ env: { ...SIGNUP, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: 'root@example.test' } }, async ({ client }) => {
    const admin = await bootstrap(client)
    const other = await register(client, 'other')
    const path = invitationsOf(other)
    const { body } = await admin.client.post<Invitation>(path, { email: 'Root@example.test', role: 'engineer' })
    const seen = async (caller: Client) => (await caller.get<Invitation[]>(path)).body.find(({ id }) => id === body.id)?.token
    assert.deepEqual([await seen(other.client), await seen(admin.client)], ['', body.token])
    const accepted = await client.post<{ user: { is_platform_admin: boolean } }>(`/auth/invitations/${body.token}/accept`, { display_name: 'Root', password: PASSWORD })
    assert.equal(accepted.status, 200, accepted.text)
    assert.equal(accepted.body.user.is_platform_admin, true)
  }))

test('an invitation from before the settings named its address makes no platform admin', async () => {
  const fresh = await EMBEDDED.fresh()
  const store: TestStore = { ...EMBEDDED, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
  try {
    let token = ''
    await withApp({ store, env: SIGNUP }, async ({ client }) => {
      const admin = await bootstrap(client)
      const other = await register(client, 'other')
      await admin.client.post<Invitation>(invitationsOf(other), { email: 'root@example.test', role: 'engineer' })
      token = (await other.client.get<Invitation[]>(invitationsOf(other))).body[0].token
      assert.notEqual(token, '')
    })
    await withApp({ store, env: { NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: 'root@example.test' } }, async ({ client }) => {
      refused(await client.post(`/auth/invitations/${token}/accept`, { display_name: 'Root', password: PASSWORD }), 409, 'conflict')
    })
  } finally {
    await fresh.remove()
  }
})

test('an invitation expires', async () => {
  let now = Date.now()
  await withApp({ clock: () => now, env: { NATIVE_SERVICE_INVITATION_TTL_SECONDS: '3600' } }, async ({ client }) => {
    const admin = await bootstrap(client)
    const { token, id } = await invite(admin, 'late@example.test')
    now += 3_600_000
    const late = refused(await client.post(`/auth/invitations/${token}/accept`, { display_name: 'Late', password: PASSWORD }), 400, 'bad_request')
    assert.match(late.message, /expired/)
    assert.equal((await client.get<Invitation>(`/auth/invitations/${token}`)).body.status, 'expired')
    const ids = async (status: string) => (await admin.client.get<Invitation[]>(`${invitationsOf(admin)}?status=${status}`)).body.map((invitation) => invitation.id)
    assert.deepEqual([await ids('expired'), await ids('pending')], [[id], []])
    assert.equal((await admin.client.delete(`${invitationsOf(admin)}/${id}`)).status, 204)
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('exactly one of concurrent acceptances of one invitation succeeds, for new and existing users', () =>
      withApp({ store, env: { ...SIGNUP, ...PROXIED } }, async ({ client }) => {
        const admin = await bootstrap(client)
        const other = await register(client, 'other')
        for (const [email, body] of [
          ['new@example.test', { display_name: 'New', password: PASSWORD }],
          [other.email, { password: PASSWORD }],
        ] as const) {
          const { token } = await invite(admin, email)
          const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => client.post(`/auth/invitations/${token}/accept`, body, from(`203.0.113.${at + 1}`))))
          assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409], email)
        }
        assert.equal((await admin.client.get<unknown[]>(`/auth/organizations/${admin.organizationId}/members`)).body.length, 3)
      }))

    test('of two invitations of one person accepted concurrently one creates a member', () =>
      withApp({ store, env: { ...SIGNUP, ...PROXIED } }, async ({ client }) => {
        const admin = await bootstrap(client)
        const [one, two] = [await invite(admin, 'twice@example.test', 'engineer'), await invite(admin, 'twice@example.test', 'reviewer')]
        const answers = await Promise.all(
          [one, two].map(({ token }, at) => client.post(`/auth/invitations/${token}/accept`, { display_name: 'Twice', password: PASSWORD }, from(`203.0.113.${at + 1}`))),
        )
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
        assert.equal((await admin.client.get<unknown[]>(`/auth/organizations/${admin.organizationId}/members`)).body.length, 2)
      }))
  })
}
