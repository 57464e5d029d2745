/** Versions over HTTP: created, measured, published through the gate, restored, archived; alone and concurrently. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONTENTS } from '../../server/content/shared/content.js'
import { GIT_BASES, GIT_REVIEW_BASES } from '../../server/content/shared/git-base.js'
import { WORKSPACES } from '../../server/content/shared/workspace.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord, PublishResponse as PublishSchema } from '../../server/content/versions/schema.js'
import type { Static } from 'typebox'
import { VERSION_STATUSES, VERSION_TRANSITIONS, type VersionStatus } from '../../server/content/shared/transitions.js'
import { type Actor, addMember, bootstrap, createKey } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { createCase, createProject, DECODERS_XML, openWorkspace, RULES_XML } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

type Publish = Static<typeof PublishSchema>

/** Its rule requires a parent that does not exist. */
const BROKEN_XML = '<group name="vpn,">\n  <rule id="100100" level="3">\n    <if_sid>99999</if_sid>\n    <description>never</description>\n  </rule>\n</group>\n'

describe(`versions, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const create = async (project: Pick<ProjectRecord, 'id'>, name: string, actor = admin): Promise<ProjectVersionRecord> => {
    const { status, body, text } = await actor.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name })
    assert.equal(status, 200, text)
    return body
  }
  const publish = <B = Publish>({ project_id, id }: ProjectVersionRecord, headers: Record<string, string> = {}): Promise<Answer<B>> =>
    admin.client.call<B>('POST', `/platform/projects/${project_id}/versions/${id}/publish`, { headers })
  const restore = <B = ProjectRecord>({ project_id, id }: ProjectVersionRecord): Promise<Answer<B>> =>
    admin.client.post<B>(`/platform/projects/${project_id}/versions/${id}/restore`)
  const archive = <B = ProjectVersionRecord>({ project_id, id }: ProjectVersionRecord): Promise<Answer<B>> =>
    admin.client.post<B>(`/platform/projects/${project_id}/versions/${id}/archive`)
  const list = async ({ id }: Pick<ProjectRecord, 'id'>, query = ''): Promise<readonly ProjectVersionRecord[]> =>
    (await admin.client.get<ProjectVersionRecord[]>(`/platform/projects/${id}/versions${query}`)).body
  const statusOf = async (version: ProjectVersionRecord): Promise<string> => (await list({ id: version.project_id })).find(({ id }) => id === version.id)?.status ?? 'missing'

  test('are drafts of the content of the project, measured', async () => {
    const project = await createProject(admin)
    const { body } = await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: ' 1.0 ', notes: 'first' })
    assert.equal(body.name, '1.0')
    assert.equal(body.notes, 'first')
    assert.equal(body.status, 'draft')
    assert.equal(body.published_at, null)
    assert.equal(body.total_rules, 2)
    assert.equal(body.total_decoders, 2)
    assert.equal(body.regression_passed, true)
    assert.equal(body.source_workspace_id, null)
    // No case covers its rules.
    assert.equal(body.quality_score, 80)
    const shown = await admin.client.get<ProjectVersionRecord>(`/platform/projects/${project.id}/versions/${body.id}`)
    assert.deepEqual(shown.body, body)
  })

  test('are measured even if all of 10,000 rules are in one line', async () => {
    const rules = Array.from({ length: 10_000 }, (_, at) => `<rule id="${100_000 + at}" level="3"><match>word${at}</match><description>${at}</description></rule>`)
    const version = await create(await createProject(admin, { decoders_xml: '', rules_xml: `<group name="x,">${rules.join('')}</group>` }), 'minified')
    assert.equal(version.total_rules, rules.length)
    // Infos on every rule, and no case covers any of them.
    assert.equal(version.quality_score, 74)
  })

  test('keep their content, whatever happens to the project', async () => {
    const project = await createProject(admin)
    const version = await create(project, '1.0')
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: '', decoders_xml: '' })
    const { body, headers } = await admin.client.get<{ rules_xml: string; decoders_xml: string; content_hash: string }>(
      `/platform/projects/${project.id}/versions/${version.id}/content`,
    )
    assert.equal(body.rules_xml, RULES_XML)
    assert.equal(body.decoders_xml, DECODERS_XML)
    assert.equal(body.content_hash, version.content_hash)
    assert.equal(headers.get('etag'), `"${version.content_hash}"`)
    const other = await create(project, 'empty')
    assert.notEqual(other.content_hash, version.content_hash)
  })

  test('are published when the gate passes, and become the content of the project', async () => {
    const project = await createProject(admin)
    const first = await create(project, '1.0')
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: BROKEN_XML })
    const { body } = await publish(first)
    assert.equal(body.published, true)
    assert.equal(body.version.status, 'published')
    assert.ok(body.version.published_at)
    assert.deepEqual(body.quality_gate_result.failed_rules, [])
    assert.equal(body.quality_gate_result.passed, true)
    const { body: after } = await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)
    assert.equal(after.rules_xml, RULES_XML)
    assert.equal(after.active_baseline_id, first.id)
    assert.equal(after.active_baseline_name, '1.0')
    assert.equal((await publish<Refusal>(first)).status, 409)
    const second = await create(project, '2.0')
    assert.equal((await publish(second)).body.published, true)
    assert.equal(await statusOf(first), 'archived')
    assert.deepEqual(
      (await list(project, '?status=published')).map(({ name }) => name),
      ['2.0'],
    )
  })

  test('stay drafts when the gate refuses them, with the reason', async () => {
    const project = await createProject(admin, { rules_xml: BROKEN_XML })
    const version = await create(project, 'broken')
    assert.ok(version.quality_score <= 59)
    const { status, body } = await publish(version)
    assert.equal(status, 200)
    assert.equal(body.published, false)
    assert.equal(body.version.status, 'draft')
    assert.equal(body.quality_gate_result.passed, false)
    const failed = new Map(body.quality_gate_result.failed_rules.map(({ rule, expected, actual }) => [rule, [expected, actual]]))
    assert.deepEqual(failed.get('max_errors'), [0, body.quality_gate_result.diagnostics_by_severity.error])
    assert.deepEqual(failed.get('min_quality_score'), [70, version.quality_score])
    const { body: after } = await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)
    assert.equal(after.active_baseline_id, null)
  })

  test('are evaluated with the current policy', async () => {
    const project = await createProject(admin)
    const path = `/platform/projects/${project.id}/quality-gate`
    const { body: policy } = await admin.client.get<Record<string, unknown>>(path)
    const { project_id, updated_at, ...fields } = policy
    assert.equal(project_id, project.id)
    assert.deepEqual(fields, {
      min_quality_score: 70,
      max_errors: 0,
      max_warnings: null,
      max_infos: null,
      require_regression_pass: true,
      min_case_count: 0,
      require_approved_review: false,
    })
    const version = await create(project, '1.0')
    const strict = await admin.client.patch<Record<string, unknown>>(path, { min_case_count: 1, require_approved_review: true, max_infos: 7 })
    assert.equal(strict.body.max_infos, 7)
    assert.equal(strict.body.min_quality_score, 70)
    const refused = await publish(version)
    assert.deepEqual(refused.body.quality_gate_result.failed_rules, [
      { rule: 'min_case_count', expected: 1, actual: 0 },
      { rule: 'require_approved_review', expected: true, actual: false },
    ])
    await admin.client.patch(path, { min_case_count: 0, require_approved_review: false })
    assert.equal((await publish(version)).body.published, true)
    for (const wrong of [{ min_quality_score: 101 }, { min_quality_score: null }, { max_errors: -1 }, { max_warnings: 1.5 }, { unknown: 1 }])
      assert.equal((await admin.client.patch(path, wrong)).status, 422, JSON.stringify(wrong))
  })

  test('that are refused name the diagnostics and the failing cases behind each failed rule, as a result or as an error', async () => {
    const orphans = Array.from({ length: 25 }, (_, i) => `<rule id="1002${String(i).padStart(2, '0')}" level="3">\n<if_sid>199999</if_sid>\n<description>x</description>\n</rule>`)
    const project = await createProject(admin, { rules_xml: `<group name="vpn,">\n${orphans.join('\n')}\n</group>\n` })
    const testCase = await createCase(admin, project.id, { name: 'Failed login', expected_rule: '100101' })
    const version = await create(project, '1.0')
    const { status, body } = await publish(version)
    assert.deepEqual([status, body.published], [200, false])
    const rules = new Map(body.quality_gate_result.failed_rules.map((rule) => [rule.rule, rule]))
    assert.deepEqual([...rules.keys()], ['min_quality_score', 'max_errors', 'require_regression_pass'])
    const { diagnostics, diagnostic_count, ...errors } = rules.get('max_errors')!
    assert.deepEqual([errors, diagnostic_count, diagnostics?.length], [{ rule: 'max_errors', expected: 0, actual: 25 }, 25, 20])
    assert.deepEqual(diagnostics?.[1], { code: 'rule_parent_missing', file: 'project_rules.xml', line: 7 })
    const cases = [{ id: testCase.id, name: 'Failed login' }]
    assert.deepEqual(rules.get('require_regression_pass'), { rule: 'require_regression_pass', expected: true, actual: false, cases, case_count: 1 })
    const score = rules.get('min_quality_score')!
    assert.deepEqual([score.diagnostics?.length, score.cases], [20, cases])

    const path = `/platform/projects/${project.id}/versions/${version.id}/publish`
    const error = await admin.client.post<Refusal>(`${path}?on_failure=error`, undefined, { headers: { 'x-locale': 'en-US' } })
    assert.deepEqual([error.status, error.body.code], [409, 'conflict'])
    assert.match(error.body.message, /: min_quality_score, max_errors, require_regression_pass\.$/)
    const told = error.body.details as unknown as Publish
    assert.deepEqual([told.published, told.version.id, told.quality_gate_result], [false, version.id, body.quality_gate_result])
    // A refusal that is stored as the result of its key happens once.
    const once = () => admin.client.post<Refusal>(`${path}?on_failure=error`, undefined, { headers: { 'Idempotency-Key': 'a-refused-publication' } })
    const [first, again] = [await once(), await once()]
    assert.deepEqual([first.status, again.status, again.body], [409, 409, first.body])
    const refusals = await admin.client.get<unknown[]>(`/platform/projects/${project.id}/audit?action=version.publish_failed`)
    assert.equal(refusals.body.length, 3)
    assert.equal((await admin.client.post(`${path}?on_failure=stop`)).status, 422)
    await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { min_quality_score: 0, max_errors: 25, require_regression_pass: false })
    assert.equal((await admin.client.post<Publish>(`${path}?on_failure=error`)).body.published, true)
  })

  test('are restored if they were published, otherwise not', async () => {
    const project = await createProject(admin)
    const first = await create(project, '1.0')
    await publish(first)
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: RULES_XML.replace('login failed', 'login refused') })
    const second = await create(project, '2.0')
    await publish(second)
    const { status, body } = await restore(first)
    assert.equal(status, 200)
    assert.equal(body.rules_xml, RULES_XML)
    assert.equal(body.active_baseline_id, first.id)
    assert.equal(await statusOf(first), 'published')
    assert.equal(await statusOf(second), 'archived')
    const draft = await create(project, '3.0')
    assert.equal((await restore<Refusal>(draft)).body.code, 'conflict')
    assert.equal((await archive(draft)).body.status, 'archived')
    assert.equal((await restore<Refusal>(draft)).status, 409)
    assert.equal((await publish<Refusal>(draft)).status, 409)
  })

  test('follow every edge of the table of transitions, and no other', async () => {
    const triggers: Readonly<Record<string, (version: ProjectVersionRecord) => Promise<Answer<unknown>>>> = { publish, restore, archive }
    for (const from of VERSION_STATUSES) {
      for (const [name, trigger] of Object.entries(triggers)) {
        const project = await createProject(admin)
        const version = await create(project, from)
        if (from !== 'draft') await publish(version)
        if (from === 'archived') await publish(await create(project, 'next'))
        assert.equal(await statusOf(version), from)
        const answer = await trigger(version)
        const to = (await statusOf(version)) as VersionStatus
        const edges: { readonly [To in VersionStatus]?: string } = VERSION_TRANSITIONS[from]
        if (to !== from) assert.ok(edges[to] !== undefined, `${from} became ${to} by ${name}`)
        const isEdge = Object.values(edges).some((by) => by.startsWith(name))
        // The content of the published version may be restored over edits of the project; it stays published.
        const again = from === 'published' && name === 'restore'
        assert.equal(answer.status, isEdge || again ? 200 : 409, `${name} of ${from}`)
        assert.equal(to !== from, isEdge, `${name} of ${from}`)
      }
    }
  })

  test('published concurrently leave one published version', async () => {
    const project = await createProject(admin)
    const versions = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(project, name)))
    const answers = await Promise.all(versions.map((version) => publish(version)))
    for (const { status } of answers) assert.ok(status === 200 || status === 409, String(status))
    assert.ok(answers.some(({ status }) => status === 200))
    const published = (await list(project)).filter(({ status }) => status === 'published')
    assert.equal(published.length, 1)
    const { body } = await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)
    assert.equal(body.active_baseline_id, published[0].id)
  })

  test('published twice concurrently are published once', async () => {
    const project = await createProject(admin)
    const version = await create(project, '1.0')
    const answers = await Promise.all([1, 2, 3, 4].map(() => publish(version)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const { body } = await admin.client.get<{ action: string; resource_id: string }[]>(`/platform/audit?action=version.published&resource_id=${version.id}`)
    assert.equal(body.length, 1)
  })

  test('return the same answer for the same Idempotency-Key', async () => {
    const project = await createProject(admin)
    const version = await create(project, '1.0')
    const first = await publish(version, { 'Idempotency-Key': 'publish-1' })
    const again = await publish(version, { 'Idempotency-Key': 'publish-1' })
    assert.equal(first.status, 200)
    assert.deepEqual(again.body, first.body)
  })

  test('are missing in another project', async () => {
    const [one, other] = [await createProject(admin), await createProject(admin)]
    const version = await create(one, '1.0')
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['POST', '/publish'],
      ['POST', '/restore'],
      ['POST', '/archive'],
    ])
      assert.equal((await admin.client.call<Refusal>(method, `/platform/projects/${other.id}/versions/${version.id}${path}`)).status, 404, path)
    for (const fields of [{ source_workspace_id: version.id }, { source_review_id: version.id }])
      assert.equal((await admin.client.post(`/platform/projects/${one.id}/versions`, { name: 'x', ...fields })).status, 404)
    assert.equal((await admin.client.get(`/platform/projects/${version.id}/versions`)).status, 404)
  })

  test('are created by engineers, and published by leads', async () => {
    const project = await createProject(admin)
    const engineer = await addMember(admin, 'engineer', 'versions-engineer@example.test')
    const version = await create(project, 'by an engineer', engineer)
    const path = `/platform/projects/${project.id}/versions/${version.id}/publish`
    assert.equal((await engineer.client.post(path)).status, 403)
    const key = await createKey(admin, ['versions:write'])
    assert.equal((await key.client.post<Publish>(path)).body.published, true)
  })

  test('are recorded in the audit trail', async () => {
    const project = await createProject(admin)
    const version = await create(project, '1.0')
    await publish(version)
    await restore(version)
    const { body } = await admin.client.get<{ action: string }[]>(`/platform/audit?resource_id=${version.id}&order=asc`)
    assert.deepEqual(
      body.map(({ action }) => action),
      ['version.created', 'version.published', 'version.restored'],
    )
  })

  test('of an imported workspace keep its commit and files, and become the base of the binding when they are published', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    const imported = async (commit: string) => {
      const workspace = await openWorkspace(admin, project.id)
      const git = { git_binding_id: '11111111-1111-4111-8111-111111111111', git_repo: 'soc/rules', git_branch: 'main', git_commit_sha: commit }
      await scope.collection(WORKSPACES).update({ _id: workspace.id }, { set: git })
      const files = [{ path: 'rules/a.xml', kind: 'rules' as const, xml: `<!-- ${commit} -->`, sha: commit, rule_ids: ['100100'], decoder_names: [] }]
      await scope.collection(CONTENTS).update({ _id: workspace.id }, { set: { source_files: files } })
      const { body } = await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: commit, source_workspace_id: workspace.id })
      assert.deepEqual([body.git_binding_id, body.git_commit_sha], [git.git_binding_id, commit])
      return { version: body, files, bindingId: git.git_binding_id }
    }
    const base = async (id: string) => {
      const found = await scope.collection(GIT_BASES).findOne({ _id: id })
      return found === null ? null : [found.project_id, found.commit_sha, found.files]
    }
    const { version: first, files, bindingId } = await imported('aaaa')
    assert.equal(await base(bindingId), null)
    await scope.collection(GIT_REVIEW_BASES).insert({ _id: bindingId, project_id: project.id, commit_sha: 'cccc', files: [], origin: null, updated_at: new Date() })
    assert.equal((await publish(first)).body.published, true)
    assert.deepEqual(await base(bindingId), [project.id, 'aaaa', files])
    assert.equal(await scope.collection(GIT_REVIEW_BASES).findOne({ _id: bindingId }), null)
    const { version: second, files: newer } = await imported('bbbb')
    assert.equal((await publish(second)).body.published, true)
    assert.deepEqual(await base(bindingId), [project.id, 'bbbb', newer])
    assert.equal((await restore(first)).status, 200)
    const own = await create(project, 'of the project')
    assert.deepEqual([own.git_binding_id, own.git_commit_sha], [null, null])
    assert.equal((await publish(own)).body.published, true)
    assert.deepEqual(await base(bindingId), [project.id, 'bbbb', newer])
  })
})
