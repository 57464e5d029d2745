import type { CompiledDecoder } from '../event/decoder.js'
import type { MatchResult } from '../expressions/expression.js'

/** What the decoder stage tells a trace. Nobody listening is `null`, not an object that does nothing: the fast way then skips the calls. */
export interface DecodeRecorder {
  rootRejected(root: CompiledDecoder, condition: 'program_name' | 'prematch', text: string): void
  rootMatched(root: CompiledDecoder): void
  childRejected(child: CompiledDecoder, from: number): void
  childMatched(child: CompiledDecoder): void
  /** A child without prematch was entered. */
  childEntered(child: CompiledDecoder): void
  /** @param result what the search found; the next search overwrites it */
  regexMatched(decoder: CompiledDecoder, from: number, result: MatchResult): void
  regexFailed(decoder: CompiledDecoder, from: number): void
  pluginRun(decoder: CompiledDecoder): void
}
