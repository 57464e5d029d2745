import type { RuleNode } from './compiled-rule.js'
import type { RuleTree } from './tree.js'

/** Returns the placements from the top of the tree down to this one. */
export function pathTo(rules: RuleTree, placement: RuleNode): readonly RuleNode[] {
  const nodes: RuleNode[] = []
  for (let node: RuleNode | null = placement; node !== null; node = rules.parentOf(node)) nodes.push(node)
  return nodes.reverse()
}
