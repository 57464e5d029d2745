/** The audit of a project's rules and the events that fire them, over HTTP; and what the report says of it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AuditRecord, WitnessRecord } from '#engine'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, openWorkspace, RULES_XML } from '../support/projects.js'
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

  test('is in the report of the project, as JSON and as a page', async () => {
    const project = await createProject(admin, { rules_xml: `${RULES_XML}\n${MORE}` })
    const { body } = await admin.client.get<{ audit: Audit }>(`/platform/projects/${project.id}/report`)
    assert.deepEqual([body.audit.never_fire_count, verdicts(body.audit)[0]], [3, ['100152', 'dropped']])
    const { text } = await admin.client.get(`/platform/projects/${project.id}/report`, { headers: { Accept: 'text/html', 'x-locale': 'en-US' } })
    assert.match(text, /3 of 5 rules can never fire\.[\s\S]*shadowed by 100150/)
  })
})
