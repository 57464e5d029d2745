/** The dashboard of an organization over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PROJECTS } from '../../server/content/shared/project.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import { VERSIONS } from '../../server/content/shared/version.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, FAILED_LOGIN, openReview, openWorkspace } from '../support/projects.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { openWatchedStorage, type WatchedStorage } from '../support/query-plans.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Dashboard {
  readonly organization_id: string
  readonly counts: Readonly<Record<string, number>>
  readonly projects: readonly {
    readonly id: string
    readonly name: string
    readonly slug: string
    readonly case_count: number
    readonly active_baseline_id: string | null
    readonly active_baseline_name: string
    readonly latest_version: { readonly name: string; readonly status: string; readonly quality_score: number } | null
  }[]
  readonly recent_audit: readonly { readonly action: string }[]
  readonly usage: readonly { readonly metric: string; readonly consumed: number; readonly limit: number | null }[]
}

const DAY_MS = 24 * 60 * 60 * 1000

describe(`the dashboard, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let watched: WatchedStorage
  /** In the future, because expired sessions are removed by the real clock. */
  let now = Date.UTC(2100, 10, 21)

  before(async () => {
    app = await startTestApp({
      env: { NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' },
      clock: () => (now += 1000),
      open: async (config) => {
        watched = await openWatchedStorage(config)
        return watched.storage
      },
    })
    await bootstrap(app.client)
  })
  after(() => app?.close())

  const dashboard = async ({ client }: Pick<Actor, 'client'>): Promise<Dashboard> => {
    const { status, body, text } = await client.get<Dashboard>('/platform/dashboard')
    assert.equal(status, 200, text)
    return body
  }

  test('of a new organization is empty', async () => {
    const admin = await register(app.client, 'empty')
    const body = await dashboard(admin)
    assert.equal(body.organization_id, admin.organizationId)
    assert.deepEqual(body.counts, { projects: 0, open_workspaces: 0, open_reviews: 0, reviews_waiting: 0, cases: 0, versions_published: 0 })
    assert.deepEqual(body.projects, [])
    assert.ok(body.recent_audit.length > 0)
  })

  test('counts objects of this organization only', async () => {
    const [admin, other] = [await register(app.client, 'counted'), await register(app.client, 'beside')]
    const reviewers: Actor[] = []
    for (const actor of [admin, other]) {
      const project = await createProject(actor)
      const reviewer = await addMember(actor, 'reviewer', `reviewer-of-${actor.email}`)
      reviewers.push(reviewer)
      for (let i = 0; i < 3; i++) await storeCase(scopeOf(app, actor), project, { event_text: FAILED_LOGIN }, i)
      const [open, closed] = [await openWorkspace(actor, project.id), await openWorkspace(actor, project.id)]
      assert.equal((await actor.client.patch(`/platform/projects/${project.id}/workspaces/${closed.id}`, { status: 'closed' })).status, 200)
      const asked = { reviewer_ids: [reviewer.userId] }
      await openReview(actor, open, asked)
      await openReview(actor, open)
      const decided = await openReview(actor, open, asked)
      assert.equal((await reviewer.client.patch(`/platform/projects/${project.id}/reviews/${decided.id}`, { status: 'approved' })).status, 200)
    }
    await createProject(admin)
    const { counts, usage } = await dashboard(admin)
    assert.deepEqual(
      usage.filter(({ metric }) => metric === 'projects').map(({ consumed, limit }) => [consumed, limit]),
      [[2, null]],
    )
    assert.deepEqual(counts, { projects: 2, open_workspaces: 1, open_reviews: 2, reviews_waiting: 0, cases: 3, versions_published: 0 })
    assert.equal((await dashboard(reviewers[0])).counts.reviews_waiting, 1)
    const key = await createKey(admin, ['projects:read'])
    assert.equal((await dashboard(key)).counts.reviews_waiting, 0)
  })

  test('counts versions that were published within thirty days', async () => {
    const admin = await register(app.client, 'publishing')
    const project = await createProject(admin)
    const create = async (name: string): Promise<string> => (await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name })).body.id
    const [old, recent] = [await create('old'), await create('recent')]
    await create('draft')
    const published = async (id: string, at: number): Promise<unknown> =>
      scopeOf(app, admin)
        .collection(VERSIONS)
        .update({ _id: id }, { set: { published_at: new Date(at) } })
    await published(old, now - 31 * DAY_MS)
    await published(recent, now - 29 * DAY_MS)
    assert.equal((await dashboard(admin)).counts.versions_published, 1)
  })

  test('shows the twenty projects that changed last, with the newest version of each', async () => {
    const admin = await register(app.client, 'busy')
    const ids: string[] = []
    for (let i = 0; i < 21; i++) ids.push((await createProject(admin, { name: `project ${i}` })).id)
    const path = `/platform/projects/${ids[1]}`
    const first = await admin.client.post<ProjectVersionRecord>(`${path}/versions`, { name: '1.0' })
    assert.equal((await admin.client.post(`${path}/versions/${first.body.id}/publish`)).status, 200)
    await admin.client.post(`${path}/versions`, { name: '2.0' })
    const { projects, counts } = await dashboard(admin)
    assert.equal(counts.projects, 21)
    assert.deepEqual(
      projects.map(({ id }) => id),
      [ids[1], ...ids.slice(2).reverse()],
    )
    const [changed] = projects
    assert.deepEqual([changed.active_baseline_id, changed.active_baseline_name], [first.body.id, '1.0'])
    assert.deepEqual([changed.latest_version?.name, changed.latest_version?.status, changed.latest_version?.quality_score], ['2.0', 'draft', 80])
    assert.equal(projects[1].latest_version, null)
  })

  test('shows the audit trail only with the permission', async () => {
    const admin = await register(app.client, 'audited')
    await createProject(admin)
    const seen = await dashboard(admin)
    assert.equal(seen.recent_audit[0].action, 'project.created')
    assert.ok(seen.recent_audit.length <= 10)
    for (const role of ['engineer', 'read_only'] as const) assert.deepEqual((await dashboard(await addMember(admin, role, `${role}@audited.test`))).recent_audit, [])
    assert.ok((await dashboard(await addMember(admin, 'reviewer', 'reviewer@audited.test'))).recent_audit.length > 0)
  })

  test('runs nothing: content that cannot be loaded is not shown as such', async () => {
    const admin = await register(app.client, 'broken')
    const project = await createProject(admin, { rules_xml: '<group name="x,"><rule' })
    const before = app.service.pool.metrics()
    assert.equal((await dashboard(admin)).projects[0].id, project.id)
    assert.deepEqual(app.service.pool.metrics(), before)
    assert.equal(await scopeOf(app, admin).collection(PROJECTS).count({}), 1)
  })

  test('is answered by indexes, with few queries', async () => {
    const admin = await register(app.client, 'indexed')
    for (let i = 0; i < 3; i++) await storeCase(scopeOf(app, admin), await createProject(admin), { event_text: FAILED_LOGIN }, i)
    const { id } = await createProject(admin)
    assert.equal((await admin.client.post(`/platform/projects/${id}/archive`)).status, 200)
    await dashboard(admin)
    watched.asked.length = 0
    await dashboard(admin)
    // Neither queries about the caller, who may be cached, nor queries of background jobs.
    const questions = watched.asked.filter(({ filter }) => (filter as { organization_id?: unknown }).organization_id === admin.organizationId)
    assert.ok(questions.length > 5 && questions.length < 20, String(questions.length))
    for (const question of questions) {
      // Whatever is in the archive.
      assert.ok(question.kind === 'count' || (question.options.limit ?? Infinity) <= 20, JSON.stringify(question))
      assert.equal(await watched.faultOf(question), null, JSON.stringify(question))
    }
  })
})
