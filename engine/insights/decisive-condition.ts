/** Finds an own rule whose result depends on one kind of condition: one that matched with it, or one that failed only because of it. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { findFailures } from './find-failures.js'
import type { ToldRun } from './tip.js'

export interface DecisiveCondition {
  readonly rule: CompiledRule
  readonly condition: Condition
  readonly holds: boolean
}

export function findDecisive(run: ToldRun, isOfKind: (condition: Condition) => boolean): DecisiveCondition | null {
  const { near, outcome } = run
  if (near === null) return null
  for (const rule of outcome.path) {
    const condition = near.own.isOwn(rule) ? rule.conditions.find(isOfKind) : undefined
    if (condition !== undefined) return { rule, condition, holds: true }
  }
  for (const { rule, failure } of near.failures) {
    if (failure.kind !== 'condition' || !isOfKind(failure.condition) || outcome.path.includes(rule)) continue
    if (findFailures(run, rule, 2).length === 1) return { rule, condition: failure.condition, holds: false }
  }
  return null
}
