/** Approvals in the quality gate: the latest decision about exactly this content counts, whichever review it belongs to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import type { ReviewRecord } from '../../server/content/reviews/schema.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, openReview, openWorkspace, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Publication {
  readonly published: boolean
  readonly quality_gate_result: { readonly failed_rules: readonly unknown[] }
}

const OTHER_RULES = RULES_XML.replace('VPN: event', 'VPN: another event')
const HOUR_MS = 3_600_000

describe(`approvals, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let engineer: Actor
  let reviewer: Actor
  let away = 0

  before(async () => {
    app = await startTestApp({ clock: () => Date.now() + away })
    admin = await bootstrap(app.client)
    engineer = await addMember(admin, 'engineer')
    reviewer = await addMember(admin, 'reviewer')
  })
  after(() => app?.close())

  /** Creates a project whose gate requires only an approval, with a workspace and two reviews of it. */
  const begin = async () => {
    const { id } = await createProject(admin)
    assert.equal((await admin.client.patch(`/platform/projects/${id}/quality-gate`, { require_approved_review: true, min_quality_score: 0 })).status, 200)
    const workspace = await openWorkspace(engineer, id)
    return { workspace, first: await openReview(engineer, workspace), second: await openReview(engineer, workspace) }
  }
  const decide = async ({ project_id, id }: ReviewRecord, status: string, actor = reviewer): Promise<void> => {
    const answer = await actor.client.patch(`/platform/projects/${project_id}/reviews/${id}`, { status })
    assert.equal(answer.status, 200, answer.text)
  }
  const edit = async ({ project_id, id }: WorkspaceRecord, rules_xml: string): Promise<void> =>
    assert.equal((await engineer.client.patch(`/platform/projects/${project_id}/workspaces/${id}`, { rules_xml })).status, 200)
  /** Whether the gate finds an approval of the workspace's content. Another rule of the gate prevents the publication. */
  const isApproved = async ({ project_id, id }: WorkspaceRecord): Promise<boolean> => {
    const path = `/platform/projects/${project_id}`
    const cases = await admin.client.patch(`${path}/quality-gate`, { min_case_count: 1 })
    assert.equal(cases.status, 200)
    const { body } = await admin.client.post<ProjectVersionRecord>(`${path}/versions`, { name: 'tried', source_workspace_id: id })
    const answer = await admin.client.post<Publication>(`${path}/versions/${body.id}/publish`)
    assert.equal(answer.body.published, false, answer.text)
    const [refusal, approval, ...rest] = answer.body.quality_gate_result.failed_rules
    assert.deepEqual([refusal, rest], [{ rule: 'min_case_count', expected: 1, actual: 0 }, []])
    if (approval !== undefined) assert.deepEqual(approval, { rule: 'require_approved_review', expected: true, actual: false })
    return approval === undefined
  }

  for (const refusal of ['rejected', 'changes_requested']) {
    test(`are invalid after another review of the same content is ${refusal}, until it is approved again`, async () => {
      const { workspace, first, second } = await begin()
      assert.equal(await isApproved(workspace), false)
      await decide(first, 'approved')
      assert.equal(await isApproved(workspace), true)
      await decide(second, refusal, admin)
      assert.equal(await isApproved(workspace), false)
      await decide(await openReview(engineer, workspace), 'approved')
      assert.equal(await isApproved(workspace), true)
    })

    test(`are valid if another review of the same content was ${refusal} before`, async () => {
      const { workspace, first, second } = await begin()
      await decide(first, refusal)
      await decide(second, 'approved', admin)
      assert.equal(await isApproved(workspace), true)
    })

    test(`stay refused after a review that was ${refusal} is closed by its author`, async () => {
      const { workspace, first, second } = await begin()
      await decide(first, 'approved')
      await decide(second, refusal, admin)
      assert.equal((await engineer.client.post(`/platform/projects/${second.project_id}/reviews/${second.id}/close`)).status, 200)
      assert.equal(await isApproved(workspace), false)
      await decide(first, 'approved', admin)
      assert.equal(await isApproved(workspace), true)
    })
  }

  test('end when their review is closed or decided otherwise', async () => {
    const { workspace, first, second } = await begin()
    await decide(first, 'approved')
    await decide(second, 'approved')
    await decide(first, 'closed')
    assert.equal(await isApproved(workspace), true)
    await decide(second, 'closed')
    assert.equal(await isApproved(workspace), false)
  })

  test('are not affected by refusals of other content; a refusal stays when its review approves other content', async () => {
    const { workspace, first, second } = await begin()
    await decide(first, 'approved')
    await edit(workspace, OTHER_RULES)
    await decide(second, 'rejected')
    assert.equal(await isApproved(workspace), false)
    await edit(workspace, RULES_XML)
    assert.equal(await isApproved(workspace), true)
    await decide(second, 'rejected')
    await edit(workspace, OTHER_RULES)
    await decide(second, 'approved')
    assert.equal(await isApproved(workspace), true)
    await edit(workspace, RULES_XML)
    assert.equal(await isApproved(workspace), false)
  })

  test('stay refused by another review after that refuses other content', async () => {
    const { workspace, first } = await begin()
    const other = await openWorkspace(engineer, workspace.project_id)
    const second = await openReview(engineer, other)
    await decide(first, 'approved')
    await decide(second, 'rejected', admin)
    assert.equal(await isApproved(workspace), false)
    await edit(other, OTHER_RULES)
    await decide(second, 'changes_requested', admin)
    assert.equal(await isApproved(workspace), false)
  })

  test('count, like refusals, if they are repeated after the other decision', async () => {
    const { workspace, first, second } = await begin()
    await decide(first, 'approved')
    await decide(second, 'rejected', admin)
    await decide(first, 'approved')
    assert.equal(await isApproved(workspace), true)
    await decide(second, 'rejected', admin)
    assert.equal(await isApproved(workspace), false)
  })

  test('are ordered with refusals by sequence, not by clock', async () => {
    const { workspace, first, second } = await begin()
    // The clock is ahead at the first decision rather than behind at the second, because a token from the future is refused.
    away = HOUR_MS
    try {
      await decide(first, 'approved')
    } finally {
      away = 0
    }
    await decide(second, 'rejected', admin)
    assert.equal(await isApproved(workspace), false)
  })
})
