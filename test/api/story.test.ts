/**
 * The workflow of a lead and an engineer: a project from a template, cases, a rule that breaks and is repaired in a workspace, a review by someone else, a gate
 * that refuses and then passes, a publish with notifications and webhooks, and a restored version.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { openStream } from '../support/event-stream.js'
import { allTold } from '../support/notices.js'
import { isSigned, type Receiver, startReceiver } from '../support/receiver.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Template {
  readonly id: string
  readonly kind: string
  readonly xml: string
}

interface Logtest {
  readonly rule: { readonly id: string } | null
  readonly decoder: { readonly name: string } | null
}

interface Run {
  readonly total_cases: number
  readonly passed_cases: number
  readonly failed_cases: number
  readonly results: readonly {
    readonly passed: boolean
    readonly case: { readonly name: string }
    readonly checks: readonly { readonly label: string; readonly actual: string }[]
  }[]
}

interface Impact {
  readonly current_quality_score: number
  readonly candidate_quality_score: number
  readonly regressed_cases: number
  readonly improved_cases: number
  readonly cases: readonly { readonly case_name: string; readonly change_type: string }[]
  readonly rules: { readonly changed: readonly { readonly rule_id: string; readonly changes: readonly string[] }[] }
}

interface Publish {
  readonly published: boolean
  readonly version: ProjectVersionRecord
  readonly quality_gate_result: { readonly failed_rules: readonly { readonly rule: string }[] }
}

interface Review {
  readonly id: string
  readonly status: string
  readonly is_final: boolean
}

describe(`the workflow, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let receiver: Receiver
  let lead: Actor
  let engineer: Actor
  let reviewer: Actor

  before(async () => {
    app = await startTestApp({ env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
    receiver = await startReceiver()
    lead = await bootstrap(app.client)
    engineer = await addMember(lead, 'engineer')
    reviewer = await addMember(lead, 'reviewer')
  })
  after(async () => {
    await app?.close()
    await receiver?.close()
  })

  const ok = async <B>(answer: Promise<{ status: number; body: unknown; text: string }>): Promise<B> => {
    const { status, body, text } = await answer
    assert.equal(status, 200, text)
    return body as B
  }
  const until = async (holds: () => boolean | Promise<boolean>, what: string): Promise<void> => {
    for (let i = 0; i < 2400; i++) {
      if (await holds()) return
      await sleep(25)
    }
    assert.fail(what)
  }

  test('from a template to a published version, and back', async () => {
    // The lead subscribes to all events.
    const webhook = await ok<{ id: string; secret: string }>(
      lead.client.post(`/platform/organizations/${lead.organizationId}/webhooks`, {
        url: `${receiver.origin}/hook`,
        events: ['regression.failed', 'review.created', 'review.approved', 'version.created', 'version.published', 'publish.failed'],
      }),
    )
    const stream = await openStream(lead.client)

    // A project starts with a template and its rules.
    const { templates } = await ok<{ templates: Template[] }>(lead.client.get('/templates?kind=mixed'))
    const project = await ok<ProjectRecord>(lead.client.post('/platform/projects', { name: 'VPN', template_id: templates[0].id }))
    const path = `/platform/projects/${project.id}`
    const rules = await ok<{ rule_id: string; level: number }[]>(engineer.client.get(`${path}/rules?sort=rule_id&order=asc`))
    assert.ok(rules.length > 0)

    // Cases for events that the rules find, and for events that they ignore.
    const own =
      '<group name="story,">\n  <rule id="119900" level="7">\n    <program_name>^storyd$</program_name>\n    <match>login failed</match>\n    <description>Story: login failed</description>\n  </rule>\n</group>\n'
    await ok(lead.client.patch(path, { rules_xml: `${project.rules_xml}\n${own}` }))
    const failed = 'Nov 21 08:15:30 gw1 storyd[311]: login failed for ana from 203.0.113.7'
    await ok(engineer.client.post(`${path}/cases`, { name: 'failed login', event_text: failed, expected_rule: '119900', expected_level: 7 }))
    await ok(engineer.client.post(`${path}/cases`, { name: 'good login', event_text: failed.replace('failed', 'accepted'), forbidden_rule_ids: ['119900'] }))
    const first = await ok<Run>(engineer.client.post(`${path}/cases/run`))
    assert.deepEqual([first.total_cases, first.passed_cases], [2, 2])

    // The first version, without a review.
    const before = await ok<ProjectVersionRecord>(engineer.client.post(`${path}/versions`, { name: '1.0' }))
    assert.equal(before.regression_passed, true)
    assert.equal((await engineer.client.post<Refusal>(`${path}/versions/${before.id}/publish`)).status, 403)
    assert.equal((await ok<Publish>(lead.client.post(`${path}/versions/${before.id}/publish`))).published, true)
    const published = await ok<ProjectRecord>(lead.client.get(path))
    assert.equal(published.active_baseline_id, before.id)

    // From now on a review by someone else is required.
    await ok(lead.client.patch(`${path}/quality-gate`, { require_approved_review: true, min_case_count: 2 }))

    // The engineer opens a workspace, and breaks a rule in it.
    const workspace = await ok<WorkspaceRecord>(engineer.client.post(`${path}/workspaces`, { name: 'Raise the level' }))
    assert.equal(workspace.rules_xml, published.rules_xml)
    const inWorkspace = `${path}/workspaces/${workspace.id}`
    await ok(engineer.client.patch(inWorkspace, { rules_xml: published.rules_xml.replace('level="7"', 'level="10"').replace('login failed', 'login  failed') }))
    const broken = await ok<Impact>(engineer.client.post(`${path}/impact/${workspace.id}`))
    assert.equal(broken.regressed_cases, 1)
    assert.deepEqual(
      broken.cases.filter(({ change_type }) => change_type === 'regressed').map(({ case_name }) => case_name),
      ['failed login'],
    )
    assert.ok(broken.candidate_quality_score < broken.current_quality_score)
    assert.deepEqual(
      broken.rules.changed
        .find(({ rule_id }) => rule_id === '119900')
        ?.changes.slice()
        .sort(),
      ['level', 'match'],
    )
    const run = await ok<Run>(engineer.client.post(`${path}/cases/run`, { workspace_id: workspace.id }))
    assert.equal(run.failed_cases, 1)

    // A version of that is refused, with the reason.
    const bad = await ok<ProjectVersionRecord>(engineer.client.post(`${path}/versions`, { name: '2.0 broken', source_workspace_id: workspace.id }))
    assert.equal(bad.regression_passed, false)
    const refused = await ok<Publish>(lead.client.post(`${path}/versions/${bad.id}/publish`))
    assert.equal(refused.published, false)
    assert.deepEqual(refused.quality_gate_result.failed_rules.map(({ rule }) => rule).sort(), ['min_quality_score', 'require_approved_review', 'require_regression_pass'])

    // Repaired, and approved by someone else; nobody approves their own review.
    const mended = published.rules_xml.replace('level="7"', 'level="10"')
    await ok(engineer.client.patch(inWorkspace, { rules_xml: mended }))
    const cases = await ok<{ id: string; name: string }[]>(engineer.client.get(`${path}/cases?search=failed`))
    await ok(engineer.client.patch(`${path}/cases/${cases[0].id}`, { expected_level: 10 }))
    const mendedImpact = await ok<Impact>(engineer.client.post(`${path}/impact/${workspace.id}`))
    assert.deepEqual([mendedImpact.regressed_cases, mendedImpact.improved_cases], [0, 1])
    const review = await ok<Review>(engineer.client.post(`${path}/reviews`, { title: 'Level 10', workspace_id: workspace.id, reviewer_ids: [reviewer.userId], notes: 'as agreed' }))
    assert.equal(review.status, 'open')
    assert.equal((await engineer.client.patch<Refusal>(`${path}/reviews/${review.id}`, { status: 'approved' })).status, 403)
    await ok(reviewer.client.post(`${path}/reviews/${review.id}/comments`, { body: 'Why 10 and not 12?' }))
    assert.equal((await ok<Review>(reviewer.client.patch(`${path}/reviews/${review.id}`, { status: 'approved' }))).status, 'approved')

    // The gate passes now.
    const next = await ok<ProjectVersionRecord>(engineer.client.post(`${path}/versions`, { name: '2.0', source_review_id: review.id }))
    const passed = await ok<Publish>(lead.client.post(`${path}/versions/${next.id}/publish`))
    assert.equal(passed.published, true, JSON.stringify(passed.quality_gate_result))
    assert.equal((await ok<ProjectRecord>(lead.client.get(path))).rules_xml, mended)
    assert.equal((await ok<Review>(lead.client.get(`${path}/reviews/${review.id}`))).is_final, true)
    assert.equal((await reviewer.client.patch<Refusal>(`${path}/reviews/${review.id}`, { status: 'rejected' })).status, 409)

    // Webhooks get signed deliveries, each event once.
    const types = () => receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
    const expected = ['publish.failed', 'review.approved', 'review.created', 'version.created', 'version.created', 'version.created', 'version.published', 'version.published']
    await until(() => types().length >= expected.length, 'the webhook is not told')
    assert.deepEqual(types().sort(), expected)
    for (const received of receiver.received) assert.ok(isSigned(received, webhook.secret), 'a delivery is not signed')

    // Users get notifications too, the lead by the stream.
    const kindsOf = async ({ client }: Actor): Promise<string[]> => (await ok<{ items: { kind: string }[] }>(client.get('/notifications'))).items.map(({ kind }) => kind)
    // Several are created at once, and not in the order of their events.
    await allTold(app.service.storage)
    const engineers = await kindsOf(engineer)
    assert.equal(engineers.filter((kind) => kind === 'version.published').length, 2, 'the engineer is not told')
    for (const kind of ['review.approved', 'review.commented', 'publish.failed']) assert.ok(engineers.includes(kind), `${kind} is not told`)
    assert.ok((await kindsOf(reviewer)).includes('review.created'))
    assert.ok(!(await kindsOf(lead)).includes('version.published'), 'who published is told')
    const told = await openStream(engineer.client)
    const unread = (await ok<{ unread: number }>(engineer.client.get('/notifications'))).unread
    assert.equal(await told.unread(), unread)
    await told.close()
    await stream.close()

    // Later the previous version is restored.
    const restored = await ok<ProjectRecord>(lead.client.post(`${path}/versions/${before.id}/restore`))
    assert.equal(restored.rules_xml, published.rules_xml)
    assert.equal(restored.active_baseline_name, '1.0')
    const statuses = await ok<ProjectVersionRecord[]>(lead.client.get(`${path}/versions?order=asc`))
    assert.deepEqual(
      statuses.map(({ name, status }) => `${name} ${status}`),
      ['1.0 published', '2.0 broken draft', '2.0 archived'],
    )
    const overview = await ok<{ quality_score: number; recent_versions: unknown[]; quality_gate_result: { passed: boolean } }>(lead.client.get(`${path}/overview`))
    assert.equal(overview.recent_versions.length, 3)
    assert.equal(overview.quality_gate_result.passed, false)
    const report = await lead.client.get(`${path}/report`, { headers: { Accept: 'text/html' } })
    assert.equal(report.status, 200)
    assert.match(report.text, /^<!doctype html>/i)
    const files = [
      { filename: 'local_decoder.xml', kind: 'decoders', scope: 'adhoc', content: restored.decoders_xml },
      { filename: 'local_rules.xml', kind: 'rules', scope: 'adhoc', content: restored.rules_xml },
    ]
    const event = await ok<Logtest>(lead.client.post('/analysis/logtest-native', { files, input: { event: failed } }))
    assert.equal(event.rule?.id, '119900')

    // The audit trail has all of it.
    const trail = await ok<{ action: string; actor_name: string }[]>(lead.client.get(`${path}/audit?order=asc&limit=200`))
    assert.deepEqual(
      trail.map(({ action, actor_name }) => `${actor_name.split('@')[0]} ${action}`),
      [
        'admin project.created',
        'admin project.updated',
        'engineer case.created',
        'engineer case.created',
        'engineer case.run',
        'engineer version.created',
        'admin version.published',
        'admin quality_gate.updated',
        'engineer workspace.created',
        'engineer workspace.updated',
        'engineer case.run',
        'engineer version.created',
        'admin version.publish_failed',
        'engineer workspace.updated',
        'engineer case.updated',
        'engineer review.created',
        'reviewer review.commented',
        'reviewer review.updated',
        'engineer version.created',
        'admin version.published',
        'admin version.restored',
      ],
    )
  })
})
