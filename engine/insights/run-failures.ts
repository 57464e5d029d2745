/** The failed rules of a run that tips look at, found in one pass: a stock ruleset tries about 600 rules for an event. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import type { TraceRecorder } from '../trace/trace-recorder.js'

/** Maximum number of rules in each list: more than most content has below one parent. */
const RULES_LIMIT = 128

/** Each rule once, although it may be tried at many placements; the last failure counts. */
export interface RunFailures {
  /** Rules that are not of the base. */
  readonly custom: ReadonlyMap<CompiledRule, RuleFailure>
  readonly lists: ReadonlyMap<CompiledRule, Extract<RuleFailure, { readonly kind: 'list' }>>
  readonly composites: ReadonlyMap<CompiledRule, Extract<RuleFailure, { readonly kind: 'history' }>>
}

/** @param isCustom by index of the rule, 1 if it is not of the base; null: none is */
export function findRunFailures({ ruleSteps }: TraceRecorder, isCustom: Uint8Array | null): RunFailures {
  const custom = new Map<CompiledRule, RuleFailure>()
  const lists = new Map<CompiledRule, Extract<RuleFailure, { readonly kind: 'list' }>>()
  const composites = new Map<CompiledRule, Extract<RuleFailure, { readonly kind: 'history' }>>()
  for (const { rule, failure } of ruleSteps) {
    if (failure === null) continue
    if (isCustom !== null && isCustom[rule.index] === 1 && custom.size < RULES_LIMIT) custom.set(rule, failure)
    if (failure.kind === 'list' && lists.size < RULES_LIMIT) lists.set(rule, failure)
    else if (failure.kind === 'history' && composites.size < RULES_LIMIT) composites.set(rule, failure)
  }
  return { custom, lists, composites }
}
