/** Projects over HTTP: created, listed, returned, updated concurrently. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { createProject, DECODERS_XML, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { refused, SIGNUP } from './steps.js'

interface AuditEntry {
  readonly action: string
  readonly project_id: string | null
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

describe(`projects, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let other: Actor

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app?.close())

  const lastAudit = async (): Promise<AuditEntry> => (await admin.client.get<AuditEntry[]>('/platform/audit?limit=1')).body[0]

  test('need only a name', async () => {
    const { status, body, headers } = await admin.client.post<ProjectRecord>('/platform/projects', { name: '  VPN & Proxy ' })
    assert.equal(status, 200)
    const { id, created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, {
      slug: 'vpn-proxy',
      name: 'VPN & Proxy',
      description: '',
      decoders_xml: '',
      rules_xml: '',
      lists: [],
      default_log_format: 'auto',
      include_disk_defaults: true,
      include_disk_custom: true,
      active_baseline_id: null,
      active_baseline_name: '',
      case_count: 0,
      workspace_count: 0,
      is_read_only: false,
      archived_at: null,
    })
    assert.equal(created_at, updated_at)
    assert.equal(headers.get('etag'), '"1.0.0"')
    const shown = await admin.client.get<ProjectRecord>(`/platform/projects/${id}`)
    assert.deepEqual(shown.body, body)
  })

  test('with one name have different slugs', async () => {
    const made = await Promise.all([1, 2, 3].map(() => createProject(admin, { name: 'Same name' })))
    assert.equal(new Set(made.map(({ slug }) => slug)).size, 3)
    assert.ok(made.some(({ slug }) => slug === 'same-name'))
  })

  test('store all fields, also content with faults', async () => {
    const fields = {
      name: 'Everything',
      description: 'of it\nin two lines',
      decoders_xml: '<decoder name="half',
      rules_xml: '<group name="é\u0000">',
      lists: [
        { name: '../../é', content: 'no entry\r\u0000' },
        { name: 'x.cdb', content: '' },
      ],
      default_log_format: 'json',
      include_disk_defaults: false,
      include_disk_custom: false,
      active_baseline_id: null,
    }
    const project = await createProject(admin, fields)
    const { body } = await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(body[name as keyof ProjectRecord], value, name)
  })

  test('can start with a template', async () => {
    const { body: catalog } = await admin.client.get<{ templates: { id: string; xml: string; kind: string }[] }>('/templates')
    const template = catalog.templates.find(({ kind }) => kind === 'mixed')
    assert.ok(template)
    const { body } = await admin.client.post<ProjectRecord>('/platform/projects', { name: 'From a template', template_id: template.id })
    assert.match(body.decoders_xml, /<decoder /)
    assert.match(body.rules_xml, /<rule /)
    assert.ok(template.xml.includes(body.rules_xml.trim().split('\n')[0]))
    const missing = await admin.client.post<Refusal>('/platform/projects', { name: 'x', template_id: 'no-such-template' })
    assert.equal(missing.status, 404)
    const both = await admin.client.post<Refusal>('/platform/projects', { name: 'x', template_id: template.id, rules_xml: '' })
    assert.equal(both.status, 422)
    assert.deepEqual(both.body.details.errors, [{ path: '/template_id', message: 'cannot be combined with rules_xml', expected: { not_beside: 'rules_xml' } }])
  })

  test('refuse fields that are too long, and baselines that do not exist', async () => {
    const cases: [Record<string, unknown>, number][] = [
      [{ name: '' }, 422],
      [{ name: 'x'.repeat(121) }, 422],
      [{ name: 'x', description: 'x'.repeat(2001) }, 422],
      [{ name: 'x', rules_xml: 'x'.repeat(2 * 1024 * 1024 + 1) }, 422],
      [{ name: 'x', default_log_format: 'xml' }, 422],
      [{ name: 'x', slug: 'mine' }, 422],
      [{}, 422],
      [{ name: 'x', active_baseline_id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f' }, 404],
    ]
    for (const [fields, status] of cases) assert.equal((await admin.client.post('/platform/projects', fields)).status, status, JSON.stringify(fields).slice(0, 80))
    const most = await createProject(admin, { name: 'Two megabytes', rules_xml: 'x'.repeat(2 * 1024 * 1024) })
    assert.equal(most.rules_xml.length, 2 * 1024 * 1024)
  })

  test('are listed by page, sorted and searched, with all or some fields', async () => {
    for (const name of ['Zeta list', 'alpha list', 'Mid list']) await createProject(admin, { name })
    const found = await admin.client.get<ProjectRecord[]>('/platform/projects?search=LIST&sort=name&order=asc&limit=2')
    assert.equal(found.headers.get('x-total-count'), '3')
    assert.match(found.headers.get('link') ?? '', /rel="next"/)
    assert.equal(found.body.length, 2)
    assert.equal(found.body[0].decoders_xml, DECODERS_XML)
    const large = 'y'.repeat(2 * 1024 * 1024)
    for (const name of ['Large 1', 'Large 2']) await createProject(admin, { name, rules_xml: large, decoders_xml: large })
    const pieces = await admin.client.get<ProjectRecord[]>('/platform/projects?search=Large%20')
    assert.deepEqual(pieces.body.map(({ name }) => name).sort(), ['Large 1', 'Large 2'])
    assert.ok(pieces.body.every(({ rules_xml, decoders_xml }) => rules_xml === large && decoders_xml === large))
    assert.equal(pieces.headers.get('x-total-count'), '2')
    assert.equal((await admin.client.get('/platform/projects?sort=rules_xml')).status, 422)
    assert.deepEqual((await admin.client.get<ProjectRecord[]>('/platform/projects?search=%00')).body, [])
  })

  test('update only the sent fields, and record the previous values', async () => {
    const project = await createProject(admin, { name: 'Changing' })
    const { body, headers } = await admin.client.patch<ProjectRecord>(`/platform/projects/${project.id}`, { name: 'Changed', rules_xml: '<group name="a,"></group>' })
    assert.equal(body.name, 'Changed')
    assert.equal(body.slug, project.slug)
    assert.equal(body.decoders_xml, DECODERS_XML)
    assert.equal(body.rules_xml, '<group name="a,"></group>')
    assert.equal(headers.get('etag'), '"2.0.0"')
    const { action, project_id, diff } = await lastAudit()
    assert.equal(action, 'project.updated')
    assert.equal(project_id, project.id)
    assert.deepEqual(Object.keys(diff).sort(), ['name', 'rules_xml'])
    assert.deepEqual(diff.name, { before: 'Changing', after: 'Changed' })
    assert.match(String(diff.rules_xml.before), new RegExp(`^[0-9a-f]{16} \\(${Buffer.byteLength(RULES_XML)} bytes\\)$`))
    const same = await admin.client.patch<ProjectRecord>(`/platform/projects/${project.id}`, { name: 'Changed' })
    assert.equal(same.headers.get('etag'), '"2.0.0"')
  })

  test('can be updated with If-Match', async () => {
    const project = await createProject(admin, { name: 'Matched' })
    const path = `/platform/projects/${project.id}`
    const patch = (name: string, tag: string) => admin.client.call<Refusal>('PATCH', path, { body: { name }, headers: { 'If-Match': tag } })
    assert.equal((await patch('First', '"1.0.0"')).status, 200)
    const stale = await patch('Second', '"1.0.0"')
    assert.equal(stale.status, 412)
    assert.equal(stale.body.code, 'precondition_failed')
    assert.equal((await patch('Second', '*')).status, 200)
    assert.equal((await patch('Third', '"1.0.0", W/"3.0.0"')).status, 412)
    assert.equal((await patch('Third', '"1.0.0", "3.5.0"')).status, 200)
    const together = await Promise.all(['a', 'b', 'c', 'd'].map((name) => patch(name, '"4.0.0"')))
    assert.deepEqual(together.map(({ status }) => status).sort(), [200, 412, 412, 412])
  })

  test('lose no field that only one of two writers changed', async () => {
    const project = await createProject(admin, { name: 'Two writers' })
    const path = `/platform/projects/${project.id}`
    const changes = [
      { name: 'Ours' },
      { description: 'theirs' },
      { rules_xml: '<group name="third,"></group>' },
      { decoders_xml: '<decoder name="fourth"></decoder>' },
      { lists: [{ name: 'etc/lists/fifth', content: 'a:' }] },
      { include_disk_custom: true },
    ]
    const answers = await Promise.all(changes.map((change) => admin.client.patch(path, change)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      changes.map(() => 200),
    )
    const { body } = await admin.client.get<ProjectRecord>(path)
    for (const change of changes) for (const [name, value] of Object.entries(change)) assert.deepEqual(body[name as keyof ProjectRecord], value, name)
  })

  test('have a baseline among their own versions only', async () => {
    const versionOf = async (actor: Actor, project: ProjectRecord): Promise<string> =>
      (await actor.client.post<{ id: string }>(`/platform/projects/${project.id}/versions`, { name: '1.0' })).body.id
    const project = await createProject(admin, { name: 'Based' })
    const path = `/platform/projects/${project.id}`
    const [own, sibling, foreign] = [
      await versionOf(admin, project),
      await versionOf(admin, await createProject(admin, { name: 'Sibling' })),
      await versionOf(other, await createProject(other, { name: 'Foreign' })),
    ]
    for (const id of [sibling, foreign]) {
      refused(await admin.client.patch(path, { active_baseline_id: id }), 404, 'not_found')
      refused(await admin.client.post('/platform/projects', { name: 'x', active_baseline_id: id }), 404, 'not_found')
    }
    // A project that is being created has no versions yet.
    refused(await admin.client.post('/platform/projects', { name: 'x', active_baseline_id: own }), 404, 'not_found')
    const based = await admin.client.patch<ProjectRecord>(path, { active_baseline_id: own })
    assert.deepEqual([based.status, based.body.active_baseline_id, based.body.active_baseline_name], [200, own, '1.0'])
    const free = await admin.client.patch<ProjectRecord>(path, { active_baseline_id: null })
    assert.deepEqual([free.body.active_baseline_id, free.body.active_baseline_name], [null, ''])
  })

  test('are available to keys with a scope for them', async () => {
    const reader = await createKey(admin, ['projects:read'])
    const writer = await createKey(admin, ['projects:write'])
    assert.equal((await reader.client.get('/platform/projects')).status, 200)
    assert.equal((await reader.client.post('/platform/projects', { name: 'x' })).status, 403)
    assert.equal((await writer.client.post('/platform/projects', { name: 'Made by a key' })).status, 200)
  })

  test('are readable by every member, and updated by those with the permission', async () => {
    const project = await createProject(admin, { name: 'Roles' })
    const path = `/platform/projects/${project.id}`
    const engineer = await addMember(admin, 'engineer')
    const reader = await addMember(admin, 'read_only')
    assert.equal((await engineer.client.patch(path, { description: 'mine' })).status, 200)
    assert.equal((await reader.client.get(path)).status, 200)
    assert.equal((await reader.client.patch(path, { description: 'mine' })).status, 403)
  })
})
