/** What the search has found in patterns, by their texts: editors check the same patterns after each change. A pattern that is known costs the budget what its search took, so that the answer does not depend on what was checked before. */
import type { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { type Attack, CHECK_EFFORT, searchAttack } from './attack.js'
import type { Budget } from './budget.js'

/** Patterns that are kept: five times those of the stock ruleset. */
const KNOWN_LIMIT = 2_000
/** Bytes of a pattern that is kept. */
const PATTERN_BYTES = 4_096

const KNOWN = new Map<string, { readonly attack: Attack | null; readonly cost: number }>()

/** The attack on a pattern of a ruleset. Undefined: the budget ended before the search did. */
export function attackOn({ pattern, tree }: Pcre2Expression, budget: Budget): Attack | null | undefined {
  const known = KNOWN.get(pattern)
  if (known !== undefined && known.cost <= budget.left) {
    budget.left -= known.cost
    KNOWN.delete(pattern)
    KNOWN.set(pattern, known)
    return known.attack
  }
  const before = budget.left
  const { attack, isComplete } = searchAttack(tree, CHECK_EFFORT, budget)
  if (!isComplete) return undefined
  if (pattern.length <= PATTERN_BYTES) KNOWN.set(pattern, { attack, cost: before - budget.left })
  if (KNOWN.size > KNOWN_LIMIT) KNOWN.delete(KNOWN.keys().next().value as string)
  return attack
}
