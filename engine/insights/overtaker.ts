/** Finds the rule that took an event before another one that would match. */
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import type { TracedRun } from './tip.js'

/** Why a rule is tried before its sibling (BEHAVIOUR.md#sibling-order). */
export type SiblingOrder = 'level-zero' | 'level' | 'load'

export interface Overtaken {
  /** The rule of the path that was not tried. */
  readonly wanted: CompiledRule
  readonly winner: CompiledRule
  readonly reason: SiblingOrder
}

/**
 * @param nodes a path of rules that all match, and of which the run did not try the last one
 * @param resultOf the result of a rule in the run: null = it matched, undefined = it was not tried
 */
export function findOvertaker({ outcome, runner }: TracedRun, nodes: readonly RuleNode[], resultOf: (rule: CompiledRule) => RuleFailure | null | undefined): Overtaken | null {
  const node = nodes.find(({ rule }) => resultOf(rule) === undefined)
  if (node === undefined) return null
  const { rules } = runner.ruleset
  for (const { rule } of rules.parentOf(node)?.children ?? rules.top) {
    if (rule === node.rule) return null
    if (outcome.path.includes(rule) && resultOf(rule) === null) return { wanted: node.rule, winner: rule, reason: orderOf(rule, node.rule) }
  }
  return null
}

function orderOf(first: CompiledRule, second: CompiledRule): SiblingOrder {
  if (first.level === 0 && second.level !== 0) return 'level-zero'
  return first.level > second.level ? 'level' : 'load'
}
