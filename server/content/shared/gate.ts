/** Checks content against the policy of a quality gate (CONTRACT.md#quality-gate). */
import type { PolicyField, QualityGatePolicy } from './gate-policy.js'

/** What the policy checks. */
export interface GateFacts {
  readonly qualityScore: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  readonly cases: number
  readonly failedCases: number
  /** Whether a review approves exactly this content and nobody has refused it since. */
  readonly isApproved: boolean
  /** Rules of which a known event alerts in the content before, and no longer in this one, without a case that says so. */
  readonly lostAlerts: number
}

/** A field of the policy that is not met. */
export interface FailedRule {
  readonly rule: PolicyField
  readonly expected: number | boolean
  readonly actual: number | boolean
}

export interface GateResult {
  readonly passed: boolean
  readonly failed_rules: readonly FailedRule[]
}

/** The check of each field, in the order of the answer: returns the actual value, and whether it meets the policy. */
const CHECKS: { readonly [F in PolicyField]-?: (facts: GateFacts, policy: QualityGatePolicy) => { readonly actual: number | boolean; readonly isMet: boolean } } = {
  min_quality_score: ({ qualityScore: actual }, { min_quality_score }) => ({ actual, isMet: actual >= min_quality_score }),
  max_errors: ({ errors: actual }, { max_errors }) => ({ actual, isMet: actual <= max_errors }),
  max_warnings: ({ warnings: actual }, { max_warnings }) => ({ actual, isMet: max_warnings === null || actual <= max_warnings }),
  max_infos: ({ infos: actual }, { max_infos }) => ({ actual, isMet: max_infos === null || actual <= max_infos }),
  require_regression_pass: ({ failedCases }, { require_regression_pass }) => ({ actual: failedCases === 0, isMet: !require_regression_pass || failedCases === 0 }),
  min_case_count: ({ cases: actual }, { min_case_count }) => ({ actual, isMet: actual >= min_case_count }),
  require_approved_review: ({ isApproved: actual }, { require_approved_review }) => ({ actual, isMet: !require_approved_review || actual }),
  // Who approves exactly this content accepts what it loses.
  max_lost_alerts: ({ lostAlerts: actual, isApproved }, { max_lost_alerts = null }) => ({ actual, isMet: max_lost_alerts === null || actual <= max_lost_alerts || isApproved }),
}

export function evaluateGate(policy: QualityGatePolicy, facts: GateFacts): GateResult {
  const failed = (Object.keys(CHECKS) as PolicyField[]).flatMap((rule): FailedRule[] => {
    const { actual, isMet } = CHECKS[rule](facts, policy)
    // A limit of null is always met, so the expected value is not null here.
    return isMet ? [] : [{ rule, expected: policy[rule] as number | boolean, actual }]
  })
  return { passed: failed.length === 0, failed_rules: failed }
}
