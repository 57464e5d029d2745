/** The result of a project's case, as measurements and comparisons keep it. */
import type { CaseCheck, CaseOutcome } from '#workers'
import type { CaseDocument } from './test-case.js'

export interface ProjectCaseResult {
  readonly case_id: string
  readonly name: string
  readonly passed: boolean
  /** The final rule of the last event; null: no rule, or the case was stopped. */
  readonly rule_id: string | null
  /** The decoder of the last event; null: no decoder, or the case was stopped. */
  readonly decoder: string | null
  /** Empty if the case was stopped. */
  readonly checks: readonly CaseCheck[]
  /** Whether the case can have another result at another time. */
  readonly depends_on_clock: boolean
}

export function resultOf(testCase: CaseDocument, result: CaseOutcome): ProjectCaseResult {
  if (result.outcome !== 'ok') return stopped(testCase)
  const { passed, checks, analysis, depends_on_clock } = result.report
  return { case_id: testCase._id, name: testCase.name, passed, rule_id: analysis.rule?.id ?? null, decoder: analysis.decoder?.name ?? null, checks, depends_on_clock }
}

/** Returns the result of a case that did not run to its end, or whose content cannot be compiled. */
export function stopped({ _id, name }: CaseDocument): ProjectCaseResult {
  return { case_id: _id, name, passed: false, rule_id: null, decoder: null, checks: [], depends_on_clock: false }
}
