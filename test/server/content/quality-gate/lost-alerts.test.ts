/** Which lost alerts a case accepts, and when a comparison proves that there are no others. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { BehaviourDiff } from '#workers'
import type { ProjectCaseResult } from '../../../../server/content/shared/case-result.js'
import { lostAlertsOf, lostWithoutCase } from '../../../../server/content/quality-gate/lost-alerts.js'

const result = (case_id: string, passed: boolean, rule_id: string | null): ProjectCaseResult => ({
  case_id,
  name: case_id,
  passed,
  rule_id,
  decoder: null,
  checks: [],
  depends_on_clock: false,
})

test('a case accepts the loss of a rule if its event had the rule, and it passes with another result', () => {
  const before = [result('stated', false, '1'), result('fails', true, '2'), result('same', true, '3'), result('gone', true, '4'), result('other', true, '9')]
  const after = [result('stated', true, null), result('fails', false, null), result('same', true, '3'), result('other', true, null)]
  assert.deepEqual(lostWithoutCase(['1', '2', '3', '4', '5'], before, after), ['2', '3', '4', '5'])
})

test('only a complete comparison proves that nothing else is lost', () => {
  const side = (loads: boolean) => ({ loads, results: [] })
  const diff = { complete: true, more: 0, alerts: { lost: ['1'], gained: [], changed: [] } } as unknown as BehaviourDiff
  assert.deepEqual(lostAlertsOf(side(true), side(true), diff), { rules: ['1'], isProven: true })
  assert.deepEqual(lostAlertsOf(side(true), side(true), { ...diff, complete: false }), { rules: ['1'], isProven: false })
  // Items that were not looked at.
  assert.deepEqual(lostAlertsOf(side(true), side(true), { ...diff, more: 3 }), { rules: ['1'], isProven: false })
  // It took too long, or Wazuh would not start with the new content.
  assert.deepEqual(lostAlertsOf(side(true), side(true), null), { rules: [], isProven: false })
  assert.deepEqual(lostAlertsOf(side(true), side(false), null), { rules: [], isProven: false })
  // There was no alert to lose.
  assert.deepEqual(lostAlertsOf(side(false), side(true), null), { rules: [], isProven: true })
})
