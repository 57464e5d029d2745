/** The policy of a quality gate: its fields and their defaults (CONTRACT.md#quality-gate). A version is published only if it meets the policy. */

export interface QualityGatePolicy {
  /** 0-100. */
  readonly min_quality_score: number
  readonly max_errors: number
  /** Null: no limit. */
  readonly max_warnings: number | null
  readonly max_infos: number | null
  readonly require_regression_pass: boolean
  readonly min_case_count: number
  /** Whether the content needs an approval that was not refused since. */
  readonly require_approved_review: boolean
  /** Rules of which a known event no longer alerts (`lost-alerts.ts`). Null or absent, the default: no limit. */
  readonly max_lost_alerts?: number | null
  /** 0-1: own rules that at least one case matches. Null or absent, the default: no limit. */
  readonly min_rule_coverage?: number | null
  /** Whether every own rule with a positive case needs a negative one (`case-strength/negatives.ts`). Absent: no. */
  readonly require_negative_cases?: boolean
  /** 0-1: mutants of own rules and decoders that a case kills (`case-strength/mutation.ts`). Null or absent, the default: no limit. */
  readonly min_mutation_score?: number | null
}

export const DEFAULT_POLICY: QualityGatePolicy = {
  min_quality_score: 70,
  max_errors: 0,
  max_warnings: null,
  max_infos: null,
  require_regression_pass: true,
  min_case_count: 0,
  require_approved_review: false,
}

export type PolicyField = keyof QualityGatePolicy

/** All fields, in the order in which they are shown. */
export const POLICY_FIELDS: readonly [PolicyField, ...PolicyField[]] = [
  'min_quality_score',
  'max_errors',
  'max_warnings',
  'max_infos',
  'require_regression_pass',
  'min_case_count',
  'require_approved_review',
  'max_lost_alerts',
  'min_rule_coverage',
  'require_negative_cases',
  'min_mutation_score',
]
