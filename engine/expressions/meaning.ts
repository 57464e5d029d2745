/** The meaning of a pattern, for the comparison of two contents: patterns with the same meaning match the same texts. */
import { foldCase } from '../source/byte-string.js'

/** Returns the values sorted, each once. */
export function setOf(values: Iterable<string>): string[] {
  return [...new Set(values)].sort()
}

/** Returns the same; undefined if there are none. */
export function nonEmptySetOf(values: Iterable<string>): string[] | undefined {
  const set = setOf(values)
  return set.length === 0 ? undefined : set
}

/** Returns the alternatives of an OSMatch, which is a set that ignores case. */
export function alternativesOf(pattern: string): string[] {
  const negated = pattern.startsWith('!')
  return [negated ? '!' : '', ...setOf(foldCase(negated ? pattern.slice(1) : pattern).split('|'))]
}

/** @param dialect `exact` for the default of a rule's `<action>` */
export function textMeaning(dialect: string, text: string): unknown {
  return dialect === 'osmatch' ? alternativesOf(text) : text
}
