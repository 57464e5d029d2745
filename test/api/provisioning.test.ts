/**
 * Members whom a provider vouches for. The service of members runs beside the running service, on its store, as it would on another instance: what it changes
 * has to reach the running one.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createIdentities, type Identities } from '../../server/core/auth/identities.js'
import { deriveSecrets } from '../../server/core/auth/secrets.js'
import { Throttles } from '../../server/core/auth/throttles.js'
import type { UserDocument } from '../../server/core/auth/users.js'
import { Notices } from '../../server/core/events/notices.js'
import { Outbox } from '../../server/core/events/outbox.js'
import { JobQueue } from '../../server/core/jobs/queue.js'
import { ApiKeysService } from '../../server/features/accounts/api-keys/service.js'
import { ApiKeyStore } from '../../server/features/accounts/api-keys/store.js'
import { type AuditContext, personContext } from '../../server/core/audit/service.js'
import { DomainsService } from '../../server/features/accounts/domains/service.js'
import { type Admission, type Admitted, MembersService } from '../../server/features/accounts/members/service.js'
import { SCIM_ROLE_NOTES } from '../../server/features/scim/scim/scim-roles.js'
import { Throttle } from '../../server/core/tenancy/counters.js'
import { Quotas } from '../../server/core/tenancy/quotas.js'
import type { Scope } from '../../server/core/tenancy/scope.js'
import { addMember, type Actor, anonymous, bootstrap, createKey, login, register } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { testLimits } from '../support/limits.js'
import { createProject } from '../support/projects.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

const RESERVED = 'operator@example.test'
const TOKEN: AuditContext = {
  actor: { kind: 'scim_token', tokenId: 'token', name: 'directory', organizationId: 'any', expiresAt: null, permissions: new Set() },
  requestId: null,
  address: null,
}

interface Stage {
  readonly app: TestApp
  readonly identities: Identities
  readonly members: MembersService
  /** The same on one more instance. */
  readonly elsewhere: MembersService
  readonly admin: Actor
  readonly scope: Scope
  readonly admit: (admission: Partial<Admission> & { email: string }, scope?: Scope) => Promise<Admitted>
  readonly actions: (resourceId: string) => Promise<string[]>
}

function withStage(store: (typeof ALL_STORES)[number], run: (stage: Stage) => Promise<void>): Promise<void> {
  const texts: string[] = []
  const readTxt = async () => texts
  return withApp({ store, env: { ...SIGNUP, NATIVE_SERVICE_PLATFORM_ADMIN_EMAILS: RESERVED }, readTxt }, async (app) => {
    const { storage } = app.service
    const limits = testLimits()
    const secrets = deriveSecrets('a secret for tests, of more than thirty-two characters')
    const identities = createIdentities({ storage, secrets, config: { sessionTtlSeconds: 3600, platformAdminEmails: [RESERVED] }, limits })
    const jobs = new JobQueue(storage, Date.now)
    const notices = new Notices(jobs)
    const onError = (error: unknown) => assert.fail(String(error))
    const quotas = new Quotas({ storage, gateway: 'disabled', counts: {}, warningWrites: async () => [], onError, clock: Date.now })
    const throttles = new Throttles(new Throttle(storage))
    const keys = new ApiKeysService({ identities, keys: new ApiKeyStore(identities.tenancy), outbox: new Outbox(jobs), notices, quotas, onError })
    const domains = new DomainsService({ identities, quotas, throttles, readTxt })
    const members = new MembersService({ identities, throttles, quotas, keys, domains })
    const admin = await bootstrap(app.client)
    const scope = identities.tenancy.of(admin.organizationId)
    const below = `/platform/organizations/${admin.organizationId}/domains`
    const proven = await admin.client.post<{ id: string; txt_record: { value: string } }>(below, { domain: 'proven.example' })
    texts.push(proven.body.txt_record.value)
    assert.equal((await admin.client.post(`${below}/${proven.body.id}/verify`)).status, 200)
    const contextOf = (user: UserDocument) => personContext(user, { requestId: 'r', address: '192.0.2.1' })
    await run({
      app,
      identities,
      members,
      elsewhere: new MembersService({ identities, throttles, quotas, keys, domains }),
      admin,
      scope,
      admit: ({ displayName = 'Rui', role = 'engineer', email }, place = scope) => members.admit(place, { displayName, role, email }, { contextOf }),
      actions: async (id) => (await admin.client.get<{ action: string }[]>(`/platform/audit?resource_id=${id}&order=asc`)).body.map(({ action }) => action),
    })
    await quotas.close()
  })
}

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error)
  }
  return 'done'
}
const roleOf = async ({ identities, scope }: Stage, userId: string) => (await identities.memberships.of(scope.organizationId, userId))?.role

for (const store of ALL_STORES) {
  describe(`provisioned members, ${store.name}`, { skip: store.skip }, () => {
    test('a person without an account becomes a member with one that has no password', () =>
      withStage(store, async ({ app, admit, identities, admin, actions }) => {
        const { user, membership, outcome } = await admit({ email: 'Rui@proven.example', displayName: ' Rui ' })
        assert.deepEqual([outcome, user.email, user.display_name, user.password_hash, membership.role], ['created', 'Rui@proven.example', 'Rui', null, 'engineer'])
        assert.equal(user.default_organization_id, admin.organizationId)
        assert.deepEqual([await actions(user._id), await actions(membership._id)], [['user.created'], ['member.added']])
        refused(await anonymous(app.client).post('/auth/login', { email: user.email, password: 'any passphrase' }), 401, 'unauthorized')
        const again = await admit({ email: 'rui@PROVEN.example', role: 'org_admin' })
        assert.deepEqual([again.outcome, again.user._id, again.membership.role], ['member', user._id, 'engineer'])
        // Anyone may be created who has no account, but not a platform admin.
        assert.equal((await admit({ email: 'guest@elsewhere.example' })).outcome, 'created')
        assert.equal(await reasonOf(admit({ email: RESERVED })), 'email_taken')
        assert.equal(await identities.users.byEmail(RESERVED), null)
      }))

    test('an account that is no member joins only if the organization has proven its domain', () =>
      withStage(store, async (stage) => {
        const { app, admit, admin, identities } = stage
        const outside = await register(app.client, 'outside', 'ana@elsewhere.example')
        assert.equal(await reasonOf(admit({ email: outside.email })), 'domain_unproven')
        const sub = await register(app.client, 'sub', 'ana@sub.proven.example')
        assert.equal(await reasonOf(admit({ email: sub.email })), 'domain_unproven')
        const inside = await register(app.client, 'inside', 'ana@proven.example')
        // The proof of one organization is none for another.
        assert.equal(await reasonOf(admit({ email: inside.email }, identities.tenancy.of(outside.organizationId))), 'domain_unproven')
        const { outcome, user } = await admit({ email: inside.email, role: 'reviewer' })
        assert.deepEqual([outcome, user._id, user.default_organization_id], ['joined', inside.userId, inside.organizationId])
        assert.equal((await inside.client.get('/platform/projects', { organization: admin.organizationId })).status, 200)
        const inactive = await register(app.client, 'inactive', 'old@proven.example')
        await admin.client.patch(`/platform/admin/users/${inactive.userId}`, { is_active: false })
        assert.equal(await reasonOf(admit({ email: inactive.email })), 'user_inactive')
      }))

    test('of concurrent admissions of a person one creates the account, and what goes alongside is stored once', () =>
      withStage(store, async ({ members, admit, admin, identities }) => {
        const outcomes = (await Promise.all(Array.from({ length: 8 }, () => admit({ email: 'new@proven.example' })))).map(({ outcome }) => outcome)
        assert.deepEqual(outcomes.sort(), ['created', ...Array.from({ length: 7 }, () => 'member')])
        const { body } = await admin.client.get<unknown[]>(`/auth/organizations/${admin.organizationId}/members`)
        assert.equal(body.length, 2)
        const refusal = new Error('refused by the caller')
        const refusing = members.admit(
          identities.tenancy.of(admin.organizationId),
          { email: 'refused@proven.example', displayName: 'X', role: 'engineer' },
          {
            contextOf: () => TOKEN,
            alongside: () => {
              throw refusal
            },
          },
        )
        await assert.rejects(refusing, refusal)
        assert.equal(await identities.users.byEmail('refused@proven.example'), null)
      }))

    test('a removed member is out everywhere, and the admins are told of the keys', () =>
      withStage(store, async ({ app, members, scope, admin, actions }) => {
        const member = await addMember(admin, 'org_admin', 'leaving@example.test')
        const second = await login(app.client, member.email)
        await createKey(member, ['analysis:run'])
        const [{ id }] = (await admin.client.get<{ id: string }[]>(`/auth/organizations/${admin.organizationId}/members?user_id=${member.userId}`)).body
        await members.expel(scope, member.userId, TOKEN)
        // The running service has cached the sessions; it learns of the change from the store.
        for (const { client } of [member, second]) await waitFor(async () => ((await client.get('/auth/me')).status === 401 ? true : undefined))
        assert.deepEqual(await actions(id), ['member.added', 'member.removed'])
        const [entry] = (await admin.client.get<{ actor_type: string; actor_name: string }[]>(`/platform/audit?resource_id=${id}&action=member.removed`)).body
        assert.deepEqual([entry.actor_type, entry.actor_name], ['scim_token', 'directory'])
        const told = await waitFor(async () => {
          const { items } = (await admin.client.get<{ items: { kind: string }[] }>('/notifications')).body
          return items.find(({ kind }) => kind === 'api_key.owner_left')
        })
        assert.notEqual(told, undefined)
        assert.equal(await reasonOf(members.expel(scope, member.userId, TOKEN)), 'resource_missing')
        assert.equal(await reasonOf(members.expel(scope, admin.userId, TOKEN)), 'last_admin')
        assert.equal(await reasonOf(members.assignRole(scope, admin.userId, 'engineer', TOKEN)), 'last_admin')
      }))

    test('groups decide roles in the organization and in projects; the first mapping counts', () =>
      withStage(store, async (stage) => {
        const { members, scope, admin, admit } = stage
        const [one, two, three] = [await createProject(admin), await createProject(admin), await createProject(admin)]
        const { user } = await admit({ email: 'grouped@proven.example', role: 'read_only' })
        const projectRole = async ({ id }: { id: string }) =>
          (await admin.client.get<{ role: string }[]>(`/platform/projects/${id}/members?user_id=${user._id}`)).body.map(({ role }) => role)
        await members.applyGroups(scope, user._id, ['leads'], 'engineer', TOKEN)
        // Without mappings nothing changes.
        assert.equal(await roleOf(stage, user._id), 'read_only')
        const mappings = [
          { group: 'reviewers', role: 'reviewer' },
          { group: 'leads', role: 'security_content_lead' },
          { group: 'leads', role: 'engineer', project_id: one.id },
          { group: 'reviewers', role: 'reviewer', project_id: two.id },
        ]
        const policy = `/platform/organizations/${admin.organizationId}/identity-policy`
        const set = await admin.client.patch(policy, { group_mappings: mappings, break_glass_user_ids: [admin.userId] })
        assert.equal(set.status, 200, set.text)
        await admin.client.post(`/platform/projects/${three.id}/members/assign`, { user_id: user._id, role: 'reviewer' })

        await members.applyGroups(scope, user._id, ['leads', 'reviewers'], 'engineer', TOKEN)
        assert.deepEqual(
          [await roleOf(stage, user._id), await projectRole(one), await projectRole(two), await projectRole(three)],
          ['reviewer', ['engineer'], ['reviewer'], ['reviewer']],
        )
        await members.applyGroups(scope, user._id, ['leads', 'LEADS', 'Reviewers'], 'engineer', TOKEN)
        assert.deepEqual([await roleOf(stage, user._id), await projectRole(two)], ['security_content_lead', []])
        await members.applyGroups(scope, user._id, [], null, TOKEN)
        assert.deepEqual([await roleOf(stage, user._id), await projectRole(one), await projectRole(three)], ['security_content_lead', [], ['reviewer']])
        await members.applyGroups(scope, user._id, [], 'engineer', TOKEN)
        assert.equal(await roleOf(stage, user._id), 'engineer')
        // A break-glass user remains an admin, whatever the directory says; so does the last admin.
        await members.applyGroups(scope, admin.userId, ['reviewers'], 'read_only', TOKEN)
        assert.equal(await roleOf(stage, admin.userId), 'org_admin')
        assert.equal((await admin.client.patch(policy, { break_glass_user_ids: [] })).status, 200)
        await members.applyGroups(scope, admin.userId, ['reviewers'], 'read_only', TOKEN)
        assert.deepEqual([await roleOf(stage, admin.userId), await projectRole(two)], ['org_admin', []])
      }))

    test('groups of many change roles together; of the admins whom they name, one remains', () =>
      withStage(store, async (stage) => {
        const { members, scope, admin, admit, actions } = stage
        const set = await admin.client.patch(`/platform/organizations/${admin.organizationId}/identity-policy`, { group_mappings: [{ group: 'leads', role: 'engineer' }] })
        assert.equal(set.status, 200, set.text)
        const added: Admitted[] = []
        for (const role of ['org_admin', 'reviewer', 'reviewer', 'engineer'] as const) added.push(await admit({ email: `many${added.length}@proven.example`, role }))
        const ids = [admin.userId, ...added.map(({ user }) => user._id)]
        const groupsOf = (userId: string) => ({ groups: userId === ids.at(-2) ? [] : ['leads'], otherwise: null })
        const read = async (part: readonly string[]) => ({ users: new Map(part.map((id) => [id, groupsOf(id)])), writes: [], guards: [] })
        await members.followGroups(scope, [...ids, 'nobody'], read, TOKEN)
        const roles = await Promise.all(ids.map((id) => roleOf(stage, id)))
        assert.deepEqual(
          [roles.slice(0, 2).sort(), roles.slice(2)],
          [
            ['engineer', 'org_admin'],
            ['engineer', 'reviewer', 'engineer'],
          ],
        )
        const kept = ids[roles.indexOf('org_admin')]
        const { body } = await admin.client.get<{ id: string }[]>(`/auth/organizations/${admin.organizationId}/members?user_id=${kept}`)
        assert.equal((await actions(body[0]!.id)).at(-1), 'member.role_kept')
        assert.deepEqual((await actions(added[1]!.membership._id)).slice(1), ['member.updated'])
        assert.deepEqual((await actions(added[3]!.membership._id)).slice(1), [])
      }))

    test('roles by older groups are not assigned once newer groups were applied, even if those changed no role', () =>
      withStage(store, async (stage) => {
        const { members, elsewhere, scope, admin, admit } = stage
        const set = await admin.client.patch(`/platform/organizations/${admin.organizationId}/identity-policy`, { group_mappings: [{ group: 'leads', role: 'engineer' }] })
        assert.equal(set.status, 200, set.text)
        const { user } = await admit({ email: 'raced@proven.example', role: 'read_only' })
        const groupsOf = (...groups: string[]) => new Map([[user._id, { groups, otherwise: 'read_only' as const }]])
        const deleted = scope.collection(SCIM_ROLE_NOTES).deletingMany({ user_id: user._id })
        let reads = 0
        await members.followGroups(
          scope,
          [user._id],
          async () => {
            const users = reads++ === 0 ? groupsOf('leads') : groupsOf()
            if (reads === 1) await elsewhere.followGroups(scope, [user._id], async () => ({ users: groupsOf(), writes: [deleted], guards: [] }), TOKEN)
            return { users, writes: [], guards: [] }
          },
          TOKEN,
        )
        assert.deepEqual([reads, await roleOf(stage, user._id)], [2, 'read_only'])
      }))
  })
}
