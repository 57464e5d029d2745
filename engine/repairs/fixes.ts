/** Corrections of a diagnostic: those of the table, and for a pattern with an attack the patterns that accept the same texts and have none. */
import type { AttackNote, Diagnostic } from '../diagnostics/diagnostic.js'
import { type Fix, tableFixesOf } from '../diagnostics/fixes.js'
import { compilePcre2 } from '../expressions/pcre2/compile.js'
import { attackOn } from '../redos/known-attacks.js'
import { fromByteString } from '../source/byte-string.js'
import { repairPattern } from './repair-pattern.js'

/** Patterns whose repairs are kept: editors ask again whenever the cursor moves. */
const KNOWN_LIMIT = 500
/** Bytes of a pattern that is repaired. */
const PATTERN_BYTES = 2_000
/** Steps of the search that found the attack, which is made again where it is not known. */
const ATTACK_BUDGET = 60_000_000

const KNOWN = new Map<string, readonly string[]>()

/** Corrections of one diagnostic, the best one first. @param bytes its file, as a byte string @param freeRuleId an id that no rule has */
export function fixesOf(diagnostic: Diagnostic, bytes: string, freeRuleId: () => number | null): Fix[] {
  const { span, attack } = diagnostic
  const fixes = tableFixesOf(diagnostic, bytes, freeRuleId)
  // What is joined from several elements, or has variables, is not written there as it is.
  if (attack === undefined || span === null || bytes.slice(span.start, span.end) !== attack.pattern) return fixes
  return [...fixes, ...repairsOf(attack).map((text): Fix => ({ isSure: false, edits: [{ start: span.start, end: span.end, text: fromByteString(text) }] }))]
}

function repairsOf({ pattern, groupsCount }: AttackNote): readonly string[] {
  if (pattern.length > PATTERN_BYTES) return []
  const key = `${groupsCount} ${pattern}`
  const known = KNOWN.get(key)
  if (known !== undefined) return known
  const outcome = compilePcre2(pattern)
  const attack = outcome.ok ? (attackOn(outcome.expression, { left: ATTACK_BUDGET }) ?? null) : null
  // A `<` that is not escaped would begin an element.
  const found = outcome.ok && attack !== null ? repairPattern(outcome.expression, attack, groupsCount).filter((text) => !/(?<!\\)</.test(text)) : []
  KNOWN.set(key, found)
  if (KNOWN.size > KNOWN_LIMIT) KNOWN.delete(KNOWN.keys().next().value as string)
  return found
}
