/** The report about a project over HTTP: as JSON, and as a page for printing. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import { html } from '../../server/core/http/text/html.js'
import { USAGE } from '../../server/core/tenancy/usage.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { createProject, FAILED_LOGIN, GOOD_LOGIN, openWorkspace, RULES_XML } from '../support/projects.js'
import { assertReportPage, HOSTILE } from '../support/report-pages.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Report {
  readonly project: ProjectRecord
  readonly generated_at: string
  readonly published_version: ProjectVersionRecord | null
  readonly quality: {
    readonly score: number
    readonly is_capped: boolean
    readonly terms: readonly { readonly term: string; readonly points: number; readonly most: number; readonly title: string; readonly explanation: string }[]
  }
  readonly quality_gate_policy: Readonly<Record<string, unknown>>
  readonly quality_gate_result: { readonly passed: boolean }
  readonly validation: {
    readonly loads: boolean
    readonly total: number
    readonly diagnostics_by_severity: Readonly<Record<string, number>>
    readonly findings: readonly { readonly severity: string; readonly code: string; readonly filename: string; readonly line: number | null; readonly message: string }[]
  }
  readonly regression: {
    readonly total: number
    readonly passed: number
    readonly failed: number
    readonly failing: readonly { readonly case_id: string; readonly name: string; readonly checks: readonly { readonly expected: string; readonly actual: string }[] }[]
  }
  readonly coverage: {
    readonly rules: { readonly total: number; readonly covered: number; readonly untested: readonly { readonly rule_id: string; readonly line: number }[] }
    readonly files: readonly { readonly filename: string; readonly total: number; readonly covered: number }[]
    readonly file_count: number
    readonly levels: readonly { readonly level: number; readonly total: number; readonly covered: number }[]
  }
  readonly attack: { readonly techniques: readonly { readonly id: string; readonly rules: readonly string[]; readonly covered: number }[] }
  readonly versions: readonly ProjectVersionRecord[]
  readonly semantic_counts: Readonly<Record<string, number>>
}

describe(`the report about a project, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const report = async ({ id }: Pick<ProjectRecord, 'id'>, headers: Record<string, string> = {}): Promise<Report> => {
    const { status, body, text } = await admin.client.get<Report>(`/platform/projects/${id}/report`, { headers })
    assert.equal(status, 200, text)
    return body
  }
  const page = async ({ id }: Pick<ProjectRecord, 'id'>, locale = 'en-US', accept = 'text/html'): Promise<Answer> => {
    const answer = await admin.client.get(`/platform/projects/${id}/report`, { headers: { Accept: accept, 'x-locale': locale } })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }

  test('explains the score, the gate, the findings, the cases, untested rules, and the techniques', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    const passing = await storeCase(scope, project, { name: 'good', event_text: GOOD_LOGIN, expected_rule: '100100' })
    const failing = await storeCase(scope, project, { name: 'bad', event_text: GOOD_LOGIN, expected_rule: '100101', expected_decoder: 'vpn' }, 1)
    const body = await report(project)
    assert.deepEqual(
      body.quality.terms.map(({ term, points, most }) => [term, points, most]),
      [
        ['errors', 0, 60],
        ['warnings', 0, 24],
        ['infos', 0, 6],
        ['untested_rules', 10, 20],
        ['failed_cases', 15, 30],
      ],
    )
    assert.equal(body.quality.score, 75)
    assert.equal(body.quality.is_capped, false)
    assert.equal(100 - body.quality.terms.reduce((sum, { points }) => sum + points, 0), body.quality.score)
    assert.equal(body.quality_gate_result.passed, false)
    assert.deepEqual(body.validation, {
      loads: true,
      total: 0,
      diagnostics_by_severity: { error: 0, warning: 0, info: 0, success: 0 },
      diagnostics_by_code: {},
      findings: [],
    })
    assert.deepEqual([body.regression.total, body.regression.passed, body.regression.failed], [2, 1, 1])
    assert.deepEqual(
      body.regression.failing.map(({ case_id, name, checks }) => [case_id, name, checks.map(({ expected, actual }) => [expected, actual])]),
      [[failing, 'bad', [['100101', '100100']]]],
    )
    assert.ok(!JSON.stringify(body.regression).includes(passing))
    assert.deepEqual(body.coverage.rules, { total: 2, covered: 1, untested: [{ rule_id: '100101', filename: 'project_rules.xml', line: 6 }] })
    assert.deepEqual(body.coverage.files, [{ filename: 'project_rules.xml', total: 2, covered: 1 }])
    assert.equal(body.coverage.file_count, 1)
    assert.deepEqual(body.coverage.levels, [
      { level: 3, total: 1, covered: 1 },
      { level: 5, total: 1, covered: 0 },
    ])
    assert.deepEqual(body.attack.techniques, [{ id: 'T1110', rules: ['100101'], tested: [], covered: 0 }])
    assert.equal(body.semantic_counts.total_rules, 2)
    assert.equal(body.published_version, null)
    assert.ok(!Object.keys(body.project).some((name) => name.endsWith('_xml')))
    assert.equal(body.project.id, project.id)
  })

  test('explains the terms in both languages', async () => {
    // Wazuh drops the third rule, which counts as untested.
    const lost = '\n<group name="x,"><rule id="100105" level="3"><if_sid>99999</if_sid><description>x</description></rule></group>'
    const project = await createProject(admin, { rules_xml: `${RULES_XML}${lost}` })
    await storeCase(scopeOf(app, admin), project, { name: 'bad', event_text: FAILED_LOGIN, expected_rule: '100101' })
    const [english, portuguese] = [await report(project), await report(project, { 'x-locale': 'pt-BR' })]
    assert.equal(english.quality.is_capped, true)
    assert.equal(english.quality.score, 59)
    assert.equal(english.quality.terms[0].title, 'Errors')
    assert.match(english.quality.terms[0].explanation, /^Errors in the content: 1\. Each deducts 20 points, up to 60\./)
    assert.equal(portuguese.quality.terms[0].title, 'Erros')
    assert.match(portuguese.quality.terms[0].explanation, /^Erros no conteúdo: 1\. Cada um desconta 20 pontos, até 60\./)
    for (const { title, explanation } of [...english.quality.terms, ...portuguese.quality.terms]) assert.ok(!/[{}]/.test(title + explanation), explanation)
    const { line } = english.validation.findings[0]
    assert.deepEqual(english.coverage.rules, { total: 3, covered: 2, untested: [{ rule_id: '100105', filename: 'project_rules.xml', line }] })
    assert.equal(english.semantic_counts.total_rules, 2)
    const [finding] = english.validation.findings
    assert.deepEqual([finding.severity, finding.code, finding.filename, finding.line], ['error', 'rule_parent_missing', 'project_rules.xml', RULES_XML.split('\n').length + 1])
    assert.notEqual(portuguese.validation.findings[0].message, finding.message)
  })

  test('names the published version and the newest ten', async () => {
    const project = await createProject(admin)
    const versions: ProjectVersionRecord[] = []
    for (let i = 1; i <= 11; i++) versions.push((await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: `v${i}` })).body)
    await admin.client.post(`/platform/projects/${project.id}/versions/${versions[0].id}/publish`)
    const body = await report(project)
    assert.equal(body.published_version?.name, 'v1')
    assert.deepEqual(
      body.versions.map(({ name }) => name),
      ['v11', 'v10', 'v9', 'v8', 'v7', 'v6', 'v5', 'v4', 'v3', 'v2'],
    )
  })

  test('lists the first thousand findings and failing cases, and counts all', async () => {
    const rules = Array.from({ length: 1200 }, (_, i) => `<rule id="${100100 + i}" level="3"><if_sid>99999</if_sid><description>x</description></rule>`).join('\n')
    const project = await createProject(admin, { rules_xml: `<group name="x,">\n${rules}\n</group>` })
    await storeCase(scopeOf(app, admin), project, {
      event_text: GOOD_LOGIN,
      expected_rule: '9'.repeat(2000),
      expected_fields: Array.from({ length: 60 }, (_, i) => ({ name: `field${i}`, value: 'x' })),
    })
    const body = await report(project)
    assert.equal(body.validation.findings.length, 1000)
    assert.equal(
      body.validation.total,
      body.validation.diagnostics_by_severity.error + body.validation.diagnostics_by_severity.warning + body.validation.diagnostics_by_severity.info,
    )
    assert.ok(body.validation.total >= 1200)
    const [{ checks }] = body.regression.failing
    assert.equal(checks.length, 20)
    assert.ok(checks.every(({ expected }) => expected.length <= 501))
    assert.ok(checks.some(({ expected }) => expected.endsWith('…')))
  })

  test('is JSON unless a page is preferred', async () => {
    const project = await createProject(admin)
    for (const accept of ['application/json', '*/*', 'application/json, text/html;q=0.5', 'image/png', 'text/html;q=0'])
      assert.match((await page(project, 'en-US', accept)).headers.get('content-type') ?? '', /^application\/json/, accept)
    for (const accept of ['text/html', 'text/html, application/json;q=0.9', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'])
      assert.equal((await page(project, 'en-US', accept)).headers.get('content-type'), 'text/html; charset=utf-8', accept)
    assert.match((await page(project)).headers.get('vary') ?? '', /accept/i)
  })

  test('is a page that runs nothing, loads nothing, and can be printed', async () => {
    const project = await createProject(admin)
    const { text, headers } = await page(project)
    const policy = headers.get('content-security-policy') ?? ''
    assertReportPage(text)
    const own = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]
    assert.equal(policy, `${own}; frame-ancestors 'none'`)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('describes the project in both languages', async () => {
    const project = await createProject(admin, { name: 'VPN & proxy', description: 'What the gateways say' })
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { name: 'a failed login', event_text: GOOD_LOGIN, expected_rule: '100101' })
    const version = await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: '2026.11' })
    await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { require_regression_pass: false, min_quality_score: 0 })
    await admin.client.post(`/platform/projects/${project.id}/versions/${version.body.id}/publish`)
    await admin.client.patch(`/platform/projects/${project.id}/quality-gate`, { min_quality_score: 90 })
    const english = await page(project)
    for (const part of [
      '<html lang="en-US">',
      'Quality report: VPN &amp; proxy',
      'What the gateways say',
      'Published version: <bdi>2026.11</bdi>.',
      'Not passed: this content may not be published.',
      'Minimum quality score</td><td class="number">90</td><td class="number"><span class="bad">60</span>',
      'Wazuh would start with this content.',
      '0 of 1 cases pass.',
      'a failed login',
      '1 of 2 rules are tested.',
      '<td>T1110 <span class="quiet">Brute Force</span></td><td>100101</td><td class="number">0\u00a0of\u00a01</td>',
      '<td>project_rules.xml</td><td class="drawn"><svg class="bar" width="100%" height="10" aria-hidden="true"><rect class="track" x="0" y="0.5" width="100%" height="9"/><rect class="full" x="0%" y="0.5" width="50%" height="9"/>',
      '<svg class="chart" width="100%" height="156" role="img" aria-label="Rules by level">',
      '<title>Level 5: 0 of 1 rules are tested</title>',
      '<title>T1110 Brute Force: rules: 1, tested: 0</title>',
      'Cases that fail: 1 of 1.',
    ])
      assert.ok(english.text.includes(part), `${part}\n${english.text}`)
    assert.equal(english.headers.get('content-language'), 'en-US')
    const portuguese = await page(project, 'pt-BR')
    for (const part of ['<html lang="pt-BR">', 'Relatório de qualidade: VPN &amp; proxy', 'Versão publicada: <bdi>2026.11</bdi>.', 'Não aprovado', '0 de 1 casos passam.'])
      assert.ok(portuguese.text.includes(part), part)
    for (const { text } of [english, portuguese]) assertReportPage(text)
  })

  test('escapes names, XML and events that would be markup', async () => {
    const named = HOSTILE.replaceAll('<', '&lt;')
    const project = await createProject(admin, {
      name: HOSTILE,
      description: HOSTILE,
      rules_xml: `<group name="x,"><rule id="100100" level="3"><decoded_as>${named}</decoded_as><description>${HOSTILE.replaceAll('<', '')}</description></rule><${'script'}>alert(1)</${'script'}></group>`,
    })
    await storeCase(scopeOf(app, admin), project, { name: HOSTILE, event_text: `${HOSTILE}\u202e\u0007`, expected_rule: HOSTILE, expected_decoder: '\u202e\u0000' })
    await admin.client.post(`/platform/projects/${project.id}/versions`, { name: HOSTILE })
    const { text } = await page(project)
    assert.doesNotMatch(text, /<script|<img|<\/style>[\s\S]*<\/style>|alert\(1\)<\/script/i)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
    assert.doesNotMatch(text, /[\u202e\u0000\u0007]/)
    assert.ok(text.includes('&lt;script&gt;'))
    assertReportPage(text)
  })

  test('is available to everyone who may see the project', async () => {
    const project = await createProject(admin)
    const reader = await addMember(admin, 'read_only', 'report-reader@example.test')
    assert.equal((await reader.client.get(`/platform/projects/${project.id}/report`)).status, 200)
  })

  test('takes no units of the plan', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { event_text: FAILED_LOGIN })
    const { id: workspace } = await openWorkspace(admin, project.id, { rules_xml: '' })
    assert.equal((await report(project)).regression.total, 1)
    assert.equal((await admin.client.post(`/platform/projects/${project.id}/impact/${workspace}`)).status, 200)
    // Counts are written a little later: when the unit of a later logtest is written, earlier ones are.
    assert.equal((await admin.client.post('/analysis/logtest-native', { input: { event: GOOD_LOGIN } })).status, 200)
    const consumed = async (): Promise<number> => (await scope.collection(USAGE).find({ metric: 'analysis_runs' })).reduce((sum, usage) => sum + usage.consumed, 0)
    while ((await consumed()) === 0) await setTimeout(50)
    assert.equal(await consumed(), 1)
  })
})

describe('the template of markup', () => {
  test('escapes every value that it did not create itself', () => {
    const inner = html`<b>${'<i>'}</b>`
    assert.equal(
      html`<p title="${'"x" & \'y\''}">${inner}${[inner, inner]}${7}</p>`.text,
      '<p title="&quot;x&quot; &amp; &#39;y&#39;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>7</p>',
    )
    assert.equal(html`${'a\u0000\u202eb\n\tc'}`.text, 'a\\u0000\\u202eb\n\tc')
  })
})
