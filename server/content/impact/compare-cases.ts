/** Compares the results of a project's cases on two contents. */
import type { ProjectCaseResult } from '../shared/case-result.js'
import type { ChangeType, ProjectImpactResponse } from './schema.js'

type ImpactCase = ProjectImpactResponse['cases'][number]

/** @param before results on the current content @param after results on the candidate, of the same cases */
export function compareCases(before: readonly ProjectCaseResult[], after: readonly ProjectCaseResult[]): ImpactCase[] {
  const results = new Map(after.map((result) => [result.case_id, result]))
  return before.flatMap((old) => {
    const now = results.get(old.case_id)
    if (now === undefined) return []
    return {
      case_id: old.case_id,
      case_name: now.name,
      before_passed: old.passed,
      after_passed: now.passed,
      change_type: changeOf(old, now),
      before_rule_id: old.rule_id,
      after_rule_id: now.rule_id,
      before_decoder: old.decoder,
      after_decoder: now.decoder,
    }
  })
}

function changeOf(before: ProjectCaseResult, after: ProjectCaseResult): ChangeType {
  if (before.passed !== after.passed) return after.passed ? 'improved' : 'regressed'
  return before.rule_id === after.rule_id && before.decoder === after.decoder ? 'unchanged' : 'changed'
}

export function countCases(cases: readonly ImpactCase[]): Pick<ProjectImpactResponse, 'changed_cases' | 'improved_cases' | 'regressed_cases' | 'unchanged_cases'> {
  const of = (type: ChangeType): number => cases.filter(({ change_type }) => change_type === type).length
  const unchanged = of('unchanged')
  return { changed_cases: cases.length - unchanged, improved_cases: of('improved'), regressed_cases: of('regressed'), unchanged_cases: unchanged }
}
