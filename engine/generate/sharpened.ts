/** Goals that exclude a rule which took an event, by one of its conditions after the other. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Goal } from './goal.js'

/** A goal, and what it was before it excluded a rule; null: it was sharpened in another way, or not at all. */
export interface Sharpened {
  readonly goal: Goal
  readonly before: { readonly goal: Goal; readonly taker: CompiledRule } | null
}

/** Null: the rule has no condition left that could fail. */
export function withoutTaker(taker: CompiledRule, before: Goal): Sharpened | null {
  const goal = before.copy()
  return goal.refute(taker) ? { goal, before: { goal: before, taker } } : null
}

/** Excludes the same rule by its next condition, because the present one holds wherever an event has what it needs. Null: there is none. */
export function otherWay({ before }: Sharpened): Sharpened | null {
  return before === null ? null : withoutTaker(before.taker, before.goal.withNextWay(before.taker))
}
