/** Findings and cases of two contents held against each other. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { DiagnosticRecord } from '#workers'
import type { ProjectCaseResult } from '../../../../server/projects/run-cases.js'
import { compareCases, countCases, findingsBeyond, isShadowing } from '../../../../server/resources/impact/compare.js'

const finding = (message: string, line: number, more: Partial<DiagnosticRecord> = {}): DiagnosticRecord => ({
  severity: 'warning',
  source: 'rules',
  code: 'rule_parent_missing',
  message,
  filename: 'project_rules.xml',
  line,
  column: 1,
  end_line: line,
  end_column: 2,
  hint: '',
  evidence: null,
  source_scope: 'adhoc',
  engine_effect: 'none',
  suggestion: null,
  related: [],
  cause: null,
  ...more,
})
const result = (case_id: string, passed: boolean, rule_id: string | null = '1', decoder: string | null = 'd'): ProjectCaseResult => ({
  case_id,
  name: case_id,
  passed,
  rule_id,
  decoder,
  checks: [],
})
const messages = (before: readonly DiagnosticRecord[], after: readonly DiagnosticRecord[]): readonly string[] => findingsBeyond(before, after).map(({ message }) => message)

test('a finding that moved is no new one, also when its message names a line', () => {
  assert.deepEqual(messages([finding('a', 1)], [finding('a', 9)]), [])
  assert.deepEqual(messages([finding('in use (project_rules.xml:3).', 4)], [finding('in use (project_rules.xml:13).', 14)]), [])
  assert.deepEqual(messages([finding('in use (other.xml:3).', 4)], [finding('in use (other.xml:13).', 4)]), ['in use (other.xml:13).'])
})

test('of findings alike those beyond the number that was there are new', () => {
  assert.deepEqual(messages([finding('a', 1)], [finding('a', 1), finding('a', 2), finding('a', 3)]), ['a', 'a'])
  assert.deepEqual(messages([finding('a', 1), finding('a', 2), finding('a', 3)], [finding('a', 1)]), [])
})

test('another code, file or message is another finding', () => {
  for (const other of [finding('b', 1), finding('a', 1, { code: 'rule_parent_self' }), finding('a', 1, { filename: 'project_decoders.xml' })])
    assert.equal(findingsBeyond([finding('a', 1)], [other]).length, 1)
})

test('the worst come first, and those of one severity stay in their order', () => {
  const after = [finding('i', 1, { severity: 'info' }), finding('w1', 2), finding('e', 3, { severity: 'error' }), finding('w2', 4)]
  assert.deepEqual(messages([], after), ['e', 'w1', 'w2', 'i'])
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

test('what hides a rule is shadowing, and nothing else', () => {
  assert.equal(isShadowing({ code: 'rule_overlapping_level' }), true)
  assert.equal(isShadowing({ code: 'decoder_unreachable' }), false)
})
