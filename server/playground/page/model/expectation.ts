import type { LogtestReport } from '#engine'
import type { EditedEvent } from './state.js'

/** What is written for an event that may cause no rule. */
export const NO_RULE = '-'

/** Whether an answer is the one that is expected; null: nothing is expected, or there is no answer, as where the content does not load. A rule of level 0 causes nothing, as in cases. */
export function outcomeOf({ expected }: EditedEvent, report: LogtestReport | undefined): 'met' | 'unmet' | null {
  if (expected === '' || report?.ok !== true) return null
  const { rule } = report
  const isMet = expected === NO_RULE ? rule === null || rule.level === 0 : rule?.id === expected
  return isMet ? 'met' : 'unmet'
}
