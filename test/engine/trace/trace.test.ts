import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { headerFormOf } from '../../../engine/trace/header-form.js'
import { cutText, TRACE_TEXT_LIMIT } from '../../../engine/trace/text.js'
import { createSession, DOOR, run } from '../logtest/small-ruleset.js'

test('a trace has every decision in order', () => {
  const { trace } = run(DOOR)
  assert.deepEqual(trace[0], {
    phase: 'predecode',
    name: 'syslog',
    matched: true,
    details: { timestamp: 'Nov 17 08:15:30', hostname: 'gate', program_name: 'doord', log: 'opened by bob from 192.0.2.7 badge=17' },
  })
  const decode = trace.filter(({ phase }) => phase === 'decode').map(({ name, matched, details }) => [name, matched, details.condition])
  assert.deepEqual(decode, [
    ['door', true, 'program_name'],
    ['door-open', true, 'prematch'],
    ['door-open', true, 'regex'],
    ['door-open', true, 'regex'],
  ])
  const captures = trace.flatMap(({ details }) => (details.captures as unknown[] | undefined) ?? [])
  assert.deepEqual(captures, [
    { name: 'dstuser', value: 'bob', at: 10 },
    { name: 'srcip', value: '192.0.2.7', at: 19 },
    { name: 'badge.number', value: '17', at: 35 },
  ])
  const rules = trace.filter(({ phase }) => phase === 'rule')
  assert.deepEqual(
    rules.find(({ name }) => name === '100004'),
    {
      phase: 'rule',
      name: '100004',
      matched: false,
      details: { condition: 'list', list: 'etc/lists/bad', field: 'srcip', lookup: 'address_match_key', text: '192.0.2.7' },
      line: 5,
      filename: 'house-rules.xml',
    },
  )
  assert.deepEqual(rules.find(({ name }) => name === '100003')?.details, { condition: 'if_matched_sid', counted: 0, needed: 2, timeframe: 60 })
})

test('a failed condition is reported with tag, field, pattern and the examined text', () => {
  const details = (event: string, id: string) => run(event).trace.find(({ name }) => name === id)?.details
  assert.deepEqual(details('lamp level 3 room x', '100005'), { condition: 'field', field: 'level', pattern: '^9$', negate: false, text: '3' })
  assert.deepEqual(details('lamp level 3 room x', '100007'), { condition: 'field', field: 'rooms', pattern: '^hall$', negate: false, text: null })
  assert.deepEqual(details('{"a":"secret"}', '100010'), { condition: 'match', pattern: 'secret', negate: true, text: '{"a":"secret"}' })
  assert.deepEqual(details('{"a":"b"}', '100001'), { condition: 'decoded_as', expected: 'door', actual: 'json' })
})

test('texts are cut, and not inside a character', () => {
  const long = 'é'.repeat(400)
  const cut = cutText(Buffer.from(`x${long}`).toString('latin1'))
  assert.ok(cut.endsWith('é…') && Buffer.byteLength(cut) <= TRACE_TEXT_LIMIT + 3)
  assert.equal(
    run(`lamp ${'z'.repeat(2000)}`).trace.every(({ details }) => JSON.stringify(details).length < 2 * TRACE_TEXT_LIMIT),
    true,
  )
})

test('the header form has a name', () => {
  const forms: readonly (readonly [string, string])[] = [
    ['no header at all', 'none'],
    ['Nov 17 08:15:30 host p: m', 'syslog'],
    ['2020-03-09 08:15:30,412 host p: m', 'proftpd'],
    ['2020-03-09T08:15:30+01:00 host prog: message', 'iso'],
    ['2020-03-09T08:15:30.412+01:00 host prog: m', 'iso-milliseconds'],
    ['2020-03-09T08:15:30.412345+01:00 host p: m', 'iso-microseconds'],
    ['2020-03-09T08:15:30.123Z host sshd[1]: xx', 'iso-fraction'],
    ['2020 Nov 17 08:15:30 host p: m', 'year-first'],
    ['2020-03-09 08:15:30.412345+0100 host p: m', 'macos-unified-log'],
    ['Mon Mar 09 08:15:30 2020 1 192.0.2.1', 'xferlog'],
    ['03/09-08:15:30.412345  [**] x', 'snort'],
    ['03/09/2020-08:15:30.412345  [**] x', 'suricata'],
    ['[Mon Mar 09 08:15:30 2020] [error] x', 'apache'],
    ['[Time 2020.03.09 08:15:30 UTC] [Facility x]', 'macos-asl'],
    ['1583741730.412  10203 192.0.2.1 TCP_MISS/200', 'squid'],
  ]
  for (const [text, form] of forms) assert.equal(headerFormOf(text), form, text)
})

test('the result is the same with and without a trace', () => {
  const words = fc.constantFrom(
    'opened by ',
    'bob',
    ' from ',
    '192.0.2.7',
    '203.0.113.9',
    ' badge=1',
    'lamp ',
    'level 9 ',
    'room hall',
    'wall ',
    '{"a":',
    '"b"}',
    'secret',
    'Nov 17 08:15:30 gate ',
    'doord[4]: ',
  )
  const events = fc.array(
    fc.tuple(fc.constantFrom('', 'Nov 17 08:15:30 gate doord[4]: ', 'lamp '), fc.array(words, { maxLength: 6 })).map(([head, rest]) => head + rest.join('')),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(events, (list) => {
      const [one, other] = [createSession(), createSession()]
      for (const event of list) {
        const { trace: _, insights: __, ...traced } = run(event, { session: one, trace: true })
        const { trace: ___, insights: ____, ...plain } = run(event, { session: other, trace: false })
        assert.deepEqual(traced, plain)
      }
    }),
    { numRuns: 150 },
  )
})
