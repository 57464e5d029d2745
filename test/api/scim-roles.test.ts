/** Roles follow the groups of SCIM: members, names of groups, mappings. Each change is held to the role that the member has afterwards. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SCIM_ROLE_NOTES } from '../../server/features/scim/scim/scim-roles.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { newOrderedId } from '../../server/core/storage/id.js'
import { Tenancy, type Scope } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { createProject } from '../support/projects.js'
import { createResource, createScimToken, type Group, GROUPS, provision } from '../support/provisioning.js'
import { addingMembers as adding, GROUP_URN, operations } from '../support/scim-messages.js'
import { ALL_STORES, SIGNUP, waitFor } from './steps.js'

/** Role of a provisioned user without a mapped group. */
const DEFAULT = 'read_only'

for (const store of ALL_STORES) {
  describe(`roles by groups of SCIM, ${store.name}`, () => {
    let app: TestApp
    let sequence = 0

    before(async () => {
      app = await startTestApp({ store, env: SIGNUP })
      await bootstrap(app.client)
    })
    after(() => app?.close())

    interface Stage {
      readonly admin: Actor
      readonly client: Client
      readonly scope: Scope
      readonly user: () => Promise<string>
      readonly group: (displayName: string, ids?: readonly string[]) => Promise<Group>
      readonly patch: (group: Group, ...operations: object[]) => Promise<void>
      readonly map: (...mappings: object[]) => Promise<void>
      readonly roleOf: (userId: string) => Promise<string>
      readonly projectRoleOf: (userId: string, projectId: string) => Promise<string | null>
    }

    /** An organization of a test's own. */
    async function stage(): Promise<Stage> {
      const admin = await register(app.client, `o${++sequence}`)
      const { client } = await createScimToken(admin)
      const scope = new Tenancy(app.service.storage).of(admin.organizationId)
      const memberOf = async (userId: string) => (await admin.client.get<{ role: string }[]>(`/auth/organizations/${admin.organizationId}/members?user_id=${userId}`)).body[0]
      return {
        admin,
        client,
        scope,
        user: () => provision(client, `u${++sequence}`),
        group: (displayName, ids = []) => createResource<Group>(client, GROUPS, { schemas: [GROUP_URN], displayName, members: ids.map((value) => ({ value })) }),
        async patch({ id }, ...Operations) {
          const answer = await client.patch(`${GROUPS}/${id}`, operations(...Operations))
          assert.equal(answer.status, 204, answer.text)
        },
        async map(...group_mappings) {
          const answer = await admin.client.patch(`/platform/organizations/${admin.organizationId}/identity-policy`, { group_mappings })
          assert.equal(answer.status, 200, answer.text)
        },
        roleOf: async (userId) => (await memberOf(userId)).role,
        projectRoleOf: async (userId, projectId) => (await admin.client.get<{ role: string }[]>(`/platform/projects/${projectId}/members?user_id=${userId}`)).body[0]?.role ?? null,
      }
    }
    const eventually = (read: () => Promise<unknown>, expected: unknown) => waitFor(async () => ((await read()) === expected ? true : undefined))

    test('members of a group have its roles at the answer, and lose them with the membership, the name or the group', async () => {
      const { admin, user, group, patch, map, roleOf, projectRoleOf } = await stage()
      const { id: project_id } = await createProject(admin)
      await map(
        { group: 'Leads', role: 'security_content_lead' },
        { group: 'Owners', role: 'security_content_lead' },
        { group: 'Reviewers', role: 'reviewer' },
        { group: 'Leads', role: 'engineer', project_id },
      )
      const [one, two] = [await user(), await user()]
      const leads = await group('Leads', [one])
      assert.deepEqual([await roleOf(one), await projectRoleOf(one, project_id)], ['security_content_lead', 'engineer'])
      await patch(leads, adding(two))
      assert.deepEqual([await roleOf(two), await projectRoleOf(two, project_id)], ['security_content_lead', 'engineer'])
      await patch(leads, { op: 'Remove', path: 'members', value: [{ value: one }] })
      assert.deepEqual([await roleOf(one), await projectRoleOf(one, project_id), await roleOf(two)], [DEFAULT, null, 'security_content_lead'])
      // Mappings compare names exactly: with their letter case.
      await patch(leads, { op: 'replace', path: 'displayName', value: 'LEADS' })
      assert.equal(await roleOf(two), DEFAULT)
      await patch(leads, { op: 'replace', path: 'displayName', value: 'Reviewers' })
      assert.deepEqual([await roleOf(two), await projectRoleOf(two, project_id)], ['reviewer', null])
      // The first mapping decides among several groups.
      await group('Owners', [two])
      assert.deepEqual([await roleOf(two), await projectRoleOf(two, project_id)], ['security_content_lead', null])
    })

    test('a deleted group takes its roles along', async () => {
      const { client, user, group, map, roleOf } = await stage()
      await map({ group: 'Leads', role: 'security_content_lead' })
      const one = await user()
      const leads = await group('Leads', [one])
      assert.equal(await roleOf(one), 'security_content_lead')
      assert.equal((await client.delete(`${GROUPS}/${leads.id}`)).status, 204)
      assert.equal(await roleOf(one), DEFAULT)
    })

    test('changed mappings reach the members of groups in the background', async () => {
      const { user, group, map, roleOf } = await stage()
      const [one, two, without] = [await user(), await user(), await user()]
      await group('Leads', [one])
      await group('Reviewers', [two])
      await map({ group: 'Leads', role: 'security_content_lead' })
      await eventually(() => roleOf(one), 'security_content_lead')
      assert.equal(await roleOf(without), DEFAULT)
      await map({ group: 'Leads', role: 'engineer' }, { group: 'Reviewers', role: 'reviewer' })
      await eventually(() => roleOf(one), 'engineer')
      await eventually(() => roleOf(two), 'reviewer')
    })

    test('a change of many members ends in the background, and leaves no notes', async () => {
      const { scope, user, group, patch, map, roleOf } = await stage()
      await map({ group: 'Leads', role: 'security_content_lead' })
      const ids = await Promise.all(Array.from({ length: 25 }, user))
      const leads = await group('Leads')
      await patch(leads, adding(...ids))
      for (const id of ids) await eventually(() => roleOf(id), 'security_content_lead')
      await eventually(() => scope.collection(SCIM_ROLE_NOTES).count({}), 0)
    })

    test('the last admin remains one, which the audit says, and the change of the group succeeds', async () => {
      const { admin, group, patch, map, roleOf } = await stage()
      await map({ group: 'Admins', role: 'org_admin' }, { group: 'Leads', role: 'security_content_lead' })
      const leads = await group('Leads', [admin.userId])
      assert.equal(await roleOf(admin.userId), 'org_admin')
      const kept = await admin.client.get<{ actor_type: string; diff: object }[]>('/platform/audit?action=member.role_kept')
      assert.deepEqual(
        kept.body.map(({ actor_type, diff }) => [actor_type, diff]),
        [
          [
            'scim_token',
            { role: { before: 'org_admin', after: 'org_admin' }, role_of_groups: { before: null, after: 'security_content_lead' }, reason: { before: null, after: 'last_admin' } },
          ],
        ],
      )
      await patch(leads, { op: 'remove', path: 'members' })
      assert.equal(await roleOf(admin.userId), 'org_admin')
    })

    test('a note that a crashed request left is handled by a job', async () => {
      const { scope, user, group, map, roleOf } = await stage()
      const one = await user()
      await group('Leads', [one])
      await map({ group: 'Leads', role: 'engineer' })
      await eventually(() => roleOf(one), 'engineer')
      await eventually(() => scope.collection(SCIM_ROLE_NOTES).count({}), 0)
      // As the commit of a change stores them, without the request that follows.
      await app.service.storage.open(JOBS).insert({
        _id: newOrderedId(Date.now()),
        organization_id: scope.organizationId,
        kind: 'scim.roles',
        subject: scope.organizationId,
        due_at: new Date(),
        claim: null,
        attempts: 0,
        failures: 0,
        created_at: new Date(),
      })
      await scope.collection(SCIM_ROLE_NOTES).insert({ _id: newOrderedId(Date.now()), user_id: one, user_ids: [], role: null })
      await eventually(() => scope.collection(SCIM_ROLE_NOTES).count({}), 0)
      assert.equal(await roleOf(one), 'engineer')
    })
  })
}
