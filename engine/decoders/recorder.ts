import type { CompiledDecoder } from '../event/decoder.js'
import type { MatchResult } from '../expressions/expression.js'

/** Receives the decisions of the decoder stage for a trace. Without a trace it is `null`, not an empty object, so that the fast path skips the calls. */
export interface DecodeRecorder {
  rootRejected(root: CompiledDecoder, condition: 'program_name' | 'prematch', text: string): void
  rootMatched(root: CompiledDecoder): void
  childRejected(child: CompiledDecoder, from: number): void
  childMatched(child: CompiledDecoder): void
  /** A child without prematch was entered. */
  childEntered(child: CompiledDecoder): void
  /** @param result of the search; the next search overwrites it */
  regexMatched(decoder: CompiledDecoder, from: number, result: MatchResult): void
  regexFailed(decoder: CompiledDecoder, from: number): void
  pluginRun(decoder: CompiledDecoder): void
}
