/** What a change does with events, where people decide: impact, reviews, publishing, and the condition of the quality gate. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BehaviourRecord } from '#engine'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, FAILED_LOGIN, openReview, openWorkspace, RULES_XML } from '../support/projects.js'
import { assertReportPage } from '../support/report-pages.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Behaviour {
  readonly is_complete: boolean
  readonly differing_count: number
  readonly proven_count: number
  readonly alerts: { readonly lost_count: number; readonly gained_count: number; readonly changed_count: number; readonly lost: readonly string[] }
  readonly items: readonly BehaviourRecord[]
}
interface Published {
  readonly published: boolean
  readonly behaviour: Behaviour | null
  readonly quality_gate_result: { readonly failed_rules: readonly { readonly rule: string; readonly rules?: readonly string[] }[] }
}

/** 100101 is silent: its alert is lost. */
const SILENT = RULES_XML.replace('level="5"', 'level="0"')

describe(`what changes for events, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let reviewer: Actor

  before(async () => {
    app = await startTestApp()
    admin = await bootstrap(app.client)
    reviewer = await addMember(admin, 'reviewer')
  })
  after(() => app?.close())

  const impact = async (project: ProjectRecord, rules_xml: string, headers = {}) => {
    const workspace = await openWorkspace(admin, project.id, { rules_xml })
    return admin.client.post<{ behaviour: Behaviour | null }>(`/platform/projects/${project.id}/impact/${workspace.id}`, undefined, { headers })
  }
  const limit = async (project: ProjectRecord, max_lost_alerts: number | null) => {
    const { status, body, text } = await admin.client.patch<Record<string, unknown>>(`/platform/projects/${project.id}/quality-gate`, { max_lost_alerts })
    assert.equal(status, 200, text)
    return body
  }
  const publish = async (project: ProjectRecord, rules_xml: string): Promise<Published> => {
    const { id } = await openWorkspace(admin, project.id, { rules_xml })
    return publishWorkspace(project, id)
  }
  const publishWorkspace = async (project: ProjectRecord, source_workspace_id: string): Promise<Published> => {
    const { body: version } = await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: '1', source_workspace_id })
    const { status, body, text } = await admin.client.post<Published>(`/platform/projects/${project.id}/versions/${version.id}/publish`)
    assert.equal(status, 200, text)
    return body
  }

  test('an impact has the events of its differences and the rules that lose an alert', async () => {
    const project = await createProject(admin)
    const { body } = await impact(project, SILENT)
    const { behaviour } = body
    assert.ok(behaviour !== null)
    assert.deepEqual([behaviour.is_complete, behaviour.alerts.lost_count, behaviour.alerts.lost, behaviour.alerts.gained_count], [true, 1, ['100101'], 0])
    const [first] = behaviour.items
    assert.deepEqual([first.item, first.old?.level, first.new?.level, first.alert], [{ rule_id: '100101' }, 5, 0, { old: true, new: false }])
    assert.equal(first.witness?.events.length, 1)
    const { body: renamed } = await impact(project, RULES_XML.replace('VPN: login failed', 'VPN: no login'))
    assert.deepEqual([renamed.behaviour?.differing_count, renamed.behaviour?.proven_count], [0, 1])
    const { body: broken } = await impact(project, RULES_XML.replace('id="100101"', 'id="x"'))
    assert.equal(broken.behaviour, null)
  })

  test('the page of an impact shows the events, in both languages, and no markup of theirs', async () => {
    const project = await createProject(admin)
    const hostile = RULES_XML.replace('<action>failed<', '<action>&lt;img src=x onerror=alert(1)&gt;<')
    for (const [locale, heading] of [
      ['en-US', 'What changes for events'],
      ['pt-BR', 'O que muda para os eventos'],
    ]) {
      const { text } = await impact(project, hostile, { accept: 'text/html', 'x-locale': locale })
      assertReportPage(text)
      assert.match(text, new RegExp(`<h2[^>]*>${heading}`))
      assert.match(text, /<code>[^<]*vpnd[^<]*failed/)
      assert.doesNotMatch(text, /<img/)
    }
  })

  test('a review says what its workspace changes, to members who may see the project', async () => {
    const project = await createProject(admin)
    const workspace = await openWorkspace(admin, project.id, { rules_xml: SILENT })
    const review = await openReview(admin, workspace)
    const path = `/platform/projects/${project.id}/reviews/${review.id}/behaviour`
    const { status, body, text } = await reviewer.client.get<Behaviour>(path)
    assert.equal(status, 200, text)
    assert.deepEqual([body.alerts.lost, body.items[0].item], [['100101'], { rule_id: '100101' }])
    const other = await createProject(admin)
    assert.equal((await reviewer.client.get(`/platform/projects/${other.id}/reviews/${review.id}/behaviour`)).status, 404)
  })

  test('publishing says it, and the gate refuses lost alerts only if its policy limits them', async () => {
    const project = await createProject(admin)
    const loose = await publish(project, SILENT)
    assert.deepEqual([loose.published, loose.behaviour?.alerts.lost], [true, ['100101']])
    assert.equal((await limit(project, 0)).max_lost_alerts, 0)
    const gained = await publish(project, RULES_XML)
    assert.deepEqual([gained.published, gained.behaviour?.alerts.gained_count], [true, 1])
    const lost = await publish(project, SILENT)
    assert.equal(lost.published, false)
    assert.deepEqual(lost.quality_gate_result.failed_rules, [{ rule: 'max_lost_alerts', expected: 0, actual: 1, rules: ['100101'] }])
    assert.equal((await limit(project, null)).max_lost_alerts, null)
    assert.equal((await publish(project, SILENT)).published, true)
  })

  test('a bisection of versions finds the one that changed what an event gives, and says what it changed', async () => {
    const project = await createProject(admin)
    const refused = RULES_XML.replace('<action>failed<', '<action>refused<')
    // The fourth one is like the third for the event.
    for (const rules of [RULES_XML, RULES_XML.replace('level="3"', 'level="4"'), refused, refused.replace('level="3"', 'level="6"')])
      assert.equal((await publish(project, rules)).published, true)
    const { body: versions } = await admin.client.get<readonly ProjectVersionRecord[]>(`/platform/projects/${project.id}/versions`)
    const bisect = (rule_id: string) =>
      admin.client.post<Record<string, unknown> & { changes: Behaviour | null }>(`/platform/projects/${project.id}/bisect`, { rule_id, events: [{ event: FAILED_LOGIN }] })
    const { status, body, text } = await bisect('100101')
    assert.equal(status, 200, text)
    assert.deepEqual([body.holds, body.answer, body.is_unsure, body.is_complete], [false, { rule_id: '100100', level: 6, decoder: 'vpn' }, false, true])
    const idOf = (member: string) => (body[member] as { version_id: string }).version_id
    assert.deepEqual([idOf('since'), idOf('before')], [versions[1].id, versions[2].id])
    assert.deepEqual(body.before_answer, { rule_id: '100101', level: 5, decoder: 'vpn' })
    assert.ok(body.changes?.items.some(({ item, result }) => 'rule_id' in item && item.rule_id === '100101' && result === 'differs'))
    const { body: never } = await bisect('100199')
    assert.deepEqual([never.holds, never.since, never.changes], [false, null, null])
    assert.equal((await admin.client.post(`/platform/projects/${project.id}/bisect`, { rule_id: 'x', events: [] })).status, 422)
  })

  test('a case that expects the loss, or an approval of the content, accepts it', async () => {
    const quiet = RULES_XML.replace('level="3"', 'level="0"')
    const moved = quiet.replace('<action>failed<', '<action>refused<')
    const stated = await createProject(admin, { rules_xml: quiet })
    await limit(stated, 0)
    assert.equal((await publish(stated, moved)).published, false)
    await storeCase(scopeOf(app, admin), stated, { event_text: FAILED_LOGIN, expected_rule: '100100' })
    assert.equal((await publish(stated, moved)).published, true)
    const project = await createProject(admin)
    await limit(project, 0)
    const workspace = await openWorkspace(admin, project.id, { rules_xml: SILENT })
    assert.equal((await publishWorkspace(project, workspace.id)).published, false)
    const review = await openReview(admin, workspace)
    assert.equal((await reviewer.client.patch(`/platform/projects/${project.id}/reviews/${review.id}`, { status: 'approved' })).status, 200)
    assert.equal((await publishWorkspace(project, workspace.id)).published, true)
  })
})
