import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLayer, EventRunner, insightOf, runLogtest } from '../../../engine/index.js'
import { createSession, DOOR, MOMENT, RULESET, RUNNER, run } from './small-ruleset.js'

test('the small ruleset loads', () => {
  assert.equal(RULESET.loads, true)
})

test('a report has the result of every stage', () => {
  const report = run(DOOR)
  assert.equal(report.ok, true)
  assert.deepEqual(report.predecoded, {
    timestamp: 'Nov 17 08:15:30',
    hostname: 'gate',
    program_name: 'doord',
    location: 'stdin',
    raw_message: DOOR,
    detected_format: 'syslog',
  })
  assert.deepEqual(report.decoder, { name: 'door', parent: 'door', order: ['user', 'srcip', 'badge.number'] })
  assert.deepEqual(report.extracted_fields, { srcip: '192.0.2.7', dstuser: 'bob', 'badge.number': '17' })
  assert.deepEqual(report.rule, {
    id: '100002',
    matched: true,
    level: 5,
    description: 'door opened by bob ',
    groups: ['house', 'opened'],
    attack_ids: ['T1078'],
    parent_ids: ['100001'],
    filename: 'house-rules.xml',
    line: 3,
    firedtimes: 1,
    frequency: null,
  })
  assert.deepEqual(
    report.matched_rules.map(({ id, description }) => [id, description]),
    [
      ['1', 'syslog'],
      ['100001', 'door'],
      ['100002', 'door opened by bob '],
    ],
  )
  assert.equal(report.alert, true)
})

test('texts are Unicode', () => {
  const report = run('Nov 17 08:15:30 gate doord[42]: opened by joão from 192.0.2.7 badge=1')
  assert.equal(report.extracted_fields.dstuser, 'joão')
  assert.equal(report.rule?.description, 'door opened by joão ')
})

test('the first of equal dynamic names is used, and a static field hides a dynamic one', () => {
  assert.deepEqual(run('{"a":"1","a":"2","b":"","__proto__":{"x":"y"},"srcip":"10.0.0.1"}').extracted_fields, { srcip: '10.0.0.1', a: '1', b: '', '__proto__.x': 'y' })
})

test('the format is detected: JSON that parses, Windows XML or its JSON form, else syslog', () => {
  const formats = (event: string): string => run(event).predecoded.detected_format
  assert.equal(formats('  {"a":1}'), 'json')
  assert.equal(formats('{"a":'), 'syslog')
  assert.equal(formats(DOOR), 'syslog')
  assert.equal(formats('<Event xmlns="x"><System/></Event>'), 'eventchannel')
  assert.equal(formats('{"Message":"m","Event":"<Event><System/></Event>"}'), 'eventchannel')
  assert.equal(formats('{"event" : "\\u003cEvent>\\u003cSystem/>\\u003c/Event>"}'), 'eventchannel')
  assert.equal(run('{"a":1}', { log_format: 'plain' }).predecoded.detected_format, 'plain')
})

test("an agent location sets the agent's name; a bracket without end is refused with a code", () => {
  const agent = run(DOOR, { location: '[001] (web01) 10.0.0.5->/var/log/doors' })
  assert.equal(agent.predecoded.hostname, 'web01')
  assert.equal(agent.predecoded.location, '(web01) 10.0.0.5->/var/log/doors')
  const refused = run(DOOR, { location: '[001 x' })
  assert.equal(refused.ok, false)
  assert.equal(refused.rule, null)
  assert.deepEqual(
    refused.diagnostics.map(({ code, source_scope, evidence }) => [code, source_scope, evidence]),
    [['session_location_invalid', null, '[001 x']],
  )
})

test('a log that is too long for a message is cut, with a diagnostic', () => {
  // The message holds 65,535 bytes: `1:stdin:` and the log.
  const fits = 65_535 - '1:stdin:'.length
  const codes = (length: number): string[] => run('x'.repeat(length), { trace: false }).diagnostics.map(({ code }) => code)
  assert.deepEqual([codes(fits), codes(fits + 1)], [[], ['session_event_truncated']])
  const report = run(`lamp level 1 room x${'y'.repeat(70_000)}`, { trace: false })
  assert.deepEqual(
    report.diagnostics.map(({ code }) => code),
    ['session_event_truncated'],
  )
  assert.ok(report.extracted_fields.room.length < 65_536)
  assert.match(insightOf(report.diagnostics[0]), /^The log has 70019 bytes; only the first \d+ are read\. Test with a shorter log/)
})

test('the location is part of the message, with the agent and with a bar before each colon and bar', () => {
  for (const [location, sent] of [
    ['[001] (web01) 192.0.2.5->/x', '[001] (web01) 192.0.2.5->/x'],
    ['C:\\a|b', 'C|:\\a||b'],
  ]) {
    const fits = 65_535 - `1:${sent}:`.length
    const codes = (length: number): string[] => run('x'.repeat(length), { trace: false, location }).diagnostics.map(({ code }) => code)
    assert.deepEqual([codes(fits), codes(fits + 1)], [[], ['session_event_truncated']], location)
  }
})

test('a session counts events, a run without a session does not', () => {
  const session = createSession()
  const ids = [1, 2, 3, 4].map(() => run(DOOR, { session }).rule?.id)
  assert.deepEqual(ids, ['100002', '100002', '100003', '100002'])
  assert.equal(run(DOOR, { session: createSession() }).rule?.firedtimes, 1)
  assert.equal(run(DOOR, { session }).rule?.firedtimes, 4)
  const again = createSession()
  run(DOOR, { session: again })
  run(DOOR, { session: again })
  const fired = run(DOOR, { session: again })
  assert.equal(fired.rule?.frequency, 3)
  assert.deepEqual(fired.previous_output, [DOOR, DOOR])
  assert.deepEqual(
    [1, 2, 3].map(() => run(DOOR).rule?.id),
    ['100002', '100002', '100002'],
  )
})

test('a rule with no_counter has no firedtimes, and check_diff does not remove the frequency', () => {
  const content = `<group name="h,">
<rule id="100020" level="3"><program_name>^fan</program_name><options>no_counter</options><description>fan</description></rule>
<rule id="100021" level="4" frequency="5" timeframe="60"><if_matched_sid>100020</if_matched_sid><check_diff /><description>fan changed</description></rule></group>`
  const runner = new EventRunner(compileLayer(RULESET, [{ filename: 'z.xml', kind: 'rules', scope: 'adhoc', content }]))
  const session = createSession()
  const told = [1, 2, 2].map((speed) => {
    const input = { event: `Nov 17 08:15:30 gate fan: speed ${speed}`, log_format: 'syslog' as const }
    const { rule } = runLogtest(runner, input, MOMENT, session, { trace: false, locale: 'en-US' })
    return [rule?.id, rule?.firedtimes, rule?.frequency]
  })
  assert.deepEqual(told, [
    ['100020', null, null],
    ['100021', 1, 5],
    ['100020', null, null],
  ])
})

test('stage times use the clock that is passed in', () => {
  let time = 0
  const report = runLogtest(RUNNER, { event: DOOR, log_format: 'auto' }, MOMENT, null, { trace: false, locale: 'en-US', now: () => time++ })
  assert.deepEqual(report.times, { predecode_ms: 1, decode_ms: 1, rule_ms: 1 })
})

test('the order of a decoder is that of its ruleset, whichever ruleset ran first', () => {
  const content = '<decoder name="door-open"><parent>door</parent><regex> floor=(\\d+)</regex><order>floor</order></decoder>'
  const layer = compileLayer(RULESET, [{ filename: 'z.xml', kind: 'decoders', scope: 'adhoc', content }])
  const input = { event: DOOR, log_format: 'auto' as const }
  const orders = [RULESET, layer, RULESET].map((ruleset) => runLogtest(new EventRunner(ruleset), input, MOMENT, null, { trace: false, locale: 'en-US' }).decoder?.order)
  assert.deepEqual(orders, [
    ['user', 'srcip', 'badge.number'],
    ['user', 'srcip', 'badge.number', 'floor'],
    ['user', 'srcip', 'badge.number'],
  ])
})
