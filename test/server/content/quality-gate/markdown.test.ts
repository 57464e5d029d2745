/** The result of a gate in the comment of a pull request. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { gateMarkdown } from '../../../../server/content/quality-gate/markdown.js'
import type { QualityGateResult } from '../../../../server/content/quality-gate/schema.js'

const result = (state: QualityGateResult['state'], failed_rules: QualityGateResult['failed_rules']): QualityGateResult => ({
  passed: false,
  state,
  failed_rules,
  quality_score: 100,
  diagnostics_by_severity: {},
  case_count: 0,
  failed_cases: 0,
  clock_dependent_cases: 0,
  rule_coverage: 1,
  rules_without_negative_case: null,
})

test('a gate that passes says nothing', () => {
  assert.equal(gateMarkdown(result('passed', [])), null)
})

test('what is not met, not proven and not measured yet are told apart', () => {
  const text = gateMarkdown(
    result('not_proven', [
      { rule: 'max_lost_alerts', expected: 0, actual: 0, state: 'not_proven', rules: [] },
      { rule: 'require_negative_cases', expected: true, actual: null, state: 'pending' },
      { rule: 'min_rule_coverage', expected: 0.9, actual: 0.5, rules: ['100100', '100101'], rule_count: 7 },
    ]),
  )
  assert.deepEqual(text?.split('\n'), [
    '**Quality gate**: not proven',
    '',
    '- `max_lost_alerts` requires 0, is not proven (found: 0)',
    '- `require_negative_cases` requires true, is not measured yet',
    '- `min_rule_coverage` requires 0.9, is 0.5: rules 100100, 100101 and 5 more',
  ])
})
