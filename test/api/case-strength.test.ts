/** The conditions of the quality gate about what the cases are worth: measured in the background, stored, and shown wherever the gate is. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { QualityGateResult } from '../../server/content/quality-gate/schema.js'
import { CASE_STRENGTHS } from '../../server/content/shared/case-strength.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, FAILED_LOGIN, openWorkspace, RULES_XML } from '../support/projects.js'
import { assertReportPage } from '../support/report-pages.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

/** As `FAILED_LOGIN`, but for the action: rule 100101 asks for `failed`. */
const ACCEPTED_LOGIN = FAILED_LOGIN.replace('failed', 'accepted')
/** A log of another program than `FAILED_LOGIN`, which no rule of the project matches. */
const OTHER = 'Jan  5 10:11:12 web1 crond[7]: nothing to do'

describe(`what cases are worth, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const require = async (project: ProjectRecord, policy: Record<string, unknown>): Promise<void> => {
    const { status, text } = await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, policy)
    assert.equal(status, 200, text)
  }
  const overview = async (project: ProjectRecord): Promise<QualityGateResult> => {
    const { status, body, text } = await admin.client.get<{ quality_gate_result: QualityGateResult }>(`/platform/projects/${project.id}/overview`)
    assert.equal(status, 200, text)
    return body.quality_gate_result
  }
  /** The result when nothing is pending any more; the first one must have been. */
  const settled = async (project: ProjectRecord): Promise<QualityGateResult> => {
    for (let result = await overview(project); ; result = await overview(project)) if (!result.failed_rules.some(({ state }) => state === 'pending')) return result
  }
  const stored = (project: ProjectRecord) => scopeOf(app, admin).collection(CASE_STRENGTHS).find({ project_id: project.id })

  test('the share of own rules with a case is limited, and the rules without one are named', async () => {
    const project = await createProject(admin)
    assert.equal((await overview(project)).rule_coverage, 0)
    await require(project, { min_rule_coverage: 0.75 })
    // The event matches 100100 alone.
    await storeCase(scopeOf(app, admin), project, { event_text: ACCEPTED_LOGIN, expected_rule: '100100' })
    const half = await overview(project)
    assert.deepEqual([half.state, half.rule_coverage], ['failed', 0.5])
    assert.deepEqual(half.failed_rules, [{ rule: 'min_rule_coverage', expected: 0.75, actual: 0.5, rules: ['100101'], rule_count: 1 }])
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    assert.deepEqual([(await overview(project)).state, (await overview(project)).rule_coverage], ['passed', 1])
    await require(project, { min_rule_coverage: null })
    assert.equal((await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { min_rule_coverage: 1.5 })).status, 422)
  })

  test('a rule with a case needs one that just misses it and passes; the first reader does not wait', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    await require(project, { require_negative_cases: true })
    const first = await overview(project)
    assert.deepEqual([first.passed, first.state, first.rules_without_negative_case], [false, 'pending', null])
    assert.deepEqual(first.failed_rules, [{ rule: 'require_negative_cases', expected: true, actual: null, state: 'pending' }])
    const lacking = await settled(project)
    assert.deepEqual(lacking.failed_rules, [{ rule: 'require_negative_cases', expected: true, actual: false, rules: ['100100', '100101'], rule_count: 2 }])
    // A case that fails shows nothing.
    await storeCase(scope, project, { event_text: ACCEPTED_LOGIN, expected_rule: '1' })
    assert.equal((await settled(project)).rules_without_negative_case, 2)
    await storeCase(scope, project, { event_text: ACCEPTED_LOGIN, expected_rule: '100100' })
    assert.equal((await settled(project)).rules_without_negative_case, 1)
    await storeCase(scope, project, { event_text: OTHER, forbidden_rule_ids: ['100100'] })
    assert.equal((await settled(project)).rules_without_negative_case, 0)
  })

  test('a measurement is stored by content and cases, and not made again', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    assert.equal((await stored(project)).length, 0)
    await require(project, { require_negative_cases: true })
    await settled(project)
    const [one, ...others] = await stored(project)
    assert.equal(others.length, 0)
    assert.deepEqual(JSON.parse(one.result_json), { lacking: ['100100', '100101'], lacking_count: 2, positive_count: 2 })
    await settled(project)
    assert.equal((await stored(project)).length, 1)
  })

  test('a version waits for its measurement without a failure that anybody is told of', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    await require(project, { require_negative_cases: true, require_regression_pass: false })
    const workspace = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('level="5"', 'level="6"') })
    const { body: version } = await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: '1', source_workspace_id: workspace.id })
    const publish = async () => {
      const { status, body, text } = await admin.client.post<{ published: boolean; quality_gate_result: QualityGateResult }>(
        `/platform/projects/${project.id}/versions/${version.id}/publish`,
      )
      assert.equal(status, 200, text)
      return body
    }
    const first = await publish()
    assert.deepEqual([first.published, first.quality_gate_result.state], [false, 'pending'])
    const { body: trail } = await admin.client.get<readonly { action: string }[]>(`/platform/projects/${project.id}/audit`)
    assert.ok(!JSON.stringify(trail).includes('version.publish_failed'))
    let last = first
    while (last.quality_gate_result.state === 'pending') last = await publish()
    assert.deepEqual(
      last.quality_gate_result.failed_rules.map(({ rule, actual }) => [rule, actual]),
      [['require_negative_cases', false]],
    )
  })

  test('the report names the state and the rules, in both languages', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    await require(project, { require_negative_cases: true })
    const report = async (locale: string) => {
      const { text } = await admin.client.get(`/platform/projects/${project.id}/report`, { headers: { accept: 'text/html', 'x-locale': locale } })
      assertReportPage(text)
      return text
    }
    assert.match(await report('pt-BR'), /ainda não medido/)
    await settled(project)
    assert.match(await report('en-US'), /Every own rule with a case has a negative one: 100100, 100101/)
    assert.match(await report('pt-BR'), /Toda regra própria com um caso tem um caso negativo: 100100, 100101/)
  })

  test('the mutation score is measured once, and names what survives with the case that would kill it', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    await require(project, { min_mutation_score: 0.99 })
    const first = await overview(project)
    assert.deepEqual(first.failed_rules, [{ rule: 'min_mutation_score', expected: 0.99, actual: null, state: 'pending' }])
    const low = await settled(project)
    assert.ok(low.mutation !== null && low.mutation.score !== null)
    const { score, killed_count: killed, survived_count: survived, unknown_count: unknown, survivors } = low.mutation
    assert.ok(killed > 0 && survived > 0)
    assert.equal(score, Math.floor((killed * 10_000) / (killed + survived + unknown)) / 10_000)
    assert.deepEqual([low.state, low.failed_rules], ['failed', [{ rule: 'min_mutation_score', expected: 0.99, actual: score }]])
    // With the killing cases the score is better.
    const named = survivors.flatMap(({ killing_case: one }) => (one === null ? [] : [one as { name: string }]))
    assert.ok(named.length > 0)
    const killers = [...new Map(named.map((one) => [one.name, one])).values()]
    for (const one of killers) {
      const { status, text } = await admin.client.post(`/platform/projects/${project.id}/cases`, one)
      assert.equal(status, 200, text)
    }
    const better = await settled(project)
    assert.ok((better.mutation?.score ?? 0) > score)
    assert.equal((await stored(project)).length, 2)
    const report = await admin.client.get(`/platform/projects/${project.id}/report`, { headers: { accept: 'text/html', 'x-locale': 'pt-BR' } })
    assertReportPage(report.text)
    assert.match(report.text, /Nota de mutação: 0,/)
  })

  test('where a case fails there is no score, and the gate does not prove it', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '1' })
    await require(project, { min_mutation_score: 0, require_regression_pass: false, min_quality_score: 0 })
    const { state, failed_rules, mutation } = await settled(project)
    assert.deepEqual([state, failed_rules], ['not_proven', [{ rule: 'min_mutation_score', expected: 0, actual: null, state: 'not_proven' }]])
    assert.deepEqual([mutation?.score, mutation?.failed_case_count], [null, 1])
  })

  test('content with which Wazuh does not start is not measured, and not proven', async () => {
    const project = await createProject(admin, { rules_xml: RULES_XML.replace('id="100101"', 'id="x"') })
    await require(project, { require_negative_cases: true, max_errors: 9, min_quality_score: 0, require_regression_pass: false })
    const { state, failed_rules } = await overview(project)
    assert.deepEqual([state, failed_rules], ['not_proven', [{ rule: 'require_negative_cases', expected: true, actual: null, state: 'not_proven' }]])
  })
})
