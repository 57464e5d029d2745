import type { CompiledListCondition, CompiledRule } from './compiled-rule.js'
import type { Condition } from './condition.js'

/** Receives the decisions of the rule stage for a trace. */
export interface RuleRecorder {
  /** `failed`: the reason why the rule failed, or null when it matched. */
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
