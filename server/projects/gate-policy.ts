/** What a version has to hold before it is published (CONTRACT.md#quality-gate): the policy's fields, with their defaults. */

export interface QualityGatePolicy {
  /** 0-100. */
  readonly min_quality_score: number
  readonly max_errors: number
  /** Null: no limit. */
  readonly max_warnings: number | null
  readonly max_infos: number | null
  readonly require_regression_pass: boolean
  readonly min_case_count: number
  /** An approval of exactly this content, not refused since. */
  readonly require_approved_review: boolean
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
