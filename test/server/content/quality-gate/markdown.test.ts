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
  mutation: null,
})

test('a gate that passes says nothing', () => {
  assert.equal(gateMarkdown(result('passed', [])), null)
})

test('the mutation score is told with what survives, whose texts form no markup', () => {
  const survivor = { rule_id: '100100', decoder: null, operator: 'drop', file: 'a.xml', line: 3, before: '<match>`@all`</match>', after: '', killing_case: null }
  const mutation = {
    score: 0.5,
    killed_count: 12,
    survived_count: 12,
    equivalent_count: 1,
    unknown_count: 0,
    failed_case_count: 0,
    untried_count: 0,
    survivors: Array(12).fill(survivor),
  }
  const text = gateMarkdown({ ...result('passed', []), mutation }) ?? ''
  assert.match(text, /^\*\*Quality gate\*\*: passed\n\n- mutation score 0\.5: 12 killed, 12 survived, 0 unknown, 1 equivalent\n {2}- survived: rule `100100` `drop`: /)
  assert.ok(text.endsWith('\n  - and 2 more'))
  assert.doesNotMatch(text.replace(/(`+)[^`](?:.*?[^`])?\1(?!`)/g, ''), /[@<>]/)
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
