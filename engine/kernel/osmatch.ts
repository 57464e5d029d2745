/** OSMatch: a list of texts with optional anchors (BEHAVIOUR.md#osmatch). */
import { wordAt } from './access.js'
import { indexOfLiteral } from './scan.js'
import { equalBytes } from './texts.js'

/** Forms of an alternative. */
export const CONTAINS = 0
export const STARTS = 1
export const ENDS = 2
export const EQUALS = 3
export const ALWAYS = 4

/**
 * Whether one alternative matches a folded text from `from` on.
 * @param pattern the number of alternatives, then the form of each and the address of its literal
 * @param isScanned whether the text was scanned last
 */
export function testOsMatch(pattern: number, text: number, length: number, from: number, isScanned: number): boolean {
  const end = pattern + 4 + 8 * wordAt(pattern)
  for (let at = pattern + 4; at < end; at += 8) {
    const form = wordAt(at)
    const literal = wordAt(at + 4)
    if (form === ALWAYS) return true
    if (form === CONTAINS) {
      if (indexOfLiteral(literal, text, length, from, isScanned) >= 0) return true
      continue
    }
    const size = wordAt(literal)
    const excess = length - from - size
    if (excess < 0 || (form === EQUALS && excess > 0)) continue
    if (equalBytes(text + (form === ENDS ? length - size : from), wordAt(literal + 4), size)) return true
  }
  return false
}
