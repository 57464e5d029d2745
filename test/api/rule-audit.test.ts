/** The audit of a project's rules, the events that fire them and what happens to them in Wazuh 5 or with another ruleset, over HTTP; and what the report says about it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AuditRecord, SigmaRecord, UpgradeFinding, WitnessRecord } from '#engine'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { createCase, createProject, openWorkspace, RULES_XML } from '../support/projects.js'
import { FOUNDATION } from '../support/rulesets.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Audit {
  readonly loads: boolean
  readonly is_complete: boolean
  readonly never_fire_count: number
  readonly counts: Readonly<Record<string, number>>
  readonly rules: readonly AuditRecord[]
}

interface Witnesses {
  readonly loads: boolean
  readonly is_complete: boolean
  readonly fires_count: number
  readonly cannot_fire_count: number
  readonly rules: readonly WitnessRecord[]
}

interface Wazuh5 {
  readonly loads: boolean
  readonly is_complete: boolean
  readonly untried_count: number
  readonly counts: Readonly<Record<string, number>>
  readonly rules: readonly (SigmaRecord & { readonly filename: string })[]
}

interface Upgrade {
  readonly from_loads: boolean
  readonly to_loads: boolean
  readonly content_loads: boolean
  readonly is_complete: boolean
  readonly error_count: number
  readonly mergeable_count: number
  readonly behaviour: { readonly total_count: number; readonly differing_count: number } | null
  readonly findings: readonly (UpgradeFinding & { readonly filename: string | null; readonly case_id: string | null; readonly is_mergeable: boolean })[]
  readonly merged: { readonly rules_xml: string; readonly decoders_xml: string } | null
}

/** A ruleset with one rule below which content can be. @param id of the rule */
const ruleset = (id: string) => ({
  files: [
    ...FOUNDATION.map(({ filename, kind, content }) => ({ filename, kind, content })),
    {
      filename: '0500-vpn_rules.xml',
      kind: 'rules',
      content: `<group name="vpn,"><rule id="${id}" level="6"><match>login failed</match><description>failed</description></rule></group>`,
    },
  ],
})

/** Below those of the project: one that another hides, one without a parent. */
const MORE = `<group name="vpn,">
<rule id="100150" level="5"><if_sid>100101</if_sid><description>all of them</description></rule>
<rule id="100151" level="4"><if_sid>100101</if_sid><match>fail</match><description>hidden</description></rule>
<rule id="100152" level="9"><if_sid>199999</if_sid><description>lost</description></rule>
</group>`

describe(`the audit of rules, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const audit = async (id: string, body: object = {}, headers: Record<string, string> = {}) => admin.client.post<Audit>(`/platform/projects/${id}/rule-audit`, body, { headers })
  const witnesses = async (id: string, body: object = {}) => admin.client.post<Witnesses>(`/platform/projects/${id}/witnesses`, body)
  const verdicts = ({ rules }: Audit): (readonly [string, string])[] => rules.map(({ rule_id, verdict }) => [rule_id, verdict])

  test('begins with what can never fire, and has its reason or the event that another rule takes', async () => {
    const project = await createProject(admin, { rules_xml: `${RULES_XML}\n${MORE}` })
    const { status, body, text } = await audit(project.id, {}, { 'x-locale': 'pt-BR' })
    assert.equal(status, 200, text)
    assert.deepEqual([body.loads, body.is_complete, body.never_fire_count], [true, true, 3])
    assert.deepEqual(verdicts(body), [
      ['100152', 'dropped'],
      ['100101', 'shadowed'],
      ['100151', 'shadowed'],
      ['100150', 'fires'],
      ['100100', 'fires'],
    ])
    assert.deepEqual([body.counts.dropped, body.counts.shadowed, body.counts.fires], [1, 2, 2])
    const [lost, parent, hidden] = body.rules
    assert.deepEqual(
      [lost.reason?.code, parent.by_child, parent.shadowed_by, hidden.shadowed_by, hidden.final_rule],
      ['rule_parent_missing', true, ['100150'], ['100150'], '100150'],
    )
    assert.match(hidden.reason?.text ?? '', /Outra regra sempre fica/)
    const named = await audit(project.id, { rule_ids: ['100150', '5710', '100999'] })
    assert.deepEqual(
      named.body.rules.map(({ rule_id }) => rule_id).filter((id) => id !== '5710'),
      ['100150'],
    )
  })

  test('makes events, and those that just miss a rule', async () => {
    const project = await createProject(admin)
    const { status, body, text } = await witnesses(project.id, { near: true, rule_ids: ['100101'] })
    assert.equal(status, 200, text)
    const [rule, ...more] = body.rules
    assert.deepEqual([body.fires_count, rule.rule_id, rule.status, rule.reason, more], [1, '100101', 'fires', null, []])
    assert.ok(rule.events.length === 1 && rule.near.length > 0)
    assert.equal((await witnesses(project.id)).body.fires_count, 2)
  })

  test('reads versions and workspaces, and tries nothing with which Wazuh would not start', async () => {
    const [project, other] = [await createProject(admin), await createProject(admin)]
    const { id: workspace_id } = await openWorkspace(admin, project.id, { rules_xml: MORE.replaceAll('100101', '5716') })
    assert.equal((await audit(project.id, { workspace_id })).body.counts.dropped, 1)
    const broken = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('id="100101"', 'id="x"') })
    const { body } = await audit(project.id, { workspace_id: broken.id })
    assert.deepEqual([body.loads, body.rules, body.is_complete], [false, [], true])
    assert.equal((await audit(other.id, { workspace_id })).status, 404)
    assert.equal((await audit(project.id, { workspace_id, version_id: workspace_id })).status, 422)
    assert.equal((await witnesses(project.id, { rule_ids: ['x'] })).status, 422)
  })

  test('says what becomes of rules in Wazuh 5, with events that prove it', async () => {
    const project = await createProject(admin)
    const convert = (body: object, id = project.id) => admin.client.post<Wazuh5>(`/platform/projects/${id}/wazuh5`, body, { headers: { 'x-locale': 'pt-BR' } })
    const { status, body, text } = await convert({})
    assert.equal(status, 200, text)
    assert.deepEqual([body.loads, body.is_complete, body.untried_count, body.counts.flattened, body.rules.length], [true, true, 0, 2, 2])
    const failed = body.rules.find(({ rule_id }) => rule_id === '100101')
    assert.ok(failed !== undefined)
    assert.deepEqual([failed.filename, failed.verdict], ['project_rules.xml', 'flattened'])
    assert.match(failed.sigma ?? '', /event\.action/)
    assert.ok(failed.proof.some(({ expected, normalized }) => expected && normalized.fields['event.action'] === 'failed'))

    const { id: workspace_id } = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('failed<', 'refused<') })
    const named = await convert({ workspace_id, rule_ids: ['100100', '999999'] })
    assert.deepEqual(
      named.body.rules.map(({ rule_id }) => rule_id),
      ['100100'],
    )
    const broken = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('id="100101"', 'id="x"') })
    assert.deepEqual((await convert({ workspace_id: broken.id })).body.loads, false)
    const other = await createProject(admin)
    assert.equal((await convert({ workspace_id }, other.id)).status, 404)
    assert.equal((await convert({ rule_ids: [] })).status, 422)
  })

  test('says what an upgrade breaks, and merges it', async () => {
    const rules_xml = '<group name="vpn,"><rule id="100100" level="5"><if_sid>900</if_sid><user>ana</user><description>Ana</description></rule></group>'
    const project = await createProject(admin, { rules_xml })
    const check = (body: object, id = project.id) => admin.client.post<Upgrade>(`/platform/projects/${id}/upgrade-check`, body, { headers: { 'x-locale': 'pt-BR' } })
    const [from, to] = [ruleset('900'), ruleset('901')]
    const { id: case_id } = await createCase(admin, project.id, { expected_rule: '100100' })
    const { status, body, text } = await check({ from, to })
    assert.equal(status, 200, text)
    assert.deepEqual([body.from_loads, body.to_loads, body.content_loads, body.is_complete], [true, true, true, true])
    assert.deepEqual(
      body.findings.map((finding) => [finding.code, finding.filename, finding.line, finding.case_id, finding.is_mergeable]),
      [
        ['parent_renumbered', 'project_rules.xml', 1, null, true],
        ['case_red', null, null, case_id, false],
      ],
    )
    assert.deepEqual([body.error_count, body.mergeable_count, body.behaviour?.differing_count], [2, 1, 1])
    const [parent] = body.findings
    assert.match(parent.effect, /a regra 901 tem as mesmas condições/)
    assert.match(parent.witness?.events[0].event ?? '', /login failed/)
    assert.deepEqual([parent.old?.rule_id, parent.new?.rule_id], ['100100', '901'])
    assert.deepEqual(body.merged, { decoders_xml: project.decoders_xml, rules_xml: rules_xml.replace('900', '901') })

    const merged = await openWorkspace(admin, project.id, { ...body.merged })
    assert.deepEqual((await check({ from: to, to: from, workspace_id: merged.id })).body.findings.map(({ code }) => code)[0], 'parent_renumbered')
  })

  test('compares with the ruleset of the service, and runs nothing with which Wazuh would not start', async () => {
    const rules_xml = '<group name="own,"><rule id="100100" level="5"><if_sid>5710</if_sid><description>Own</description></rule></group>'
    const project = await createProject(admin, { rules_xml, decoders_xml: '' })
    const check = (body: object, id = project.id) => admin.client.post<Upgrade>(`/platform/projects/${id}/upgrade-check`, body)
    const { body } = await check({ to: ruleset('900') })
    const [gone] = body.findings
    assert.deepEqual([body.from_loads, gone.code, gone.item, body.merged], [true, 'parent_gone', { rule_id: '100100' }, null])
    const broken = { files: [{ filename: '1.xml', kind: 'rules', content: '<rule id="x"' }] }
    const unloaded = (await check({ from: broken })).body
    assert.deepEqual([unloaded.from_loads, unloaded.to_loads, unloaded.content_loads, unloaded.findings, unloaded.behaviour], [false, true, false, [], null])
    const { id: workspace_id } = await openWorkspace(admin, project.id)
    const none = await admin.client.post<Refusal>(`/platform/projects/${project.id}/upgrade-check`, { from: null, to: null }, { headers: { 'x-locale': 'pt-BR' } })
    assert.deepEqual([none.status, none.body.details.errors], [422, [{ path: '/to', message: 'é obrigatório se from não for informado', expected: 'um valor' }]])
    assert.match((await check({})).text, /is required unless from is given/)
    assert.equal((await check({ to: broken, version_id: workspace_id, workspace_id })).status, 422)
    assert.equal((await check({ to: broken, workspace_id }, (await createProject(admin)).id)).status, 404)
  })

  test('is in the report of the project, as JSON and as a page', async () => {
    const project = await createProject(admin, { rules_xml: `${RULES_XML}\n${MORE}` })
    const { body } = await admin.client.get<{ audit: Audit }>(`/platform/projects/${project.id}/report`)
    assert.deepEqual([body.audit.never_fire_count, verdicts(body.audit)[0]], [3, ['100152', 'dropped']])
    const { text } = await admin.client.get(`/platform/projects/${project.id}/report`, { headers: { Accept: 'text/html', 'x-locale': 'en-US' } })
    assert.match(text, /3 of 5 rules can never fire\.[\s\S]*shadowed by 100150/)
  })
})
