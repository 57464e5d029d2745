/** Finds what fails in a rule that the run did not try, or what else fails in one that it did. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import type { TracedRun } from './tip.js'

/** A run whose event is the runner's current one. */
type CurrentRun = Pick<TracedRun, 'event' | 'runner'>

/** Whether nothing fails in it, apart from the conditions that read or change the session. */
export function holds({ event, runner: { evaluator } }: CurrentRun, { identity, conditions, lists }: CompiledRule): boolean {
  if (identity >= 0 && identity !== event.decoder?.identity) return false
  for (let i = 0; i < conditions.length; i++) if (!evaluator.passes(conditions[i])) return false
  return lists.every((list) => evaluator.passesList(list))
}

/** Returns what fails, in evaluation order, without the conditions that read or change the session. @param limit of failures: the rest is not evaluated then */
export function findFailures({ event, runner: { evaluator } }: CurrentRun, rule: CompiledRule, limit: number): readonly RuleFailure[] {
  const failures: RuleFailure[] = []
  if (rule.identity >= 0 && rule.identity !== event.decoder?.identity) {
    failures.push({ kind: 'decoder', expected: rule.definition.decodedAs?.name ?? '', actual: event.decoder?.name ?? null })
  }
  for (const condition of rule.conditions) {
    if (failures.length >= limit) return failures
    if (!evaluator.passes(condition)) failures.push({ kind: 'condition', condition, text: evaluator.text(condition.subject) })
  }
  for (const list of rule.lists) {
    if (failures.length >= limit) return failures
    if (!evaluator.passesList(list)) failures.push({ kind: 'list', list, text: evaluator.text(list.subject) })
  }
  return failures
}
