/** The rules that lose an alert by a change, for the quality gate. */
import type { ProjectCaseResult } from '../shared/case-result.js'

/**
 * Returns the rules of which an event no longer alerts, unless a case says so: one whose event had the rule, and that passes although it has another result.
 * @param lost rules of which a known event no longer alerts @param before results on the content before @param after results of the same cases on the content that is evaluated
 */
export function lostWithoutCase(lost: readonly string[], before: readonly ProjectCaseResult[], after: readonly ProjectCaseResult[]): string[] {
  const results = new Map(after.map((result) => [result.case_id, result]))
  const isStated = (rule: string): boolean =>
    before.some(({ case_id, rule_id }) => {
      const now = results.get(case_id)
      return rule_id === rule && now?.passed === true && now.rule_id !== rule
    })
  return lost.filter((rule) => !isStated(rule))
}
