/** Replays over HTTP: counts of one content and of two, correlation over blocks, progress, cancellation, the page, and other organizations. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { WINDOW_EVENTS } from '#workers'
import { compile, createSession, logtest, readRuleset } from '../../workers/library.js'
import type { CorpusRecord } from '../../server/features/replays/corpora/schema.js'
import type { ReplayRecord, ReplayReport } from '../../server/features/replays/runs/schema.js'
import { REPLAY_LIMITS } from '../../server/features/replays/runs/limits.js'
import { type Actor, addMember, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { BILLED } from '../support/plans.js'
import { createProject, DECODERS_XML, FAILED_LOGIN, GOOD_LOGIN, openWorkspace, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { CLOSED, OPENED } from '../server/cli/call.js'
import { ReplayWorkplace, summaryIn } from '../server/cli/replay-call.js'
import { refused, SIGNUP, stored, waitFor } from './steps.js'

const COUNTING = `<group name="vpn,">
  <rule id="100110" level="10" frequency="4" timeframe="30">
    <if_matched_sid>100101</if_matched_sid>
    <same_source_ip />
    <description>VPN: many failed logins</description>
  </rule>
</group>`
/** Without 100101, whose events 100100 takes. */
const FEWER = RULES_XML.replace(/ {2}<rule id="100101"[\s\S]*?<\/rule>\n/, '')
/** The answers of other rules do not matter here. */
const SMALL = { include_disk_defaults: true }

async function uploaded(actor: Actor, path: string, text: string): Promise<CorpusRecord> {
  const raw = Buffer.from(text)
  const { body, status, text: told } = await actor.client.post<CorpusRecord>(`${path}/corpora`, { name: 'Sample', size_bytes: raw.length })
  assert.equal(status, 200, told)
  const sent = await actor.client.call<CorpusRecord>('PATCH', `${path}/corpora/${body.id}?offset=0`, { raw, headers: { 'Content-Type': 'application/offset+octet-stream' } })
  assert.equal(sent.body.status, 'ready', sent.text)
  return sent.body
}

async function started(actor: Actor, path: string, body: object): Promise<ReplayRecord> {
  const answer = await actor.client.post<ReplayRecord>(`${path}/replays`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const ended = (actor: Actor, path: string, { id }: ReplayRecord): Promise<ReplayRecord> =>
  waitFor(async () => {
    const { body } = await actor.client.get<ReplayRecord>(`${path}/replays/${id}`)
    return ['queued', 'running'].includes(body.status) ? undefined : body
  })

async function report(actor: Actor, path: string, body: object): Promise<ReplayReport> {
  const replay = await ended(actor, path, await started(actor, path, body))
  assert.deepEqual([replay.status, replay.progress], ['succeeded', 1], JSON.stringify(replay))
  const answer = await actor.client.get<ReplayReport>(`${path}/replays/${replay.id}/report`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Records of Wazuh whose times are in another order than their lines, some of them more than can wait, beside logs without a time, and what is no event. */
function linesOutOfOrder(): string[] {
  let seed = 5
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const archived = (seconds: number, full_log: string): string =>
    JSON.stringify({ timestamp: `${new Date(1000 * (1_800_000_000 + seconds)).toISOString().slice(0, -1)}+0000`, full_log, location: '/var/log/door' })
  return [OPENED, OPENED, archived(0, OPENED)].concat(
    Array.from({ length: WINDOW_EVENTS + 1500 }, (_, i) => {
      const log = OPENED.replace('192.0.2.1', `192.0.2.${next(3)}`)
      const kind = next(40)
      if (kind === 0) return ''
      if (kind === 1) return `${log}\r`
      if (kind === 2) return archived(9 * i, '')
      if (kind === 3) return archived(1e7, '<Event ')
      if (kind === 4) return `2027 Jan 15 08:00:${String(10 + next(50))} hall->/var/log/door ${log}`
      if (kind === 5 && i > WINDOW_EVENTS) return archived(next(100), log)
      if (kind === 6) return JSON.stringify({ full_log: log, location: '/var/log/door' })
      return archived(9 * i + next(400), kind === 7 ? CLOSED : log)
    }),
  )
}

/** The same with other names of members. Plain logs stay: they are no JSON. */
function withOtherNames(line: string): string {
  if (!line.startsWith('{')) return line
  const { timestamp, full_log, location } = JSON.parse(line) as { readonly timestamp?: string; readonly full_log: string; readonly location: string }
  return JSON.stringify({ '@timestamp': timestamp, meta: { place: location }, message: full_log })
}

const countsOf = ({ result }: ReplayReport) => result.rules.map((rule) => [rule.rule_id, rule.before_count, rule.after_count, rule.new_count, rule.lost_count])

describe(`replays, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let path: string
  let projectId: string

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    projectId = (await createProject(admin, SMALL)).id
    path = `/platform/projects/${projectId}`
  })
  after(() => app?.close())

  test('count the alerts of a content, with the first logs of each rule, and say what is no event', async () => {
    const archived = JSON.stringify({ timestamp: '2026-11-21T08:15:30.000+0000', full_log: FAILED_LOGIN, location: '/var/log/vpn.log' })
    const corpus = await uploaded(
      admin,
      path,
      `${FAILED_LOGIN}\r\n\n${GOOD_LOGIN}\n${archived}\nnothing\n${JSON.stringify({ timestamp: '2026-11-21T08:15:30.000+0000', full_log: '', location: 'x' })}\n${FAILED_LOGIN}`,
    )
    const { replay, result } = await report(admin, path, { corpus_id: corpus.id })
    assert.deepEqual([replay.events, result.lines, result.before_alerts, result.after_alerts, result.new_alerts], [6, 6, null, 4, null])
    const [failed, good] = ['100101', '100100'].map((id) => result.rules.find(({ rule_id }) => rule_id === id))
    assert.deepEqual([failed?.after_count, failed?.level, failed?.description, failed?.before_count], [3, 5, 'VPN: login failed', null])
    assert.deepEqual(failed?.new_samples, [FAILED_LOGIN, archived, FAILED_LOGIN])
    assert.deepEqual([good?.after_count, good?.new_samples], [1, [GOOD_LOGIN]])
    await waitFor(async () => {
      const { body } = await admin.client.get<{ items: { kind: string; title: string }[] }>('/notifications')
      return body.items.some(({ kind, title }) => kind === 'replay.finished' && title === 'Replay of Sample: succeeded') || undefined
    })
  })

  test('compare two contents: alerts that are new, those that are lost, and nothing where they agree', async () => {
    const corpus = await uploaded(admin, path, `${[FAILED_LOGIN, GOOD_LOGIN, FAILED_LOGIN, 'nothing'].join('\n')}\n`)
    const workspace = await openWorkspace(admin, projectId, { rules_xml: FEWER })
    const changed = await report(admin, path, { corpus_id: corpus.id, content: { workspace_id: workspace.id }, compare: {} })
    assert.deepEqual(countsOf(changed), [
      ['100100', 1, 3, 2, 0],
      ['100101', 2, 0, 0, 2],
    ])
    assert.deepEqual([changed.result.before_alerts, changed.result.after_alerts, changed.result.new_alerts, changed.result.lost_alerts], [3, 3, 2, 2])
    assert.deepEqual(changed.result.rules[1].lost_samples, [FAILED_LOGIN, FAILED_LOGIN])
    const same = await report(admin, path, { corpus_id: corpus.id, content: {}, compare: {} })
    assert.deepEqual([same.result.new_alerts, same.result.lost_alerts], [0, 0])

    const pageOf = async (locale: string): Promise<string> => {
      const { text, headers } = await admin.client.get(`${path}/replays/${changed.replay.id}/report`, { headers: { Accept: 'text/html', 'x-locale': locale } })
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
      return text
    }
    assert.match(await pageOf('en-US'), /<h2>Lost alerts<\/h2>[\s\S]*login failed for ana/)
    assert.match(await pageOf('pt-BR'), /<h2>Alertas perdidos<\/h2>/)
  })

  test('correlate over blocks, as one session does', async () => {
    const project = await createProject(admin, { ...SMALL, rules_xml: `${RULES_XML}\n${COUNTING}` })
    const lines = Array.from({ length: 6000 }, (_, i) => (i % 7 === 0 ? GOOD_LOGIN : FAILED_LOGIN.replace('203.0.113.7', `203.0.113.${i % 5}`)))
    const { ruleset: base } = compile(readRuleset())
    const { ruleset } = compile(
      [
        { kind: 'decoders', filename: 'local_decoder.xml', content: DECODERS_XML },
        { kind: 'rules', filename: 'local_rules.xml', content: `${RULES_XML}\n${COUNTING}` },
      ],
      { base },
    )
    const session = createSession(ruleset)
    const expected = new Map<string, number>()
    lines.forEach((event, i) => {
      const { rule, alert } = logtest(ruleset, event, { session, at: new Date((1_700_000_000 + i) * 1000) })
      if (alert && rule !== null) expected.set(rule.id, (expected.get(rule.id) ?? 0) + 1)
    })
    assert.ok((expected.get('100110') ?? 0) > 100)
    const at = `/platform/projects/${project.id}`
    const corpus = await uploaded(admin, at, lines.join('\n'))
    const { result } = await report(admin, at, { corpus_id: corpus.id })
    assert.deepEqual(new Map(result.rules.map(({ rule_id, after_count }) => [rule_id, after_count])), new Map([...expected].sort((a, b) => b[1] - a[1])))
  })

  test('by the times of the events, and with named members, do what the command does', async () => {
    const place = new ReplayWorkplace()
    try {
      const folder = place.ruleset()
      const [decoders_xml, rules_xml] = ['decoders', 'rules'].map((kind) => readFileSync(join(folder, kind, '0010-base.xml'), 'utf8'))
      const project = await createProject(admin, { decoders_xml, rules_xml, include_disk_defaults: false })
      const at = `/platform/projects/${project.id}`
      const countsIn = ({ result }: ReplayReport) => new Map(result.rules.map(({ rule_id, after_count }) => [rule_id, after_count]))
      const records = linesOutOfOrder()
      const forms = [
        { lines: records, options: [], fields: null },
        {
          lines: records.map(withOtherNames),
          options: ['--event-field', 'message', '--location-field', 'meta.place', '--time-field', '@timestamp'],
          fields: { event: 'message', location: 'meta.place', time: '@timestamp' },
        },
      ]
      for (const { lines, options, fields } of forms) {
        const file = place.write('lines.json', lines.join('\n'))
        const corpus = await uploaded(admin, at, lines.join('\n'))
        const found: ReadonlyMap<string, number>[] = []
        for (const clock of ['event', 'arrival'] as const) {
          const told = await place.replay([file, '--ruleset', folder, '--clock', clock, '--threads', '1', ...options])
          assert.equal(told.code, 0, told.stderr)
          const { rules, late_events, events_without_time, alerts, lines: read, events } = summaryIn(told.folder)
          // Without a clock it is `event` if the time has a name, and `arrival` otherwise.
          const isDefault = (clock === 'event') === (fields !== null)
          const made = await report(admin, at, { corpus_id: corpus.id, fields, ...(isDefault ? {} : { clock }) })
          assert.deepEqual([made.replay.clock, made.replay.fields], [clock, fields])
          assert.deepEqual(
            [made.result.late_events, made.result.events_without_time, made.result.after_alerts, made.result.lines - made.result.wrong_lines - made.result.not_run_count],
            [late_events, events_without_time, alerts, events],
          )
          assert.equal(made.result.lines, read - lines.filter((line) => line === '').length)
          assert.deepEqual(countsIn(made), new Map(rules.filter((rule) => rule.alerts > 0).map((rule) => [rule.id, rule.alerts])))
          assert.equal(late_events > 20 && events_without_time > 100, clock === 'event')
          found.push(countsIn(made))
        }
        assert.ok((found[0].get('902') ?? 0) > 50)
        assert.notEqual(found[0].get('902'), found[1].get('902'))
        if (fields !== null) continue
        const same = await report(admin, at, { corpus_id: corpus.id, content: {}, compare: {}, clock: 'event' })
        assert.deepEqual([same.result.new_alerts, same.result.lost_alerts, countsIn(same)], [0, 0, found[0]])
        refused(await admin.client.post(`${at}/replays`, { corpus_id: corpus.id, clock: 'wall' }), 422, 'request_validation_failed')
        refused(await admin.client.post(`${at}/replays`, { corpus_id: corpus.id, fields: { time: 'time' } }), 422, 'request_validation_failed')
        refused(await admin.client.post(`${at}/replays`, { corpus_id: corpus.id, fields: { event: '' } }), 422, 'request_validation_failed')
      }
    } finally {
      place.remove()
    }
  })

  test('are canceled, and end with their corpus, whose events nothing has afterwards', async () => {
    const secret = 'vpnd-secret-4711'
    const corpus = await uploaded(admin, path, `${FAILED_LOGIN} ${secret}\n`.repeat(45_000))
    const long = await started(admin, path, { corpus_id: corpus.id })
    const running = await waitFor(async () => {
      const { body } = await admin.client.get<ReplayRecord>(`${path}/replays/${long.id}`)
      return body.status === 'running' ? body : undefined
    })
    assert.ok(running.started_at !== null)
    refused(await admin.client.get(`${path}/replays/${long.id}/report`), 409, 'conflict')
    const canceled = await admin.client.post<ReplayRecord>(`${path}/replays/${long.id}/cancel`)
    assert.equal(canceled.body.status, 'canceled', canceled.text)
    refused(await admin.client.post(`${path}/replays/${long.id}/cancel`), 409, 'conflict')

    const small = await uploaded(admin, path, `${GOOD_LOGIN} ${secret}\n`)
    const { replay, result } = await report(admin, path, { corpus_id: small.id })
    assert.ok(result.rules.some(({ new_samples }) => new_samples[0]?.includes(secret)))
    const everything = await stored(app)
    assert.ok(!everything.includes(secret))
    await admin.client.delete(`${path}/corpora/${small.id}`)
    refused(await admin.client.get(`${path}/replays/${replay.id}`), 404, 'not_found')
    await admin.client.delete(`${path}/corpora/${corpus.id}`)
    assert.ok(!app.log.join('\n').includes(secret))
  })

  test('of another organization, of another project, or on its corpora and contents do not exist', async () => {
    const corpus = await uploaded(admin, path, `${GOOD_LOGIN}\n`)
    const replay = await ended(admin, path, await started(admin, path, { corpus_id: corpus.id }))
    const theirs = `/platform/projects/${(await createProject(other, SMALL)).id}`
    const mine = `/platform/projects/${(await createProject(admin, SMALL)).id}`
    for (const [actor, at] of [
      [other, path],
      [other, theirs],
      [admin, mine],
    ] as const) {
      refused(await actor.client.get(`${at}/replays/${replay.id}`), 404, 'not_found')
      refused(await actor.client.get(`${at}/replays/${replay.id}/report`), 404, 'not_found')
      refused(await actor.client.post(`${at}/replays/${replay.id}/cancel`), 404, 'not_found')
      refused(await actor.client.delete(`${at}/replays/${replay.id}`), 404, 'not_found')
      refused(await actor.client.post(`${at}/replays`, { corpus_id: corpus.id }), 404, 'not_found')
    }
    const foreign = await openWorkspace(other, theirs.split('/')[3])
    refused(await admin.client.post(`${path}/replays`, { corpus_id: corpus.id, content: { workspace_id: foreign.id } }), 404, 'not_found')
    refused(await admin.client.post(`${path}/replays`, { corpus_id: corpus.id, compare: { workspace_id: foreign.id } }), 404, 'not_found')
    const open = await admin.client.post<CorpusRecord>(`${path}/corpora`, { name: 'x', size_bytes: 10 })
    refused(await admin.client.post(`${path}/replays`, { corpus_id: open.body.id }), 409, 'conflict')
    const reader = await addMember(admin, 'read_only')
    assert.equal((await reader.client.get(`${path}/replays/${replay.id}`)).status, 200)
    refused(await reader.client.post(`${path}/replays`, { corpus_id: corpus.id }), 403, 'forbidden')
  })
})

describe('the plan', () => {
  test('limits replays that have not ended', async () => {
    const app = await startTestApp({ env: BILLED })
    try {
      const admin = await bootstrap(app.client)
      const path = `/platform/projects/${(await createProject(admin, SMALL)).id}`
      const corpus = await uploaded(admin, path, `${FAILED_LOGIN}\n`.repeat(50_000))
      const answers = await Promise.all(Array.from({ length: 4 }, () => admin.client.post<ReplayRecord>(`${path}/replays`, { corpus_id: corpus.id })))
      assert.equal(answers.filter(({ status }) => status === 200).length, REPLAY_LIMITS.free.open)
      assert.ok(answers.some(({ status, body }) => status === 403 && (body as unknown as { details: { metric: string } }).details.metric === 'open_replays'))
      const begun = answers.find(({ status }) => status === 200)
      assert.equal((await admin.client.delete(`${path}/replays/${begun?.body.id}`)).status, 204)
    } finally {
      await app.close()
    }
  })
})
