/** Lists composites that count this event. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import { foldCase } from '../source/byte-string.js'
import type { TracedRun } from './tip.js'

export interface PendingComposite {
  readonly rule: CompiledRule
  /** Further events that are needed. */
  readonly missing: number
}

/** Returns composites that were tried without firing and that count events of this rule, in evaluation order. */
export function compositesCounting({ recorder, outcome, event, runner }: TracedRun): PendingComposite[] {
  const { rule: answer } = outcome
  // Events of a level 0 rule are never remembered.
  if (answer === null || answer.level === 0) return []
  const { wiring } = runner.ruleset.rules
  const pending: PendingComposite[] = []
  for (const { rule, failure } of recorder.ruleSteps) {
    if (failure?.kind !== 'history' || rule.search === null) continue
    const { search } = rule
    const counts =
      search.kind === 'rule'
        ? search.target === answer.index
        : search.kind === 'group'
          ? !wiring.matched.has(answer.index) && (wiring.feeds.get(answer.index) ?? []).some(({ composite }) => composite === rule.index)
          : search.kind === 'memory' && (search.expression === null || search.expression.test(event.log, foldCase(event.log), 0))
    if (counts) pending.push({ rule, missing: failure.needed - failure.counted })
  }
  return pending
}
