/** The identity policy: who may still log in with a password, and which organizations sessions reach. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { GROUP_MAPPINGS_LIMIT, GROUPS_BYTES } from '../../server/features/sso/identity-policy/schema.js'
import { SESSIONS } from '../../server/core/auth/sessions.js'
import { USERS } from '../../server/core/auth/users.js'
import { addMember, type Actor, anonymous, bootstrap, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { createProject } from '../support/projects.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, withApp } from './steps.js'

interface Policy {
  readonly sso_required: boolean
  readonly break_glass_user_ids: readonly string[]
  readonly require_two_factor: boolean
  readonly group_mappings: readonly unknown[]
}
interface Session {
  readonly user: { readonly is_platform_admin: boolean }
  readonly organizations: readonly { readonly id: string }[]
  readonly current_organization: { readonly id: string }
  readonly memberships: readonly { readonly organization_id: string }[]
}

const policyOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/identity-policy`
const membersOf = ({ organizationId }: Actor): string => `/auth/organizations/${organizationId}/members`
const memberPath = async (admin: Actor, { userId }: Actor): Promise<string> =>
  `${membersOf(admin)}/${(await admin.client.get<{ id: string }[]>(`${membersOf(admin)}?user_id=${userId}`)).body[0].id}`
const logIn = (client: Client, email: string, organization_id?: string) => anonymous(client).post<Session>('/auth/login', { email, password: PASSWORD, organization_id })

/** Makes an existing user a member of the admin's organization too. */
async function join(admin: Actor, { client, email }: Actor, role = 'engineer'): Promise<void> {
  const invited = await admin.client.post<{ token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, { email, role })
  const accepted = await anonymous(client).post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })
  assert.equal(accepted.status, 200, accepted.text)
}

describe('the identity policy', () => {
  let app: TestApp
  let operator: Actor
  let sequence = 0
  /** An organization of a test's own; its admin is no platform admin. */
  const organization = () => register(app.client.as(from(`10.0.0.${++sequence}`)), `o${sequence}`)
  const person = (admin: Actor, role: Parameters<typeof addMember>[1]) => addMember(admin, role, `p${++sequence}@example.test`)

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED } })
    operator = await bootstrap(app.client)
  })
  after(() => app?.close())

  test('is empty at first, and changes field by field', async () => {
    const admin = await organization()
    const first = await admin.client.get<Policy>(policyOf(admin))
    assert.deepEqual(first.body, { sso_required: false, break_glass_user_ids: [], require_two_factor: false, group_mappings: [] })
    const { id: project_id } = await createProject(admin)
    const mappings = [
      { group: 'leads', role: 'security_content_lead' },
      { group: 'leads', role: 'reviewer', project_id },
    ]
    const changed = await admin.client.patch<Policy>(policyOf(admin), { group_mappings: mappings }, { headers: { 'If-Match': first.headers.get('etag') ?? '' } })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(changed.body.group_mappings, mappings)
    refused(await admin.client.patch(policyOf(admin), { group_mappings: [] }, { headers: { 'If-Match': first.headers.get('etag') ?? '' } }), 412, 'precondition_failed')
    const named = await admin.client.patch<Policy>(policyOf(admin), { break_glass_user_ids: [admin.userId] })
    assert.deepEqual(named.body.group_mappings, mappings)
    const audit = await admin.client.get<{ diff: Record<string, unknown> }[]>('/platform/audit?action=identity_policy.updated')
    assert.deepEqual(
      audit.body.map(({ diff }) => Object.keys(diff)),
      [['break_glass_user_ids'], ['group_mappings']],
    )
    // Nothing changes, and nothing is audited.
    assert.equal((await admin.client.patch(policyOf(admin), { break_glass_user_ids: [admin.userId] })).status, 200)
    assert.equal((await admin.client.get<unknown[]>('/platform/audit?action=identity_policy.updated')).body.length, 2)
  })

  test('names only objects of the organization, and users who could act', async () => {
    const [admin, other] = [await organization(), await organization()]
    const foreign = await createProject(other)
    refused(await admin.client.patch(policyOf(admin), { group_mappings: [{ group: 'x', role: 'reviewer', project_id: foreign.id }] }), 404, 'not_found')
    refused(await admin.client.patch(policyOf(admin), { break_glass_user_ids: [other.userId] }), 404, 'not_found')
    refused(await admin.client.patch(policyOf(admin), { break_glass_user_ids: [(await person(admin, 'engineer')).userId] }), 409, 'conflict')
    const inactive = await person(admin, 'org_admin')
    await operator.client.patch(`/platform/admin/users/${inactive.userId}`, { is_active: false })
    refused(await admin.client.patch(policyOf(admin), { break_glass_user_ids: [inactive.userId] }), 409, 'conflict')
    const provisioned = await person(admin, 'org_admin')
    await app.service.storage.open(USERS).update({ _id: provisioned.userId }, { set: { password_hash: null } })
    refused(await admin.client.patch(policyOf(admin), { break_glass_user_ids: [provisioned.userId] }), 409, 'conflict')
    for (const wrong of [{ other: 1 }, { sso_required: 'yes' }, { group_mappings: [{ group: 'x', role: 'owner' }] }, { break_glass_user_ids: ['a', 'a'] }]) {
      refused(await admin.client.patch(policyOf(admin), wrong), 422, 'request_validation_failed')
    }
  })

  test('has mappings whose names are not too long together', async () => {
    const admin = await organization()
    const mappings = (characters: number) => Array.from({ length: GROUP_MAPPINGS_LIMIT }, (_, at) => ({ group: `${at}`.padStart(characters, 'x'), role: 'engineer' }))
    assert.equal((await admin.client.patch(policyOf(admin), { group_mappings: mappings(GROUPS_BYTES / GROUP_MAPPINGS_LIMIT) })).status, 200)
    const refusal = refused(await admin.client.patch(policyOf(admin), { group_mappings: mappings(GROUPS_BYTES / GROUP_MAPPINGS_LIMIT + 1) }), 422, 'request_validation_failed')
    assert.deepEqual((refusal.details.errors as { path: string; expected: unknown }[])[0].expected, { max_bytes: GROUPS_BYTES })
    refused(await admin.client.patch(policyOf(admin), { group_mappings: [...mappings(1), { group: 'one more', role: 'engineer' }] }), 422, 'request_validation_failed')
  })

  test('that would lock out every admin is refused, and so are changes of members that would', async () => {
    const admin = await organization()
    await createProvider(admin)
    refused(await admin.client.patch(policyOf(admin), { sso_required: true }), 409, 'conflict')
    const second = await person(admin, 'org_admin')
    const set = await admin.client.patch<Policy>(policyOf(admin), { sso_required: true, break_glass_user_ids: [admin.userId] })
    assert.equal(set.status, 200, set.text)
    refused(await admin.client.patch(policyOf(admin), { break_glass_user_ids: [] }), 409, 'conflict')
    const own = await memberPath(admin, admin)
    refused(await admin.client.patch(own, { role: 'engineer' }), 409, 'conflict')
    refused(await admin.client.delete(own), 409, 'conflict')
    // A break-glass user who is no org_admin any more leaves the list.
    const both = await admin.client.patch<Policy>(policyOf(admin), { break_glass_user_ids: [admin.userId, second.userId] })
    assert.equal(both.status, 200, both.text)
    assert.equal((await admin.client.patch(await memberPath(admin, second), { role: 'engineer' })).status, 200)
    assert.deepEqual((await admin.client.get<Policy>(policyOf(admin))).body.break_glass_user_ids, [admin.userId])
    refused(await second.client.get('/platform/dashboard'), 403, 'forbidden')
  })

  test('requires a provider only where there is one, of which the last one then remains', async () => {
    const admin = await organization()
    const required = { sso_required: true, break_glass_user_ids: [admin.userId] }
    refused(await admin.client.patch(policyOf(admin), required), 409, 'conflict')
    const [first, last] = [await createProvider(admin), await createProvider(admin)]
    assert.equal((await admin.client.patch(policyOf(admin), required)).status, 200)
    assert.equal((await admin.client.delete(`${providersOf(admin)}/${first.id}`)).status, 204)
    refused(await admin.client.delete(`${providersOf(admin)}/${last.id}`), 409, 'conflict')
    await admin.client.patch(policyOf(admin), { sso_required: false })
    assert.equal((await admin.client.delete(`${providersOf(admin)}/${last.id}`)).status, 204)
  })

  test('ends the requests of sessions with a password, except those of break-glass users and platform admins', async () => {
    const admin = await organization()
    const member = await person(admin, 'engineer')
    assert.equal((await member.client.get('/platform/projects')).status, 200)
    const provided = await throughProvider(member)
    await createProvider(admin)
    await admin.client.patch(policyOf(admin), { sso_required: true, break_glass_user_ids: [admin.userId] })
    refused(await member.client.get('/platform/projects'), 403, 'forbidden')
    assert.equal((await member.client.get('/auth/me')).status, 200)
    assert.equal((await admin.client.get('/platform/projects')).status, 200)
    assert.equal((await operator.client.get('/platform/projects', { organization: admin.organizationId })).status, 200)
    assert.equal((await provided.get('/platform/projects')).status, 200)
  })

  test('refuses logins with a password, and prefers another organization of the user', async () => {
    const [first, second] = [await organization(), await organization()]
    const member = await person(first, 'engineer')
    const { id } = await createProvider(first)
    await first.client.patch(policyOf(first), { sso_required: true, break_glass_user_ids: [first.userId] })
    const alone = refused(await logIn(app.client, member.email), 403, 'forbidden')
    assert.deepEqual(alone.details, { organization_id: first.organizationId, login_url: `${app.client.origin}/api/v1/sso/oidc/${id}/login` })
    assert.equal((await logIn(app.client, first.email)).status, 200)
    await join(second, member)
    assert.equal((await logIn(app.client, member.email)).body.current_organization.id, second.organizationId)
    refused(await logIn(app.client, member.email, first.organizationId), 403, 'forbidden')
    assert.equal((await logIn(app.client, operator.email, first.organizationId)).status, 200)
  })

  test('requires a second factor of sessions with a password, which its users can still set up', async () => {
    const [admin, other] = [await organization(), await organization()]
    const member = await person(admin, 'engineer')
    await join(other, member)
    const [checked, provided] = [await sessionWith(member, { has_second_factor: true }), await throughProvider(member)]
    const set = await admin.client.patch<Policy>(policyOf(admin), { require_two_factor: true })
    assert.deepEqual([set.status, set.body.require_two_factor, set.body.sso_required], [200, true, false])
    refused(await member.client.get('/platform/projects'), 403, 'forbidden')
    refused(await admin.client.get(policyOf(admin)), 403, 'forbidden')
    assert.equal((await member.client.get('/auth/me/second-factor')).status, 200)
    for (const client of [checked, provided]) assert.equal((await client.get('/platform/projects')).status, 200)
    // A login chooses an organization that the session reaches, and opens a session for the second factor where there is none.
    assert.equal((await logIn(app.client, member.email)).body.current_organization.id, other.organizationId)
    assert.equal((await logIn(app.client, member.email, admin.organizationId)).status, 200)
    assert.equal((await logIn(app.client, admin.email)).body.current_organization.id, admin.organizationId)
  })

  test('refuses invitations that would be accepted with a password', async () => {
    const admin = await organization()
    const invite = async (email: string) =>
      (await admin.client.post<{ token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, { email, role: 'engineer' })).body.token
    const known = await organization()
    const tokens = [await invite('new-guest@example.test'), await invite(known.email)]
    await createProvider(admin)
    await admin.client.patch(policyOf(admin), { sso_required: true, break_glass_user_ids: [admin.userId] })
    for (const token of tokens) refused(await anonymous(app.client).post(`/auth/invitations/${token}/accept`, { display_name: 'Guest', password: PASSWORD }), 403, 'forbidden')
    assert.equal((await admin.client.get<unknown[]>(membersOf(admin))).body.length, 1)
  })

  test('a session of a provider shows its organization alone, and no platform admin', async () => {
    const admin = await organization()
    await join(admin, operator)
    const session = await login(app.client, operator.email)
    const all = (await session.client.get<Session>('/auth/me')).body
    assert.deepEqual([all.organizations.length, all.user.is_platform_admin], [2, true])
    const { body } = await (await throughProvider(operator)).get<Session>('/auth/me')
    assert.deepEqual(
      body.organizations.map(({ id }) => id),
      [operator.organizationId],
    )
    assert.deepEqual(
      body.memberships.map(({ organization_id }) => organization_id),
      [operator.organizationId],
    )
    assert.deepEqual([body.current_organization.id, body.user.is_platform_admin], [operator.organizationId, false])
  })

  /** A new session of the user, as if it had been opened in another way. */
  async function sessionWith({ email }: Actor, proof: { readonly provider_id: string } | { readonly has_second_factor: true }): Promise<Client> {
    const session = await login(app.client, email)
    const { jti } = JSON.parse(Buffer.from(session.token.split('.')[1], 'base64url').toString()) as { readonly jti: string }
    await app.service.storage.open(SESSIONS).update({ _id: jti }, { set: proof })
    return session.client
  }
  const throughProvider = (actor: Actor) => sessionWith(actor, { provider_id: 'a provider' })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('an admin remains who can log in with a password, whatever changes concurrently', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        await bootstrap(client)
        const admin = await register(client, 'race')
        const admins = [admin]
        await createProvider(admin)
        for (let at = 0; at < 3; at++) admins.push(await addMember(admin, 'org_admin', `race${at}@example.test`))
        const paths = await Promise.all(admins.map((actor) => memberPath(admin, actor)))
        // Each names another break-glass user, while each admin steps down.
        await Promise.all([
          ...admins.map((actor) => actor.client.patch(policyOf(admin), { sso_required: true, break_glass_user_ids: [actor.userId] })),
          ...admins.map((actor, at) => actor.client.patch(paths[at], { role: 'engineer' })),
        ])
        const entered = await Promise.all(admins.map(({ email }) => logIn(client, email)))
        const inside = await Promise.all(
          entered.map(async ({ body }) => {
            const path = `/platform/organizations/${admin.organizationId}/identity-policy`
            const token = (body as unknown as { access_token?: string }).access_token
            return token === undefined ? 403 : (await anonymous(client).as({ token }).get(path)).status
          }),
        )
        assert.ok(inside.includes(200), JSON.stringify(inside))
      }))

    test('a provider is never required in an organization that has none, whatever changes concurrently', () =>
      withApp({ store, env: SIGNUP }, async ({ client }) => {
        await bootstrap(client)
        for (let round = 0; round < 5; round++) {
          const admin = await register(client, `absent${round}`)
          const { id } = await createProvider(admin)
          await Promise.all([admin.client.delete(`${providersOf(admin)}/${id}`), admin.client.patch(policyOf(admin), { sso_required: true, break_glass_user_ids: [admin.userId] })])
          const [{ body: left }, { body: policy }] = [await admin.client.get<unknown[]>(providersOf(admin)), await admin.client.get<Policy>(policyOf(admin))]
          assert.equal(policy.sso_required, left.length === 1)
        }
      }))
  })
}
