/** The worst event for a pattern that somebody writes, for users who try patterns. */
import type { ExpressionError } from '../expressions/expression.js'
import { compilePcre2 } from '../expressions/pcre2/compile.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { type Attack, findAttack } from './attack.js'

export interface PatternAttack {
  readonly compiled: boolean
  readonly error: ExpressionError | null
  /** Null: the bounded search has found none. Texts are Unicode strings. */
  readonly attack: Attack | null
}

/** Searches for the event of at most 65,536 bytes that costs Wazuh most with a PCRE2 pattern. Its time is bounded. @param pattern a Unicode string */
export function attackPattern(pattern: string): PatternAttack {
  const outcome = compilePcre2(toByteString(pattern))
  if (!outcome.ok) return { compiled: false, error: outcome.error, attack: null }
  const attack = findAttack(outcome.expression.tree)
  const text = ({ prefix, pump, suffix, ...rest }: Attack): Attack => ({ prefix: fromByteString(prefix), pump: fromByteString(pump), suffix: fromByteString(suffix), ...rest })
  return { compiled: true, error: null, attack: attack === null ? null : text(attack) }
}
