/** Proofs that conditions follow from others: no text passes the latter and fails the former. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { type ExactTexts, exactTexts, isProvenEmpty } from './exact-patterns.js'
import { PLACES_LIMIT } from './overlap.js'
import type { Side } from './side.js'

/** A condition and the ruleset whose fields it numbers. */
interface Owned {
  readonly condition: Condition
  readonly side: Side
}

/** Whether an event that meets all of some conditions is proven to meet another. */
export function isImplied({ condition, side }: Owned, given: readonly Owned[]): boolean {
  const { test } = condition
  const name = side.subjectName(condition.subject)
  const known = given.filter((other) => other.condition.test.kind !== 'event' && other.side.subjectName(other.condition.subject) === name)
  if (known.some((other) => other.side === side && other.condition === condition)) return true
  // A condition on a text also asks for the text.
  if (test.kind === 'event' || known.length === 0) return false
  const exact = exactTexts(test)
  if (exact === null) return false
  const sets = known.flatMap((other): ExactTexts[] => {
    const texts = exactTexts(other.condition.test)
    return texts === null ? [] : [texts.pass]
  })
  return isProvenEmpty([...sets, exact.fail])
}

/** Whether it is proven that a rule is never reached: in each of its places one before it matches whatever the rule matches, and answers. */
export function isHidden(side: Side, id: number): boolean {
  const { rules } = side.ruleset
  const placements = rules.placements(id)
  if (placements.length > PLACES_LIMIT) return false
  return placements.every((node) => {
    const path = side.pathTo(node)
    const given = path.flatMap(({ conditions }) => conditions.map((condition): Owned => ({ condition, side })))
    const identity = path.findLast((rule) => rule.identity >= 0)?.identity ?? -1
    const siblings = rules.parentOf(node)?.children ?? rules.top
    return siblings.slice(0, siblings.indexOf(node)).some(({ rule }) => hides(rule, node.rule, identity, side, given))
  })
}

function hides(rule: CompiledRule, hidden: CompiledRule, identity: number, side: Side, given: readonly Owned[]): boolean {
  if (!rule.conditionsOnly || rule.definition.noalert || rule.category !== hidden.category || rule.id === hidden.id) return false
  if (rule.identity >= 0 && rule.identity !== identity) return false
  return rule.conditions.every((condition) => isImplied({ condition, side }, given))
}
