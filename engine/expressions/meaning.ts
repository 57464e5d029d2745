/** What a pattern means, for the comparison of two contents: two patterns with the same meaning match the same texts. */
import { foldCase } from '../source/byte-string.js'

/** The values in one order, each once. */
export function setOf(values: Iterable<string>): string[] {
  return [...new Set(values)].sort()
}

/** The same, undefined when there are none. */
export function nonEmptySetOf(values: Iterable<string>): string[] | undefined {
  const set = setOf(values)
  return set.length === 0 ? undefined : set
}

/** An OSMatch is a set of alternatives that ignore case. */
export function alternativesOf(pattern: string): string[] {
  const negated = pattern.startsWith('!')
  return [negated ? '!' : '', ...setOf(foldCase(negated ? pattern.slice(1) : pattern).split('|'))]
}

/** @param dialect of a rule's `<action>` it is `exact` */
export function textMeaning(dialect: string, text: string): unknown {
  return dialect === 'osmatch' ? alternativesOf(text) : text
}
