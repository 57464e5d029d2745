/** Which bytes a text can begin with when a pattern matches it from its start: lets the matcher leave out most roots at once. */
import type { Expression } from '../expressions/expression.js'
import { BYTE_CLASSES } from '../expressions/osregex/classes.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { LIT, MARK, NO_BYTE, ONE, PLUS } from '../expressions/osregex/parse.js'

/** 1 for each possible first byte, or null when that is not known. An empty text is never ruled out. */
export function possibleFirstBytes(expression: Expression): Uint8Array | null {
  if (!(expression instanceof OsRegexExpression)) return null
  const possible = new Uint8Array(256)
  for (const { kinds, values, anchoredStart } of expression.alternatives) {
    if (!anchoredStart) return null
    const first = kinds[0] === MARK ? 1 : 0
    const kind = kinds[first]
    const value = values[first]
    if (kind === LIT) {
      if (value === NO_BYTE) continue
      possible[value] = 1
      if (value >= 0x61 && value <= 0x7a) possible[value - 0x20] = 1
    } else if (kind === ONE || kind === PLUS) {
      for (let byte = 0; byte < 256; byte++) if ((BYTE_CLASSES[byte] & value) !== 0) possible[byte] = 1
    } else return null
  }
  return possible
}
