/** The failed rules of a run that tips look at, found in one pass: a stock ruleset tries about 600 rules for an event. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import type { TraceRecorder } from '../trace/trace-recorder.js'
import type { OwnContent } from './own-content.js'

/** Maximum number of rules in each list: more than most content has below one parent. */
const RULES_LIMIT = 128

/** Each rule once, although it may be tried at many placements; the last failure counts. */
export interface RunFailures {
  /** The caller's own rules. */
  readonly own: ReadonlyMap<CompiledRule, RuleFailure>
  readonly lists: ReadonlyMap<CompiledRule, Extract<RuleFailure, { readonly kind: 'list' }>>
  readonly composites: ReadonlyMap<CompiledRule, Extract<RuleFailure, { readonly kind: 'history' }>>
}

export function findRunFailures({ ruleSteps }: TraceRecorder, content: OwnContent | null): RunFailures {
  let { own, lists, composites } = NONE
  const flags = content?.flags ?? null
  for (let i = 0; i < ruleSteps.length; i++) {
    const { rule, failure } = ruleSteps[i]
    if (failure === null) continue
    if (flags !== null && flags[rule.index] === 1) own = withFailure(own, rule, failure)
    if (failure.kind === 'list') lists = withFailure(lists, rule, failure)
    else if (failure.kind === 'history') composites = withFailure(composites, rule, failure)
  }
  return { own, lists, composites }
}

/** Shared by all runs until one has such a rule, because most have none. */
const NONE: RunFailures = { own: new Map(), lists: new Map(), composites: new Map() }

function withFailure<F>(failures: ReadonlyMap<CompiledRule, F>, rule: CompiledRule, failure: F): ReadonlyMap<CompiledRule, F> {
  const found = failures.size === 0 ? new Map<CompiledRule, F>() : (failures as Map<CompiledRule, F>)
  return found.size < RULES_LIMIT ? found.set(rule, failure) : found
}
