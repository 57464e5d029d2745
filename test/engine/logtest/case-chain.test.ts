/** Cases that share a session, in their order, on one clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SuiteCase, TestCase } from '../../../engine/index.js'
import { CaseChain, caseChains } from '../../../engine/index.js'
import { DOOR, MOMENT, RUNNER } from './small-ruleset.js'

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
