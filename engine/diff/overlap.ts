/** Whether two rules can match one event. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import { areDisjointTests } from './implication.js'
import type { Side } from './side.js'

/** Places of a rule whose siblings are looked at: below `if_group` it may have thousands. */
export const PLACES_LIMIT = 64

/** Whether it is proven that no event matches both: they want other decoders, or texts that exclude each other. Both rules are of the ruleset. */
export function areDisjoint({ bounds }: Side, one: CompiledRule, other: CompiledRule): boolean {
  if (one.identity >= 0 && other.identity >= 0 && one.identity !== other.identity) return true
  for (const subject of new Set(one.conditions.map(({ subject }) => subject))) {
    const [first, second] = [one, other].map(({ conditions }) => conditions.filter((condition) => condition.subject === subject))
    if (areDisjointTests(bounds, first, second)) return true
  }
  return false
}

/** The siblings of a rule that are tried after it, in any of its places. */
export function siblingsBehind(side: Side, id: number): CompiledRule[] {
  const { rules } = side.ruleset
  const seen = new Set<number>([id])
  const found: CompiledRule[] = []
  for (const node of rules.placements(id).slice(0, PLACES_LIMIT)) {
    const siblings = rules.parentOf(node)?.children ?? rules.top
    for (let at = siblings.findIndex(({ rule }) => rule.id === id) + 1; at < siblings.length; at++) {
      const { rule } = siblings[at]
      if (!seen.has(rule.id) && rule.category === node.rule.category) found.push(rule)
      seen.add(rule.id)
    }
  }
  return found
}
