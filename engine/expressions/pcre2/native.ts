/**
 * JavaScript's own RegExp as an engine: the fastest one, for patterns it answers as PCRE2 does, on subjects short enough that even
 * its worst case is cheap.
 */
import type { Pattern } from './ast.js'
import { emitSource } from './emit.js'
import { nativeCost } from './native-cost.js'
import { startsOf } from './starts.js'

/** Steps; V8 takes 1 to 3 ns for one, so this is 10 ms at worst. What could cost more goes to an engine whose time is linear. */
const MAX_COST = 4_000_000
/** Where the cost is looked at: an answer between two of these is not worth the time. Messages end at 64 KB. */
const LENGTHS = [256, 512, 1024, 2048, 4096, 16_384]
const LONGEST = 65_536

/** The longest subject whose worst case stays below MAX_COST; 0: never use V8. */
export function longestNativeSubject(pattern: Pattern): number {
  // Most patterns are cheap on any subject, and the bound grows with its length.
  if (nativeCost(pattern, LONGEST) <= MAX_COST) return LONGEST
  let longest = 0
  for (const length of LENGTHS) {
    if (!(nativeCost(pattern, length) <= MAX_COST)) break
    longest = length
  }
  return longest
}

/**
 * With `captures` the expression reports indices, if there are groups; with `folded` it is for subjects in lower case. Null when the pattern is
 * outside the common ground.
 */
export function compileNative(pattern: Pattern, captures: boolean, folded = false): RegExp | null {
  const source = emitSource(pattern, { captures, folded })
  if (source === null) return null
  // V8 tries every position of a run that only its first can win
  const starts = startsOf(pattern)
  const prefix = starts === 'line' ? '(?<![^\\n])' : starts === 'subject' ? '^' : ''
  try {
    return new RegExp(prefix === '' ? source : `${prefix}(?:${source})`, captures && pattern.groupCount > 0 ? 'd' : '')
  } catch {
    return null // too large for V8
  }
}
