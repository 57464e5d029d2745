/** What happens to cases. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { ProjectCaseResult } from '../../../../server/content/shared/case-result.js'
import { compareCases, countCases } from '../../../../server/content/impact/compare-cases.js'

const result = (case_id: string, passed: boolean, rule_id: string | null = '1', decoder: string | null = 'd'): ProjectCaseResult => ({
  case_id,
  name: case_id,
  passed,
  rule_id,
  decoder,
  checks: [],
  depends_on_clock: false,
})

test('a case improves, regresses, changes, or stays as it is', () => {
  const before = [result('improved', false), result('regressed', true), result('rule', true), result('decoder', false), result('same', true), result('gone', true)]
  const after = [result('improved', true), result('regressed', false), result('rule', true, '2'), result('decoder', false, '1', null), result('same', true), result('new', true)]
  const cases = compareCases(before, after)
  assert.deepEqual(
    cases.map(({ case_id, change_type }) => [case_id, change_type]),
    [
      ['improved', 'improved'],
      ['regressed', 'regressed'],
      ['rule', 'changed'],
      ['decoder', 'changed'],
      ['same', 'unchanged'],
    ],
  )
  assert.deepEqual(countCases(cases), { changed_cases: 4, improved_cases: 1, regressed_cases: 1, unchanged_cases: 1 })
})
