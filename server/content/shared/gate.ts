/** Checks content against the policy of a quality gate (CONTRACT.md#quality-gate). */
import type { PolicyField, QualityGatePolicy } from './gate-policy.js'

/** The facts that the policy checks. */
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
  /** Whether `lostAlerts` are all that the comparison could find: it was complete. */
  readonly isLossProven: boolean
  /** Own rules, and those of them that at least one case matches. */
  readonly ownRules: number
  readonly testedRules: number
  /** Own rules with a positive and without a negative case. */
  readonly lackNegative: Measured<number>
  /** Mutants of own rules and decoders that count, and those of them that a case kills. */
  readonly mutants: Measured<{ readonly counted: number; readonly killed: number }>
}

/** A value that is measured in the background. `pending`: not yet. `not_proven`: a limit stopped it, or Wazuh would not start with the content. */
export type Measured<T> = { readonly state: 'known'; readonly value: T } | { readonly state: UnknownState }

/** Why it is not known whether a field is met. It is not met then: what is unknown does not pass. */
export const UNKNOWN_STATES = ['not_proven', 'pending'] as const
export type UnknownState = (typeof UNKNOWN_STATES)[number]
export const GATE_STATES = ['passed', 'failed', ...UNKNOWN_STATES] as const
export type GateState = (typeof GATE_STATES)[number]

/** A field of the policy that is not met. */
export interface FailedRule {
  readonly rule: PolicyField
  readonly expected: number | boolean
  /** Null: not known. */
  readonly actual: number | boolean | null
  /** Absent: the actual value is known, and does not meet the policy. */
  readonly state?: UnknownState
}

export interface GateResult {
  readonly passed: boolean
  /** `failed` if a known value does not meet the policy, also if others are unknown; then `not_proven` before `pending`. */
  readonly state: GateState
  readonly failed_rules: readonly FailedRule[]
}

interface Checked {
  readonly actual: number | boolean | null
  readonly isMet: boolean
  readonly state?: UnknownState
}

/** The check of each field, in the order of the answer: returns the actual value, and whether it meets the policy. */
const CHECKS: { readonly [F in PolicyField]-?: (facts: GateFacts, policy: QualityGatePolicy) => Checked } = {
  min_quality_score: ({ qualityScore: actual }, { min_quality_score }) => ({ actual, isMet: actual >= min_quality_score }),
  max_errors: ({ errors: actual }, { max_errors }) => ({ actual, isMet: actual <= max_errors }),
  max_warnings: ({ warnings: actual }, { max_warnings }) => ({ actual, isMet: max_warnings === null || actual <= max_warnings }),
  max_infos: ({ infos: actual }, { max_infos }) => ({ actual, isMet: max_infos === null || actual <= max_infos }),
  require_regression_pass: ({ failedCases }, { require_regression_pass }) => ({ actual: failedCases === 0, isMet: !require_regression_pass || failedCases === 0 }),
  min_case_count: ({ cases: actual }, { min_case_count }) => ({ actual, isMet: actual >= min_case_count }),
  require_approved_review: ({ isApproved: actual }, { require_approved_review }) => ({ actual, isMet: !require_approved_review || actual }),
  // Who approves exactly this content accepts what it loses, also what was not found.
  max_lost_alerts: ({ lostAlerts: actual, isLossProven, isApproved }, { max_lost_alerts = null }) => {
    if (max_lost_alerts === null || isApproved) return { actual, isMet: true }
    if (actual > max_lost_alerts) return { actual, isMet: false }
    return isLossProven ? { actual, isMet: true } : { actual, isMet: false, state: 'not_proven' }
  },
  // Products of whole numbers, so that no rounding decides.
  min_rule_coverage: ({ ownRules, testedRules }, { min_rule_coverage = null }) => ({
    actual: shareOf(testedRules, ownRules),
    isMet: min_rule_coverage === null || testedRules >= min_rule_coverage * ownRules,
  }),
  require_negative_cases: ({ lackNegative }, { require_negative_cases = false }) => {
    if (!require_negative_cases) return { actual: null, isMet: true }
    return lackNegative.state === 'known' ? { actual: lackNegative.value === 0, isMet: lackNegative.value === 0 } : { actual: null, isMet: false, state: lackNegative.state }
  },
  min_mutation_score: ({ mutants }, { min_mutation_score = null }) => {
    if (min_mutation_score === null) return { actual: null, isMet: true }
    if (mutants.state !== 'known') return { actual: null, isMet: false, state: mutants.state }
    const { killed, counted } = mutants.value
    return { actual: shareOf(killed, counted), isMet: killed >= min_mutation_score * counted }
  },
}

/** Digits of a share. */
const SHARE_DIGITS = 10_000

/** A share from 0 to 1, rounded down, so that it never looks like a limit that it does not meet; 1 of nothing. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.floor((part * SHARE_DIGITS) / whole) / SHARE_DIGITS
}

export function evaluateGate(policy: QualityGatePolicy, facts: GateFacts): GateResult {
  const failed = (Object.keys(CHECKS) as PolicyField[]).flatMap((rule): FailedRule[] => {
    const { isMet, ...found } = CHECKS[rule](facts, policy)
    // A limit of null is always met, so the expected value is not null here.
    return isMet ? [] : [{ rule, expected: policy[rule] as number | boolean, ...found }]
  })
  return { passed: failed.length === 0, state: stateOf(failed), failed_rules: failed }
}

function stateOf(failed: readonly FailedRule[]): GateState {
  if (failed.length === 0) return 'passed'
  if (failed.some(({ state }) => state === undefined)) return 'failed'
  return UNKNOWN_STATES.find((unknown) => failed.some(({ state }) => state === unknown)) as UnknownState
}
