/** Which composites count the events of which rules, beside those that count all. */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleTree } from '../rules/tree.js'

export interface Counting {
  readonly counted: CompiledRule
  readonly composite: CompiledRule
}

export function* countingIn(tree: RuleTree): Generator<Counting> {
  const rules = tree.inOrder()
  const pair = (counted: CompiledRule | undefined, composite: CompiledRule | undefined): Counting[] =>
    counted === undefined || composite === undefined ? [] : [{ counted, composite }]
  for (const rule of rules) if (rule.search?.kind === 'rule') yield* pair(rules[rule.search.target], rule)
  for (const [index, counts] of tree.wiring.feeds) for (const { composite } of counts) yield* pair(rules[index], rules[composite])
}
