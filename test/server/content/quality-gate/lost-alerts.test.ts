/** Which lost alerts a case accepts. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { ProjectCaseResult } from '../../../../server/content/shared/case-result.js'
import { lostWithoutCase } from '../../../../server/content/quality-gate/lost-alerts.js'

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
