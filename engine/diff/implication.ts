/** Proofs about conditions: what no text can pass together, and what passes wherever others do. */
import type { Expression } from '../expressions/expression.js'
import { type Bounds, patternRequirement, type Requirement, requirementOf } from '../generate/exclusion.js'
import type { Condition } from '../rules/condition.js'
import type { Side } from './side.js'

/** A condition and the ruleset whose fields it numbers. */
export interface OwnedCondition {
  readonly condition: Condition
  readonly side: Side
}

/** Whether an event that meets all of some conditions is proven to meet another. */
export function isImplied({ condition, side }: OwnedCondition, given: readonly OwnedCondition[]): boolean {
  const { test } = condition
  const name = side.subjectName(condition.subject)
  const known = given.filter((other) => other.condition.test.kind !== 'event' && other.side.subjectName(other.condition.subject) === name)
  if (known.some((other) => other.side === side && other.condition === condition)) return true
  // A condition on a text also asks for the text.
  const fails = test.kind === 'event' || known.length === 0 ? null : requirementOf(side.bounds, test, false)
  return fails !== null && side.bounds.excludeEachOther([...known.flatMap((other) => requirementOf(side.bounds, other.condition.test, true) ?? []), fails])
}

/** Whether it is proven that no text has both patterns. */
export function areDisjointPatterns(bounds: Bounds, one: Expression, other: Expression): boolean {
  const both = [patternRequirement(bounds, one, true), patternRequirement(bounds, other, true)].filter((each) => each !== null)
  return both.length === 2 && bounds.excludeEachOther(both)
}

/** Whether it is proven that no text passes all of these conditions, which are on one text. */
export function areDisjointTests(bounds: Bounds, one: readonly Condition[], other: readonly Condition[]): boolean {
  const [first, second] = [one, other].map((conditions): Requirement[] => conditions.map(({ test }) => requirementOf(bounds, test, true)).filter((each) => each !== null))
  return first.length > 0 && second.length > 0 && bounds.excludeEachOther([...first, ...second])
}
