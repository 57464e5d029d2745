import type { CompiledDecoder } from '../decoders/decoder.js'
import type { MatchResult } from '../expressions/expression.js'
import type { CompiledListCondition, CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'

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

/** What the rule stage tells a trace. */
export interface RuleRecorder {
  /** `failed` = what decided against the rule, null when it matched. */
  ruleTried(rule: CompiledRule, failed: RuleFailure | null): void
}

/** Why a rule did not match. */
export type RuleFailure =
  | { readonly kind: 'decoder'; readonly expected: string; readonly actual: string | null }
  | { readonly kind: 'condition'; readonly condition: Condition; readonly text: string | undefined }
  | { readonly kind: 'check_diff' }
  | { readonly kind: 'if_fts' }
  | { readonly kind: 'list'; readonly list: CompiledListCondition; readonly text: string | undefined }
  | { readonly kind: 'history'; readonly counted: number; readonly needed: number }
