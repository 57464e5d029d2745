import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRuleset, later, measureCoverage, parseIniSuite, runCase, runIniCase } from '../../../engine/index.js'
import type { TestCase } from '../../../engine/index.js'
import { DOOR, FILES, MOMENT, RULESET, RUNNER } from './small-ruleset.js'

const check = (testCase: Omit<TestCase, 'name'>) => runCase(RUNNER, { name: 'case', ...testCase }, MOMENT, 'en-US')

test('every expectation is a check, and all must pass', () => {
  const report = check({
    event_text: DOOR,
    expected_decoder: 'door',
    expected_rule: '100002',
    expected_level: 5,
    expected_rule_ids: ['100001', '100002'],
    forbidden_rule_ids: ['100003'],
    expected_fields: { srcip: '192.0.2.7' },
  })
  assert.equal(report.passed, true)
  assert.equal(report.checks.length, 7)
  const failed = check({ event_text: DOOR, expected_rule: '100003', expected_fields: { room: 'hall' }, forbidden_rule_ids: ['100001'] })
  assert.equal(failed.passed, false)
  assert.deepEqual(failed.checks, [
    { label: 'Rule', expected: '100003', actual: '100002', passed: false },
    { label: 'Rule 100001 does not match', expected: 'yes', actual: 'no', passed: false },
    { label: 'Field room', expected: 'hall', actual: '(none)', passed: false },
  ])
})

test('null and empty expectations are ignored', () => {
  assert.deepEqual(check({ event_text: 'x', expected_decoder: null, expected_rule: '', expected_rule_ids: [], expected_fields: {} }).checks, [])
})

test('an expectation of no alert allows no rule, or one of level 0', () => {
  assert.equal(check({ event_text: 'nothing', expect_no_rule: true }).passed, true)
  assert.equal(check({ event_text: 'Nov 17 08:15:30 gate doord[42]: shut now', expect_no_rule: true }).passed, true)
  assert.equal(check({ event_text: DOOR, expect_no_rule: true }).passed, false)
})

test('several events run in one session on a virtual clock', () => {
  const events = (...at: number[]) => at.map((second) => ({ event_text: DOOR, at: second }))
  assert.equal(check({ events: events(0, 30, 60), expected_rule: '100003' }).passed, true)
  assert.equal(check({ events: events(0, 30, 61), expected_rule: '100002' }).passed, true)
  assert.equal(check({ events: events(0, 30, 60).map((event, i) => ({ ...event, location: `[00${i}] (a) any->x` })), expected_rule: '100002' }).passed, true)
})

test('a refused location fails the case', () => {
  const report = check({ event_text: DOOR, location: '[x' })
  assert.deepEqual([report.passed, report.checks[0].label], [false, 'Event is run'])
})

test('the virtual clock has minutes, hours and weekdays', () => {
  assert.deepEqual(later(MOMENT, 60).local(), { timeOfDay: '00:00', weekday: 3 })
  assert.deepEqual(later(MOMENT, 5 * 86_400).local(), { timeOfDay: '23:59', weekday: 0 })
  assert.equal(later(MOMENT, 7).seconds, MOMENT.seconds + 7)
})

const SUITE = `; a comment
[door]
log 1 pass = ${DOOR}
log 2 fail = Nov 17 08:15:30 gate doord[42]: shut
rule = 100002
alert = 5
decoder= door

[often]
log 1 pass = ${DOOR}
log 1 pass = ${DOOR}
log 1 pass = ${DOOR}
rule = 100003
alert = 10
decoder = door

[nothing]
log 1 fail = quite unknown
rule =
alert =
decoder =
what is this
`

test('in an .ini suite events of one key share a session, and fail is the opposite of pass', () => {
  const suite = parseIniSuite(SUITE)
  assert.deepEqual(suite.unreadLines, [22])
  assert.deepEqual(
    suite.cases.map(({ name, verdict, events }) => [name, verdict, events.length]),
    [
      ['door, log 1', 'pass', 1],
      ['door, log 2', 'fail', 1],
      ['often, log 1', 'pass', 3],
      ['nothing, log 1', 'fail', 1],
    ],
  )
  for (const testCase of suite.cases) assert.equal(runIniCase(RUNNER, testCase, MOMENT, 'en-US').passed, true, testCase.name)
  for (const testCase of suite.cases) {
    const turned = { ...testCase, verdict: testCase.verdict === 'pass' ? ('fail' as const) : ('pass' as const) }
    assert.equal(runIniCase(RUNNER, turned, MOMENT, 'pt-BR').passed, false, testCase.name)
  }
})

test('the comment "; now = …" above a section is the clock of its cases; elsewhere, or without a time, it is reported', () => {
  const section = (name: string) => `[${name}]\nlog 1 pass = x\nlog 2 pass = y\nrule = 1\n`
  const suite = parseIniSuite(
    `; now = 2026-01-05T22:30:00-03:00\n; another comment\n\n${section('a')}${section('b')}# now=2026-01-05T22:30Z\n${section('c')};now = tomorrow\n; now = 2026-01-05T22:30Z\n`,
  )
  assert.deepEqual(
    suite.cases.map(({ name, now }) => [name, now]),
    [
      ['a, log 1', '2026-01-05T22:30:00-03:00'],
      ['a, log 2', '2026-01-05T22:30:00-03:00'],
      ['b, log 1', undefined],
      ['b, log 2', undefined],
      ['c, log 1', '2026-01-05T22:30Z'],
      ['c, log 2', '2026-01-05T22:30Z'],
    ],
  )
  assert.deepEqual([suite.misplacedClocks, suite.unreadLines], [[17, 18], []])
})

test('coverage counts the rules and decoders that the cases used', () => {
  const coverage = measureCoverage(RULESET, [check({ event_text: DOOR }), check({ event_text: 'lamp level 9 room hall' })])
  // The container that was left again counts too.
  assert.deepEqual([coverage.rules.total, coverage.rules.covered], [11, 4])
  assert.deepEqual(
    coverage.decoders.untested.map(({ name }) => name),
    ['wall', 'json'],
  )
  assert.deepEqual(coverage.rules.untested[0], { name: '100003', filename: 'house-rules.xml', line: 4 })
})

test('coverage counts every rule that Wazuh drops as one that no case can match, even if another rule has its id', () => {
  const more = `<group name="more,">
<rule id="100002" level="9"><if_sid>100001</if_sid><description>the second of its id</description></rule>
<rule id="100021" level="9"><if_sid>100020</if_sid><description>of a parent that is dropped</description></rule>
</group>`
  const ruleset = compileRuleset([...FILES, { filename: 'more-rules.xml', kind: 'rules', scope: 'adhoc', content: more }])
  const { rules } = measureCoverage(ruleset, [check({ event_text: DOOR })])
  assert.deepEqual(
    rules.untested.filter(({ dropped }) => dropped === true),
    [
      { name: '100009', filename: 'house-rules.xml', line: 10, dropped: true },
      { name: '100002', filename: 'more-rules.xml', line: 2, dropped: true },
      { name: '100021', filename: 'more-rules.xml', line: 3, dropped: true },
    ],
  )
  assert.deepEqual([rules.total, rules.covered, rules.untested.length], [13, 2, 11])
  assert.equal(measureCoverage(ruleset, [], ['default']).rules.total, 3)
})
