/** The end of projects and workspaces: the archive, what stops in it, deleting, and what outlasts it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '../../server/core/http/route.js'
import { JobQueue } from '../../server/core/jobs/queue.js'
import { PROJECT_COLLECTIONS } from '../../server/content/shared/collections.js'
import { CONTENTS } from '../../server/content/shared/content.js'
import { DELETED_PROJECTS, PROJECTS } from '../../server/content/shared/project.js'
import { REVIEW_COMMENTS, REVIEWS } from '../../server/content/shared/review.js'
import { CASES } from '../../server/content/shared/test-case.js'
import { VERSIONS } from '../../server/content/shared/version.js'
import { WORKSPACES } from '../../server/content/shared/workspace.js'
import { deleteExpired } from '../../server/core/audit/retention.js'
import type { CaseRecord } from '../../server/content/cases/case-record.js'
import { CHECK_DELAY_MS } from '../../server/features/connections/git-checks/job.js'
import { GitChecksService } from '../../server/features/connections/git-checks/service.js'
import { syncJob } from '../../server/features/connections/git-bindings/sync.js'
import { GIT_BINDINGS, GIT_RUNS } from '../../server/features/connections/git-bindings/store.js'
import { deleteRemains } from '../../server/content/projects/clear.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ReviewRecord } from '../../server/content/reviews/schema.js'
import type { ProjectVersionRecord, VersionContent } from '../../server/content/versions/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { PLANS } from '../../server/core/tenancy/plans.js'
import type { TenantCollection, TenantDocument } from '../../server/core/storage/contract.js'
import { newId } from '../../server/core/storage/id.js'
import type { Static } from 'typebox'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { bind, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import { createCase, createProject, DECODERS_XML, openReview, openWorkspace, RULES_XML } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { refused, waitFor } from './steps.js'

const NOBODYS = '00000000-0000-4000-8000-000000000000'
/** Permissions whose routes change nothing of a project. */
const READING = ['project:view', 'audit:view', 'feedback:view', 'feedback:create', 'analysis:run', 'case:run']
/** What an archived project still allows. */
const WAYS_OUT = ['projects.archive', 'projects.unarchive', 'projects.delete', 'git-bindings.delete', 'corpora.delete', 'replays.cancel', 'replays.delete']
const DAY_MS = 24 * 60 * 60 * 1000
const CONTENT = { decoders_xml: DECODERS_XML, rules_xml: RULES_XML }
const FILES = { 'decoders/vpn.xml': DECODERS_XML, 'rules/vpn.xml': RULES_XML }
const never = new AbortController().signal

interface Dashboard {
  readonly counts: Readonly<Record<string, number>>
  readonly projects: readonly { readonly id: string }[]
  readonly usage: readonly { readonly metric: string; readonly consumed: number }[]
}

describe(`the end of projects and workspaces, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let forge: MemoryGit
  let admin: Actor
  let ahead = 0
  const clock = (): number => Date.now() + ahead
  const at = (id: string, below = ''): string => `/platform/projects/${id}${below}`

  before(async () => {
    ;({ app, forge } = await startWithForge({ clock }))
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const archive = async (id: string): Promise<ProjectRecord> => {
    const { status, body, text } = await admin.client.post<ProjectRecord>(at(id, '/archive'))
    assert.equal(status, 200, text)
    return body
  }
  const idsOf = async (query = ''): Promise<string[]> => (await admin.client.get<ProjectRecord[]>(`/platform/projects${query}`)).body.map(({ id }) => id)
  const dashboard = async (): Promise<Dashboard> => (await admin.client.get<Dashboard>('/platform/dashboard')).body
  const actionsOf = async (id: string): Promise<string[]> => (await admin.client.get<{ action: string }[]>(at(id, '/audit?limit=200'))).body.map(({ action }) => action)
  const archived = (answer: Parameters<typeof refused>[0], context = ''): void => {
    assert.match(`${answer.status} ${answer.text}`, /^409 .*"conflict".*archived/, context)
  }

  test('an archived project is out of lists and counts, and comes back as it was', async () => {
    const project = await createProject(admin, { name: 'Old gateways' })
    const workspace = await openWorkspace(admin, project.id)
    await openReview(admin, workspace, { reviewer_ids: [admin.userId] })
    await createCase(admin, project.id)
    const before = await dashboard()
    const record = await archive(project.id)
    assert.deepEqual([record.is_read_only, typeof record.archived_at, record.case_count, record.workspace_count], [true, 'string', 1, 1])
    assert.ok(!(await idsOf()).includes(project.id))
    assert.ok(!(await idsOf('?archived=false&search=old')).includes(project.id))
    assert.deepEqual(await idsOf('?archived=true'), [project.id])
    assert.deepEqual(await idsOf('?archived=true&search=gateways&sort=name'), [project.id])
    const during = await dashboard()
    for (const count of ['projects', 'open_workspaces', 'open_reviews', 'reviews_waiting', 'cases']) assert.equal(during.counts[count], before.counts[count] - 1, count)
    assert.ok(!during.projects.some(({ id }) => id === project.id))
    assert.equal(during.usage.find(({ metric }) => metric === 'projects')?.consumed, before.counts.projects - 1)
    assert.deepEqual(await archive(project.id), record, 'archiving again changes nothing')

    const back = await admin.client.post<ProjectRecord>(at(project.id, '/unarchive'))
    assert.deepEqual([back.status, back.body.is_read_only, back.body.archived_at], [200, false, null])
    assert.deepEqual((await dashboard()).counts, before.counts)
    assert.equal((await admin.client.post(at(project.id, '/unarchive'))).status, 200)
    assert.deepEqual((await actionsOf(project.id)).slice(0, 2), ['project.unarchived', 'project.archived'])
    assert.equal((await admin.client.patch(at(project.id), { description: 'in use again' })).status, 200)
  })

  test('every route that changes a project refuses an archived one, and every other route answers', async () => {
    const { project, bindingId, integrationId } = await bind({ forge, admin }, FILES, CONTENT)
    const workspace = await openWorkspace(admin, project.id)
    const review = await openReview(admin, workspace)
    const testCase = await createCase(admin, project.id)
    const version = (await admin.client.post<ProjectVersionRecord>(at(project.id, '/versions'), { name: '1.0' })).body
    const engineer = await addMember(admin, 'engineer')
    const assigned = await admin.client.post<{ id: string }>(at(project.id, '/members/assign'), { user_id: engineer.userId, role: 'engineer' })
    const ids: Readonly<Record<string, string>> = {
      project_id: project.id,
      organization_id: admin.organizationId,
      binding_id: bindingId,
      workspace_id: workspace.id,
      review_id: review.id,
      case_id: testCase.id,
      version_id: version.id,
      member_id: assigned.body.id,
    }
    await archive(project.id)
    const pathOf = ({ path }: Route): string => path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? NOBODYS)
    const changing = app.service.routes.filter(
      ({ id, path, method, access }) =>
        /\{(project|binding)_id\}/.test(path) && method !== 'GET' && access.kind === 'permission' && !READING.includes(access.permission) && !WAYS_OUT.includes(id),
    )
    assert.ok(changing.length >= 25, String(changing.length))
    for (const route of changing) {
      const body: unknown = Object.values(route.bodyExamples ?? {})[0]
      const { id, method } = route
      const isPart = id === 'corpora.update'
      const call = isPart ? { raw: String(body), headers: { 'Content-Type': 'application/offset+octet-stream' } } : body === undefined ? {} : { body }
      archived(await admin.client.call(method, `${pathOf(route)}${isPart ? '?offset=0' : ''}`, call), id)
    }
    const binding = {
      integration_id: integrationId,
      project_id: project.id,
      repository: 'soc/content',
      branch: 'main',
      rules_path: '',
      decoders_path: '',
      publish_strategy: 'direct',
    }
    archived(await admin.client.post(`/platform/organizations/${admin.organizationId}/git-bindings`, binding))
    for (const path of ['', '/overview', '/report', '/cases', '/workspaces', '/reviews', '/versions', '/audit', '/members', '/rules', `/versions/${version.id}/content`])
      assert.equal((await admin.client.get(at(project.id, path))).status, 200, path)
    assert.equal((await admin.client.post(at(project.id, '/cases/run'))).status, 200)
    assert.equal((await admin.client.post(at(project.id, `/impact/${workspace.id}`))).status, 200)
  })

  test('a deleted project leaves its versions and audit entries, until the plan keeps them no longer', async () => {
    const { counts: before } = await dashboard()
    const { project, bindingId } = await bind({ forge, admin }, FILES, { ...CONTENT, name: 'Former gateways' })
    const lead = await addMember(admin, 'security_content_lead')
    const { client } = await addMember(admin, 'engineer', 'another-engineer@example.test')
    const workspace = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('level="3"', 'level="4"') })
    const review = await openReview(admin, workspace, { reviewer_ids: [admin.userId] })
    await admin.client.post(at(project.id, `/reviews/${review.id}/comments`), { body: 'A comment' })
    const testCase = await createCase(admin, project.id)
    const version = (await admin.client.post<ProjectVersionRecord>(at(project.id, '/versions'), { name: '1.0' })).body
    const scope = scopeOf(app, admin)
    const allOf = (one: unknown) => scope.collection(one as TenantCollection<TenantDocument & { readonly project_id: string }>)
    // More than the job deletes at once.
    const [comment] = await scope.collection(REVIEW_COMMENTS).find({ review_id: review.id })
    await scope.commit(Array.from({ length: 250 }, () => scope.collection(REVIEW_COMMENTS).inserting({ ...comment, _id: newId() })))
    const own = await Promise.all([WORKSPACES, REVIEWS, CASES].map(async (one) => ({ one, documents: await allOf(one).find({ project_id: project.id }) })))
    assert.match(refused(await lead.client.delete(at(project.id)), 409, 'conflict').message, /Only an archived project/)
    const policy = `/platform/organizations/${admin.organizationId}/identity-policy`
    const group_mappings = [{ group: 'soc', role: 'engineer', project_id: project.id }]
    assert.equal((await admin.client.patch(policy, { group_mappings })).status, 200)
    await archive(project.id)
    refused(await client.delete(at(project.id)), 403, 'forbidden')
    assert.equal((await lead.client.delete(at(project.id))).status, 204)

    const reviewed = ['/reviews', `/reviews/${review.id}`, `/reviews/${review.id}/comments`]
    const gone = ['', '/overview', '/cases', `/cases/${testCase.id}`, '/workspaces', `/workspaces/${workspace.id}`, ...reviewed, '/members', '/rules', '/git-bindings']
    for (const below of gone) refused(await admin.client.get(at(project.id, below)), 404, 'not_found')
    refused(await admin.client.delete(at(project.id)), 404, 'not_found')
    refused(await admin.client.post(at(project.id, '/unarchive')), 404, 'not_found')
    refused(await admin.client.post(at(project.id, '/workspaces'), { name: 'late' }), 404, 'not_found')
    refused(await admin.client.get(`/platform/organizations/${admin.organizationId}/git-bindings/${bindingId}`), 404, 'not_found')
    assert.deepEqual(await idsOf('?archived=true&search=former'), [])
    assert.deepEqual((await actionsOf(project.id)).slice(0, 2), ['project.deleted', 'project.archived'])
    const versions = await admin.client.get<ProjectVersionRecord[]>(at(project.id, '/versions'))
    assert.deepEqual(versions.body, [version])
    const content = await admin.client.get<Static<typeof VersionContent>>(at(project.id, `/versions/${version.id}/content`))
    assert.equal(content.body.rules_xml, RULES_XML)
    refused(await admin.client.post(at(project.id, `/versions/${version.id}/publish`)), 404, 'not_found')
    const contents = () => scope.collection(CONTENTS).count({ project_id: project.id })
    await waitFor(async () => ((await contents()) === 1 ? true : undefined))
    for (const one of PROJECT_COLLECTIONS) if (one !== VERSIONS && one !== CONTENTS) assert.equal(await allOf(one).count({ project_id: project.id }), 0, one.name)
    assert.deepEqual((await dashboard()).counts, before)
    // What a job has not deleted yet is not shown.
    for (const { one, documents } of own) for (const document of documents) await allOf(one).insert(document)
    for (const below of gone) refused(await admin.client.get(at(project.id, below)), 404, 'not_found')
    for (const { one } of own) await allOf(one).deleteMany({ project_id: project.id })
    // A mapping of the project does not prevent changes of the others.
    assert.equal((await admin.client.patch(policy, { group_mappings: [...group_mappings, { group: 'leads', role: 'reviewer' }] })).status, 200)
    // The slug is free again.
    assert.equal((await createProject(admin, { name: project.name })).slug, project.slug)

    const expire = (now: number) => deleteExpired({ identities: { clock: () => now }, quotas: { planOf: () => PLANS.free }, deleteRemains }, scope, never)
    const kept = PLANS.free.features.audit_log_retention_days!
    await expire(clock() + (kept - 1) * DAY_MS)
    assert.deepEqual([await contents(), await scope.collection(VERSIONS).count({ project_id: project.id })], [1, 1])
    await expire(clock() + (kept + 1) * DAY_MS)
    assert.deepEqual([await contents(), await scope.collection(VERSIONS).count({ project_id: project.id }), await scope.collection(DELETED_PROJECTS).count({})], [0, 0, 0])
    refused(await admin.client.get(at(project.id, '/versions')), 404, 'not_found')
    refused(await admin.client.get(at(project.id, '/audit')), 404, 'not_found')
  })

  test('a workspace is deleted unless a review of it is open; its reviews and versions stay', async () => {
    const project = await createProject(admin)
    const workspace = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('level="3"', 'level="4"') })
    const path = at(project.id, `/workspaces/${workspace.id}`)
    const review = await openReview(admin, workspace)
    assert.match(refused(await admin.client.delete(path), 409, 'conflict').message, /open review/)
    const reviewer = await addMember(admin, 'reviewer', 'second-reviewer@example.test')
    assert.equal((await reviewer.client.patch(at(project.id, `/reviews/${review.id}`), { status: 'approved' })).status, 200)
    const version = (await admin.client.post<ProjectVersionRecord>(at(project.id, '/versions'), { name: '1.0', source_workspace_id: workspace.id })).body
    assert.equal((await admin.client.patch(at(project.id, '/quality-gate'), { require_approved_review: true })).status, 200)
    assert.equal((await admin.client.delete(path)).status, 204)

    refused(await admin.client.get(path), 404, 'not_found')
    refused(await admin.client.delete(path), 404, 'not_found')
    assert.equal((await admin.client.get<ProjectRecord>(at(project.id))).body.workspace_count, 0)
    assert.equal(await scopeOf(app, admin).collection(CONTENTS).findOne({ _id: workspace.id }), null)
    const [listed] = (await admin.client.get<ReviewRecord[]>(at(project.id, '/reviews'))).body
    assert.deepEqual([listed.id, listed.status, listed.is_final, listed.is_stale, listed.content_hash], [review.id, 'approved', true, false, version.content_hash])
    assert.deepEqual((await admin.client.get<ReviewRecord>(at(project.id, `/reviews/${review.id}`))).body, listed)
    refused(await reviewer.client.patch(at(project.id, `/reviews/${review.id}`), { status: 'rejected' }), 409, 'conflict')
    assert.equal((await admin.client.post(at(project.id, `/reviews/${review.id}/comments`), { body: 'Thanks' })).status, 200)
    // The approval of its content still counts.
    assert.equal((await admin.client.post<{ published: boolean }>(at(project.id, `/versions/${version.id}/publish`))).body.published, true)
    const closed = await openWorkspace(admin, project.id)
    assert.equal((await admin.client.patch(at(project.id, `/workspaces/${closed.id}`), { status: 'closed' })).status, 200)
    assert.equal((await admin.client.delete(at(project.id, `/workspaces/${closed.id}`))).status, 204)
    assert.equal((await admin.client.get<ProjectRecord>(at(project.id))).body.workspace_count, 0)
  })

  test('nothing of a project changes after the answer of its archiving, whatever runs', async () => {
    const { project, bindingId } = await bind({ forge, admin }, FILES, CONTENT)
    const binding = `/platform/organizations/${admin.organizationId}/git-bindings/${bindingId}`
    const workspace = await openWorkspace(admin, project.id)
    const version = (await admin.client.post<ProjectVersionRecord>(at(project.id, '/versions'), { name: '1.0' })).body
    const { client } = admin
    const running = Array.from({ length: 6 }, (_, i) => [
      client.post(at(project.id, '/cases'), { name: `case ${i}`, event_text: 'an event' }),
      client.post(at(project.id, '/workspaces'), { name: `workspace ${i}` }),
      client.patch(at(project.id, `/workspaces/${workspace.id}`), { description: `edit ${i}` }),
      client.patch(at(project.id), { description: `edit ${i}` }),
      client.post(at(project.id, '/versions'), { name: `1.${i}` }),
      client.post(at(project.id, '/reviews'), { title: `review ${i}`, workspace_id: workspace.id }),
      client.patch(binding, { branch: `branch-${i}` }),
      client.post(`${binding}/rotate-secret`),
    ]).flat()
    running.push(client.post(at(project.id, `/versions/${version.id}/publish`)))
    const state = async () => ({
      project: (await client.get<ProjectRecord>(at(project.id))).body,
      workspaces: (await client.get<WorkspaceRecord[]>(at(project.id, '/workspaces?limit=200'))).body,
      cases: (await client.get<CaseRecord[]>(at(project.id, '/cases?limit=200'))).body,
      versions: (await client.get<ProjectVersionRecord[]>(at(project.id, '/versions?limit=200'))).body,
      reviews: (await client.get<ReviewRecord[]>(at(project.id, '/reviews?limit=200'))).body,
      binding: (await client.get(binding)).body,
      actions: await actionsOf(project.id),
    })
    await archive(project.id)
    const archivedState = await state()
    for (const { status, text } of await Promise.all(running)) assert.ok(status === 200 || (status === 409 && /archived|changed/.test(text)), text)
    assert.deepEqual(await state(), archivedState)
    // A change that began later may have been committed before it.
    assert.ok(archivedState.actions.includes('project.archived'))

    // A request that reads the repository when the project is archived.
    const late = await bind({ forge, admin }, FILES, CONTENT)
    const { getBranch } = forge
    forge.getBranch = async (...read) => {
      forge.getBranch = getBranch
      await archive(late.project.id)
      return forge.getBranch(...read)
    }
    archived(await client.post(`/platform/organizations/${admin.organizationId}/git-bindings/${late.bindingId}/discover`))
    assert.equal((await actionsOf(late.project.id))[0], 'project.archived')
  })

  test('bindings, schedules and checks of an archived project stop, and go on afterwards', async () => {
    const made = await bind({ forge, admin }, FILES, CONTENT, { sync_on_webhook: true, scheduled_sync_interval_minutes: 60 })
    const scope = scopeOf(app, admin)
    const binding = () => scope.collection(GIT_BINDINGS).findOne({ _id: made.bindingId })
    const runs = (run_type: 'check' | 'import') => scope.collection(GIT_RUNS).find({ binding_id: made.bindingId, run_type })
    // A check that waits when the project is archived.
    forge.setBranch(made.repository, 'change', (await forge.getBranch(made.repository, 'main', never)).commitSha)
    const { number } = await forge.reviews.openReview(made.repository, { sourceBranch: 'change', targetBranch: 'main', title: 'Change', body: '' }, never)
    const [sha] = forge.push(made.repository, 'change', { files: { 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') } })
    const checks = new GitChecksService({ jobs: new JobQueue(app.service.storage, clock), clock })
    const event = { kind: 'review', repository: made.repository, number, sourceBranch: 'change', targetBranch: 'main', headSha: sha } as const
    await checks.onReviewEvent(scope, (await binding())!, event)
    const stateOf = () => forge.statusesOf(made.repository, sha)[0]?.state
    await waitFor(() => (stateOf() === 'pending' ? true : undefined))
    await archive(made.project.id)
    ahead += CHECK_DELAY_MS
    await waitFor(() => (stateOf() === 'canceled' ? true : undefined))
    assert.deepEqual(
      (await runs('check')).map(({ status }) => status),
      ['canceled'],
    )
    // The schedule continues without importing.
    forge.push(made.repository, 'main', { files: { 'rules/vpn.xml': RULES_XML.replace('level="3"', 'level="4"') } })
    const unexpected = (): never => {
      throw new Error('the binding of an archived project was used')
    }
    const parts = { organizations: { byId: async () => ({ is_active: true }) }, integrations: { openGit: unexpected }, overLimit: { requireWritable: unexpected } }
    const job = syncJob({ ...parts, imports: { import: unexpected }, jobs: { enqueuing: unexpected }, clock } as unknown as Parameters<typeof syncJob>[0])
    const { schedule } = (await binding())!
    const outcome = await job.run({ subject: `${made.bindingId}/${schedule}` } as Parameters<typeof job.run>[0], scope, never)
    assert.ok(typeof outcome === 'object' && outcome.again.getTime() > clock())
    assert.deepEqual(await runs('import'), [])

    assert.equal((await admin.client.post(at(made.project.id, '/unarchive'))).status, 200)
    await checks.onReviewEvent(scope, (await binding())!, event)
    await waitFor(() => (stateOf() === 'pending' ? true : undefined))
    ahead += CHECK_DELAY_MS
    // A project is not deleted while a check of it may still have to be ended at the forge.
    await scope.collection(PROJECTS).update({ _id: made.project.id }, { set: { is_archived: true } })
    await waitFor(async () => ((await runs('check')).every(({ status }) => status !== 'running') ? true : undefined))
    const [{ _id, status }] = await runs('check')
    const set = (state: typeof status) => scope.collection(GIT_RUNS).update({ _id }, { set: { status: state } })
    await set('running')
    refused(await admin.client.delete(at(made.project.id)), 409, 'conflict')
    await set(status)
    assert.equal((await admin.client.delete(at(made.project.id))).status, 204)
    assert.equal(await binding(), null)
  })
})
