/** Import and export of suites in the format of Wazuh's test suites: each test becomes a case or is reported. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CaseRecord } from '../../server/content/cases/case-record.js'
import { PROJECTS } from '../../server/content/shared/project.js'
import { CASES_LIMIT } from '../../server/content/shared/test-case.js'
import { SUITE_PARTS_LIMIT } from '../../server/content/cases/import.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { createCase, createProject, FAILED_LOGIN, GOOD_LOGIN } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Imported {
  readonly dry_run: boolean
  readonly created: number
  readonly skipped: readonly { readonly line: number; readonly name: string | null; readonly reason: string; readonly message: string }[]
  readonly cases: readonly CaseRecord[]
}

interface Run {
  readonly total_cases: number
  readonly results: readonly { readonly case: CaseRecord; readonly passed: boolean }[]
}

const SUITE = `; a comment
[failed login]
log 1 pass = ${FAILED_LOGIN}
log 2 pass = ${FAILED_LOGIN}
log 2 pass = ${FAILED_LOGIN}
rule = 100101
alert = 5
decoder = vpn
[unknown]
log 1 fail = quite unknown to all
rule =
alert =
decoder =

what is this
[never]
rule = 1
[other rule]
log 1 fail = ${GOOD_LOGIN}
rule = 100101
alert = 5
decoder = vpn
[wrong]
log 1 pass = a
log 2 pass =
rule = x
alert = 5
decoder = vpn
[level]
log 1 pass = a
rule = 1
alert = 17
decoder = vpn
[incomplete]
log 1 pass = a
rule = 1
`

describe(`suites, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const imported = <B = Imported>(projectId: string, body: object, query = ''): Promise<Answer<B>> =>
    admin.client.post<B>(`/platform/projects/${projectId}/cases/import${query}`, body)
  const list = async (projectId: string): Promise<readonly CaseRecord[]> => (await admin.client.get<CaseRecord[]>(`/platform/projects/${projectId}/cases?order=asc&limit=200`)).body

  test('become cases in their order, and skipped parts are reported with their line', async () => {
    const project = await createProject(admin)
    const { status, body, text } = await imported(project.id, { content: SUITE, filename: 'vpn.ini', prefix: 'VPN:' })
    assert.equal(status, 200, text)
    assert.equal(body.created, 3)
    assert.equal(body.dry_run, false)
    assert.deepEqual(
      body.cases.map(({ name, description, event_text, events, log_format, expected_decoder, expected_rule, expected_level, expect_no_rule }) => [
        ...[name, description, event_text, events.length, log_format],
        ...[expected_decoder, expected_rule, expected_level, expect_no_rule],
      ]),
      [
        ['VPN: failed login, log 1', 'vpn.ini:3', FAILED_LOGIN, 0, 'syslog', 'vpn', '100101', 5, false],
        ['VPN: failed login, log 2', 'vpn.ini:4', '', 2, 'syslog', 'vpn', '100101', 5, false],
        ['VPN: unknown, log 1', 'vpn.ini:10', 'quite unknown to all', 0, 'syslog', null, null, null, true],
      ],
    )
    assert.deepEqual(
      body.skipped.map(({ line, name, reason }) => [line, name, reason]),
      [
        [15, null, 'line_unread'],
        [16, 'never', 'section_empty'],
        [19, 'other rule, log 1', 'fail_inexpressible'],
        [24, 'wrong, log 1', 'rule_invalid'],
        [25, 'wrong, log 2', 'event_empty'],
        [30, 'level, log 1', 'level_invalid'],
        [35, 'incomplete, log 1', 'pass_incomplete'],
      ],
    )
    assert.ok(body.skipped.every(({ message }) => message.length > 10))
    assert.deepEqual(await list(project.id), body.cases)
    const audit = (await admin.client.get<{ action: string; diff: unknown }[]>('/platform/audit?limit=2')).body
    assert.equal(audit[0].action, 'case.imported')
    assert.deepEqual(audit[0].diff, { cases: { before: null, after: 3 }, skipped: { before: null, after: 7 } })
    assert.equal(audit[1].action, 'project.created')
    const run = await admin.client.post<Run>(`/platform/projects/${project.id}/cases/run`)
    assert.deepEqual(
      run.body.results.map(({ case: { name }, passed }) => [name, passed]),
      body.cases.map(({ name }) => [name, true]),
    )
  })

  test('create nothing in a dry run', async () => {
    const project = await createProject(admin)
    const { body } = await imported(project.id, { content: SUITE }, '?dry_run=true')
    assert.deepEqual([body.dry_run, body.created, body.cases.length, body.skipped.length], [true, 3, 3, 7])
    assert.deepEqual(await list(project.id), [])
    assert.equal((await admin.client.get<{ action: string }[]>('/platform/audit?limit=1')).body[0].action, 'project.created')
  })

  test('are imported completely or not at all', async () => {
    const project = await createProject(admin)
    const projects = new Tenancy(app.service.storage).of(admin.organizationId).collection(PROJECTS)
    await projects.update({ _id: project.id }, { set: { case_count: CASES_LIMIT - 4 } })
    const answers = await Promise.all([1, 2, 3].map(() => imported<Refusal>(project.id, { content: SUITE })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    assert.equal((await list(project.id)).length, 3)
    assert.equal((await imported(project.id, { content: SUITE }, '?dry_run=true')).status, 409)
  })

  test('with more parts than the limit are refused', async () => {
    const project = await createProject(admin)
    for (const part of ['x\n', '[x]\n', '[x]\nlog 1 pass = x\n']) {
      const { status, body } = await imported<Refusal>(project.id, { content: part.repeat(SUITE_PARTS_LIMIT + 1) }, '?dry_run=true')
      assert.equal(status, 422)
      assert.deepEqual(
        (body.details.errors as readonly { readonly path: string }[]).map(({ path }) => path),
        ['/content'],
      )
    }
    const most = await imported(project.id, { content: 'x\n'.repeat(SUITE_PARTS_LIMIT) }, '?dry_run=true')
    assert.deepEqual([most.status, most.body.skipped.length], [200, SUITE_PARTS_LIMIT])
  })

  test('of a thousand tests keep their order and unusual characters', async () => {
    const project = await createProject(admin)
    const sections = Array.from({ length: 1000 }, (_, i) => `[s${i}]\nlog 1 pass = event ${i}\nrule = ${i}\nalert = 3\ndecoder = d\n`)
    const { body } = await imported(project.id, { content: sections.join('') })
    assert.equal(body.created, 1000)
    const run = await admin.client.post<Run>(`/platform/projects/${project.id}/cases/run`)
    assert.deepEqual(
      run.body.results.map(({ case: { expected_rule } }) => expected_rule),
      sections.map((_, i) => String(i)),
    )
    const odd = await imported(project.id, {
      content: `\ufeff[${'long '.repeat(60)}\u0001\u202e😀]\r\nlog x pass = a\u0000b\r\nrule=1\r\nalert=1\r\ndecoder=d\r\n[]\nlog 1 fail = b`,
      filename: 'x',
    })
    assert.equal(odd.status, 200, odd.text)
    assert.equal(odd.body.created, 2)
    assert.ok(odd.body.cases[0].name.length <= 120)
    assert.match(odd.body.cases[0].description, /^x:2\nlong long/)
    assert.equal(odd.body.cases[0].event_text, 'a\u0000b')
    const none = await imported(project.id, { content: 'nothing' })
    assert.deepEqual([none.body.created, none.body.skipped.length], [0, 1])
    for (const wrong of [{}, { content: '' }, { content: 1 }, { content: 'x', filename: '' }, { content: 'x', text: 'y' }])
      assert.equal((await imported(project.id, wrong)).status, 422)
  })

  test('keep the clock of a section, and report one without a section or time', async () => {
    const project = await createProject(admin)
    const section = (name: string) => `[${name}]\nlog 1 pass = ${FAILED_LOGIN}\nrule = 100101\nalert = 5\ndecoder = vpn\n`
    const { body } = await imported(project.id, { content: `; now = 2026-01-05T22:30:00-03:00\n${section('a')}${section('b')}; now = tomorrow\n` })
    assert.deepEqual([body.cases.map(({ now }) => now), body.skipped.map(({ line, reason }) => [line, reason])], [['2026-01-05T22:30:00-03:00', null], [[12, 'clock_misplaced']]])
    const { text } = await admin.client.get(`/platform/projects/${project.id}/cases/export?format=ini`)
    assert.match(text, /^; now = 2026-01-05T22:30:00-03:00\n\[a\]\nlog 1 pass/)
    assert.equal(text.split('; now').length, 2)
  })

  test('are exported as they were imported, and as JSON that creates the same cases', async () => {
    const [project, other, third] = [await createProject(admin), await createProject(admin), await createProject(admin)]
    await imported(project.id, { content: SUITE })
    await createCase(admin, project.id, {
      name: 'all of it',
      description: 'x',
      event_text: '',
      events: [{ event_text: 'a' }, { event_text: 'b', at: 5, location: '/l' }],
      location: '/x',
      session_id: 's',
      now: '2026-01-05T22:30:00-03:00',
      expected_rule: '1',
      expected_level: 2,
      expected_fields: { a: 'b' },
      expected_rule_ids: ['3'],
      forbidden_rule_ids: ['4'],
    })
    const path = `/platform/projects/${project.id}/cases/export`
    const english = { headers: { 'x-locale': 'en-US' } }
    const plain = ({ id: _i, project_id: _p, created_at: _c, updated_at: _u, ...rest }: CaseRecord) => rest
    const json = await admin.client.get<{ cases: object[] }>(path)
    assert.match(json.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(json.headers.get('vary'), 'Accept')
    for (const fields of json.body.cases) assert.equal((await admin.client.post(`/platform/projects/${other.id}/cases`, fields)).status, 200)
    assert.deepEqual((await list(other.id)).map(plain), (await list(project.id)).map(plain))
    const ini = await admin.client.get(`${path}?format=ini`, english)
    assert.equal(ini.headers.get('content-type'), 'text/plain; charset=utf-8')
    const lost = [
      'not in this file, because it shares the session s, it has the location /x, /l, its events are at different times (0, 5 s)',
      'it expects fields (a), it expects other rules to match too (3), it expects rules not to match (4), it expects no certain decoder',
    ]
    assert.ok(ini.text.split('\n').includes(`; all of it: ${lost.join(', ')}`), ini.text)
    assert.ok(
      ini.text.endsWith('\n; 1 of 4 cases are not in this file; the export as JSON has all of them.\n; Descriptions of cases are not in this file; the export as JSON has them.\n'),
    )
    const portuguese = await admin.client.get(`${path}?format=ini`, { headers: { 'x-locale': 'pt-BR' } })
    assert.match(portuguese.text, /^; all of it: não está neste arquivo, porque compartilha a sessão s, tem a localização \/x, \/l, /m)
    assert.match(ini.text, /^; no rule: this form always succeeds in Wazuh.*\n\[.*\]\nlog 1 fail = quite unknown to all$/m)
    assert.equal((await admin.client.get(path, { headers: { Accept: 'text/plain', ...english.headers } })).text, ini.text)
    const again = await imported(third.id, { content: ini.text })
    assert.deepEqual([again.body.created, again.body.skipped.length], [3, 0])
    const expectations = ({ event_text, events, expected_decoder, expected_rule, expected_level, expect_no_rule }: CaseRecord) => ({
      ...{ event_text, events, expected_decoder, expected_rule, expected_level, expect_no_rule },
    })
    assert.deepEqual(again.body.cases.map(expectations), (await list(project.id)).slice(0, 3).map(expectations))
    assert.equal((await admin.client.get(`${path}?format=xml`)).status, 422)
  })
})
