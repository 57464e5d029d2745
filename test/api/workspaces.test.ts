/** Workspaces over HTTP: opened as copies, edited concurrently, closed and reopened. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { XML_BYTES } from '../../server/content/shared/content.js'
import { PROJECTS } from '../../server/content/shared/project.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { WORKSPACE_STATUSES, WORKSPACE_TRANSITIONS } from '../../server/content/shared/transitions.js'
import { SOURCE_FILES_LIMIT, WORKSPACES_LIMIT } from '../../server/content/shared/workspace.js'
import type { ReviewRecord } from '../../server/content/reviews/schema.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, DECODERS_XML, FAILED_LOGIN, openReview, openWorkspace, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { ALL_STORES, refused, SIGNUP, stored, withApp } from './steps.js'

interface AuditEntry {
  readonly action: string
  readonly project_id: string | null
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

const pathOf = ({ id, project_id }: Pick<WorkspaceRecord, 'id' | 'project_id'>): string => `/platform/projects/${project_id}/workspaces/${id}`
const countOf = async ({ client }: Actor, projectId: string): Promise<number> => (await client.get<ProjectRecord>(`/platform/projects/${projectId}`)).body.workspace_count

describe(`workspaces, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let engineer: Actor
  let project: ProjectRecord

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    engineer = await addMember(admin, 'engineer')
    project = await createProject(admin, { default_log_format: 'syslog' })
  })
  after(() => app?.close())

  const auditOf = async (id: string): Promise<AuditEntry[]> => (await admin.client.get<AuditEntry[]>(`/platform/audit?resource_id=${id}`)).body

  test('need only a name, and start as a copy of the project', async () => {
    const own = await createProject(admin, { default_log_format: 'json', include_disk_defaults: false, include_disk_custom: true })
    const { status, body, headers } = await engineer.client.post<WorkspaceRecord>(`/platform/projects/${own.id}/workspaces`, { name: '  Copy ' })
    assert.equal(status, 200)
    const { id, created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, {
      project_id: own.id,
      name: 'Copy',
      description: '',
      status: 'open',
      decoders_xml: DECODERS_XML,
      rules_xml: RULES_XML,
      lists: [],
      event_text: '',
      log_format: 'json',
      session_id: null,
      include_disk_defaults: false,
      include_disk_custom: true,
      source_files: [],
      git_binding_id: null,
      git_repo: null,
      git_branch: null,
      git_commit_sha: null,
    })
    assert.equal(created_at, updated_at)
    assert.equal(headers.get('etag'), '"1"')
    assert.deepEqual((await engineer.client.get(pathOf(body))).body, body)
    assert.equal(await countOf(admin, own.id), 1)
    const [entry] = await auditOf(id)
    assert.equal(entry.action, 'workspace.created')
    assert.equal(entry.project_id, own.id)
  })

  test('store all fields, and do not change the project', async () => {
    const fields = {
      name: 'Everything',
      description: 'of it\nin two lines',
      decoders_xml: '<decoder name="half',
      rules_xml: '',
      event_text: FAILED_LOGIN,
      log_format: 'plain',
      session_id: 'mine',
      include_disk_defaults: true,
      include_disk_custom: true,
    }
    const workspace = await openWorkspace(engineer, project.id, fields)
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(workspace[name as keyof WorkspaceRecord], value, name)
    const { body } = await engineer.client.get<ProjectRecord>(`/platform/projects/${project.id}`)
    assert.equal(body.rules_xml, RULES_XML)
  })

  test('refuse fields that are too long, and fields that callers cannot set', async () => {
    const wrong = [
      {},
      { name: '' },
      { name: 'x'.repeat(121) },
      { name: 'x', description: 'x'.repeat(2001) },
      { name: 'x', rules_xml: 'x'.repeat(2 * 1024 * 1024 + 1) },
      { name: 'x', session_id: 'x'.repeat(129) },
      { name: 'x', log_format: 'xml' },
      { name: 'x', status: 'open' },
      { name: 'x', source_files: [] },
      { name: 'x', git_repo: 'a/b' },
      { name: 'x', event_text: '\ud800' },
    ]
    for (const fields of wrong) refused(await engineer.client.post(`/platform/projects/${project.id}/workspaces`, fields), 422, 'request_validation_failed')
  })

  test('are listed when open, and closed ones on request', async () => {
    const own = await createProject(admin)
    const names = ['Zeta', 'alpha', 'Mid', 'shut']
    const made: WorkspaceRecord[] = []
    for (const name of names) made.push(await openWorkspace(engineer, own.id, { name }))
    assert.equal((await engineer.client.patch(pathOf(made[3]), { status: 'closed' })).status, 200)
    const path = `/platform/projects/${own.id}/workspaces`
    const list = async (query: string) => {
      const { status, body, headers } = await engineer.client.get<WorkspaceRecord[]>(`${path}${query}`)
      assert.equal(status, 200)
      return { names: body.map(({ name }) => name), total: headers.get('x-total-count') }
    }
    assert.deepEqual(await list('?sort=name&order=asc'), { names: ['Mid', 'Zeta', 'alpha'], total: '3' })
    assert.deepEqual(await list('?status=open&order=asc&limit=1&offset=1'), { names: ['alpha'], total: '3' })
    assert.deepEqual(await list('?status=closed'), { names: ['shut'], total: '1' })
    assert.deepEqual(await list('?status=all&order=asc'), { names, total: '4' })
    assert.deepEqual(await list('?status=all&sort=updated_at&limit=1'), { names: ['shut'], total: '4' })
    refused(await engineer.client.get(`${path}?status=gone`), 422, 'request_validation_failed')
    refused(await engineer.client.get('/platform/projects/nobodys/workspaces'), 404, 'not_found')
  })

  test('are listed in chunks when they are large', async () => {
    const large = 'y'.repeat(2 * 1024 * 1024)
    const own = await createProject(admin)
    for (const name of ['Large 1', 'Large 2']) await openWorkspace(engineer, own.id, { name, rules_xml: large, decoders_xml: large })
    const { body, headers } = await engineer.client.get<WorkspaceRecord[]>(`/platform/projects/${own.id}/workspaces`)
    assert.deepEqual(body.map(({ name }) => name).sort(), ['Large 1', 'Large 2'])
    assert.ok(body.every(({ rules_xml, decoders_xml }) => rules_xml === large && decoders_xml === large))
    assert.equal(headers.get('x-total-count'), '2')
  })

  test('are listed in chunks when the names of their files are large', async () => {
    const own = await createProject(admin)
    const decoder_names = Array.from({ length: 10_000 }, (_, at) => `${at}`.padEnd(250, 'n'))
    for (const name of ['Names 1', 'Names 2']) {
      const { id } = await openWorkspace(engineer, own.id, { name })
      const file = { path: 'decoders.xml', kind: 'decoders', xml: '', sha: '', decoder_names }
      assert.equal((await engineer.client.patch(`/platform/projects/${own.id}/workspaces/${id}`, { source_files: [file] })).status, 200)
    }
    const { body, headers } = await engineer.client.get<WorkspaceRecord[]>(`/platform/projects/${own.id}/workspaces`)
    assert.ok(body.length === 2 && body.every(({ source_files }) => source_files[0].decoder_names.length === decoder_names.length))
    assert.equal(headers.get('content-length'), null, 'it was put together in memory')
  })

  test('update only the sent fields, and the audit trail has no texts', async () => {
    const workspace = await openWorkspace(engineer, project.id, { event_text: 'the secret of the house', session_id: 's' })
    const change = { name: ' Renamed ', rules_xml: '<group name="a,"></group>', event_text: 'another secret of the house', session_id: null }
    const { status, body, headers } = await engineer.client.patch<WorkspaceRecord>(pathOf(workspace), change)
    assert.equal(status, 200)
    assert.equal(headers.get('etag'), '"2"')
    assert.deepEqual({ ...body, updated_at: '' }, { ...workspace, ...change, name: 'Renamed', updated_at: '' })
    const [{ action, diff }] = await auditOf(workspace.id)
    assert.equal(action, 'workspace.updated')
    assert.deepEqual(Object.keys(diff).sort(), ['event_text', 'name', 'rules_xml', 'session_id'])
    assert.match(String(diff.event_text.after), /^[0-9a-f]{16} \(27 bytes\)$/)
    const same = await engineer.client.patch(pathOf(workspace), { name: 'Renamed', rules_xml: change.rules_xml })
    assert.equal(same.headers.get('etag'), '"2"')
    assert.equal((await auditOf(workspace.id)).length, 2)
    const trail = (await stored(app)).split('\n').filter((line) => line.includes('"collection":"audit_events"'))
    assert.ok(trail.length > 0 && trail.every((line) => !line.includes('secret of the house')))
    assert.ok(!app.log.join('').includes('secret of the house'))
  })

  test('can be updated with If-Match', async () => {
    const workspace = await openWorkspace(engineer, project.id)
    const patch = (name: string, tag: string) => engineer.client.call('PATCH', pathOf(workspace), { body: { name }, headers: { 'If-Match': tag } })
    assert.equal((await patch('First', '"1"')).status, 200)
    refused(await patch('Second', '"1"'), 412, 'precondition_failed')
    const together = await Promise.all(['a', 'b', 'c', 'd'].map((name) => patch(name, '"2"')))
    assert.deepEqual(together.map(({ status }) => status).sort(), [200, 412, 412, 412])
    refused(await patch('Third', '"1", "2", W/"3"'), 412, 'precondition_failed')
    assert.equal((await patch('Third', '"1", "3"')).status, 200)
    // The second request finds a version that the caller named too.
    const either = await Promise.all(['e', 'f', 'g'].map((name) => patch(name, '"4", "5"')))
    assert.deepEqual(either.map(({ status }) => status).sort(), [200, 200, 412])
  })

  test('report the files of an import, with the diagnostics in them', async () => {
    const workspace = await openWorkspace(engineer, project.id)
    const rules = { path: 'rules/vpn.xml', kind: 'rules', xml: RULES_XML, sha: 'a'.repeat(40) }
    const decoders = { path: 'decoders/vpn.xml', kind: 'decoders', xml: DECODERS_XML, sha: 'b'.repeat(40) }
    const told = { ...rules, path: 'rules/told.xml', rule_ids: ['7'], decoder_names: [] }
    const list = { path: 'lists/users', kind: 'lists', xml: 'ana:\n', sha: 'c'.repeat(40) }
    const { body } = await engineer.client.patch<WorkspaceRecord>(pathOf(workspace), { source_files: [rules, decoders, told, list] })
    assert.deepEqual(body.source_files, [
      { ...rules, rule_ids: ['100100', '100101'], decoder_names: [] },
      { ...decoders, rule_ids: [], decoder_names: ['vpn', 'vpn-login'] },
      told,
      { ...list, rule_ids: [], decoder_names: [] },
    ])
    assert.deepEqual((await engineer.client.get<WorkspaceRecord>(pathOf(workspace))).body.source_files, body.source_files)
    const other = await engineer.client.patch<WorkspaceRecord>(pathOf(workspace), { description: 'x' })
    assert.equal(other.body.source_files.length, 4)
    assert.deepEqual((await engineer.client.patch<WorkspaceRecord>(pathOf(workspace), { source_files: [] })).body.source_files, [])
    const twice = refused(await engineer.client.patch(pathOf(workspace), { source_files: [rules, decoders, { ...rules, xml: '' }] }), 422, 'request_validation_failed')
    assert.deepEqual(
      (twice.details.errors as { path: string }[]).map(({ path }) => path),
      ['/source_files/2/path'],
    )
    const wrong = [
      [{ ...rules, path: '' }],
      [{ ...rules, kind: 'scripts' }],
      [{ path: 'a', kind: 'rules', xml: '' }],
      [{ ...rules, size: 1 }],
      Array.from({ length: SOURCE_FILES_LIMIT + 1 }, (_, at) => ({ ...rules, path: `r/${at}.xml`, xml: '' })),
    ]
    for (const source_files of wrong) refused(await engineer.client.patch(pathOf(workspace), { source_files }), 422, 'request_validation_failed')
  })

  test('contain no more than fits into a document', async () => {
    const workspace = await openWorkspace(engineer, project.id)
    const most = 'x'.repeat(XML_BYTES)
    const file = { path: 'rules/large.xml', kind: 'rules', xml: '\u20ac'.repeat(2 * 1024 * 1024), sha: '', rule_ids: [], decoder_names: [] }
    for (const fields of [{ rules_xml: most }, { decoders_xml: most }, { source_files: [file] }]) assert.equal((await engineer.client.patch(pathOf(workspace), fields)).status, 200)
    refused(await engineer.client.patch(pathOf(workspace), { event_text: 'x'.repeat(7 * 1024 * 1024) }), 413, 'payload_too_large')
    const { body, headers } = await engineer.client.get<WorkspaceRecord>(pathOf(workspace))
    assert.equal(body.event_text, '')
    assert.equal(headers.get('etag'), '"4"')
  })

  test('change state as in the table of states only', async () => {
    const own = await createProject(admin)
    for (const from of WORKSPACE_STATUSES) {
      for (const to of WORKSPACE_STATUSES) {
        const workspace = await openWorkspace(engineer, own.id)
        if (from === 'closed') assert.equal((await engineer.client.patch(pathOf(workspace), { status: 'closed' })).status, 200)
        const count = await countOf(admin, own.id)
        const entries = (await auditOf(workspace.id)).length
        const { status, body } = await engineer.client.patch<WorkspaceRecord>(pathOf(workspace), { status: to })
        assert.equal(status, 200, `${from} to ${to}`)
        assert.equal(body.status, to)
        const moves = to in WORKSPACE_TRANSITIONS[from]
        // A request for the current state is no change.
        assert.equal((await auditOf(workspace.id)).length, entries + (moves ? 1 : 0), `${from} to ${to}`)
        assert.equal(await countOf(admin, own.id), count + (moves ? (to === 'open' ? 1 : -1) : 0), `${from} to ${to}`)
      }
    }
  })

  test('accept no change when they are closed, except to reopen them; their reviews remain', async () => {
    const workspace = await openWorkspace(engineer, project.id)
    const review = await openReview(engineer, workspace)
    assert.equal((await engineer.client.patch(pathOf(workspace), { status: 'closed', description: 'done' })).status, 200)
    for (const change of [{ name: 'x' }, { rules_xml: '' }, { status: 'closed', name: 'x' }, { source_files: [{ path: 'a', kind: 'rules', xml: '', sha: '' }] }])
      refused(await engineer.client.patch(pathOf(workspace), change), 409, 'conflict')
    const shown = await engineer.client.get<WorkspaceRecord>(pathOf(workspace))
    assert.equal(shown.body.description, 'done')
    assert.equal(shown.body.name, workspace.name)
    const kept = await engineer.client.get<ReviewRecord>(`/platform/projects/${project.id}/reviews/${review.id}`)
    assert.equal(kept.body.status, 'open')
    refused(await engineer.client.post(`/platform/projects/${project.id}/reviews`, { title: 'x', workspace_id: workspace.id }), 409, 'conflict')
    const opened = await engineer.client.patch<WorkspaceRecord>(pathOf(workspace), { status: 'open', name: 'Again' })
    assert.equal(opened.status, 200)
    assert.deepEqual([opened.body.status, opened.body.name], ['open', 'Again'])
  })

  test('are found in their own project and organization only', async () => {
    const workspace = await openWorkspace(engineer, project.id)
    const sibling = await createProject(admin)
    const stranger = await register(app.client, 'strangers')
    const theirs = await createProject(stranger)
    for (const path of [pathOf({ ...workspace, project_id: sibling.id }), pathOf({ ...workspace, id: 'nobodys' })]) {
      refused(await engineer.client.get(path), 404, 'not_found')
      refused(await engineer.client.patch(path, { name: 'x' }), 404, 'not_found')
    }
    for (const path of [pathOf(workspace), pathOf({ ...workspace, project_id: theirs.id })]) {
      refused(await stranger.client.get(path), 404, 'not_found')
      refused(await stranger.client.patch(path, { name: 'x' }), 404, 'not_found')
    }
    refused(await stranger.client.post(`/platform/projects/${project.id}/workspaces`, { name: 'x' }), 404, 'not_found')
    refused(await stranger.client.get(`/platform/projects/${project.id}/workspaces`), 404, 'not_found')
  })

  test('are readable by every member, and edited by those with the permission', async () => {
    const workspace = await openWorkspace(engineer, project.id)
    const reader = await addMember(admin, 'read_only')
    const reviewer = await addMember(admin, 'reviewer')
    for (const { client } of [reader, reviewer]) {
      assert.equal((await client.get(pathOf(workspace))).status, 200)
      refused(await client.patch(pathOf(workspace), { name: 'x' }), 403, 'forbidden')
      refused(await client.post(`/platform/projects/${project.id}/workspaces`, { name: 'x' }), 403, 'forbidden')
    }
    const writer = await createKey(admin, ['projects:write'])
    assert.equal((await writer.client.patch(pathOf(workspace), { name: 'By a key' })).status, 200)
    const runner = await createKey(admin, ['cases:run'])
    refused(await runner.client.get(pathOf(workspace)), 403, 'forbidden')
  })
})

for (const store of ALL_STORES) {
  test(`concurrent writes to workspaces lose nothing, and the count is right, ${store.name}`, { skip: store.skip }, () =>
    withApp({ store }, async (app) => {
      const admin = await bootstrap(app.client)
      const project = await createProject(admin)
      const workspace = await openWorkspace(admin, project.id)
      const changes = [
        { name: 'Ours' },
        { description: 'theirs' },
        { rules_xml: '<group name="third,"></group>' },
        { decoders_xml: '<decoder name="fourth"/>' },
        { event_text: 'fifth' },
      ]
      const answers = await Promise.all(changes.map((change) => admin.client.patch(pathOf(workspace), change)))
      for (const answer of answers) assert.equal(answer.status, 200, answer.text)
      const { body } = await admin.client.get<WorkspaceRecord>(pathOf(workspace))
      for (const change of changes) for (const [name, value] of Object.entries(change)) assert.deepEqual(body[name as keyof WorkspaceRecord], value, name)

      const shut = await Promise.all([1, 2, 3, 4].map(() => admin.client.patch(pathOf(workspace), { status: 'closed' })))
      for (const answer of shut) assert.equal(answer.status, 200, answer.text)
      assert.equal(await countOf(admin, project.id), 0)
      const opened = await Promise.all([1, 2, 3, 4].map(() => admin.client.patch(pathOf(workspace), { status: 'open' })))
      for (const answer of opened) assert.equal(answer.status, 200, answer.text)
      assert.equal(await countOf(admin, project.id), 1)
    }),
  )

  test(`a project cannot exceed its limit of open workspaces, ${store.name}`, { skip: store.skip }, () =>
    withApp({ store }, async (app) => {
      const admin = await bootstrap(app.client)
      const project = await createProject(admin)
      const closed = await openWorkspace(admin, project.id)
      assert.equal((await admin.client.patch(pathOf(closed), { status: 'closed' })).status, 200)
      await new Tenancy(app.service.storage)
        .of(admin.organizationId)
        .collection(PROJECTS)
        .update({ _id: project.id }, { set: { workspace_count: WORKSPACES_LIMIT - 2 } })
      const made = await Promise.all([1, 2, 3, 4, 5].map(() => admin.client.post(`/platform/projects/${project.id}/workspaces`, { name: 'x' })))
      assert.deepEqual(made.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
      refused(await admin.client.patch(pathOf(closed), { status: 'open' }), 409, 'conflict')
      assert.equal((await admin.client.get<WorkspaceRecord>(pathOf(closed))).body.status, 'closed')
      assert.equal(await countOf(admin, project.id), WORKSPACES_LIMIT)
    }),
  )
}
