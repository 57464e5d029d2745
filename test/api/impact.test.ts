/** The impact of a workspace on its project, over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BehaviourRecord } from '#engine'
import { CONTENTS, type FileSet } from '../../server/content/shared/content.js'
import { ProjectMeasure } from '../../server/content/shared/measure.js'
import { ImpactService } from '../../server/content/impact/service.js'
import { SemanticDiffService } from '../../server/content/semantic-diff/service.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, DECODERS_XML, FAILED_LOGIN, GOOD_LOGIN, openWorkspace, RULES_XML } from '../support/projects.js'
import { assertReportPage, HOSTILE } from '../support/report-pages.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Diagnostic {
  readonly severity: string
  readonly code: string
  readonly filename: string
  readonly line: number | null
  readonly message: string
}

interface Changes<Item> {
  readonly added_count: number
  readonly removed_count: number
  readonly changed_count: number
  readonly added: readonly Item[]
  readonly removed: readonly Item[]
  readonly changed: readonly (Item & { readonly changes: readonly string[] })[]
}

interface Impact {
  readonly project: ProjectRecord
  readonly workspace: WorkspaceRecord
  readonly current_quality_score: number
  readonly candidate_quality_score: number
  readonly current_loads: boolean
  readonly candidate_loads: boolean
  readonly current_diagnostics_by_severity: Readonly<Record<string, number>>
  readonly candidate_diagnostics_by_severity: Readonly<Record<string, number>>
  readonly candidate_diagnostics: {
    readonly introduced_count: number
    readonly resolved_count: number
    readonly introduced: readonly Diagnostic[]
    readonly resolved: readonly Diagnostic[]
  }
  readonly shadowing_introduced: readonly Diagnostic[]
  readonly rules: Changes<{ readonly rule_id: string; readonly description: string; readonly line: number }> & {
    readonly dropped_count: number
    readonly dropped: readonly { readonly rule_id: string; readonly filename: string; readonly line: number; readonly code: string | null; readonly message: string | null }[]
  }
  readonly decoders: Changes<{ readonly name: string; readonly parent: string | null; readonly line: number }>
  readonly changed_cases: number
  readonly improved_cases: number
  readonly regressed_cases: number
  readonly unchanged_cases: number
  readonly cases: readonly {
    readonly case_id: string
    readonly case_name: string
    readonly before_passed: boolean
    readonly after_passed: boolean
    readonly change_type: string
    readonly before_rule_id: string | null
    readonly after_rule_id: string | null
    readonly after_decoder: string | null
  }[]
}

const NOTHING = { added_count: 0, removed_count: 0, changed_count: 0, added: [], removed: [], changed: [] }
const NONE_DROPPED = { dropped_count: 0, dropped: [] }

describe(`the impact of a workspace, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const pathOf = (project: Pick<ProjectRecord, 'id'>, workspace: string): string => `/platform/projects/${project.id}/impact/${workspace}`
  const impact = async (
    project: ProjectRecord,
    content: { readonly decoders_xml?: string; readonly rules_xml?: string },
    headers: Record<string, string> = {},
  ): Promise<Impact> => {
    const workspace = (await openWorkspace(admin, project.id, content)).id
    const { status, body, text } = await admin.client.post<Impact>(pathOf(project, workspace), undefined, { headers })
    assert.equal(status, 200, text)
    return body
  }

  test('of the same content is empty', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    const body = await impact(project, {})
    assert.equal(body.project.id, project.id)
    assert.deepEqual([body.workspace.project_id, body.workspace.rules_xml], [project.id, RULES_XML])
    assert.equal(body.current_quality_score, body.candidate_quality_score)
    assert.deepEqual(body.current_diagnostics_by_severity, body.candidate_diagnostics_by_severity)
    assert.deepEqual(body.candidate_diagnostics, { introduced_count: 0, resolved_count: 0, introduced: [], resolved: [] })
    assert.deepEqual([body.rules, body.decoders, body.shadowing_introduced], [{ ...NOTHING, ...NONE_DROPPED }, NOTHING, []])
    assert.deepEqual([body.changed_cases, body.improved_cases, body.regressed_cases, body.unchanged_cases], [0, 0, 0, 1])
    assert.deepEqual([body.current_loads, body.candidate_loads], [true, true])
  })

  describe('in events', () => {
    interface Diff {
      readonly before_loads: boolean
      readonly after_loads: boolean
      readonly is_complete: boolean
      readonly differing_count: number
      readonly proven_count: number
      readonly items: readonly BehaviourRecord[]
      readonly error?: { readonly code: string }
    }
    const diff = (project: ProjectRecord, before: object, after: object, actor = admin) =>
      actor.client.post<Diff>(`/platform/projects/${project.id}/semantic-diff`, { before, after })

    test('names a difference with its event, and proves a refactoring', async () => {
      const project = await createProject(admin)
      await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
      const lost = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('<action>failed<', '<action>refused<') })
      const { status, body, text } = await diff(project, {}, { workspace_id: lost.id })
      assert.equal(status, 200, text)
      assert.deepEqual([body.before_loads, body.after_loads, body.is_complete], [true, true, true])
      const [first] = body.items
      assert.deepEqual([first.result, first.item, first.old?.rule_id, first.new?.rule_id], ['differs', { rule_id: '100101' }, '100101', '100100'])
      const renamed = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('VPN: login failed', 'VPN: no login') })
      const { body: proof } = await diff(project, { workspace_id: renamed.id }, {})
      assert.deepEqual([proof.differing_count, proof.proven_count, proof.items[0].reason], [0, 1, 'labels'])
    })

    test('reads versions, and says which content Wazuh would not start with', async () => {
      const project = await createProject(admin)
      const version = await admin.client.post<{ id: string }>(`/platform/projects/${project.id}/versions`, { name: '1.0' })
      const { body } = await diff(project, { version_id: version.body.id }, {})
      assert.deepEqual([body.items, body.is_complete], [[], true])
      const broken = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('id="100101"', 'id="x"') })
      const { body: unloaded } = await diff(project, { version_id: version.body.id }, { workspace_id: broken.id })
      assert.deepEqual([unloaded.before_loads, unloaded.after_loads, unloaded.items], [true, false, []])
    })

    test('is refused for two contents at once, and for those of another project', async () => {
      const [project, other] = [await createProject(admin), await createProject(admin)]
      const { id: workspace_id } = await openWorkspace(admin, other.id)
      assert.equal((await diff(project, {}, { workspace_id })).status, 404)
      assert.equal((await diff(project, { version_id: workspace_id, workspace_id }, {})).status, 422)
    })
  })

  test('lists the rules that Wazuh would silently drop, and did not drop before', async () => {
    const orphan = (id: string, parent: string) => `  <rule id="${id}" level="5">\n    <if_sid>${parent}</if_sid>\n    <description>${id}</description>\n  </rule>\n`
    const before = `<group name="vpn,">\n${orphan('100150', '199998')}</group>\n${RULES_XML}`
    const project = await createProject(admin, { rules_xml: before })
    const onOneLine = `<group name="vpn,">${[orphan('100160', '199996'), orphan('100161', '100150')].join('').replaceAll('\n', ' ')}</group>\n`
    // One is dropped already, one works and loses its parent, four are new, of which two are on one line.
    const after = `<group name="vpn,">\n${orphan('100150', '199998')}${orphan('100151', '199999')}${orphan('100152', '100151')}</group>\n${RULES_XML.replace('<if_sid>100100<', '<if_sid>199997<')}${onOneLine}`
    const { rules } = await impact(project, { rules_xml: after }, { 'x-locale': 'en-US' })
    assert.deepEqual(
      rules.dropped.map(({ rule_id, filename, line, code }) => [rule_id, filename, line, code]),
      [
        ['100151', 'project_rules.xml', 6, 'rule_parent_missing'],
        ['100152', 'project_rules.xml', 10, 'rule_parent_dropped'],
        ['100101', 'project_rules.xml', 20, 'rule_parent_missing'],
        ['100160', 'project_rules.xml', 30, 'rule_parent_missing'],
        ['100161', 'project_rules.xml', 30, 'rule_parent_dropped'],
      ],
    )
    assert.equal(rules.dropped_count, 5)
    for (const { rule_id, message } of rules.dropped) assert.ok(message?.includes(rule_id), rule_id)
    assert.deepEqual([rules.added_count, rules.removed.map(({ rule_id }) => rule_id)], [0, ['100101']])
  })

  test('reports the result of each case', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    const fields = { expected_decoder: 'vpn' }
    const improved = await storeCase(scope, project, { name: 'improved', event_text: GOOD_LOGIN, expected_rule: '100103', ...fields }, 1)
    const regressed = await storeCase(scope, project, { name: 'regressed', event_text: GOOD_LOGIN, expected_rule: '100100', ...fields }, 2)
    const changed = await storeCase(scope, project, { name: 'changed', event_text: GOOD_LOGIN, ...fields }, 3)
    const unchanged = await storeCase(scope, project, { name: 'unchanged', event_text: FAILED_LOGIN, expected_rule: '100101', ...fields }, 4)
    const failing = await storeCase(scope, project, { name: 'still failing', event_text: FAILED_LOGIN, expected_rule: '100100', ...fields }, 5)
    const more = '<rule id="100103" level="4"><if_sid>100100</if_sid><action>accepted</action><description>VPN: login</description></rule>'
    const body = await impact(project, {
      rules_xml: RULES_XML.replace(/<\/group>\n$/, `${more}</group>\n`),
    })
    assert.deepEqual(
      body.cases.map(({ case_id, case_name, before_passed, after_passed, change_type }) => [case_id, case_name, before_passed, after_passed, change_type]),
      [
        [improved, 'improved', false, true, 'improved'],
        [regressed, 'regressed', true, false, 'regressed'],
        [changed, 'changed', true, true, 'changed'],
        [unchanged, 'unchanged', true, true, 'unchanged'],
        [failing, 'still failing', false, false, 'unchanged'],
      ],
    )
    assert.deepEqual([body.changed_cases, body.improved_cases, body.regressed_cases, body.unchanged_cases], [3, 1, 1, 2])
    const third = body.cases[2]
    assert.deepEqual([third.before_rule_id, third.after_rule_id, third.after_decoder], ['100100', '100103', 'vpn'])
  })

  test('names rules and decoders that are added, removed and changed in meaning', async () => {
    const project = await createProject(admin)
    const rules = `<!-- the same, written otherwise -->
<group name='vpn,'>
  <rule level="3"   id="100100">
    <description>VPN: event</description>
    <decoded_as>vpn</decoded_as>
  </rule>
  <rule id="100101" level="6">
    <if_sid>100100</if_sid>
    <action>refused</action>
    <description>VPN: login failed</description>
    <mitre><id>T1110</id></mitre>
    <group>authentication_failed,</group>
  </rule>
  <rule id="100102" level="3">
    <if_sid>100100</if_sid>
    <action>closed</action>
    <description>VPN: closed</description>
  </rule>
</group>`
    const decoders = `${DECODERS_XML.replace('<order>action, user, srcip</order>', '<order>action, srcuser, srcip</order>')}<decoder name="proxy"><program_name>^proxyd$</program_name></decoder>`
    const body = await impact(project, { rules_xml: rules, decoders_xml: decoders })
    assert.deepEqual(body.rules, {
      ...NONE_DROPPED,
      added_count: 1,
      removed_count: 0,
      changed_count: 1,
      added: [{ rule_id: '100102', description: 'VPN: closed', line: 14 }],
      removed: [],
      changed: [{ rule_id: '100101', description: 'VPN: login failed', line: 7, changes: ['action', 'level'] }],
    })
    assert.deepEqual(
      body.decoders.added.map(({ name, parent }) => [name, parent]),
      [['proxy', null]],
    )
    assert.deepEqual(
      body.decoders.changed.map(({ name, parent, changes }) => [name, parent, changes]),
      [['vpn-login', 'vpn', ['order']]],
    )
    const emptied = await impact(project, { rules_xml: '', decoders_xml: '' })
    assert.deepEqual([emptied.rules.removed_count, emptied.decoders.removed_count], [2, 2])
    assert.deepEqual(
      emptied.rules.removed.map(({ rule_id }) => rule_id),
      ['100100', '100101'],
    )
  })

  test('reports added and removed diagnostics, not moved ones, and rules that are shadowed now', async () => {
    const dead = '<rule id="100109" level="3"><if_sid>99999</if_sid><description>VPN: dead</description></rule>'
    const project = await createProject(admin, { rules_xml: RULES_XML.replace(/<\/group>\n$/, `${dead}\n</group>\n`) })
    const hiding = '<rule id="100120" level="7"><if_sid>100100</if_sid><description>VPN: anything</description></rule>'
    const body = await impact(project, { rules_xml: `\n\n\n${RULES_XML.replace(/<\/group>\n$/, `${dead}\n${hiding}\n</group>\n`)}` })
    const codes = body.candidate_diagnostics.introduced.map(({ code }) => code)
    assert.ok(codes.includes('rule_overlapping_level'), codes.join())
    assert.ok(!codes.includes('rule_parent_missing'), codes.join())
    assert.deepEqual(
      body.shadowing_introduced.map(({ code, filename, line }) => [code, filename, line]),
      [['rule_overlapping_level', 'project_rules.xml', 9]],
    )
    assert.match(body.shadowing_introduced[0].message, /100101.*100120/)
    assert.deepEqual(body.candidate_diagnostics.resolved, [])
    const fixed = await impact(project, { rules_xml: RULES_XML })
    assert.deepEqual(
      fixed.candidate_diagnostics.resolved.map(({ code, severity }) => [code, severity]),
      [['rule_parent_missing', 'error']],
    )
    assert.deepEqual([fixed.candidate_diagnostics.introduced, fixed.candidate_diagnostics.resolved_count], [[], 1])
    assert.ok(fixed.candidate_quality_score > fixed.current_quality_score)
    assert.equal(fixed.candidate_diagnostics_by_severity.error, 0)
    const portuguese = await impact(project, { rules_xml: RULES_XML }, { 'x-locale': 'pt-BR' })
    assert.notEqual(portuguese.candidate_diagnostics.resolved[0].message, fixed.candidate_diagnostics.resolved[0].message)
  })

  test('works for content that does not load', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    for (const rules_xml of [
      '<group name="x,"><rule',
      'no xml',
      `${'<group name="x,">'.repeat(5000)}`,
      RULES_XML.replace('<action>failed</action>', '<regex type="pcre2">(((</regex>'),
    ]) {
      const body = await impact(project, { rules_xml })
      assert.deepEqual([body.current_loads, body.candidate_loads], [true, false], rules_xml.slice(0, 50))
      assert.ok(body.candidate_quality_score <= 59)
      assert.ok(body.candidate_diagnostics.introduced.some(({ severity }) => severity === 'error'))
      assert.deepEqual([body.regressed_cases, body.cases[0].after_rule_id], [1, null])
    }
    const slow = await impact(project, { rules_xml: RULES_XML.replace('<action>failed</action>', '<regex type="pcre2">^(([a-z]+)*)+@$</regex>') })
    assert.equal(slow.cases.length, 1)
    assert.deepEqual(slow.rules.changed[0].changes, ['action', 'regex'])
  })

  test('follows changes between two requests', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    const workspace = (await openWorkspace(admin, project.id, { rules_xml: '' })).id
    const ask = async (): Promise<Impact> => (await admin.client.post<Impact>(pathOf(project, workspace))).body
    assert.equal((await ask()).cases.length, 0)
    await storeCase(scope, project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    assert.deepEqual([(await ask()).regressed_cases, (await ask()).rules.removed_count], [1, 2])
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: '' })
    assert.deepEqual([(await ask()).unchanged_cases, (await ask()).rules.removed_count], [1, 0])
  })

  test('uses the same cases for both contents, even if they change meanwhile', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    const workspace = (await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('level="5"', 'level="6"') })).id
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => admin.client.post<Impact>(pathOf(project, workspace))),
      ...Array.from({ length: 6 }, (_, i) => storeCase(scope, project, { name: `case ${i}`, event_text: FAILED_LOGIN, expected_rule: '100101' }, i)),
    ])
    for (const answer of answers) {
      if (typeof answer === 'string') continue
      assert.ok(answer.status === 200 || answer.status === 409, answer.text)
      if (answer.status === 200) assert.deepEqual([answer.body.changed_cases, answer.body.unchanged_cases], [0, answer.body.cases.length])
    }
  })

  test('changes nothing, and is available to everyone who may see the project', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    const workspace = (await openWorkspace(admin, project.id, { rules_xml: '' })).id
    const before = await scope.collection(CONTENTS).findOne({ _id: workspace })
    const reader = await addMember(admin, 'read_only', 'impact-reader@example.test')
    const { status } = await reader.client.post(pathOf(project, workspace))
    assert.equal(status, 200)
    assert.deepEqual(await scope.collection(CONTENTS).findOne({ _id: workspace }), before)
    assert.deepEqual((await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)).body, { ...project, workspace_count: 1 })
    assert.equal((await admin.client.get<unknown[]>(`/platform/projects/${project.id}/audit`)).body.length, 2)
  })

  test('is a page as well, whatever names and descriptions are', async () => {
    const project = await createProject(admin, { name: HOSTILE })
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { name: HOSTILE, event_text: FAILED_LOGIN, expected_rule: '100101' })
    const described = RULES_XML.replace(/<description>[^<]*</g, `<description>${HOSTILE.replaceAll('<', '')}<`)
    const workspace = (await openWorkspace(admin, project.id, { rules_xml: described.replaceAll('100101', '100109') })).id
    const page = async (locale: string) => {
      const { status, text, headers } = await admin.client.post(pathOf(project, workspace), undefined, { headers: { Accept: 'text/html', 'x-locale': locale } })
      assert.equal(status, 200, text)
      assert.equal(headers.get('content-language'), locale)
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      assertReportPage(text)
      return text
    }
    const english = await page('en-US')
    for (const part of [
      'Improved: 0. Regressed: 1. Another result: 0. Unchanged: 0.',
      '<td class="solid">regressed</td>',
      '<td class="solid">100109</td><td class="solid">added</td>',
      '&lt;script&gt;',
    ])
      assert.ok(english.includes(part), `${part}\n${english}`)
    assert.match(await page('pt-BR'), /Melhoraram: 0\. Pioraram: 1\./)
  })

  test('is missing if the workspace does not exist or belongs to another project', async () => {
    const [one, other] = [await createProject(admin), await createProject(admin)]
    const workspace = (await openWorkspace(admin, one.id)).id
    assert.equal((await admin.client.post(pathOf(other, workspace))).status, 404)
    assert.equal((await admin.client.post(pathOf(one, '00000000-0000-4000-8000-000000000000'))).status, 404)
    assert.equal((await admin.client.post(pathOf({ id: '00000000-0000-4000-8000-000000000000' }, workspace))).status, 404)
  })

  test('lists the first thousand changes, and counts all', async () => {
    const project = await createProject(admin)
    const rules = Array.from({ length: 1100 }, (_, i) => `<rule id="${101000 + i}" level="3"><match>x${i}</match><description>x</description></rule>`).join('')
    const body = await impact(project, { rules_xml: `<group name="x,">${rules}</group>` })
    assert.deepEqual([body.rules.added_count, body.rules.added.length, body.rules.removed_count], [1100, 1000, 2])
  })

  test('compares the files of two commits, by the paths of the files', async () => {
    const project = await createProject(admin)
    const scope = scopeOf(app, admin)
    await storeCase(scope, project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    const { pool } = app.service
    const group = (id: string, rest: string): string =>
      `<group name="vpn,">\n  <rule id="${id}" level="3">\n    ${rest}\n    <description>r${id}</description>\n  </rule>\n</group>\n`
    const before: FileSet = {
      includeDefaults: true,
      includeCustom: false,
      files: [
        { filename: 'etc/decoders/vpn.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS_XML },
        { filename: 'etc/rules/10-base.xml', kind: 'rules', scope: 'adhoc', content: group('100100', '<decoded_as>vpn</decoded_as>') },
        { filename: 'etc/rules/20-login.xml', kind: 'rules', scope: 'adhoc', content: group('100101', '<if_sid>100100</if_sid>\n    <action>failed</action>') },
      ],
    }
    const after: FileSet = {
      ...before,
      files: before.files.map((file) => (file.filename.endsWith('20-login.xml') ? { ...file, content: file.content.replace('100100</if_sid>', '100199</if_sid>') } : file)),
    }
    const impacts = new ImpactService(new ProjectMeasure(pool), pool, { readOnly: async () => () => false }, new SemanticDiffService(pool))
    const compared = await impacts.compareFiles(project.id, before, after, { scope, locale: 'en-US', signal: AbortSignal.timeout(60_000) })
    assert.deepEqual([compared.before.semantic.total_rules, compared.before.semantic.total_decoders, compared.before.writtenRules], [2, 2, 2])
    assert.deepEqual([compared.before.passedCases, compared.after.passedCases, compared.impact.regressed_cases], [1, 0, 1])
    const [introduced] = compared.impact.candidate_diagnostics.introduced
    assert.deepEqual([introduced.filename, introduced.line, introduced.code], ['etc/rules/20-login.xml', 3, 'rule_parent_missing'])
    assert.equal(
      compared.after.untestedRules.every(({ filename }) => filename.startsWith('etc/rules/')),
      true,
    )
    assert.deepEqual([compared.after.writtenRules, compared.after.untestedRules.length], [2, 1])
    const same = await impacts.compareFiles(project.id, before, before, { scope, locale: 'en-US', signal: AbortSignal.timeout(60_000) })
    assert.deepEqual([same.impact.rules, same.impact.decoders, same.impact.changed_cases], [{ ...NOTHING, ...NONE_DROPPED }, NOTHING, 0])
  })
})
