import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Collector } from '../diagnostics/collector.js'
import { DefinitionReporter } from '../xml/definition-reporter.js'
import type { Known, Params } from '../xml/element-reporter.js'
import type { CompiledRule, RuleNode } from './compiled-rule.js'
import { type RuleTree, TOP_LEVEL_IDS, UNPLACED_ID } from './tree.js'

/** Whether the node is a placement of this rule. In a survey a rule that does not load may have the same id. */
function isPlacementOf(node: RuleNode, { definition }: CompiledRule, unplaced: ReadonlySet<RuleNode>): boolean {
  return !unplaced.has(node) && (node.rule.definition.fault === null || node.rule.definition === definition)
}

/** The nodes of a survey below `UNPLACED_ID`: rules whose place is unknown. */
export function unplacedNodes(tree: RuleTree): ReadonlySet<RuleNode> {
  const found = new Set<RuleNode>(tree.placements(UNPLACED_ID))
  // The iteration also visits nodes that are added during it.
  for (const { children } of found) for (const child of children) found.add(child)
  return found
}

/** Reports diagnostics about one compiled rule. */
export class RuleReporter extends DefinitionReporter {
  /** The rule's placements in the tree. */
  readonly nodes: readonly RuleNode[]

  constructor(
    readonly rule: CompiledRule,
    readonly tree: RuleTree,
    collector: Collector,
    unplaced: ReadonlySet<RuleNode>,
  ) {
    const { definition } = rule
    super(definition.source, collector, definition.element)
    this.nodes = tree.placements(rule.id).filter((node) => isPlacementOf(node, rule, unplaced) && (rule.id >= TOP_LEVEL_IDS || node.rule.index === rule.index))
    if (definition.id >= 0) this.subject = { id: definition.id }
  }

  /** Reports at an attribute, or at the opening tag when it is absent. */
  atAttribute(code: DiagnosticCode, name: string, params: Params, extra: Known = {}): void {
    const attribute = this.rule.definition.attribute(name)
    if (attribute === undefined) this.report(code, this.owner, params, extra)
    else this.reportAttribute(code, attribute, params, extra)
  }
}
