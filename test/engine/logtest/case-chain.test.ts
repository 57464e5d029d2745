/** Cases that share a session, in their order, on one clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SuiteCase, TestCase } from '../../../engine/index.js'
import { CaseChain, caseChains, compileRuleset, EventRunner, readNow } from '../../../engine/index.js'
import { writeNow } from '../../../engine/logtest/virtual-clock.js'
import { DOOR, FILES, MOMENT, RUNNER } from './small-ruleset.js'

const door = (fields: Partial<TestCase> = {}): TestCase => ({ name: 'door', event_text: DOOR, ...fields })
const rulesOf = (cases: readonly SuiteCase[]): (string | undefined)[] => {
  const chain = new CaseChain(RUNNER, MOMENT, 'en-US', cases.length > 1)
  return cases.map((one) => chain.run(one).analysis.rule?.id)
}

test('cases with one session form a chain; those without a session are separate', () => {
  const ini: SuiteCase = { name: 'ini', line: 1, verdict: 'pass', events: ['x'], decoder: '', rule: '', level: '' }
  const cases = [door({ session_id: 'a' }), door(), door({ session_id: 'b' }), door({ session_id: '' }), ini, door({ session_id: 'a' }), door({ session_id: '__proto__' })]
  assert.deepEqual(caseChains(cases), [[0, 5], [1], [2], [3], [4], [6]])
  assert.deepEqual(caseChains([]), [])
})

test('a case uses the state of earlier cases, and each is evaluated', () => {
  assert.deepEqual(rulesOf([door(), door(), door()]), ['100002', '100002', '100003'])
  assert.deepEqual(rulesOf([door({ expected_rule: '1' })]), ['100002'])
})

test('the clock continues where the previous case ended', () => {
  const waits = (at: number): TestCase =>
    door({
      events: [
        { event_text: 'nothing', at: 0 },
        { event_text: DOOR, at },
      ],
    })
  assert.deepEqual(rulesOf([door(), waits(30), waits(30)]), ['100002', '100002', '100003'])
  assert.deepEqual(rulesOf([door(), waits(30), waits(31)]), ['100002', '100002', '100002'])
})

test('a chain leaves no state for the next', () => {
  assert.deepEqual(rulesOf([door(), door()]), ['100002', '100002'])
  assert.deepEqual(rulesOf([door(), door(), door()]).at(-1), '100003')
})

const HOURS = `<group name="hours,">
  <rule id="100101" level="3"><match>login</match><description>login</description></rule>
  <rule id="100102" level="8"><if_sid>100101</if_sid><match>admin</match><time>6 pm - 8:30 am</time><description>login at night</description></rule>
  <rule id="100103" level="8"><if_sid>100101</if_sid><match>root</match><weekday>weekends</weekday><description>login on a weekend</description></rule>
  <rule id="100104" level="9" frequency="3" timeframe="60"><if_matched_sid>100101</if_matched_sid><description>logins</description></rule>
</group>`
const HOURS_RUNNER = new EventRunner(compileRuleset([...FILES, { filename: 'hours.xml', kind: 'rules', scope: 'adhoc', content: HOURS }]))
const NIGHT = '2026-01-05T22:30:00-03:00'
const hours = (...cases: readonly SuiteCase[]) => {
  const chain = new CaseChain(HOURS_RUNNER, MOMENT, 'en-US', cases.length > 1)
  return cases.map((one) => chain.run(one))
}
const login = (who: string, fields: Partial<TestCase> = {}): TestCase => ({ name: who, event_text: `login of ${who}`, expected_rule: '100101', ...fields })

test('now sets the clock, in the zone that it names, whatever the clock of the machine', () => {
  const rule = (who: string, now: string) => hours(login(who, { now }))[0].analysis.rule?.id
  assert.equal(rule('admin', NIGHT), '100102')
  // The same second, in a zone where it is not night yet.
  assert.equal(rule('admin', '2026-01-05T17:30:00-08:00'), '100101')
  assert.equal(rule('root', '2026-01-03T23:59:59Z'), '100103')
  assert.equal(rule('root', '2026-01-05T00:00:00Z'), '100101')
  const later = login('admin', { event_text: '', now: '2026-01-05T17:59:00Z', events: [{ event_text: 'login of bob' }, { event_text: 'login of admin', at: 120 }] })
  assert.equal(hours(later)[0].analysis.rule?.id, '100102')
  const ini: SuiteCase = { name: 'ini', line: 1, verdict: 'pass', events: ['login of admin'], decoder: '', rule: '100102', level: '8', now: NIGHT }
  assert.deepEqual([hours(ini)[0].analysis.rule?.id, hours(ini)[0].depends_on_clock], ['100102', false])
})

test('a case depends on the clock if a time was read by the clock of the machine and something is expected of rules', () => {
  const depends = (...cases: readonly SuiteCase[]) => hours(...cases).map((report) => report.depends_on_clock)
  assert.deepEqual(depends(login('admin')), [true])
  assert.deepEqual(depends(login('admin', { now: NIGHT })), [false])
  // The <match> of the rule decides before its <time>.
  assert.deepEqual(depends(login('bob')), [false])
  assert.deepEqual(depends(login('admin', { expected_rule: null, expected_decoder: 'x' })), [false])
  assert.deepEqual(depends(login('root', { expected_rule: '', expect_no_rule: true })), [true])
  assert.deepEqual(depends({ name: 'ini', line: 1, verdict: 'pass', events: ['login of admin'], decoder: '', rule: '100102', level: '8' }), [true])
})

test('in a session the clock stays set, and what depends on the clock of the machine is remembered', () => {
  const [first, second] = hours(login('bob', { now: '2026-01-05T12:00:00Z' }), login('admin'))
  assert.deepEqual([first.depends_on_clock, second.depends_on_clock, second.analysis.rule?.id], [false, false, '100101'])
  // The rule of the first case decides what the session remembers.
  assert.deepEqual(
    hours(login('admin'), login('bob')).map((report) => report.depends_on_clock),
    [true, true],
  )
  // How long after the first case the second comes depends on the day of the run.
  assert.deepEqual(
    hours(login('bob'), login('bob', { now: '2099-01-01T00:00:00Z' })).map((report) => report.depends_on_clock),
    [false, true],
  )
})

test('a now that is no time, or is before the previous case of its session, fails the case', () => {
  const [wrong] = hours(login('bob', { now: '2026-02-30T00:00:00Z' }))
  assert.deepEqual([wrong.passed, wrong.checks.at(-1)], [false, { label: 'Clock', expected: 'an ISO time with a zone', actual: '2026-02-30T00:00:00Z', passed: false }])
  const [, back, again] = hours(login('bob', { now: '2026-01-05T12:00:00Z' }), login('bob', { now: '2026-01-05T11:59:59Z' }), login('bob', { now: '2026-01-05T12:00:00+00:00' }))
  assert.deepEqual([back.passed, back.checks.at(-1)?.expected], [false, 'not before 2026-01-05T12:00:00.000Z, when the previous case of the session ends'])
  assert.equal(again.checks.length, 1)
})

test('only ISO times with a zone are times', () => {
  for (const text of ['2026-01-05T22:30:00-03:00', '2026-01-05T22:30Z', '2026-01-05T22:30:00.5+05:30', '2024-02-29T00:00:00Z']) assert.notEqual(readNow(text), null, text)
  for (const text of [
    '',
    'now',
    '2026-01-05',
    '2026-01-05T22:30:00',
    '2026-01-05 22:30:00Z',
    '2026-13-01T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-01-05T24:00:00Z',
    '2026-01-05T22:30:60Z',
  ])
    assert.equal(readNow(text), null, text)
  assert.equal(readNow(NIGHT)?.seconds, Date.parse(NIGHT) / 1000)
  assert.deepEqual(readNow('2026-01-05T22:30:00+05:30')?.local(), { timeOfDay: '22:30', weekday: 1 })
  for (const text of ['2026-01-05T22:30:15-03:00', '2026-01-04T00:10:00+14:00', '2026-01-03T23:50:59-11:30', '2026-01-05T00:00:00+00:00'])
    assert.equal(writeNow(readNow(text) as never), text)
})
