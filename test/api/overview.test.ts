/** The overview of a project over HTTP, and its audit trail. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PROJECT_MEMBERS } from '../../server/content/shared/project-roles.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import { newId } from '../../server/core/storage/id.js'
import { type Actor, addMember, bootstrap, createKey } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, DECODERS_XML, FAILED_LOGIN, GOOD_LOGIN } from '../support/projects.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Overview {
  readonly project: ProjectRecord
  readonly quality_score: number
  readonly quality_gate_policy: Readonly<Record<string, unknown>>
  readonly quality_gate_result: {
    readonly passed: boolean
    readonly failed_rules: readonly { readonly rule: string }[]
    readonly case_count: number
    readonly failed_cases: number
  }
  readonly semantic_counts: Readonly<Record<string, number>>
  readonly recent_versions: readonly ProjectVersionRecord[]
  readonly recent_audit: readonly { readonly action: string; readonly project_id: string }[]
  readonly diagnostics_by_severity: Readonly<Record<string, number>>
  readonly diagnostics_by_code: Readonly<Record<string, number>>
}

describe(`the overview of a project, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const overview = async ({ id }: Pick<ProjectRecord, 'id'>, { client }: Pick<Actor, 'client'> = admin): Promise<Overview> => {
    const { status, body, text } = await client.get<Overview>(`/platform/projects/${id}/overview`)
    assert.equal(status, 200, text)
    return body
  }

  test('has every field of the contract', async () => {
    const project = await createProject(admin)
    const body = await overview(project)
    assert.deepEqual(Object.keys(body).sort(), [
      'diagnostics_by_code',
      'diagnostics_by_severity',
      'project',
      'quality_gate_policy',
      'quality_gate_result',
      'quality_score',
      'recent_audit',
      'recent_versions',
      'semantic_counts',
    ])
    assert.deepEqual(body.project, (await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)).body)
    assert.deepEqual(body.quality_gate_policy, (await admin.client.get<Record<string, unknown>>(`/platform/projects/${project.id}/quality-gate`)).body)
    assert.deepEqual(body.semantic_counts, {
      total_rules: 2,
      total_decoders: 2,
      total_lists: 0,
      root_decoders: 1,
      terminal_decoders: 1,
      correlation_rules: 0,
      attack_tagged_rules: 1,
      silent_rules: 0,
      attack_techniques: 1,
    })
    assert.deepEqual(body.diagnostics_by_severity, { error: 0, warning: 0, info: 0, success: 0 })
    assert.deepEqual(body.diagnostics_by_code, {})
    // No case covers its rules.
    assert.equal(body.quality_score, 80)
    assert.equal(body.quality_gate_result.passed, true)
  })

  test('follows the content, the cases and the policy', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    assert.equal((await overview(project)).quality_score, 100)
    await storeCase(scope, project, { event_text: GOOD_LOGIN, expected_rule: '100101' })
    const failing = await overview(project)
    assert.equal(failing.quality_score, 85)
    assert.deepEqual([failing.quality_gate_result.case_count, failing.quality_gate_result.failed_cases], [2, 1])
    assert.deepEqual(
      failing.quality_gate_result.failed_rules.map(({ rule }) => rule),
      ['require_regression_pass'],
    )
    await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { require_regression_pass: false })
    const lenient = await overview(project)
    assert.equal(lenient.quality_gate_result.passed, true)
    assert.equal(lenient.quality_gate_policy.require_regression_pass, false)
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: project.rules_xml.replace('<if_sid>100100</if_sid>', '<if_sid>99999</if_sid>') })
    const broken = await overview(project)
    assert.ok(broken.quality_score <= 59)
    assert.ok(broken.diagnostics_by_severity.error > 0)
    assert.equal(
      Object.values(broken.diagnostics_by_code).reduce((sum, count) => sum + count, 0),
      Object.values(broken.diagnostics_by_severity).reduce((sum, count) => sum + count, 0),
    )
  })

  test('shows the newest five versions and ten audit entries', async () => {
    const project = await createProject(admin)
    for (let i = 1; i <= 6; i++) await admin.client.post(`/platform/projects/${project.id}/versions`, { name: `v${i}` })
    for (let i = 1; i <= 6; i++) await admin.client.patch(`/platform/projects/${project.id}`, { description: `change ${i}` })
    const { recent_versions, recent_audit } = await overview(project)
    assert.deepEqual(
      recent_versions.map(({ name }) => name),
      ['v6', 'v5', 'v4', 'v3', 'v2'],
    )
    assert.deepEqual(
      recent_audit.map(({ action }) => action),
      [...Array<string>(6).fill('project.updated'), ...Array<string>(4).fill('version.created')],
    )
    for (const entry of recent_audit) assert.equal(entry.project_id, project.id)
  })

  test('shows the audit trail only with the permission, which may be a role in the project', async () => {
    const project = await createProject(admin)
    const engineer = await addMember(admin, 'engineer', 'overview-engineer@example.test')
    assert.deepEqual((await overview(project, engineer)).recent_audit, [])
    assert.equal((await engineer.client.get(`/platform/projects/${project.id}/audit`)).status, 403)
    const now = new Date()
    await scopeOf(app, admin)
      .collection(PROJECT_MEMBERS)
      .insert({ _id: newId(), project_id: project.id, user_id: engineer.userId, role: 'reviewer', created_at: now, updated_at: now, revision: 1 })
    assert.equal((await overview(project, engineer)).recent_audit.length, 1)
    assert.equal((await engineer.client.get(`/platform/projects/${project.id}/audit`)).status, 200)
    const other = await createProject(admin)
    assert.deepEqual((await overview(other, engineer)).recent_audit, [])
    const reading = await createKey(admin, ['projects:read'])
    assert.deepEqual((await overview(project, reading)).recent_audit, [])
    const both = await createKey(admin, ['projects:read', 'audit:read'])
    assert.equal((await overview(project, both)).recent_audit.length, 1)
  })

  test('works for any content, and reports what is wrong with it', async () => {
    const hostile = [
      { rules_xml: '<group name="x,"><rule' },
      { rules_xml: '\u0001\u0002 no xml at all' },
      { decoders_xml: '<decoder name="a"><parent>a</parent></decoder>' },
      {
        rules_xml:
          '<group name="x,"><rule id="100100" level="3"><decoded_as>vpn</decoded_as><regex type="pcre2">(a+)+(b+)+(c+)+$</regex><description>slow</description></rule></group>',
      },
      { rules_xml: `<group name="x,">${'<rule id="100100" level="3"><description>'.repeat(2000)}` },
      { rules_xml: '', decoders_xml: '' },
    ]
    for (const content of hostile) {
      const project = await createProject(admin, content)
      await storeCase(scopeOf(app, admin), project, { event_text: `Nov 21 08:15:30 gw1 vpnd[311]: ${'a'.repeat(3000)}`, expected_rule: '100100' })
      const body = await overview(project)
      const isFine = content.rules_xml === '' || content.rules_xml?.includes('pcre2') === true
      assert.equal(body.diagnostics_by_severity.error > 0, !isFine, JSON.stringify([content, body.diagnostics_by_code]).slice(0, 500))
      assert.equal(body.quality_gate_result.failed_cases, 1)
    }
  })

  test('counts diagnostics that no list shows', async () => {
    const project = await createProject(admin, { rules_xml: `<group name="x,"><rule id="100100" level="3"><description>d</description>${'<x>1</x>'.repeat(250)}</rule></group>` })
    const { diagnostics_by_severity, diagnostics_by_code, quality_gate_result } = await overview(project)
    assert.deepEqual([diagnostics_by_severity.error, diagnostics_by_code.rule_element_unknown], [250, 250])
    assert.equal(quality_gate_result.passed, false)
  })

  test('is missing if the project is', async () => {
    for (const path of ['overview', 'audit', 'report']) assert.equal((await admin.client.get(`/platform/projects/00000000-0000-4000-8000-000000000000/${path}`)).status, 404)
  })

  test('the audit trail of a project has its entries only, and supports the filters of the whole trail', async () => {
    const [one, other] = [await createProject(admin), await createProject(admin, { decoders_xml: DECODERS_XML })]
    await admin.client.patch(`/platform/projects/${one.id}`, { description: 'changed' })
    await admin.client.patch(`/platform/projects/${other.id}`, { description: 'changed' })
    const path = `/platform/projects/${one.id}/audit`
    const all = await admin.client.get<{ action: string; project_id: string; actor_id: string }[]>(path)
    assert.deepEqual(
      all.body.map(({ action, project_id }) => [action, project_id]),
      [
        ['project.updated', one.id],
        ['project.created', one.id],
      ],
    )
    assert.equal(all.headers.get('x-total-count'), '2')
    assert.equal((await admin.client.get<unknown[]>(`${path}?action=project.created`)).body.length, 1)
    assert.equal((await admin.client.get<unknown[]>(`${path}?actor_id=${admin.userId}&resource_type=project&limit=1`)).body.length, 1)
    assert.equal((await admin.client.get<unknown[]>(`${path}?from=2100-01-01T00:00:00Z`)).body.length, 0)
    assert.deepEqual(
      (await admin.client.get<{ action: string }[]>(`${path}?order=asc`)).body.map(({ action }) => action),
      ['project.created', 'project.updated'],
    )
    assert.equal((await admin.client.get(`${path}?project_id=${other.id}`)).status, 422)
  })
})
