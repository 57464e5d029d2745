/** The rules that lose an alert by a change, for the quality gate. */
import type { BehaviourDiff } from '#workers'
import type { ProjectCaseResult } from '../shared/case-result.js'
import type { Measurement } from '../shared/measure.js'

/** What a change loses. */
export interface LostAlerts {
  /** Rules of which a known event no longer alerts, without a case that says so. */
  readonly rules: readonly string[]
  /** Whether the comparison was complete: it had time for its whole search, and looked at everything that is touched. */
  readonly isProven: boolean
}

/** The result for content that changes nothing. */
export const NOTHING_LOST: LostAlerts = { rules: [], isProven: true }

/**
 * What a change loses. Content with which Wazuh does not start has no alert to lose; whether a content loses one with which it would not start is not known.
 * @param diff null: not compared
 */
export function lostAlertsOf(before: Pick<Measurement, 'loads' | 'results'>, after: Pick<Measurement, 'loads' | 'results'>, diff: BehaviourDiff | null): LostAlerts {
  if (diff === null) return { rules: [], isProven: !before.loads }
  return { rules: lostWithoutCase(diff.alerts.lost, before.results, after.results), isProven: isComplete(diff) }
}

/** Whether a comparison found what its search can find. */
export function isComplete({ complete, more }: Pick<BehaviourDiff, 'complete' | 'more'>): boolean {
  return complete && more === 0
}

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
