/** Roles in projects over HTTP: created, updated, deleted, and their permissions. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ENTERPRISE_ROLES, type EnterpriseRole, ROLE_PERMISSIONS } from '../../server/core/tenancy/permissions.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { PROJECT_MEMBERS } from '../../server/content/shared/project-roles.js'
import type { ProjectMemberRecord } from '../../server/features/accounts/project-members/schema.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { allTold } from '../support/notices.js'
import { createProject, openReview, openWorkspace } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { ALL_STORES, refused, SIGNUP, stored, withApp } from './steps.js'

interface AuditEntry {
  readonly action: string
  readonly project_id: string | null
  readonly resource_name: string
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

const membersOf = ({ id }: Pick<ProjectRecord, 'id'>): string => `/platform/projects/${id}/members`
const assign = ({ client }: Actor, project: ProjectRecord, { userId }: Pick<Actor, 'userId'>, role: EnterpriseRole) =>
  client.post<ProjectMemberRecord>(`${membersOf(project)}/assign`, { user_id: userId, role })
const leave = async ({ client, organizationId }: Actor, { userId }: Actor): Promise<number> => {
  const members = `/auth/organizations/${organizationId}/members`
  const [{ id }] = (await client.get<{ id: string }[]>(`${members}?user_id=${userId}`)).body
  return (await client.delete(`${members}/${id}`)).status
}

describe(`project members, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let reader: Actor
  let project: ProjectRecord

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    reader = await addMember(admin, 'read_only')
    project = await createProject(admin)
  })
  after(() => app?.close())

  let people = 0
  const newReader = (): Promise<Actor> => addMember(admin, 'read_only', `reader-${++people}@example.test`)
  const auditOf = async (id: string): Promise<AuditEntry[]> => (await admin.client.get<AuditEntry[]>(`/platform/audit?resource_id=${id}`)).body
  /** Returns the notifications about roles in projects. */
  const toldTo = async ({ client }: Actor) => {
    await allTold(app.service.storage)
    const { body } = await client.get<{ items: { kind: string; body: string; link: string | null }[] }>('/notifications?limit=200')
    return body.items.filter(({ kind }) => kind === 'project.member_added').map(({ body, link }) => ({ body, link }))
  }

  test('are members of the organization with a role', async () => {
    const own = await newReader()
    const { status, body, headers } = await assign(admin, project, own, 'engineer')
    assert.equal(status, 200)
    const { id, created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, { project_id: project.id, user_id: own.userId, email: own.email, display_name: 'read_only', role: 'engineer', organization_role: 'read_only' })
    assert.equal(created_at, updated_at)
    const shown = await own.client.get<ProjectMemberRecord>(`${membersOf(project)}/${id}`)
    assert.deepEqual(shown.body, body)
    assert.equal(shown.headers.get('etag'), headers.get('etag'))
    const [entry] = await auditOf(id)
    assert.deepEqual([entry.action, entry.project_id, entry.resource_name], ['project.member_added', project.id, own.email])
    const told = `${admin.email} gave you the role engineer in the project ${project.name}.`
    assert.deepEqual(await toldTo(own), [{ body: told, link: `/platform/projects/${project.id}` }])
  })

  test('get another role when one is assigned again', async () => {
    const own = await newReader()
    const first = (await assign(admin, project, own, 'engineer')).body
    const second = (await assign(admin, project, own, 'reviewer')).body
    assert.deepEqual([second.id, second.role], [first.id, 'reviewer'])
    const third = await assign(admin, project, own, 'reviewer')
    assert.deepEqual(third.body, second)
    assert.deepEqual(
      (await auditOf(first.id)).map(({ action }) => action),
      ['project.member_updated', 'project.member_added'],
    )
    assert.equal((await toldTo(own)).length, 1)
    const list = await admin.client.get<ProjectMemberRecord[]>(`${membersOf(project)}?user_id=${own.userId}`)
    assert.deepEqual(list.body, [second])
  })

  test('are not notified about their own assignments', async () => {
    assert.equal((await assign(admin, project, admin, 'engineer')).status, 200)
    assert.deepEqual(await toldTo(admin), [])
  })

  test('are listed and filtered by everyone who may see the project', async () => {
    const own = await createProject(admin)
    const someone = await newReader()
    assert.deepEqual((await reader.client.get(membersOf(own))).body, [])
    for (const [actor, role] of [
      [reader, 'engineer'],
      [someone, 'reviewer'],
      [admin, 'engineer'],
    ] as const) {
      assert.equal((await assign(admin, own, actor, role)).status, 200)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const list = async (query: string) => {
      const { body, headers } = await reader.client.get<ProjectMemberRecord[]>(`${membersOf(own)}${query}`)
      return { users: body.map(({ user_id }) => user_id), total: headers.get('x-total-count') }
    }
    assert.deepEqual(await list(''), { users: [admin.userId, someone.userId, reader.userId], total: '3' })
    assert.deepEqual(await list('?order=asc&limit=1&offset=1'), { users: [someone.userId], total: '3' })
    assert.deepEqual(await list('?role=engineer&order=asc'), { users: [reader.userId, admin.userId], total: '2' })
    refused(await reader.client.get(`${membersOf(own)}?role=owner`), 422, 'request_validation_failed')
    refused(await reader.client.get(membersOf({ id: 'nobodys' })), 404, 'not_found')
  })

  test('have the permissions of their role in this project only, until it is deleted', async () => {
    const own = await newReader()
    const other = await createProject(admin)
    const patch = ({ id }: ProjectRecord) => own.client.patch(`/platform/projects/${id}`, { description: String(Math.random()) })
    refused(await patch(project), 403, 'forbidden')
    const { id } = (await assign(admin, project, own, 'engineer')).body
    assert.equal((await patch(project)).status, 200)
    refused(await patch(other), 403, 'forbidden')
    refused(await own.client.post('/platform/projects', { name: 'x' }), 403, 'forbidden')
    const workspace = await openWorkspace(own, project.id)
    const review = await openReview(own, workspace)
    refused(await own.client.patch(`/platform/projects/${project.id}/reviews/${review.id}`, { status: 'closed' }), 403, 'forbidden')
    assert.equal((await admin.client.patch(`${membersOf(project)}/${id}`, { role: 'reviewer' })).status, 200)
    refused(await patch(project), 403, 'forbidden')
    const others = await openReview(admin, workspace, { reviewer_ids: [own.userId] })
    assert.equal((await own.client.patch(`/platform/projects/${project.id}/reviews/${others.id}`, { status: 'approved' })).status, 200)
    assert.equal((await admin.client.delete(`${membersOf(project)}/${id}`)).status, 204)
    refused(await own.client.patch(`/platform/projects/${project.id}/reviews/${others.id}`, { status: 'rejected' }), 403, 'forbidden')
    assert.equal((await own.client.get(`/platform/projects/${project.id}`)).status, 200)
  })

  test('never lose permissions by their role in the project', async () => {
    const engineer = await addMember(admin, 'engineer', 'wide@example.test')
    assert.equal((await assign(admin, project, engineer, 'read_only')).status, 200)
    assert.equal((await engineer.client.patch(`/platform/projects/${project.id}`, { description: 'still' })).status, 200)
  })

  test('have the permissions in the project that each role has in the organization', async () => {
    const own = await newReader()
    const { id } = (await assign(admin, project, own, 'read_only')).body
    for (const role of ENTERPRISE_ROLES) {
      assert.equal((await admin.client.patch(`${membersOf(project)}/${id}`, { role })).status, 200)
      const may = (permission: string): number[] => ((ROLE_PERMISSIONS[role] as readonly string[]).includes(permission) ? [200, 404] : [403])
      const expected: [string, number][] = [
        ['project:edit', (await own.client.patch(`/platform/projects/${project.id}`, {})).status],
        ['workspace:create', (await own.client.patch(`/platform/projects/${project.id}/workspaces/nobodys`, {})).status],
        ['review:create', (await own.client.post(`/platform/projects/${project.id}/reviews/nobodys/close`)).status],
        ['review:approve', (await own.client.patch(`/platform/projects/${project.id}/reviews/nobodys`, { status: 'closed' })).status],
        ['review:comment', (await own.client.post(`/platform/projects/${project.id}/reviews/nobodys/comments`, { body: 'x' })).status],
        ['member:manage', (await own.client.patch(`${membersOf(project)}/nobodys`, {})).status],
      ]
      for (const [permission, status] of expected) assert.ok(may(permission).includes(status), `${role}, ${permission}: ${status}`)
    }
  })

  test('manage the members of their project as its org_admin, but create no users', async () => {
    const own = await newReader()
    const someone = await newReader()
    assert.equal((await assign(admin, project, own, 'org_admin')).status, 200)
    const given = await assign(own, project, someone, 'engineer')
    assert.equal(given.status, 200)
    assert.equal((await own.client.patch(`${membersOf(project)}/${given.body.id}`, { role: 'reviewer' })).status, 200)
    assert.equal((await own.client.delete(`${membersOf(project)}/${given.body.id}`)).status, 204)
    refused(await own.client.post(membersOf(project), { email: 'x@example.test', display_name: 'X', password: PASSWORD, role: 'engineer' }), 403, 'forbidden')
    refused(await assign(own, await createProject(admin), someone, 'engineer'), 403, 'forbidden')
  })

  test('are created as users with read_only in the organization, and can log in at once', async () => {
    const request = { email: 'made@example.test', display_name: ' Made ', password: 'their own passphrase', role: 'engineer' }
    const { status, body } = await admin.client.post<ProjectMemberRecord>(membersOf(project), request)
    assert.equal(status, 200)
    assert.deepEqual([body.email, body.display_name, body.role, body.organization_role], ['made@example.test', 'Made', 'engineer', 'read_only'])
    const made = await login(app.client, request.email, request.password)
    assert.equal(made.userId, body.user_id)
    assert.equal((await made.client.patch(`/platform/projects/${project.id}`, { description: 'mine' })).status, 200)
    refused(await made.client.post('/platform/projects', { name: 'x' }), 403, 'forbidden')
    const actions = (await admin.client.get<AuditEntry[]>('/platform/audit?limit=20')).body
      .filter(({ resource_name }) => resource_name === request.email)
      .map(({ action }) => action)
    for (const action of ['user.created', 'member.added', 'project.member_added']) assert.ok(actions.includes(action), action)
    assert.equal((await toldTo(made)).length, 1)
    assert.ok(!(await stored(app)).includes(request.password))
    assert.ok(!app.log.join('').includes(request.password))
  })

  test('are created under the same conditions as members of the organization', async () => {
    const own = { email: 'same@example.test', display_name: 'Same', password: PASSWORD, role: 'engineer' }
    const stranger = await register(app.client, 'project-strangers')
    refused(await admin.client.post(membersOf(project), { ...own, email: reader.email.toUpperCase() }), 409, 'conflict')
    refused(await admin.client.post(membersOf(project), { ...own, email: stranger.email }), 409, 'conflict')
    for (const wrong of [
      { ...own, password: 'short' },
      { ...own, role: 'owner' },
      { ...own, email: 'x' },
      { ...own, organization_role: 'engineer' },
    ])
      refused(await admin.client.post(membersOf(project), wrong), 422, 'request_validation_failed')
    refused(await admin.client.post(membersOf({ id: 'nobodys' }), own), 404, 'not_found')
    // Refused requests store nothing.
    refused(await admin.client.post('/auth/login', { email: own.email, password: PASSWORD }), 401, 'unauthorized')
  })

  test('are users of the organization only, in projects of the organization only', async () => {
    const stranger = await register(app.client, 'member-strangers')
    const theirs = await createProject(stranger)
    refused(await assign(admin, project, stranger, 'engineer'), 404, 'not_found')
    refused(await assign(admin, project, { userId: 'nobody' }, 'engineer'), 404, 'not_found')
    refused(await assign(admin, theirs, reader, 'engineer'), 404, 'not_found')
    refused(await assign(stranger, project, stranger, 'engineer'), 404, 'not_found')
    const { id } = (await assign(admin, project, await newReader(), 'engineer')).body
    const sibling = await createProject(admin)
    const wrong: [Actor, string][] = [
      [stranger, `${membersOf(project)}/${id}`],
      [stranger, `${membersOf(theirs)}/${id}`],
      [admin, `${membersOf(sibling)}/${id}`],
    ]
    for (const [{ client }, path] of wrong) {
      refused(await client.get(path), 404, 'not_found')
      refused(await client.patch(path, { role: 'reviewer' }), 404, 'not_found')
      refused(await client.delete(path), 404, 'not_found')
    }
    refused(await stranger.client.get(membersOf(project)), 404, 'not_found')
  })

  test('are updated and deleted, with If-Match', async () => {
    const own = await newReader()
    const { body, headers } = await assign(admin, project, own, 'engineer')
    const path = `${membersOf(project)}/${body.id}`
    const tag = headers.get('etag')!
    const patch = (role: string, match: string) => admin.client.call<ProjectMemberRecord>('PATCH', path, { body: { role }, headers: { 'If-Match': match } })
    const changed = await patch('reviewer', tag)
    assert.equal(changed.body.role, 'reviewer')
    assert.deepEqual((await auditOf(body.id))[0].diff, { role: { before: 'engineer', after: 'reviewer' } })
    refused(await patch('engineer', tag), 412, 'precondition_failed')
    const current = changed.headers.get('etag')!
    // The role in the organization is in the record, but is not what is updated.
    const [{ id }] = (await admin.client.get<{ id: string }[]>(`/auth/organizations/${admin.organizationId}/members?user_id=${own.userId}`)).body
    assert.equal((await admin.client.patch(`/auth/organizations/${admin.organizationId}/members/${id}`, { role: 'engineer' })).status, 200)
    assert.equal((await admin.client.get(path, { headers: { 'If-None-Match': current } })).status, 200)
    assert.equal((await patch('engineer', current)).body.organization_role, 'engineer')
    assert.equal((await admin.client.delete(path)).status, 204)
    assert.equal((await auditOf(body.id))[0].action, 'project.member_removed')
    refused(await admin.client.delete(path), 404, 'not_found')
    refused(await admin.client.patch(path, { role: 'engineer' }), 404, 'not_found')
  })

  test('are managed by keys that may manage members', async () => {
    const own = await newReader()
    const all = await createKey(admin, ['admin:*'], 'Directory')
    const writer = await createKey(admin, ['projects:write'])
    const body = { user_id: own.userId, role: 'engineer' }
    refused(await writer.client.post(`${membersOf(project)}/assign`, body), 403, 'forbidden')
    assert.equal((await all.client.post(`${membersOf(project)}/assign`, body)).status, 200)
    assert.match((await toldTo(own))[0].body, /^Directory gave you the role engineer/)
  })

  test('lose their roles with their membership, and do not get them back when they return', async () => {
    const own = await newReader()
    const other = await createProject(admin)
    for (const some of [project, other]) assert.equal((await assign(admin, some, own, 'engineer')).status, 200)
    assert.equal(await leave(admin, own), 204)
    for (const some of [project, other]) assert.deepEqual((await admin.client.get(`${membersOf(some)}?user_id=${own.userId}`)).body, [])
    refused(await assign(admin, project, own, 'engineer'), 404, 'not_found')
    const invited = await admin.client.post<{ token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, { email: own.email, role: 'read_only' })
    assert.equal((await admin.client.post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })).status, 200)
    const back = await login(app.client, own.email)
    refused(await back.client.patch(`/platform/projects/${project.id}`, { description: 'x' }), 403, 'forbidden')
  })

  test('keep their roles in projects of other organizations', async () => {
    const elsewhere = await register(app.client, 'roles-elsewhere')
    const own = await newReader()
    const invited = await elsewhere.client.post<{ token: string }>(`/auth/organizations/${elsewhere.organizationId}/invitations`, { email: own.email, role: 'read_only' })
    assert.equal((await elsewhere.client.post(`/auth/invitations/${invited.body.token}/accept`, { password: PASSWORD })).status, 200)
    const theirs = await createProject(elsewhere)
    assert.equal((await assign(elsewhere, theirs, own, 'engineer')).status, 200)
    assert.equal((await assign(admin, project, own, 'engineer')).status, 200)
    assert.equal(await leave(admin, own), 204)
    assert.equal((await elsewhere.client.get<ProjectMemberRecord[]>(membersOf(theirs))).body.length, 1)
  })
})

for (const store of ALL_STORES) {
  describe(`project members at once, ${store.name}`, { skip: store.skip }, () => {
    test('a user who is assigned roles concurrently has one, and each change is reported', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const own = await addMember(admin, 'read_only')
        const project = await createProject(admin)
        const roles = ['engineer', 'reviewer', 'security_content_lead', 'org_admin'] as const
        const answers = await Promise.all(roles.map((role) => assign(admin, project, own, role)))
        for (const answer of answers) assert.equal(answer.status, 200, answer.text)
        const { body } = await admin.client.get<ProjectMemberRecord[]>(membersOf(project))
        assert.equal(body.length, 1)
        const audit = await admin.client.get<AuditEntry[]>(`/platform/audit?resource_id=${body[0].id}`)
        assert.deepEqual(audit.body.map(({ diff }) => diff.role.after).sort(), [...roles].sort())
        assert.equal(audit.body.filter(({ action }) => action === 'project.member_added').length, 1)
      }))

    test('a user who leaves while a role is assigned has none afterwards', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const project = await createProject(admin)
        for (let round = 0; round < 4; round++) {
          const own = await addMember(admin, 'read_only', `leaver-${round}@example.test`)
          const [given, left] = await Promise.all([assign(admin, project, own, 'engineer'), leave(admin, own)])
          assert.ok(given.status === 200 || given.status === 404, given.text)
          assert.equal(left, 204)
          assert.equal(await new Tenancy(app.service.storage).of(admin.organizationId).collection(PROJECT_MEMBERS).count({ user_id: own.userId }), 0)
        }
      }))
  })
}
