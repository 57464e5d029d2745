/** Lists of projects, workspaces and versions over HTTP: stored, used by rules, published, restored, compared, and reported without their text. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONTENTS, LISTS_BYTES, LISTS_LIMIT, XML_BYTES } from '../../server/content/shared/content.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createCase, createProject, DECODERS_XML, FAILED_LOGIN, openReview, openWorkspace } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { ALL_STORES, refused, stored, withApp } from './steps.js'

interface List {
  readonly name: string
  readonly content: string
}

interface Publish {
  readonly published: boolean
  readonly quality_gate_result: { readonly failed_rules: readonly { readonly rule: string }[]; readonly failed_cases: number }
}

const NAME = 'etc/lists/watched'
const RULES = `<group name="vpn,">
  <rule id="100100" level="3">
    <decoded_as>vpn</decoded_as>
    <description>VPN: event</description>
  </rule>
  <rule id="100101" level="10">
    <if_sid>100100</if_sid>
    <list field="srcip" lookup="address_match_key">${NAME}</list>
    <description>VPN: event of a watched address</description>
  </rule>
</group>
`
const WATCHED: List = { name: NAME, content: '203.0.113.:watched\n' }
const OTHERS: List = { name: NAME, content: '198.51.100.:watched\n' }
const SECRET: List = { name: NAME, content: 'secret-of-the-house:\n' }

describe(`lists, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const make = (lists: readonly List[] = [WATCHED], fields: object = {}): Promise<ProjectRecord> => createProject(admin, { rules_xml: RULES, lists, ...fields })
  const pathOf = ({ id }: Pick<ProjectRecord, 'id'>): string => `/platform/projects/${id}`
  const patch = <T = ProjectRecord>(path: string, fields: object, headers: Record<string, string> = {}) => admin.client.call<T>('PATCH', path, { body: fields, headers })
  const ok = async <T>(answer: Promise<{ status: number; body: T; text: string }>): Promise<T> => {
    const { status, body, text } = await answer
    assert.equal(status, 200, text)
    return body
  }
  /** Returns the final rule of the case of a watched address, from the cases of the project. */
  const ruleOf = async (project: Pick<ProjectRecord, 'id'>, on: object = {}): Promise<string | undefined> => {
    const run = await ok(admin.client.post<{ results: { analysis: { rule: { id: string } | null } }[] }>(`${pathOf(project)}/cases/run`, on))
    return run.results[0].analysis.rule?.id
  }
  const release = async (project: Pick<ProjectRecord, 'id'>, name: string, source: object = {}): Promise<{ version: ProjectVersionRecord; publish: Publish }> => {
    const version = await ok(admin.client.post<ProjectVersionRecord>(`${pathOf(project)}/versions`, { name, ...source }))
    return { version, publish: await ok(admin.client.post<Publish>(`${pathOf(project)}/versions/${version.id}/publish`)) }
  }
  const auditOf = async (id: string): Promise<readonly { action: string; diff: Record<string, { before: unknown; after: unknown }> }[]> =>
    (await admin.client.get<{ action: string; diff: Record<string, { before: unknown; after: unknown }> }[]>(`/platform/audit?resource_id=${id}`)).body

  test('of a project are stored by name, returned, replaced as a whole, and not affected by other updates', async () => {
    const project = await make([{ name: 'etc/lists/z', content: 'z:' }, WATCHED])
    assert.deepEqual(project.lists, [WATCHED, { name: 'etc/lists/z', content: 'z:' }])
    assert.deepEqual((await admin.client.get<ProjectRecord>(pathOf(project))).body.lists, project.lists)
    const listed = (await admin.client.get<ProjectRecord[]>('/platform/projects')).body.find(({ id }) => id === project.id)
    assert.deepEqual(listed?.lists, project.lists)
    assert.deepEqual((await ok(patch(pathOf(project), { rules_xml: RULES, name: 'Other' }))).lists, project.lists)
    assert.deepEqual((await ok(patch(pathOf(project), { lists: [OTHERS] }))).lists, [OTHERS])
    assert.deepEqual((await ok(patch(pathOf(project), { lists: [] }))).lists, [])
  })

  test('can be used together with a template', async () => {
    const [template] = (await admin.client.get<{ templates: { id: string }[] }>('/templates')).body.templates
    const project = await ok(admin.client.post<ProjectRecord>('/platform/projects', { name: 'x', template_id: template.id, lists: [WATCHED] }))
    assert.deepEqual(project.lists, [WATCHED])
  })

  test('can be updated with If-Match, and another order of lists is no change', async () => {
    const project = await make([WATCHED, { name: 'etc/lists/z', content: 'z:' }])
    const same = await patch(pathOf(project), { lists: [{ name: 'etc/lists/z', content: 'z:' }, WATCHED] }, { 'If-Match': '"1.0.0"' })
    assert.equal(same.headers.get('etag'), '"1.0.0"')
    const other = await patch(pathOf(project), { lists: [OTHERS] }, { 'If-Match': '"1.0.0"' })
    assert.equal(other.headers.get('etag'), '"2.0.0"')
    refused(await patch(pathOf(project), { lists: [WATCHED] }, { 'If-Match': '"1.0.0"' }), 412, 'precondition_failed')
  })

  test('have unique names, and 2 MB together', async () => {
    const workspace = await openWorkspace(admin, (await make()).id)
    const project = { id: workspace.project_id }
    const workspaces = `${pathOf(project)}/workspaces`
    const ways = [
      (lists: readonly List[]) => admin.client.post('/platform/projects', { name: 'x', lists }),
      (lists: readonly List[]) => patch<unknown>(pathOf(project), { lists }),
      (lists: readonly List[]) => admin.client.post(workspaces, { name: 'x', lists }),
      (lists: readonly List[]) => patch<unknown>(`${workspaces}/${workspace.id}`, { lists }),
    ]
    const half = 'é'.repeat(LISTS_BYTES / 4)
    for (const way of ways) {
      const wrong = refused(await way([WATCHED, { name: 'a', content: half }, { name: 'b', content: `${half}x` }, OTHERS]), 422, 'request_validation_failed')
      assert.deepEqual(
        (wrong.details.errors as { path: string; expected: unknown }[]).map(({ path, expected }) => [path, expected]),
        [
          ['/lists/3/name', { uniqueItems: true }],
          ['/lists', { max_bytes: LISTS_BYTES }],
        ],
      )
      const most = Array.from({ length: LISTS_LIMIT }, (_, at) => ({ name: `etc/lists/${String(at).padStart(3, '0')}`, content: at < 2 ? half : '' }))
      assert.equal((await way(most)).status, 200)
    }
    const shown = (await admin.client.get<ProjectRecord>(pathOf(project))).body
    assert.equal(shown.lists.length, LISTS_LIMIT)
    const pieces = await admin.client.get<WorkspaceRecord[]>(workspaces)
    assert.deepEqual(pieces.body.map(({ lists }) => lists.length).sort(), [LISTS_LIMIT, LISTS_LIMIT])
  })

  test('affect the results of cases, and the catalog', async () => {
    const project = await make()
    await createCase(admin, project.id, { expected_rule: '100101' })
    assert.equal(await ruleOf(project), '100101')
    await patch(pathOf(project), { lists: [OTHERS] })
    assert.equal(await ruleOf(project), '100100')
    const ids = async (): Promise<string[]> => (await admin.client.get<{ rule_id: string }[]>(`${pathOf(project)}/rules`)).body.map(({ rule_id }) => rule_id)
    assert.deepEqual(await ids(), ['100101', '100100'].sort())
    await patch(pathOf(project), { lists: [] })
    assert.deepEqual(await ids(), ['100100'])
  })

  test('are measured: their diagnostics, their number, and a report without their text', async () => {
    const project = await make([
      { name: NAME, content: '203.0.113.:watched\nno entry\n' },
      { name: 'etc/lists/spare', content: 'x:' },
    ])
    const overview = await ok(
      admin.client.get<{ semantic_counts: Record<string, number>; diagnostics_by_code: Record<string, number>; project: ProjectRecord }>(`${pathOf(project)}/overview`),
    )
    assert.equal(overview.semantic_counts.total_lists, 2)
    assert.deepEqual([overview.diagnostics_by_code.list_line_invalid, overview.diagnostics_by_code.list_unused], [1, 1])
    assert.equal(overview.project.lists.length, 2)
    const report = await ok(
      admin.client.get<{ project: object; semantic_counts: Record<string, number>; validation: { findings: { code: string; filename: string; line: number; column: number }[] } }>(
        `${pathOf(project)}/report`,
      ),
    )
    assert.ok(!('lists' in report.project))
    assert.equal(report.semantic_counts.total_lists, 2)
    const diagnostic = report.validation.findings.find(({ code }) => code === 'list_line_invalid')
    assert.deepEqual([diagnostic?.filename, diagnostic?.line, diagnostic?.column], [NAME, 2, 1])
    const page = await admin.client.call<string>('GET', `${pathOf(project)}/report`, { headers: { Accept: 'text/html', 'x-locale': 'pt-BR' } })
    assert.match(page.text, /Listas/)
  })

  test('of a workspace start as those of the project, and are separate', async () => {
    const project = await make()
    await createCase(admin, project.id)
    const workspace = await openWorkspace(admin, project.id)
    assert.deepEqual(workspace.lists, [WATCHED])
    assert.deepEqual((await openWorkspace(admin, project.id, { lists: [] })).lists, [])
    const path = `${pathOf(project)}/workspaces/${workspace.id}`
    assert.deepEqual((await ok(patch<WorkspaceRecord>(path, { lists: [OTHERS] }))).lists, [OTHERS])
    assert.deepEqual((await ok(patch<WorkspaceRecord>(path, { description: 'x' }))).lists, [OTHERS])
    assert.deepEqual((await admin.client.get<ProjectRecord>(pathOf(project))).body.lists, [WATCHED])
    assert.deepEqual([await ruleOf(project), await ruleOf(project, { workspace_id: workspace.id })], ['100101', '100100'])
  })

  test('of a version never change; publishing and restoring copy them to the project', async () => {
    const project = await make()
    const first = await release(project, '1')
    assert.ok(first.publish.published)
    const workspace = await openWorkspace(admin, project.id, { lists: [OTHERS] })
    const second = await release(project, '2', { source_workspace_id: workspace.id })
    assert.ok(second.publish.published)
    assert.notEqual(second.version.content_hash, first.version.content_hash)
    const shown = async (): Promise<readonly List[]> => (await admin.client.get<ProjectRecord>(pathOf(project))).body.lists
    assert.deepEqual(await shown(), [OTHERS])
    const contentOf = async ({ id }: ProjectVersionRecord) => (await admin.client.get<{ lists: readonly List[] }>(`${pathOf(project)}/versions/${id}/content`)).body.lists
    assert.deepEqual([await contentOf(first.version), await contentOf(second.version)], [[WATCHED], [OTHERS]])
    const restored = await ok(admin.client.post<ProjectRecord>(`${pathOf(project)}/versions/${first.version.id}/restore`))
    assert.deepEqual(restored.lists, [WATCHED])
    assert.deepEqual(await shown(), [WATCHED])
  })

  test('pass the quality gate, or not, depending on the results of the cases', async () => {
    const project = await make([OTHERS])
    await createCase(admin, project.id, { expected_rule: '100101' })
    const { publish } = await release(project, '1')
    assert.deepEqual([publish.published, publish.quality_gate_result.failed_cases], [false, 1])
    await patch(pathOf(project), { lists: [WATCHED] })
    assert.ok((await release(project, '2')).publish.published)
  })

  test('are part of the approved content', async () => {
    const reviewer = await addMember(admin, 'reviewer')
    const project = await make()
    await patch(`${pathOf(project)}/quality-gate`, { require_approved_review: true })
    const workspace = await openWorkspace(admin, project.id, { lists: [OTHERS] })
    const review = await openReview(admin, workspace)
    assert.equal((await reviewer.client.patch(`${pathOf(project)}/reviews/${review.id}`, { status: 'approved' })).status, 200)
    const path = `${pathOf(project)}/workspaces/${workspace.id}`
    await patch(path, { lists: [WATCHED] })
    const source = { source_workspace_id: workspace.id }
    assert.deepEqual(
      (await release(project, 'another', source)).publish.quality_gate_result.failed_rules.map(({ rule }) => rule),
      ['require_approved_review'],
    )
    await patch(path, { lists: [OTHERS] })
    assert.ok((await release(project, 'the same', source)).publish.published)
  })

  test('are compared by their look-up results, and by the results of the cases', async () => {
    const project = await make([WATCHED, { name: 'etc/lists/same', content: 'a:1\nb:2\n' }, { name: 'etc/lists/old', content: 'a:' }])
    await createCase(admin, project.id, { expected_rule: '100101' })
    const lists = [OTHERS, { name: 'etc/lists/same', content: 'b:"2"\r\na:1\r\n' }, { name: 'etc/lists/new', content: 'a:\nb:' }]
    const workspace = await openWorkspace(admin, project.id, { lists })
    const impact = await ok(
      admin.client.post<{ lists: object; rules: object; regressed_cases: number; cases: { change_type: string; before_rule_id: string; after_rule_id: string }[] }>(
        `${pathOf(project)}/impact/${workspace.id}`,
      ),
    )
    assert.deepEqual(impact.lists, {
      added_count: 1,
      removed_count: 1,
      changed_count: 1,
      added: [{ name: 'etc/lists/new', entry_count: 2 }],
      removed: [{ name: 'etc/lists/old', entry_count: 1 }],
      changed: [{ name: NAME, added_entries: 1, removed_entries: 1, changed_entries: 0 }],
    })
    const { cases, regressed_cases } = impact
    assert.equal(regressed_cases, 1)
    assert.deepEqual([cases[0].change_type, cases[0].before_rule_id, cases[0].after_rule_id], ['regressed', '100101', '100100'])
  })

  test('have diagnostics that do not change when their lines move', async () => {
    const project = await make([{ name: NAME, content: '203.0.113.:watched\nno entry\n' }])
    const impactDiagnosticsOf = async (content: string): Promise<unknown> => {
      const workspace = await openWorkspace(admin, project.id, { lists: [{ name: NAME, content }] })
      const { candidate_diagnostics: changed } = await ok(
        admin.client.post<{ candidate_diagnostics: { introduced: { code: string; line: number }[]; resolved: { code: string }[] } }>(`${pathOf(project)}/impact/${workspace.id}`),
      )
      return { introduced: changed.introduced.map(({ code, line }) => `${code} ${line}`), resolved: changed.resolved.map(({ code }) => code) }
    }
    assert.deepEqual(await impactDiagnosticsOf('192.0.2.1:\n203.0.113.:watched\n\nno entry\n'), { introduced: [], resolved: [] })
    assert.deepEqual(await impactDiagnosticsOf('203.0.113.:watched\nanother\n'), { introduced: ['list_line_invalid 2'], resolved: ['list_line_invalid'] })
  })

  test('replace lists of the instance, also for its rules', async () => {
    const rules = `<group name="watched,"><rule id="100200" level="5"><list field="srcip">etc/lists/audit-keys</list><decoded_as>vpn</decoded_as><description>own</description></rule></group>`
    const project = await make([{ name: 'etc/lists/audit-keys', content: '203.0.113.7:\n' }], { rules_xml: rules })
    await createCase(admin, project.id)
    assert.equal(await ruleOf(project), '100200')
    const { diagnostics_by_code } = await ok(admin.client.get<{ diagnostics_by_code: Record<string, number> }>(`${pathOf(project)}/overview`))
    assert.equal(diagnostics_by_code.list_replaces, 1)
    await patch(pathOf(project), { lists: [] })
    assert.notEqual(await ruleOf(project), '100200')
  })

  test('are in the audit trail by hash, number and size only, and not in the log', async () => {
    const project = await make([SECRET])
    const workspace = await openWorkspace(admin, project.id)
    await patch(pathOf(project), { lists: [WATCHED, { name: 'etc/lists/x', content: 'é:' }] })
    await patch(`${pathOf(project)}/workspaces/${workspace.id}`, { lists: [] })
    const [changed] = await auditOf(project.id)
    assert.deepEqual([changed.action, Object.keys(changed.diff)], ['project.updated', ['lists']])
    assert.match(String(changed.diff.lists.before), /^[0-9a-f]{16} \(1 lists, 21 bytes\)$/)
    assert.match(String(changed.diff.lists.after), /^[0-9a-f]{16} \(2 lists, 22 bytes\)$/)
    const [edited] = await auditOf(workspace.id)
    assert.deepEqual([edited.action, Object.keys(edited.diff)], ['workspace.updated', ['lists']])
    const trail = (await stored(app)).split('\n').filter((line) => line.includes('"collection":"audit_events"'))
    assert.ok(trail.length > 0 && trail.every((line) => !line.includes('secret-of-the-house')))
    assert.ok(!app.log.join('').includes('secret-of-the-house'))
  })

  test('of content stored by older versions are empty, and its hash does not change', async () => {
    const project = await make([])
    const contents = scopeOf(app, admin).collection(CONTENTS)
    const old = await contents.findOne({ _id: project.id })
    assert.ok(old !== null)
    const { lists: _none, ...without } = old
    await contents.deleteMany({ _id: project.id })
    await contents.insert(without)
    assert.deepEqual((await admin.client.get<ProjectRecord>(pathOf(project))).body.lists, [])
    assert.deepEqual((await admin.client.get<ProjectRecord[]>('/platform/projects')).body.find(({ id }) => id === project.id)?.lists, [])
    const workspace = await openWorkspace(admin, project.id)
    assert.deepEqual(workspace.lists, [])
    const { version, publish } = await release(project, '1')
    assert.ok(publish.quality_gate_result !== undefined)
    assert.deepEqual((await admin.client.get<{ lists: unknown }>(`${pathOf(project)}/versions/${version.id}/content`)).body.lists, [])
    assert.deepEqual((await ok(patch(pathOf(project), { lists: [WATCHED] }))).lists, [WATCHED])
    assert.equal(old.decoders_xml, DECODERS_XML)
  })

  test('fit into a document with both XML texts at their maximum', async () => {
    const project = await make([])
    const wide = '\u20ac'.repeat(Math.floor(XML_BYTES / 3))
    const most = Array.from({ length: LISTS_LIMIT }, (_, at) => ({
      name: `${String(at).padStart(3, '0')}${'\u20ac'.repeat(252)}`,
      content: at === 0 ? 'x'.repeat(LISTS_BYTES) : '',
    }))
    for (const fields of [{ rules_xml: wide }, { decoders_xml: wide }, { lists: most }]) assert.equal((await patch(pathOf(project), fields)).status, 200)
    assert.equal((await admin.client.get<ProjectRecord>(pathOf(project))).body.lists.length, LISTS_LIMIT)
  })
})

for (const store of ALL_STORES) {
  test(`lists, rules and names that are changed concurrently are all stored, and published together, ${store.name}`, { skip: store.skip }, () =>
    withApp({ store }, async (app) => {
      const admin = await bootstrap(app.client)
      const project = await createProject(admin, { rules_xml: '' })
      const path = `/platform/projects/${project.id}`
      const changes = [{ lists: [WATCHED] }, { rules_xml: RULES }, { name: 'Ours' }]
      const answers = await Promise.all(changes.map((change) => admin.client.patch(path, change)))
      for (const { status, text } of answers) assert.equal(status, 200, text)
      await createCase(admin, project.id, { event_text: FAILED_LOGIN, expected_rule: '100101' })
      const version = await admin.client.post<ProjectVersionRecord>(`${path}/versions`, { name: '1' })
      assert.equal(version.body.regression_passed, true, version.text)
      assert.equal((await admin.client.post<Publish>(`${path}/versions/${version.body.id}/publish`)).body.published, true)
      assert.deepEqual((await admin.client.get<ProjectRecord>(path)).body.lists, [WATCHED])
    }),
  )
}
