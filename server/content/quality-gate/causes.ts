/** What makes a rule of the quality gate fail: the diagnostics it counts, the cases that fail, and the rules that lose an alert. Counts are exact; of the entries the first ones are named. */
import type { DiagnosticRecord } from '#workers'
import type { MutationScore, NegativeCases } from '../case-strength/service.js'
import type { FailedRule, Measured } from '../shared/gate.js'
import type { PolicyField } from '../shared/gate-policy.js'
import type { Measurement } from '../shared/measure.js'
import { CAUSES_SHOWN } from './limits.js'
import type { QualityGateResult } from './schema.js'

type Severity = DiagnosticRecord['severity']

/** What each rule depends on. The score depends on all of it. */
const CAUSES: { readonly [F in PolicyField]?: { readonly severities?: readonly Severity[]; readonly cases?: true } } = {
  min_quality_score: { severities: ['error', 'warning', 'info'], cases: true },
  max_errors: { severities: ['error'] },
  max_warnings: { severities: ['warning'] },
  max_infos: { severities: ['info'] },
  require_regression_pass: { cases: true },
}

/** The measured grades of the cases. */
export interface Strength {
  readonly negatives: Measured<NegativeCases>
  readonly mutation: Measured<MutationScore>
}

export function withCauses(failed: FailedRule, measured: Measurement, lostAlerts: readonly string[], strength: Strength): QualityGateResult['failed_rules'][number] {
  const { diagnostics, bySeverity, results, failedCases } = measured
  const { severities, cases } = CAUSES[failed.rule] ?? {}
  return {
    ...failed,
    ...(severities === undefined
      ? {}
      : {
          diagnostics: diagnostics
            .filter(({ severity }) => severities.includes(severity))
            .slice(0, CAUSES_SHOWN)
            .map(({ code, filename, line }) => ({ code, file: filename, line })),
          diagnostic_count: severities.reduce((count, severity) => count + bySeverity[severity], 0),
        }),
    ...(cases === undefined
      ? {}
      : {
          cases: results
            .filter(({ passed }) => !passed)
            .slice(0, CAUSES_SHOWN)
            .map(({ case_id, name }) => ({ id: case_id, name })),
          case_count: failedCases,
        }),
    ...rulesOf(failed, measured, lostAlerts, strength),
  }
}

/** The rules that a field is about; none: it does not depend on rules, or they are not known. */
function rulesOf(
  { rule, state }: FailedRule,
  { untestedRules }: Measurement,
  lostAlerts: readonly string[],
  { negatives }: Strength,
): { readonly rules?: string[]; readonly rule_count?: number } {
  const named = (rules: readonly string[], rule_count: number) => ({ rules: rules.slice(0, CAUSES_SHOWN), rule_count })
  // Their number is the actual value.
  if (rule === 'max_lost_alerts') return { rules: lostAlerts.slice(0, CAUSES_SHOWN) }
  if (rule === 'min_rule_coverage')
    return named(
      untestedRules.map(({ name }) => name),
      untestedRules.length,
    )
  if (rule === 'require_negative_cases' && state === undefined && negatives.state === 'known') return named(negatives.value.lacking, negatives.value.lacking_count)
  return {}
}
