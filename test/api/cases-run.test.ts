/** Runs of cases over HTTP: results, sessions, formats, units, events and audit. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sax from 'sax'
import type { CaseRecord } from '../../server/content/cases/case-record.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { PLANS } from '../../server/core/tenancy/plans.js'
import { USAGE } from '../../server/core/tenancy/usage.js'
import { type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { listen } from '../support/events.js'
import type { Answer, Refusal } from '../support/client.js'
import { BILLED } from '../support/plans.js'
import { createCase, createProject, FAILED_LOGIN, GOOD_LOGIN, openWorkspace, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { midMonth, waitFor } from './steps.js'

interface Analysis {
  readonly ok: boolean
  readonly rule: { readonly id: string; readonly level: number } | null
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[]
  readonly trace: readonly unknown[]
  readonly summary: { readonly compiled_hash: string }
  readonly performance: { readonly total_ms: number }
  readonly extracted_fields: Readonly<Record<string, string>>
}

interface Result {
  readonly case: CaseRecord
  readonly passed: boolean
  readonly checks: readonly { readonly label: string; readonly expected: string; readonly actual: string; readonly passed: boolean }[]
  readonly analysis: Analysis
  readonly depends_on_clock: boolean
}

interface Run {
  readonly total_cases: number
  readonly passed_cases: number
  readonly failed_cases: number
  readonly clock_dependent_cases: number
  readonly duration_ms: number
  readonly loads: boolean
  readonly diagnostics: readonly { readonly code: string }[]
  readonly results: readonly Result[]
}

/** Matches three failed logins from one address within a minute. */
const FREQUENT_XML = RULES_XML.replace(
  /<\/group>\n$/,
  `  <rule id="100102" level="10" frequency="3" timeframe="60">
    <if_matched_sid>100101</if_matched_sid>
    <same_source_ip />
    <description>VPN: logins failed</description>
  </rule>
</group>
`,
)
/** Wazuh drops the second rule and loads the rest. */
const LOSING_XML = RULES_XML.replace(
  /<\/group>\n$/,
  `  <rule id="100105" level="9">
    <if_sid>100999</if_sid>
    <description>VPN: lost</description>
  </rule>
</group>
`,
)
/** Wazuh would not start with it. */
const BROKEN_XML = '<group name="vpn,">\n  <rule id="100100" level="20">\n    <description>never</description>\n  </rule>\n</group>\n'

describe(`runs of cases, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let other: Actor

  before(async () => {
    app = await startTestApp({ env: { NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' }, clock: midMonth() })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app?.close())

  const make = (fields: Readonly<Record<string, unknown>> = {}): Promise<ProjectRecord> => createProject(admin, fields)
  const run = <B = Run>({ id }: Pick<ProjectRecord, 'id'>, body: object = {}, headers: Record<string, string> = {}, query = ''): Promise<Answer<B>> =>
    admin.client.call<B>('POST', `/platform/projects/${id}/cases/run${query}`, { body, headers })
  const ran = async (project: Pick<ProjectRecord, 'id'>, body: object = {}, query = ''): Promise<Run> => {
    const answer = await run(project, body, {}, query)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  /** Returns the consumed units of the plan. */
  const consumed = async (actor = admin): Promise<number> => {
    const { status, body, text } = await actor.client.get<{ usage: readonly { metric: string; consumed: number }[] }>('/platform/dashboard')
    assert.equal(status, 200, text)
    return body.usage.find(({ metric }) => metric === 'analysis_runs')?.consumed ?? Number.NaN
  }

  test('evaluate every case, in order of creation', async () => {
    const project = await make()
    const passing = await createCase(admin, project.id, {
      name: 'a',
      expected_rule: '100101',
      expected_decoder: 'vpn',
      expected_level: 5,
      expected_fields: { srcip: '203.0.113.7' },
    })
    const failing = await createCase(admin, project.id, { name: 'b', event_text: GOOD_LOGIN, expected_rule: '100101', forbidden_rule_ids: ['100100'] })
    const silent = await createCase(admin, project.id, { name: 'c' })
    const { results, ...totals } = await ran(project)
    assert.deepEqual([totals.total_cases, totals.passed_cases, totals.failed_cases, totals.loads, totals.diagnostics], [3, 2, 1, true, []])
    assert.ok(totals.duration_ms > 0)
    assert.deepEqual(
      results.map((result) => result.case),
      [passing, failing, silent],
    )
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, false, true],
    )
    assert.deepEqual(results[1].checks, [
      { label: 'Rule', expected: '100101', actual: '100100', passed: false },
      { label: 'Rule 100100 does not match', expected: 'yes', actual: 'no', passed: false },
    ])
    assert.equal(results[2].checks.length, 0)
    assert.equal(results[0].analysis.rule?.id, '100101')
    assert.equal(results[0].analysis.trace.length, 0)
    assert.match(results[0].analysis.summary.compiled_hash, /^[0-9a-f]{64}$/)
    assert.equal(results[0].analysis.extracted_fields.srcip, '203.0.113.7')
    const portuguese = await admin.client.call<Run>('POST', `/platform/projects/${project.id}/cases/run`, { headers: { 'x-locale': 'pt-BR' } })
    assert.equal(portuguese.body.results[1].checks[0].label, 'Regra')
  })

  test('of a project without cases pass', async () => {
    const { total_cases, results, loads } = await ran(await make())
    assert.deepEqual([total_cases, results, loads], [0, [], true])
    assert.deepEqual((await ran(await make({ rules_xml: BROKEN_XML }))).loads, false)
  })

  test('include the reference ruleset if the project does', async () => {
    const project = await createProject(admin, { decoders_xml: '', rules_xml: '' })
    await createCase(admin, project.id, {
      event_text: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122',
      expected_decoder: 'sshd',
      expected_rule: '5710',
    })
    assert.equal((await ran(project)).passed_cases, 1)
  })

  test('run several events on a virtual clock, so that rules that count can match', async () => {
    const project = await make({ rules_xml: FREQUENT_XML })
    const at = (...seconds: (number | null)[]) => ({ event_text: '', events: seconds.map((second) => ({ event_text: FAILED_LOGIN, at: second })) })
    await createCase(admin, project.id, { ...at(0, 30, 60), expected_rule: '100102' })
    await createCase(admin, project.id, { ...at(0, 30, 91), expected_rule: '100101' })
    await createCase(admin, project.id, { ...at(null, null, null), expected_rule: '100102' })
    await createCase(admin, project.id, { ...at(0, 10), expected_rule: '100101', expect_no_rule: false })
    const { failed_cases, results } = await ran(project)
    assert.equal(failed_cases, 0, JSON.stringify(results.map(({ checks }) => checks)))
  })

  test('run at their own time, and say which results depend on the clock of the service', async () => {
    const night = '<rule id="100106" level="9"><if_sid>100101</if_sid><time>6 pm - 8:30 am</time><description>VPN: at night</description></rule>'
    const project = await make({ rules_xml: RULES_XML.replace(/<\/group>\n$/, `${night}</group>\n`) })
    await createCase(admin, project.id, { now: '2026-01-05T22:30:00-03:00', expected_rule: '100106' })
    await createCase(admin, project.id, { now: '2026-01-05T12:00:00Z', expected_rule: '100101' })
    const always = { passed_cases: 2, failed_cases: 0, clock_dependent_cases: 0 }
    const countsOf = ({ passed_cases, failed_cases, clock_dependent_cases }: Run) => ({ passed_cases, failed_cases, clock_dependent_cases })
    assert.deepEqual(countsOf(await ran(project)), always)
    const open = await createCase(admin, project.id, { expected_rule_ids: ['100101'] })
    const { results, ...totals } = await ran(project)
    assert.deepEqual(countsOf({ results, ...totals }), { ...always, passed_cases: 3, clock_dependent_cases: 1 })
    assert.deepEqual(
      results.map(({ depends_on_clock }) => depends_on_clock),
      [false, false, true],
    )
    const gate = await admin.client.get<{ quality_gate_result: { failed_cases: number; clock_dependent_cases: number } }>(`/platform/projects/${project.id}/overview`)
    assert.deepEqual([gate.body.quality_gate_result.failed_cases, gate.body.quality_gate_result.clock_dependent_cases], [0, 1])
    const one = await admin.client.post<Result>(`/platform/projects/${project.id}/cases/${open.id}/run`, {})
    assert.equal(one.body.depends_on_clock, true)
  })

  test('share state between cases of a session, in order, and start the next run without it', async () => {
    const project = await make({ rules_xml: FREQUENT_XML })
    const rules = ['100101', '100101', '100102']
    for (const expected_rule of rules) {
      for (const session_id of ['one', 'two', '']) await createCase(admin, project.id, { session_id, expected_rule: session_id === '' ? '100101' : expected_rule })
    }
    // Second 0 of a case is the second at which the previous one ended.
    for (const [expected_rule, seconds] of [
      ['100101', 0],
      ['100101', 40],
      ['100101', 40],
    ] as const) {
      const events = [
        { event_text: GOOD_LOGIN, at: 0 },
        { event_text: FAILED_LOGIN, at: seconds },
      ]
      await createCase(admin, project.id, { session_id: 'slow', expected_rule, event_text: '', events })
    }
    for (let i = 0; i < 2; i++) {
      const { results, failed_cases } = await ran(project)
      assert.equal(failed_cases, 0, JSON.stringify(results.map(({ case: { session_id }, checks }) => [session_id, checks])))
    }
    // A case that does not run leaves no state: without the first, there is no third login.
    const one = (await ran(project)).results.filter((result) => result.case.session_id === 'one').map((result) => result.case.id)
    const some = await ran(project, { case_ids: one.slice(1) })
    assert.deepEqual(
      some.results.map(({ case: { id }, analysis }) => [id, analysis.rule?.id]),
      [
        [one[1], '100101'],
        [one[2], '100101'],
      ],
    )
  })

  test('fail every case of content that does not load, with the reason', async () => {
    const project = await make({ rules_xml: BROKEN_XML })
    for (const name of ['a', 'b']) await createCase(admin, project.id, { name })
    const { failed_cases, loads, diagnostics, results } = await ran(project)
    assert.deepEqual([failed_cases, loads], [2, false])
    assert.ok(diagnostics.some(({ code }) => code === 'rule_level_invalid'))
    for (const { passed, analysis } of results) {
      assert.deepEqual([passed, analysis.ok], [false, false])
      assert.ok(analysis.diagnostics.some(({ code }) => code === 'rule_level_invalid'))
    }
    const one = await admin.client.post<Result>(`/platform/projects/${project.id}/cases/${results[0].case.id}/run`)
    assert.equal(one.body.passed, false)
    assert.ok(one.body.analysis.diagnostics.some(({ code }) => code === 'rule_level_invalid'))
    const unreadable = await make({ rules_xml: '<group name="x,"><rule' })
    await createCase(admin, unreadable.id)
    assert.equal((await ran(unreadable)).failed_cases, 1)
  })

  test('pass if the expectations are met, and report errors of the content', async () => {
    const project = await make({ rules_xml: LOSING_XML })
    const { id } = await createCase(admin, project.id, { expected_rule: '100101' })
    const { results, ...totals } = await ran(project)
    assert.deepEqual([totals.passed_cases, totals.failed_cases, totals.loads], [1, 0, true])
    assert.deepEqual(
      totals.diagnostics.map(({ code }) => code),
      ['rule_parent_missing'],
    )
    assert.deepEqual([results[0].passed, results[0].analysis.ok, results[0].analysis.rule?.id], [true, false, '100101'])
    const { body: one } = await admin.client.post<Result>(`/platform/projects/${project.id}/cases/${id}/run`)
    assert.deepEqual([one.passed, one.analysis.ok, one.analysis.diagnostics.map(({ code }) => code)], [true, false, ['rule_parent_missing']])
    const junit = (await run(project, {}, { Accept: 'application/xml' })).text
    assert.match(junit, /failures="0"[\s\S]*<\/testcase>\n<system-err>project_rules\.xml:\d+:\d+: rule_parent_missing: [^<]*<\/system-err>\n<\/testsuite>\n<\/testsuites>\n$/)
    const right = await make()
    await createCase(admin, right.id, { expected_rule: '100101' })
    assert.equal((await ran(right)).results[0].analysis.ok, true)
    assert.doesNotMatch((await run(right, {}, { Accept: 'application/xml' })).text, /system-err/)
  })

  test('run one case with its trace', async () => {
    const project = await make()
    const made = await createCase(admin, project.id, { expected_rule: '100101' })
    const before = await consumed()
    const { status, body, text } = await admin.client.post<Result>(`/platform/projects/${project.id}/cases/${made.id}/run`)
    assert.equal(status, 200, text)
    assert.deepEqual(body.case, made)
    assert.equal(body.passed, true)
    assert.ok(body.analysis.trace.length > 0)
    assert.equal(await consumed(), before + 1)
    assert.equal((await admin.client.post(`/platform/projects/${project.id}/cases/${project.id}/run`)).status, 404)
  })

  test('can use a workspace, or some of the cases', async () => {
    const project = await make()
    const first = await createCase(admin, project.id, { name: 'a', expected_rule: '100101' })
    const second = await createCase(admin, project.id, { name: 'b', event_text: GOOD_LOGIN, expected_rule: '100100' })
    const { id: workspaceId } = await openWorkspace(admin, project.id, { rules_xml: RULES_XML.replace('<action>failed</action>', '<action>accepted</action>') })
    assert.deepEqual(
      (await ran(project, { workspace_id: workspaceId })).results.map(({ analysis }) => analysis.rule?.id),
      ['100100', '100101'],
    )
    const { total_cases, results } = await ran(project, { case_ids: [second.id] })
    assert.deepEqual([total_cases, results[0].case.id], [1, second.id])
    const one = await admin.client.post<Result>(`/platform/projects/${project.id}/cases/${first.id}/run`, { workspace_id: workspaceId })
    assert.equal(one.body.passed, false)
    const missing = '00000000-0000-4000-8000-000000000000'
    for (const body of [{ workspace_id: missing }, { case_ids: [first.id, missing] }]) assert.equal((await run<Refusal>(project, body)).status, 404)
    const elsewhere = await make()
    assert.equal((await run(elsewhere, { workspace_id: workspaceId })).status, 404)
    assert.equal((await run(elsewhere, { case_ids: [first.id] })).status, 404)
    for (const body of [{ case_ids: [] }, { case_ids: [first.id, first.id] }, { cases: [] }]) assert.equal((await run(project, body)).status, 422)
  })

  test('include traces on request, up to a limit for buffered answers', async () => {
    const project = await make()
    await createCase(admin, project.id)
    assert.ok((await ran(project, {}, '?trace=true')).results[0].analysis.trace.length > 0)
    const suite = Array.from({ length: 500 }, (_, i) => `[s${i}]\nlog 1 pass = event ${i}\nrule = ${i}\nalert = 3\ndecoder = d\n`).join('')
    assert.equal((await admin.client.post(`/platform/projects/${project.id}/cases/import`, { content: suite })).status, 200)
    const refused = await run<Refusal>(project, {}, {}, '?trace=true')
    assert.equal(refused.status, 422)
    assert.deepEqual((refused.body.details.errors as { path: string }[])[0].path, 'query/trace')
    const lines = await run(project, {}, { Accept: 'application/x-ndjson' }, '?trace=true')
    assert.equal(lines.text.trimEnd().split('\n').length, 502)
  })

  test('consume a unit of the plan for each case, and none when they are refused', async () => {
    const project = await make()
    for (const name of ['a', 'b', 'c']) await createCase(admin, project.id, { name })
    const before = await consumed()
    await ran(project)
    assert.equal(await consumed(), before + 3)
    await run(project, { workspace_id: 'missing' })
    await ran(await make())
    assert.equal(await consumed(), before + 3)
  })

  test('emit events and are audited', async () => {
    const listener = await listen(app, admin, ['regression.completed', 'regression.passed', 'regression.failed'])
    const project = await make({ name: 'Listened to' })
    const good = await createCase(admin, project.id, { expected_rule: '100101' })
    const told = async (): Promise<unknown[]> => (await listener.next(2)).map(({ type, data }) => ({ type, data }))
    const data = { project_id: project.id, project_name: 'Listened to', total_cases: 1, passed_cases: 1, failed_cases: 0, failed_case_ids: [] }
    await ran(project)
    assert.deepEqual(await told(), [
      { type: 'regression.completed', data },
      { type: 'regression.passed', data },
    ])
    const bad = await createCase(admin, project.id, { name: 'bad', expected_rule: '1' })
    // Neither of these is a run of all cases of the project.
    await ran(project, { case_ids: [good.id] })
    await admin.client.post(`/platform/projects/${project.id}/cases/${good.id}/run`)
    await run(project, {}, { Accept: 'application/xml' })
    const failed = { ...data, total_cases: 2, failed_cases: 1, failed_case_ids: [bad.id] }
    assert.deepEqual(await told(), [
      { type: 'regression.completed', data: failed },
      { type: 'regression.failed', data: failed },
    ])
    const audit = (await admin.client.get<{ action: string; project_id: string; diff: object }[]>('/platform/audit?action=case.run&limit=3')).body
    const count = (after: number) => ({ before: null, after })
    assert.deepEqual(
      audit.map(({ project_id, diff }) => [project_id, diff]),
      [
        [project.id, { total_cases: count(2), passed_cases: count(1), failed_cases: count(1) }],
        [project.id, { total_cases: count(1), passed_cases: count(1), failed_cases: count(0) }],
        [project.id, { total_cases: count(1), passed_cases: count(1), failed_cases: count(0) }],
      ],
    )
  })

  test('answer JUnit XML to callers that accept it', async () => {
    const project = await make({ name: 'Names <&> "all" \'of\' it' })
    const odd = 'a ]]> b \u0001\ud83d\ude00'
    const name = 'case <&> "x" \u00e9'
    const bad = await createCase(admin, project.id, { name, expected_rule: '1', expected_fields: { 'f<&"': odd } })
    await createCase(admin, project.id, { name: 'good', expected_rule: '100101' })
    const { text, headers } = await run(project, {}, { Accept: 'text/html;q=0.1, application/xml;q=0.9, application/json;q=0.5' })
    assert.equal(headers.get('content-type'), 'application/xml; charset=utf-8')
    assert.equal(headers.get('vary'), 'Accept')
    assert.equal(headers.get('content-length'), String(Buffer.byteLength(text)))
    const elements: { readonly name: string; readonly attributes: Record<string, string>; text: string }[] = []
    const parser = sax.parser(true)
    parser.onopentag = ({ name: tag, attributes }) => void elements.push({ name: tag, attributes: attributes as Record<string, string>, text: '' })
    parser.ontext = (some) => {
      const last = elements.at(-1)
      if (last !== undefined) last.text += some
    }
    parser.write(text).close()
    const of = (tag: string) => elements.filter((one) => one.name === tag)
    assert.deepEqual(
      of('testsuite').map(({ attributes: { name: suite, tests, failures, errors, skipped } }) => [suite, tests, failures, errors, skipped]),
      [[project.name, '2', '1', '0', '0']],
    )
    assert.deepEqual(
      of('testcase').map(({ attributes }) => [attributes.classname, attributes.name]),
      [
        [project.slug, name],
        [project.slug, 'good'],
      ],
    )
    assert.equal(of('property')[0].attributes.value, bad.id)
    const [failure, ...others] = of('failure')
    assert.equal(others.length, 0)
    assert.equal(failure.attributes.message, 'Rule: 1 ≠ 100101')
    assert.match(failure.text, /Field f<&": a \]\]> b \ufffd\u{1f600} ≠ \(none\)/u)
    assert.equal(of('system-out').length, 0)
    for (const accept of ['*/*', 'application/json', 'text/html', 'application/xml;q=0', 'application/*;q=0.3, application/json', ';;,'])
      assert.match((await run(project, {}, { Accept: accept })).headers.get('content-type') ?? '', /^application\/json/, accept)
  })

  test('answer lines to callers that accept them', async () => {
    const project = await make()
    const made = [await createCase(admin, project.id, { name: 'a', expected_rule: '100101' }), await createCase(admin, project.id, { name: 'b', expected_rule: '1' })]
    const { text, headers } = await run(project, {}, { Accept: 'application/x-ndjson' })
    assert.equal(headers.get('content-type'), 'application/x-ndjson')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(
      lines.slice(0, -1).map((line) => [line.case, line.passed]),
      [
        [made[0], true],
        [made[1], false],
      ],
    )
    const { done, total_cases, passed_cases, failed_cases, loads } = lines[2]
    assert.deepEqual([done, total_cases, passed_cases, failed_cases, loads], [true, 2, 1, 1, true])
    const empty = await run(await make(), {}, { Accept: 'application/x-ndjson' })
    assert.equal((JSON.parse(empty.text) as { done: boolean }).done, true)
    assert.equal((await run<Refusal>({ id: 'missing' }, {}, { Accept: 'application/x-ndjson' })).status, 404)
  })

  test('end when the reader of their lines disconnects, and refund the cases that were not run', async () => {
    const project = await createProject(other)
    const suite = Array.from({ length: 3000 }, (_, i) => `[s${i}]\nlog 1 pass = ${FAILED_LOGIN}${'x'.repeat(1500)}\nrule = 1\nalert = 3\ndecoder = vpn\n`).join('')
    assert.equal((await other.client.post(`/platform/projects/${project.id}/cases/import`, { content: suite })).status, 200)
    const before = await consumed(other)
    const controller = new AbortController()
    const response = await fetch(`${app.client.origin}/api/v1/platform/projects/${project.id}/cases/run`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${other.token}`, Accept: 'application/x-ndjson' },
      signal: controller.signal,
    })
    const reader = response.body?.getReader()
    assert.ok(reader)
    assert.equal((await reader.read()).done, false)
    controller.abort()
    await assert.rejects(async () => {
      for (;;) if ((await reader.read()).done) return
    })
    // The units are refunded when the service detects it.
    const units = await waitFor(async () => {
      const told = await consumed(other)
      return told - before >= 3000 ? undefined : told
    })
    assert.ok(units - before > 0, String(units - before))
    assert.deepEqual((await other.client.get<unknown[]>('/platform/audit?action=case.run')).body, [])
  })

  test('repeat the answer for the same Idempotency-Key, in each format', async () => {
    const project = await make()
    await createCase(admin, project.id, { expected_rule: '100101' })
    for (const accept of ['application/json', 'application/xml']) {
      const headers = { 'Idempotency-Key': `key-${accept}`, Accept: accept }
      const before = await consumed()
      const answers = [await run(project, {}, headers), await run(project, {}, headers)]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      assert.equal(answers[1].text, answers[0].text)
      assert.equal(answers[1].headers.get('content-type'), answers[0].headers.get('content-type'))
      assert.equal(await consumed(), before + 1)
    }
    assert.equal((await run<Refusal>(project, {}, { 'Idempotency-Key': 'key-application/json', Accept: 'application/xml' })).status, 409)
    assert.equal((await run<Refusal>(project, { case_ids: ['x'] }, { 'Idempotency-Key': 'key-application/json' })).status, 409)
    const stream = await run<Refusal>(project, {}, { 'Idempotency-Key': 'k', Accept: 'application/x-ndjson' })
    assert.equal(stream.status, 422)
    assert.equal((stream.body.details.errors as { path: string }[])[0].path, 'headers/idempotency-key')
    const together = await Promise.all([1, 2, 3].map(() => run(project, {}, { 'Idempotency-Key': 'together' })))
    assert.ok(together.every(({ status }) => status === 200 || status === 409))
    assert.equal(new Set(together.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1)
  })
})

describe(`runs of cases on a plan with a limit, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor

  before(async () => {
    app = await startTestApp({ env: BILLED, clock: midMonth() })
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  test('are refused if there are fewer units than cases, and consume none', async () => {
    const runsAMonth = PLANS.free.limits.analysis_runs_per_month as number
    const project = await createProject(admin)
    const path = `/platform/projects/${project.id}/cases`
    const made = [await createCase(admin, project.id), await createCase(admin, project.id), await createCase(admin, project.id)]
    assert.equal((await admin.client.post(`${path}/${made[0].id}/run`)).status, 200)
    const usage = new Tenancy(app.service.storage).of(admin.organizationId).collection(USAGE)
    const left = async (): Promise<number> => runsAMonth - ((await usage.findOne({ metric: 'analysis_runs' }))?.consumed ?? 0)
    await usage.updateMany({ metric: 'analysis_runs' }, { set: { consumed: runsAMonth - 2 } })
    for (const accept of ['application/json', 'application/x-ndjson', 'application/xml']) {
      const refused = await admin.client.call<Refusal>('POST', `${path}/run`, { headers: { Accept: accept, ...(accept.endsWith('json') ? {} : { 'Idempotency-Key': 'k' }) } })
      assert.deepEqual([refused.status, refused.body.code], [403, 'plan_quota_exceeded'], accept)
      assert.equal(await left(), 2)
    }
    assert.equal((await admin.client.post(`${path}/run`, { case_ids: made.slice(0, 2).map(({ id }) => id) })).status, 200)
    assert.equal(await left(), 0)
    assert.equal((await admin.client.post(`${path}/${made[0].id}/run`)).status, 403)
  })
})
