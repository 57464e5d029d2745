/** Each field of the policy is met at its limit and fails beyond it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { type GateFacts, evaluateGate } from '../../../../server/content/shared/gate.js'
import { DEFAULT_POLICY, POLICY_FIELDS, type PolicyField, type QualityGatePolicy } from '../../../../server/content/shared/gate-policy.js'

const known = (value: number): GateFacts['lackNegative'] => ({ state: 'known', value })
const mutants = (killed: number, counted: number): GateFacts['mutants'] => ({ state: 'known', value: { killed, counted } })
const FINE: GateFacts = {
  qualityScore: 100,
  errors: 0,
  warnings: 0,
  infos: 0,
  cases: 5,
  failedCases: 0,
  isApproved: true,
  lostAlerts: 0,
  isLossProven: true,
  ownRules: 5,
  testedRules: 5,
  lackNegative: known(0),
  mutants: mutants(10, 10),
}

const LIMITS: readonly [PolicyField, Partial<QualityGatePolicy>, Partial<GateFacts>, Partial<GateFacts>, unknown, unknown][] = [
  ['min_quality_score', { min_quality_score: 80 }, { qualityScore: 80 }, { qualityScore: 79 }, 80, 79],
  ['max_errors', { max_errors: 1 }, { errors: 1 }, { errors: 2 }, 1, 2],
  ['max_warnings', { max_warnings: 0 }, { warnings: 0 }, { warnings: 1 }, 0, 1],
  ['max_infos', { max_infos: 3 }, { infos: 3 }, { infos: 4 }, 3, 4],
  ['require_regression_pass', { require_regression_pass: true }, { failedCases: 0 }, { failedCases: 1 }, true, false],
  ['min_case_count', { min_case_count: 5 }, { cases: 5 }, { cases: 4 }, 5, 4],
  ['max_lost_alerts', { max_lost_alerts: 1 }, { lostAlerts: 1, isApproved: false }, { lostAlerts: 2, isApproved: false }, 1, 2],
  ['min_rule_coverage', { min_rule_coverage: 0.6 }, { testedRules: 3 }, { testedRules: 2 }, 0.6, 0.4],
  ['require_negative_cases', { require_negative_cases: true }, { lackNegative: known(0) }, { lackNegative: known(1) }, true, false],
  ['min_mutation_score', { min_mutation_score: 0.9 }, { mutants: mutants(9, 10) }, { mutants: mutants(8, 9) }, 0.9, 0.8888],
  ['require_approved_review', { require_approved_review: true }, { isApproved: true }, { isApproved: false }, true, false],
]

test('the tests cover every field of the policy', () => {
  assert.deepEqual(LIMITS.map(([field]) => field).sort(), [...POLICY_FIELDS].sort())
})

for (const [field, policy, holds, fails, expected, actual] of LIMITS) {
  test(`${field} is met at its limit and fails beyond it`, () => {
    assert.deepEqual(evaluateGate({ ...DEFAULT_POLICY, ...policy }, { ...FINE, ...holds }), { passed: true, state: 'passed', failed_rules: [] })
    assert.deepEqual(evaluateGate({ ...DEFAULT_POLICY, ...policy }, { ...FINE, ...fails }), {
      passed: false,
      state: 'failed',
      failed_rules: [{ rule: field, expected, actual }],
    })
  })
}

test('who approves a content accepts the alerts that it loses', () => {
  assert.equal(evaluateGate({ ...DEFAULT_POLICY, max_lost_alerts: 0 }, { ...FINE, lostAlerts: 3 }).passed, true)
})

test('content passes if the policy requires nothing that it lacks', () => {
  const lax: QualityGatePolicy = { ...DEFAULT_POLICY, min_quality_score: 0, max_errors: 1000, require_regression_pass: false }
  assert.equal(
    evaluateGate(lax, {
      qualityScore: 0,
      errors: 9,
      warnings: 9,
      infos: 9,
      cases: 0,
      failedCases: 9,
      isApproved: false,
      lostAlerts: 9,
      isLossProven: false,
      ownRules: 9,
      testedRules: 0,
      lackNegative: { state: 'not_proven' },
      mutants: { state: 'pending' },
    }).passed,
    true,
  )
})

test('a loss that a comparison could not exclude is not proven, and does not pass', () => {
  const policy = { ...DEFAULT_POLICY, max_lost_alerts: 1 }
  const unsure = { ...FINE, isApproved: false, isLossProven: false }
  const notProven = { rule: 'max_lost_alerts', expected: 1, actual: 1, state: 'not_proven' }
  assert.deepEqual(evaluateGate(policy, { ...unsure, lostAlerts: 1 }), { passed: false, state: 'not_proven', failed_rules: [notProven] })
  // What was found is enough to fail.
  assert.deepEqual(evaluateGate(policy, { ...unsure, lostAlerts: 2 }), { passed: false, state: 'failed', failed_rules: [{ rule: 'max_lost_alerts', expected: 1, actual: 2 }] })
  assert.equal(evaluateGate(policy, { ...unsure, isApproved: true }).state, 'passed')
  assert.equal(evaluateGate(DEFAULT_POLICY, unsure).state, 'passed')
})

test('the state names a known failure before what is not proven, and that before what is pending', () => {
  const policy: QualityGatePolicy = { ...DEFAULT_POLICY, max_lost_alerts: 0, require_negative_cases: true }
  const pending: GateFacts = { ...FINE, isApproved: false, lackNegative: { state: 'pending' } }
  assert.deepEqual(evaluateGate(policy, pending), {
    passed: false,
    state: 'pending',
    failed_rules: [{ rule: 'require_negative_cases', expected: true, actual: null, state: 'pending' }],
  })
  assert.equal(evaluateGate(policy, { ...pending, isLossProven: false }).state, 'not_proven')
  assert.equal(evaluateGate(policy, { ...pending, isLossProven: false, errors: 1 }).state, 'failed')
})

test('a share is rounded down and decided without rounding', () => {
  const policy = { ...DEFAULT_POLICY, min_rule_coverage: 1 }
  const { failed_rules } = evaluateGate(policy, { ...FINE, ownRules: 100_000, testedRules: 99_999 })
  assert.deepEqual(failed_rules, [{ rule: 'min_rule_coverage', expected: 1, actual: 0.9999 }])
  assert.equal(evaluateGate(policy, { ...FINE, ownRules: 0, testedRules: 0 }).passed, true)
})
