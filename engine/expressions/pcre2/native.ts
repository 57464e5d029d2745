/**
 * Uses JavaScript's own RegExp as an engine. It is the fastest one, for patterns on which it agrees with PCRE2, and for subjects short enough
 * that even its worst case is cheap.
 */
import type { Pattern } from './ast.js'
import { emitSource } from './emit.js'
import { nativeCost } from './native-cost.js'
import { startsOf } from './starts.js'

/** Maximum number of steps. V8 takes 1 to 3 ns per step, so this is about 10 ms. More expensive searches use an engine with linear time. */
const MAX_COST = 4_000_000
/** Lengths for which the cost is computed; a finer answer is not worth the time. Messages end at 64 KB. */
const LENGTHS = [256, 512, 1024, 2048, 4096, 16_384]
const LONGEST = 65_536

/** Maximum length of a subject whose worst case stays below MAX_COST; 0: never use V8. */
export function longestNativeSubject(pattern: Pattern): number {
  // The bound grows with the length, and most patterns are cheap on any subject.
  if (nativeCost(pattern, LONGEST) <= MAX_COST) return LONGEST
  let longest = 0
  for (const length of LENGTHS) {
    if (!(nativeCost(pattern, length) <= MAX_COST)) break
    longest = length
  }
  return longest
}

/**
 * Compiles the pattern for V8. With `captures` the expression reports indices of its groups; with `folded` it expects subjects in lower case.
 * Returns null when the engines might differ on the pattern.
 */
export function compileNative(pattern: Pattern, captures: boolean, folded = false): RegExp | null {
  const source = emitSource(pattern, { captures, folded })
  if (source === null) return null
  // V8 tries every position of a run, but only the first can succeed
  const starts = startsOf(pattern)
  const prefix = starts === 'line' ? '(?<![^\\n])' : starts === 'subject' ? '^' : ''
  try {
    return new RegExp(prefix === '' ? source : `${prefix}(?:${source})`, captures && pattern.groupCount > 0 ? 'd' : '')
  } catch {
    return null // too large for V8
  }
}
