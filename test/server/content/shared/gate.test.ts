/** Each field of the policy is met at its limit and fails beyond it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { type GateFacts, evaluateGate } from '../../../../server/content/shared/gate.js'
import { DEFAULT_POLICY, POLICY_FIELDS, type PolicyField, type QualityGatePolicy } from '../../../../server/content/shared/gate-policy.js'

const FINE: GateFacts = { qualityScore: 100, errors: 0, warnings: 0, infos: 0, cases: 5, failedCases: 0, isApproved: true, lostAlerts: 0 }

const LIMITS: readonly [PolicyField, Partial<QualityGatePolicy>, Partial<GateFacts>, Partial<GateFacts>, unknown, unknown][] = [
  ['min_quality_score', { min_quality_score: 80 }, { qualityScore: 80 }, { qualityScore: 79 }, 80, 79],
  ['max_errors', { max_errors: 1 }, { errors: 1 }, { errors: 2 }, 1, 2],
  ['max_warnings', { max_warnings: 0 }, { warnings: 0 }, { warnings: 1 }, 0, 1],
  ['max_infos', { max_infos: 3 }, { infos: 3 }, { infos: 4 }, 3, 4],
  ['require_regression_pass', { require_regression_pass: true }, { failedCases: 0 }, { failedCases: 1 }, true, false],
  ['min_case_count', { min_case_count: 5 }, { cases: 5 }, { cases: 4 }, 5, 4],
  ['max_lost_alerts', { max_lost_alerts: 1 }, { lostAlerts: 1, isApproved: false }, { lostAlerts: 2, isApproved: false }, 1, 2],
  ['require_approved_review', { require_approved_review: true }, { isApproved: true }, { isApproved: false }, true, false],
]

test('the tests cover every field of the policy', () => {
  assert.deepEqual(LIMITS.map(([field]) => field).sort(), [...POLICY_FIELDS].sort())
})

for (const [field, policy, holds, fails, expected, actual] of LIMITS) {
  test(`${field} is met at its limit and fails beyond it`, () => {
    assert.deepEqual(evaluateGate({ ...DEFAULT_POLICY, ...policy }, { ...FINE, ...holds }), { passed: true, failed_rules: [] })
    assert.deepEqual(evaluateGate({ ...DEFAULT_POLICY, ...policy }, { ...FINE, ...fails }), { passed: false, failed_rules: [{ rule: field, expected, actual }] })
  })
}

test('who approves a content accepts the alerts that it loses', () => {
  assert.equal(evaluateGate({ ...DEFAULT_POLICY, max_lost_alerts: 0 }, { ...FINE, lostAlerts: 3 }).passed, true)
})

test('content passes if the policy requires nothing that it lacks', () => {
  const lax: QualityGatePolicy = { ...DEFAULT_POLICY, min_quality_score: 0, max_errors: 1000, require_regression_pass: false }
  assert.equal(evaluateGate(lax, { qualityScore: 0, errors: 9, warnings: 9, infos: 9, cases: 0, failedCases: 9, isApproved: false, lostAlerts: 9 }).passed, true)
})
