/** Holds content against the policy of a quality gate (CONTRACT.md#quality-gate). */
import type { PolicyField, QualityGatePolicy } from './gate-policy.js'

/** What the policy looks at. */
export interface GateFacts {
  readonly qualityScore: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  readonly cases: number
  readonly failedCases: number
  /** An approved review of exactly this content, which nobody has refused since. */
  readonly isApproved: boolean
}

/** A field of the policy that isn't met. */
export interface FailedRule {
  readonly rule: PolicyField
  readonly expected: number | boolean
  readonly actual: number | boolean
}

export interface GateResult {
  readonly passed: boolean
  readonly failed_rules: readonly FailedRule[]
}

/** By field, in the order in which failures are told: what is there, and whether it will do. */
const CHECKS: { readonly [F in PolicyField]: (facts: GateFacts, policy: QualityGatePolicy) => { readonly actual: number | boolean; readonly holds: boolean } } = {
  min_quality_score: ({ qualityScore: actual }, { min_quality_score }) => ({ actual, holds: actual >= min_quality_score }),
  max_errors: ({ errors: actual }, { max_errors }) => ({ actual, holds: actual <= max_errors }),
  max_warnings: ({ warnings: actual }, { max_warnings }) => ({ actual, holds: max_warnings === null || actual <= max_warnings }),
  max_infos: ({ infos: actual }, { max_infos }) => ({ actual, holds: max_infos === null || actual <= max_infos }),
  require_regression_pass: ({ failedCases }, { require_regression_pass }) => ({ actual: failedCases === 0, holds: !require_regression_pass || failedCases === 0 }),
  min_case_count: ({ cases: actual }, { min_case_count }) => ({ actual, holds: actual >= min_case_count }),
  require_approved_review: ({ isApproved: actual }, { require_approved_review }) => ({ actual, holds: !require_approved_review || actual }),
}

export function evaluateGate(policy: QualityGatePolicy, facts: GateFacts): GateResult {
  const failed = (Object.keys(CHECKS) as PolicyField[]).flatMap((rule): FailedRule[] => {
    const { actual, holds } = CHECKS[rule](facts, policy)
    // A limit that is null holds.
    return holds ? [] : [{ rule, expected: policy[rule] as number | boolean, actual }]
  })
  return { passed: failed.length === 0, failed_rules: failed }
}
