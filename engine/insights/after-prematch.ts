import type { CompiledDecoder } from '../event/decoder.js'
import { createMatchResult } from '../expressions/expression.js'
import { foldCase } from '../source/byte-string.js'

/** Where the text after the prematch of a root begins. */
export function afterPrematch({ prematch }: CompiledDecoder, log: string): number {
  const result = createMatchResult()
  if (prematch === null || !prematch.search(log, foldCase(log), 0, result)) return 0
  return Math.min(log.length, result.end + 1)
}
