/** Cases over HTTP: create, list, get, update, delete; contradictions, and limits with concurrent calls. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CaseRecord } from '../../server/content/cases/case-record.js'
import { PROJECTS } from '../../server/content/shared/project.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { CASES_BYTES_LIMIT, CASES_LIMIT } from '../../server/content/shared/test-case.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { createCase, createProject, FAILED_LOGIN, GOOD_LOGIN } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface AuditEntry {
  readonly action: string
  readonly project_id: string | null
  readonly resource_name: string
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

describe(`cases, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const projects = () => new Tenancy(app.service.storage).of(admin.organizationId).collection(PROJECTS)
  const counts = async (id: string): Promise<readonly [number, number, number]> => {
    const project = await projects().findOne({ _id: id })
    assert.ok(project)
    return [project.case_count, project.case_bytes, project.cases_revision]
  }
  const post = <B = CaseRecord>({ id }: Pick<ProjectRecord, 'id'>, fields: object): Promise<Answer<B>> => admin.client.post<B>(`/platform/projects/${id}/cases`, fields)
  const pathOf = ({ project_id, id }: CaseRecord): string => `/platform/projects/${project_id}/cases/${id}`
  const errorsOf = ({ status, body, text }: Answer<Refusal>): string[] => {
    assert.equal(status, 422, text)
    return (body.details.errors as { path: string }[]).map(({ path }) => path)
  }
  const lastAudit = async (): Promise<AuditEntry> => (await admin.client.get<AuditEntry[]>('/platform/audit?limit=1')).body[0]

  test('need only a name and an event', async () => {
    const project = await createProject(admin, { default_log_format: 'syslog' })
    const { status, body, headers } = await post(project, { name: '  Failed login ', event_text: FAILED_LOGIN })
    assert.equal(status, 200)
    const { id, created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, {
      project_id: project.id,
      name: 'Failed login',
      description: '',
      event_text: FAILED_LOGIN,
      events: [],
      log_format: 'syslog',
      location: null,
      session_id: '',
      expected_decoder: null,
      expected_rule: null,
      expected_level: null,
      expected_fields: {},
      expected_rule_ids: [],
      now: null,
      forbidden_rule_ids: [],
      expect_no_rule: false,
    })
    assert.equal(created_at, updated_at)
    assert.equal(headers.get('etag'), '"1"')
    const shown = await admin.client.get<CaseRecord>(pathOf(body))
    assert.deepEqual(shown.body, body)
    assert.equal(shown.headers.get('etag'), '"1"')
    const { body: counted } = await admin.client.get<ProjectRecord>(`/platform/projects/${project.id}`)
    assert.equal(counted.case_count, 1)
  })

  test('store all fields, with any field names', async () => {
    const project = await createProject(admin)
    const fields = {
      name: 'Everything',
      description: 'of it\nin two lines',
      log_format: 'json',
      location: '[001] (agent) any->/var/log/x',
      session_id: '$session.é',
      now: '2024-02-29T22:30:00.5-03:00',
      expected_decoder: 'vpn',
      expected_rule: '100101',
      expected_level: 5,
      expected_rule_ids: ['100100', '0'],
      forbidden_rule_ids: ['4294967295'],
      expect_no_rule: false,
      events: [
        { event_text: 'one\u0000two', at: 0, location: null },
        { event_text: 'three', at: null, location: '/x' },
        { event_text: 'four', at: 60, location: null },
      ],
    }
    const names = '{"__proto__":"p","constructor":"c","a.b":"1","$set":"2","toString":"3","":null}'.replace(',"":null', '')
    const raw = `${JSON.stringify(fields).slice(0, -1)},"expected_fields":${names}}`
    const { status, text } = await admin.client.post(`/platform/projects/${project.id}/cases`, undefined, { raw, headers: { 'Content-Type': 'application/json' } })
    assert.equal(status, 200, text)
    const made = JSON.parse(text) as CaseRecord
    const shown = JSON.parse((await admin.client.get(pathOf(made))).text) as CaseRecord
    for (const record of [made, shown]) {
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(record[name as keyof CaseRecord], value, name)
      assert.deepEqual(Object.entries(record.expected_fields).sort(), [
        ['$set', '2'],
        ['__proto__', 'p'],
        ['a.b', '1'],
        ['constructor', 'c'],
        ['toString', '3'],
      ])
    }
    assert.equal(({} as Record<string, unknown>).p, undefined)
    const sentBack = await admin.client.patch<CaseRecord>(pathOf(made), { ...fields, event_text: '', description: '' })
    assert.equal(sentBack.status, 200, sentBack.text)
    assert.equal(sentBack.body.description, '')
  })

  test('refuse invalid fields', async () => {
    const project = await createProject(admin)
    const event_text = FAILED_LOGIN
    const wrong: [object, string][] = [
      [{ event_text }, '/name'],
      [{ name: 'x' }, '/event_text'],
      [{ name: 'x', event_text: '' }, '/event_text'],
      [{ name: 'x', events: [] }, '/event_text'],
      [{ name: 'x'.repeat(121), event_text }, '/name'],
      [{ name: 'x', event_text, description: 'x'.repeat(2001) }, '/description'],
      [{ name: 'x', event_text, log_format: 'xml' }, '/log_format'],
      [{ name: 'x', event_text, location: 'x'.repeat(513) }, '/location'],
      [{ name: 'x', event_text, now: '2026-01-05T22:30:00' }, '/now'],
      [{ name: 'x', event_text, now: '2026-02-30T22:30:00Z' }, '/now'],
      [{ name: 'x', event_text, session_id: 'x'.repeat(129) }, '/session_id'],
      [{ name: 'x', event_text, expected_rule: 'sshd' }, '/expected_rule'],
      [{ name: 'x', event_text, expected_rule: '007' }, '/expected_rule'],
      [{ name: 'x', event_text, expected_rule: 5716 }, '/expected_rule'],
      [{ name: 'x', event_text, expected_level: 17 }, '/expected_level'],
      [{ name: 'x', event_text, expected_rule_ids: ['-1'] }, '/expected_rule_ids/0'],
      [{ name: 'x', event_text, expected_rule_ids: Array.from({ length: 201 }, (_, i) => String(i)) }, '/expected_rule_ids'],
      [{ name: 'x', event_text, expected_fields: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, ''])) }, '/expected_fields'],
      [{ name: 'x', event_text, expected_fields: { srcip: 'x'.repeat(1025) } }, '/expected_fields/srcip'],
      [{ name: 'x', event_text, expected_fields: { srcip: 1 } }, '/expected_fields/srcip'],
      [{ name: 'x', events: [{ event_text: '' }] }, '/events/0/event_text'],
      [{ name: 'x', events: [{ event_text, at: -1 }] }, '/events/0/at'],
      [{ name: 'x', events: [{ event_text, at: 1.5 }] }, '/events/0/at'],
      [{ name: 'x', events: [{ event_text, when: 1 }] }, '/events/0/when'],
      [{ name: 'x', event_text, bytes: 1 }, '/bytes'],
    ]
    for (const [fields, path] of wrong) assert.deepEqual(errorsOf(await post<Refusal>(project, fields)), [path], JSON.stringify(fields).slice(0, 80))
    assert.equal(errorsOf(await post<Refusal>(project, { name: 'x', event_text, expected_fields: { ['n'.repeat(256)]: '' } })).length, 1)
    const raw = `{"name":"x","event_text":"y","__proto__":{"bytes":1}}`
    assert.equal((await admin.client.post(`/platform/projects/${project.id}/cases`, undefined, { raw, headers: { 'Content-Type': 'application/json' } })).status, 422)
    assert.deepEqual(await counts(project.id), [0, 0, 0])
  })

  test('accept the limits of the contract', async () => {
    const project = await createProject(admin)
    const most = {
      name: 'x'.repeat(120),
      event_text: 'e'.repeat(7 * 1024 * 1024),
      location: 'l'.repeat(512),
      session_id: 's'.repeat(128),
      expected_rule_ids: Array.from({ length: 200 }, (_, i) => String(i)),
      expected_fields: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}`.padEnd(255, 'n'), 'v'.repeat(1024)])),
    }
    const { body, status, text } = await post(project, most)
    assert.equal(status, 200, text.slice(0, 300))
    const [count, bytes] = await counts(project.id)
    assert.equal(count, 1)
    assert.ok(bytes > 7 * 1024 * 1024)
    const list = await admin.client.get<CaseRecord[]>(`/platform/projects/${project.id}/cases`)
    assert.deepEqual(list.body, [body])
  })

  test('refuse contradictory expectations, with their place', async () => {
    const project = await createProject(admin)
    const event_text = FAILED_LOGIN
    const wrong: [object, string[]][] = [
      [{ event_text, expect_no_rule: true, expected_rule: '100101' }, ['/expect_no_rule']],
      [{ event_text, expect_no_rule: true, expected_level: 3 }, ['/expect_no_rule']],
      [{ event_text, events: [{ event_text }] }, ['/events']],
      [{ event_text, expected_rule: '1', expected_rule_ids: ['2'], forbidden_rule_ids: ['3', '2', '1'] }, ['/forbidden_rule_ids/1', '/forbidden_rule_ids/2']],
      [{ events: [{ event_text, at: 10 }, { event_text }, { event_text, at: 9 }, { event_text, at: 10 }] }, ['/events/2/at']],
    ]
    for (const [fields, paths] of wrong) assert.deepEqual(errorsOf(await post<Refusal>(project, { name: 'x', ...fields })), paths)
    const refusal = await admin.client.post<Refusal>(
      `/platform/projects/${project.id}/cases`,
      { name: 'x', event_text, expected_rule: '1', forbidden_rule_ids: ['1'] },
      { headers: { 'x-locale': 'pt-BR' } },
    )
    assert.deepEqual(refusal.body.details.errors, [
      { path: '/forbidden_rule_ids/0', message: 'não pode estar junto com expected_rule: 1', expected: { not_beside: 'expected_rule' } },
    ])
    const quiet = await createCase(admin, project.id, { expect_no_rule: true, expected_level: 0, expected_rule: '', expected_decoder: '', location: '' })
    assert.deepEqual([quiet.expected_rule, quiet.expected_decoder, quiet.location], [null, null, null])
    // An update is checked with the rest of the case.
    assert.deepEqual(errorsOf(await admin.client.patch<Refusal>(pathOf(quiet), { expected_rule: '1' })), ['/expect_no_rule'])
    assert.deepEqual(errorsOf(await admin.client.patch<Refusal>(pathOf(quiet), { events: [{ event_text }] })), ['/events'])
    assert.deepEqual(errorsOf(await admin.client.patch<Refusal>(pathOf(quiet), { event_text: '' })), ['/event_text'])
    assert.equal((await admin.client.patch(pathOf(quiet), { event_text: '', events: [{ event_text }] })).status, 200)
  })

  test('can be listed by page, sorted and filtered, at once or in chunks', async () => {
    const project = await createProject(admin)
    for (const [name, fields] of [
      ['Zeta', { expected_rule: '100101', session_id: 's' }],
      ['alpha zeta', { expected_rule: '100101', expected_decoder: 'vpn' }],
      ['Mid', { session_id: 's' }],
    ] as const)
      await createCase(admin, project.id, { name, ...fields })
    const path = `/platform/projects/${project.id}/cases`
    const names = async (query: string): Promise<string[]> => (await admin.client.get<CaseRecord[]>(`${path}?${query}`)).body.map(({ name }) => name)
    assert.deepEqual(await names(''), ['Mid', 'alpha zeta', 'Zeta'])
    assert.deepEqual(await names('order=asc'), ['Zeta', 'alpha zeta', 'Mid'])
    assert.deepEqual(await names('sort=name&order=asc'), ['Mid', 'Zeta', 'alpha zeta'])
    assert.deepEqual(await names('search=ZETA&order=asc'), ['Zeta', 'alpha zeta'])
    assert.deepEqual(await names('expected_rule=100101&session_id=s'), ['Zeta'])
    assert.deepEqual(await names('expected_decoder=vpn'), ['alpha zeta'])
    const page = await admin.client.get<CaseRecord[]>(`${path}?limit=1&offset=1`)
    assert.equal(page.headers.get('x-total-count'), '3')
    assert.match(page.headers.get('link') ?? '', /rel="next"/)
    assert.equal((await admin.client.get(`${path}?sort=event_text`)).status, 422)
    const large = 'y'.repeat(3 * 1024 * 1024)
    for (const name of ['Large 1', 'Large 2']) await createCase(admin, project.id, { name, event_text: large })
    const pieces = await admin.client.get<CaseRecord[]>(`${path}?search=Large&order=asc`)
    assert.deepEqual(
      pieces.body.map(({ name, event_text }) => [name, event_text === large]),
      [
        ['Large 1', true],
        ['Large 2', true],
      ],
    )
    assert.equal(pieces.headers.get('x-total-count'), '2')
  })

  test('can be updated by field, and the audit trail has the change without event texts', async () => {
    const project = await createProject(admin)
    const made = await createCase(admin, project.id, { expected_rule: '100101', expected_fields: { srcip: '203.0.113.7' } })
    const [, bytes, revision] = await counts(project.id)
    const { body, headers } = await admin.client.patch<CaseRecord>(pathOf(made), { name: 'Good login', event_text: GOOD_LOGIN, expected_rule: null, expected_fields: { a: 'b' } })
    assert.deepEqual([body.name, body.event_text, body.expected_rule, body.expected_fields], ['Good login', GOOD_LOGIN, null, { a: 'b' }])
    assert.equal(headers.get('etag'), '"2"')
    const { action, project_id, resource_name, diff } = await lastAudit()
    assert.deepEqual([action, project_id, resource_name], ['case.updated', project.id, 'Good login'])
    assert.deepEqual(Object.keys(diff).sort(), ['event_text', 'expected_fields', 'expected_rule', 'name'])
    assert.deepEqual(diff.expected_rule, { before: '100101', after: null })
    assert.ok(!JSON.stringify(diff).includes('203.0.113.7'))
    const [count, changedBytes, changedRevision] = await counts(project.id)
    const texts = (record: CaseRecord) => [record.name, record.event_text, record.expected_rule ?? '', ...Object.entries(record.expected_fields).flat()].join('').length
    assert.deepEqual([count, changedBytes - bytes, changedRevision], [1, texts(body) - texts(made), revision + 1])
    const same = await admin.client.patch<CaseRecord>(pathOf(made), { name: 'Good login' })
    assert.equal(same.headers.get('etag'), '"2"')
    assert.equal((await counts(project.id))[2], changedRevision)
  })

  test('check If-Match of an update, and keep the fields of two concurrent updates', async () => {
    const project = await createProject(admin)
    const made = await createCase(admin, project.id)
    const patch = (name: string, tag: string) => admin.client.call<Refusal>('PATCH', pathOf(made), { body: { name }, headers: { 'If-Match': tag } })
    assert.equal((await patch('First', '"1"')).status, 200)
    const stale = await patch('Second', '"1"')
    assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
    const together = await Promise.all(['a', 'b', 'c', 'd'].map((name) => patch(name, '"2"')))
    assert.deepEqual(together.map(({ status }) => status).sort(), [200, 412, 412, 412])
    const changes = [{ description: 'd' }, { session_id: 's' }, { expected_rule: '5' }, { log_format: 'json' }, { location: '/l' }]
    assert.deepEqual(
      (await Promise.all(changes.map((change) => admin.client.patch(pathOf(made), change)))).map(({ status }) => status),
      changes.map(() => 200),
    )
    const { body } = await admin.client.get<CaseRecord>(pathOf(made))
    for (const change of changes) for (const [name, value] of Object.entries(change)) assert.equal(body[name as keyof CaseRecord], value, name)
    assert.equal((await counts(project.id))[1], body.name.length + FAILED_LOGIN.length + 'd'.length + 's'.length + '5'.length + '/l'.length)
  })

  test('can be deleted once, and the project counts them', async () => {
    const project = await createProject(admin)
    const made = await createCase(admin, project.id)
    const answers = await Promise.all([1, 2, 3].map(() => admin.client.delete<Refusal>(pathOf(made))))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404])
    const [count, bytes, revision] = await counts(project.id)
    assert.deepEqual([count, bytes, revision], [0, 0, 2])
    assert.equal((await lastAudit()).action, 'case.deleted')
    assert.equal((await admin.client.get(pathOf(made))).status, 404)
  })

  test('do not exceed the limits of a project, also with concurrent calls', async () => {
    const project = await createProject(admin)
    await projects().update({ _id: project.id }, { set: { case_count: CASES_LIMIT - 2 } })
    const many = await Promise.all(Array.from({ length: 6 }, (_, i) => post<Refusal>(project, { name: `n${i}`, event_text: 'e' })))
    assert.deepEqual(many.map(({ status }) => status).sort(), [200, 200, 409, 409, 409, 409])
    const refused = many.find(({ status }) => status === 409) as Answer<Refusal>
    assert.equal(refused.body.code, 'conflict')
    assert.match(refused.body.message, /10000/)
    assert.equal((await counts(project.id))[0], CASES_LIMIT)
    await projects().update({ _id: project.id }, { set: { case_count: 2, case_bytes: CASES_BYTES_LIMIT - 250 } })
    const large = await Promise.all(Array.from({ length: 5 }, (_, i) => post<Refusal>(project, { name: `n${i}`, event_text: 'e'.repeat(98) })))
    assert.deepEqual(large.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
    assert.equal((await counts(project.id))[1], CASES_BYTES_LIMIT - 50)
    // A smaller case is accepted, a larger one is refused.
    const [one] = (await admin.client.get<CaseRecord[]>(`/platform/projects/${project.id}/cases?search=n&limit=1`)).body
    assert.equal((await admin.client.patch(pathOf(one), { description: 'd'.repeat(51) })).status, 409)
    assert.equal((await admin.client.patch(pathOf(one), { event_text: 'e' })).status, 200)
  })

  test('are missing in other projects', async () => {
    const [project, other] = [await createProject(admin), await createProject(admin)]
    const made = await createCase(admin, project.id)
    const elsewhere = `/platform/projects/${other.id}/cases/${made.id}`
    assert.equal((await admin.client.get(elsewhere)).status, 404)
    assert.equal((await admin.client.patch(elsewhere, { name: 'x' })).status, 404)
    assert.equal((await admin.client.delete(elsewhere)).status, 404)
    assert.equal((await admin.client.post(`${elsewhere}/run`)).status, 404)
    for (const path of ['', '/export', '/00000000-0000-4000-8000-000000000000'])
      assert.equal((await admin.client.get(`/platform/projects/00000000-0000-4000-8000-000000000000/cases${path}`)).status, 404)
    assert.equal((await post<Refusal>({ id: '00000000-0000-4000-8000-000000000000' }, { name: 'x', event_text: 'y' })).status, 404)
  })

  test('can be read by all members, and changed by those with the permission', async () => {
    const project = await createProject(admin)
    const made = await createCase(admin, project.id)
    const reader = await addMember(admin, 'read_only')
    const reviewer = await addMember(admin, 'reviewer')
    const engineer = await addMember(admin, 'engineer')
    for (const { client } of [reader, reviewer, engineer]) assert.equal((await client.get(pathOf(made))).status, 200)
    for (const { client } of [reader, reviewer]) {
      assert.equal((await client.patch(pathOf(made), { name: 'x' })).status, 403)
      assert.equal((await client.delete(pathOf(made))).status, 403)
    }
    assert.equal((await reader.client.post(`${pathOf(made)}/run`)).status, 403)
    assert.equal((await reviewer.client.post(`${pathOf(made)}/run`)).status, 200)
    assert.equal((await engineer.client.patch(pathOf(made), { name: 'x' })).status, 200)
    const { client } = await createKey(admin, ['cases:write'])
    assert.equal((await client.patch(pathOf(made), { name: 'y' })).status, 200)
    assert.equal((await client.post(`${pathOf(made)}/run`)).status, 403)
  })
})
