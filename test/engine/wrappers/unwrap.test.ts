/** Records about logs are recognized, and the log in them is taken out; ordinary logs are not taken for records. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeWrapper, insideOf, runLogtest, unwrap } from '../../../engine/index.js'
import { readEventchannel } from '../../../engine/predecoding/eventchannel.js'
import { DOOR, MOMENT, run, RUNNER } from '../logtest/small-ruleset.js'

const DATE = '2026 Jan 05 10:11:12'
const AGENT = '[021] (gate) 192.0.2.21->/var/log/door.log'
const ALERT = {
  timestamp: '2026-01-05T10:11:12.120+0000',
  rule: { level: 3, id: '100002', description: 'x' },
  agent: { id: '021', name: 'gate', ip: '192.0.2.21' },
  manager: { name: 'hq' },
  id: '17.4',
  decoder: { name: 'door' },
  location: '/var/log/door.log',
}
const EVENT_XML =
  "<Event xmlns='x'><System><Provider Name='Locks' Guid='{1}'/><EventID>4711</EventID><Level>0</Level><Keywords>0x8010000000000000</Keywords>" +
  "<TimeCreated SystemTime='2026-01-05T10:11:12.0Z'/><Execution ProcessID='4' ThreadID='8'/><Channel>Security</Channel><Computer>w1</Computer></System>" +
  "<EventData><Data Name='TargetUserName'>ana</Data><Data Name='ProcessName'>C:\\Locks\\lock.exe</Data><Data>one</Data></EventData></Event>"
const DECODED = readEventchannel(JSON.stringify({ Message: 'A lock\r\n\tfailed: "x".', Event: EVENT_XML })) as string
const { win: WIN } = JSON.parse(DECODED)
const WINDOWS = { ...ALERT, decoder: { name: 'windows_eventchannel' }, location: 'EventChannel', data: { win: WIN } }
const ENTRY = (location: string, ...lines: string[]) =>
  ['** Alert 1767607872.123: - door,opened,', `${DATE} ${location}`, "Rule: 100002 (level 5) -> 'door opened'", 'Src IP: 192.0.2.7', 'User: bob', ...lines].join('\n')

/** Texts, and the kinds, log and location that are found in them. */
const FOUND: readonly (readonly [text: string, kinds: string, event: string | null, location?: string])[] = [
  [`${DATE} gate->/var/log/door.log ${DOOR}`, 'archives_log', DOOR, '/var/log/door.log'],
  [`${DATE} hq->192.0.2.1 ${DOOR}`, 'archives_log', DOOR, '192.0.2.1'],
  [`${DATE} (gate) any->/var/log/door.log ${DOOR}`, 'archives_log', DOOR, '[gate] (gate) any->/var/log/door.log'],
  [`${DATE} [021] (gate) 192.0.2.21->/var/log/door.log ${DOOR}`, 'archives_log', DOOR, AGENT],
  [`${DATE} (w1) any->C:\\Program Files\\Locks 2\\lock.log lock 7 failed`, 'archives_log', 'lock 7 failed', '[w1] (w1) any->C:\\Program Files\\Locks 2\\lock.log'],
  [`${DATE} hq->df -P ossec: output: 'df -P': /dev/sda1 99%`, 'archives_log', "ossec: output: 'df -P': /dev/sda1 99%", 'df -P'],
  [JSON.stringify({ ...ALERT, full_log: DOOR }), 'alerts_json', DOOR, AGENT],
  [`  ${JSON.stringify({ ...ALERT, full_log: DOOR }, null, 2)}\n`, 'alerts_json', DOOR, AGENT],
  [JSON.stringify({ ...ALERT, rule: undefined, full_log: DOOR }), 'archives_json', DOOR, AGENT],
  [JSON.stringify({ ...ALERT, agent: { id: '000', name: 'hq' }, full_log: DOOR }), 'alerts_json', DOOR, '/var/log/door.log'],
  [JSON.stringify({ ...ALERT, agent: { id: '007', name: 'gate' }, full_log: DOOR }), 'alerts_json', DOOR, '[007] (gate) any->/var/log/door.log'],
  [JSON.stringify({ _index: 'alerts', _source: { ...ALERT, full_log: DOOR } }), 'alerts_json', DOOR, AGENT],
  [JSON.stringify({ ...ALERT, decoder: { name: 'json' }, data: { door: '1' } }), 'alerts_json', '{"door":"1"}', AGENT],
  [JSON.stringify({ ...ALERT, data: { door: '1' } }), 'alerts_json', null],
  [JSON.stringify({ ...ALERT, location: 'syscheck', full_log: "File '/etc/door' modified" }), 'alerts_json', null],
  [ENTRY('gate->/var/log/door.log', DOOR, ''), 'alerts_log', DOOR, '/var/log/door.log'],
  [ENTRY('(gate) any->/var/log/door.log', DOOR, 'badge.number: 17'), 'alerts_log', DOOR, '[gate] (gate) any->/var/log/door.log'],
  [ENTRY('(gate) any->syscheck', "File '/etc/door' modified"), 'alerts_log', null],
  ['** Alert 1767607872.123: - door,opened,', 'alerts_log', null],
  [`${DATE} gate->/var/log/door.log`, 'alerts_log', null],
  ["Rule: 100002 (level 5) -> 'door opened'", 'alerts_log', null],
  [`"full_log": ${JSON.stringify(DOOR)},`, 'full_log', DOOR],
  [`full_log: ${DOOR}`, 'full_log', DOOR],
  [JSON.stringify({ full_log: DOOR }), 'full_log', DOOR],
  [JSON.stringify({ rule: ALERT.rule, full_log: DOOR, location: '/l' }), 'alerts_json', DOOR, '/l'],
  [JSON.stringify({ event: DOOR }), 'json_lines', DOOR],
  [JSON.stringify({ input: { event: DOOR, log_format: 'auto' }, trace: true }), 'json_lines', DOOR],
  [`\tfull event: '${DOOR}'`, 'logtest_output', DOOR],
  ['**Phase 1: Completed pre-decoding.', 'logtest_output', null],
  [JSON.stringify({ event: DOOR, log_format: 'syslog', session_id: 's' }), 'json_lines', DOOR],
  [JSON.stringify({ event: DOOR, location: '/var/log/door.log' }), 'json_lines', DOOR, '/var/log/door.log'],
  [`"${DOOR}"`, 'quotes', DOOR],
  [`'${DOOR}',`, 'quotes', DOOR],
  [JSON.stringify(JSON.stringify({ door: 1 })), 'quotes', '{"door":1}'],
  ['"{""door"":1,""by"":""bob""}"', 'quotes', '{"door":1,"by":"bob"}'],
  ['{\\"door\\":1,\\"by\\":\\"bob\\"}', 'escaped_json', '{"door":1,"by":"bob"}'],
  [`${DOOR.slice(0, 30)}: {\\"by\\":\\"bob\\"}`, 'escaped_json', `${DOOR.slice(0, 30)}: {"by":"bob"}`],
  [`'${JSON.stringify({ ...ALERT, full_log: DOOR })}'`, 'quotes alerts_json', DOOR, AGENT],
  [JSON.stringify({ ...ALERT, full_log: `${DATE} hq->/var/log/door.log ${DOOR}` }), 'alerts_json archives_log', DOOR, '/var/log/door.log'],
]

const ORDINARY = [
  DOOR,
  '',
  '{',
  '"',
  `${DATE} door[7]: opened`,
  `${DATE} IDLE->RUNNING job 7`,
  `${DATE} WinEvtLog: Security: AUDIT_FAILURE(4625)`,
  '{"event":"opened","door":1}',
  '{"event":"opened by bob"}',
  '{"event":"opened the door","location":"/floor/1"}',
  '{"location":"hall","agent":{"id":"1"},"full":1}',
  '{"message":"x","full_log":"is a name","agent":{"type":"beat"}}',
  '{"rule":{"id":"7","level":3},"location":"hall","timestamp":"2026"}',
  '"GET / HTTP/1.1" 200 7',
  '"door","opened by","bob"',
  "'it's open'",
  '"opened"',
  'full_log is a member of alerts',
  'Rule: 7 is broken',
  '** Alert: door **',
  '{\\"door\\":1',
  '{"log":"{\\"door\\":1}"}',
  '{"win":{"lost":1}}',
  `${JSON.stringify({ ...ALERT, full_log: DOOR })} and more`,
]

describe('records about logs', () => {
  test('are recognized, and the log in them is taken out with its location', () => {
    for (const [text, kinds, event, location] of FOUND) {
      const wrapper = unwrap(text)
      assert.ok(wrapper, text)
      const inside = insideOf(wrapper)
      assert.deepEqual([[wrapper.kind, wrapper.inner?.kind].filter(Boolean).join(' '), inside?.event ?? null, inside?.location], [kinds, event, location], text)
      assert.equal(wrapper.obstacle === null, event !== null, text)
      for (const locale of ['en-US', 'pt-BR'] as const) assert.match(describeWrapper(wrapper, locale), /^(?:The|O) event.*\.$/)
    }
  })

  test('of hostile depth are no more than records without a log', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const [decoder, data] of [
      ['json', `{"a":${deep}}`],
      ['windows_eventchannel', `{"win":{"system":{"a":${deep}}}}`],
      ['windows_eventchannel', `{"win":{"system":{},"eventdata":${deep}}}`],
    ])
      assert.equal(unwrap(`{"agent":{"id":"1"},"manager":{"name":"m"},"location":"/l","decoder":{"name":"${decoder}"},"data":${data}}`)?.obstacle, 'fields')
  })

  test('do not include ordinary logs', () => {
    for (const text of ORDINARY) assert.equal(unwrap(text), null, text)
  })

  test('of Windows events become an event with the same fields, or say that they cannot', () => {
    const records = [
      JSON.stringify(WINDOWS),
      JSON.stringify({ ...WINDOWS, data: undefined, full_log: DECODED }),
      DECODED,
      `${DATE} (w1) any->EventChannel ${DECODED}`,
      ENTRY('(w1) any->EventChannel', DECODED),
    ]
    for (const record of records) {
      const wrapper = unwrap(record)
      assert.ok(wrapper?.inside, record)
      assert.deepEqual([wrapper.isDecoded, wrapper.inside.log_format], [true, 'eventchannel'])
      if (record !== DECODED) assert.match(wrapper.inside.location ?? '', /^\[\w+\] \(\w+\) \S+->EventChannel$/)
      assert.deepEqual(JSON.parse(readEventchannel(wrapper.inside.event) as string), { win: WIN })
      assert.match(describeWrapper(wrapper, 'en-US'), /has only the decoded fields, not the log that arrived/)
    }
    const { rule } = runLogtest(RUNNER, insideOf(unwrap(records[0]) as never) as never, MOMENT, null, { trace: false, locale: 'en-US' })
    assert.equal(rule, null)
    const other = { ...WINDOWS, data: { win: { ...WIN, system: { ...WIN.system, severityValue: 'ODD' } } } }
    assert.equal(unwrap(JSON.stringify(other))?.obstacle, 'fields')
  })
})

describe('the hint about a record', () => {
  test('is the only one, and there is none without a trace', () => {
    const record = `${DATE} gate->/var/log/door.log ${DOOR}`
    const { insights } = run(record)
    assert.deepEqual(insights, [
      `The event is a line of archives.log: Wazuh has put "${DATE} gate->/var/log/door.log" in front of the log. Decoders and rules of a manager get only the log inside, from /var/log/door.log.`,
    ])
    assert.deepEqual(run(record, { trace: false }).insights, [])
    // Wazuh drops it in the event channel, which does not hide what it is.
    assert.match(run(JSON.stringify(WINDOWS), { log_format: 'eventchannel' }).insights[0], /^The event is a line of alerts\.json/)
  })

  test('is absent where the content is made for such events', () => {
    assert.equal(unwrap('"lamp is on"')?.isSure, false)
    assert.match(run('"lamp is on"').insights[0], /in quotes/)
    assert.deepEqual(
      run('lamp level 9 room hall').insights.filter((insight) => insight.includes('quotes')),
      [],
    )
  })
})
