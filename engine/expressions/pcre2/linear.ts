/**
 * RE2 as an engine: time linear in the subject, whatever the pattern. The byte string is handed over as it is: RE2 sees the code
 * points 0 to 0xFF, so a class or a dot takes one byte.
 */
import RE2 from 're2'
import type { Pattern } from './ast.js'
import { emitSource } from './emit.js'

/** Null when the pattern is outside the common ground, or too large for RE2. */
export function compileLinear(pattern: Pattern, captures: boolean): RE2 | null {
  const source = emitSource(pattern, { engine: 'linear', captures })
  if (source === null) return null
  try {
    return new RE2(source, captures && pattern.groupCount > 0 ? 'd' : '')
  } catch {
    return null
  }
}
