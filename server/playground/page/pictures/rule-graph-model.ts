/** The surroundings of a rule, or the rules of a file or a group, as trees to lay out. */
import type { RuleGraphNode, RuleLink } from '#engine'

export interface GraphNode {
  readonly rule: RuleGraphNode
  /** What leads from this rule to the one that is nearer to the middle; null: it is the middle. */
  readonly kind: RuleLink['kind'] | null
  readonly children: readonly GraphNode[]
  /** Further rules that would be its children here. */
  readonly more: number
}

export interface Surroundings {
  readonly middle: RuleGraphNode
  /** Parents, and their parents: a tree that grows to the left. */
  readonly above: GraphNode
  /** Children, and rules that count its events. */
  readonly below: GraphNode
}

/** Rules that are shown together. */
export type GraphPart = { readonly kind: 'file'; readonly filename: string } | { readonly kind: 'group'; readonly name: string }
export type GraphFocus = { readonly kind: 'rule'; readonly id: string } | GraphPart

/** Rules of a list that are drawn; the others are counted. */
const PARENTS = 6
const CHILDREN = 12
const GRANDCHILDREN = 4
const PART_RULES = 120
/** Levels above the middle: the stock tree is deeper at few places. */
const DEPTH = 4

/** Rules by id, and for each the rules that name it. */
export class RuleIndex {
  readonly byId: ReadonlyMap<string, RuleGraphNode>
  readonly #dependents = new Map<string, { readonly rule: RuleGraphNode; readonly kind: RuleLink['kind'] }[]>()

  constructor(rules: readonly RuleGraphNode[]) {
    this.byId = new Map(rules.map((rule) => [rule.id, rule]))
    for (const rule of rules) {
      for (const { kind, id } of rule.links) {
        const known = this.#dependents.get(id)
        if (known === undefined) this.#dependents.set(id, [{ rule, kind }])
        else known.push({ rule, kind })
      }
    }
  }

  /** The rules that name this one, those that count its events last; else in the order in which they are tried: level 0 first, then from the highest level. */
  dependents(id: string): readonly { readonly rule: RuleGraphNode; readonly kind: RuleLink['kind'] }[] {
    return [...(this.#dependents.get(id) ?? [])].sort((a, b) => countsLast(a.kind) - countsLast(b.kind) || rankOf(b.rule) - rankOf(a.rule))
  }
}

function countsLast(kind: RuleLink['kind']): number {
  return kind.startsWith('if_matched_') ? 1 : 0
}

function rankOf({ level }: RuleGraphNode): number {
  return level === 0 ? 99 : level
}

/** @param depth how many levels of children @returns null: there is no such rule */
export function surroundingsOf(index: RuleIndex, id: string, depth: number): Surroundings | null {
  const middle = index.byId.get(id)
  if (middle === undefined) return null
  return { middle, above: aboveOf(index, middle, null, DEPTH), below: belowOf(index, middle, null, CHILDREN, depth) }
}

function aboveOf(index: RuleIndex, rule: RuleGraphNode, kind: RuleLink['kind'] | null, depth: number): GraphNode {
  const links = depth === 0 ? [] : rule.links.filter((link) => link.id !== rule.id && index.byId.has(link.id))
  // Parents of parents are a chain to the top, of which one is enough.
  const shown = links.slice(0, kind === null ? PARENTS : 1)
  return {
    rule,
    kind,
    children: shown.map((link) => aboveOf(index, index.byId.get(link.id) as RuleGraphNode, link.kind, depth - 1)),
    more: kind === null ? links.length - shown.length : 0,
  }
}

function belowOf(index: RuleIndex, rule: RuleGraphNode, kind: RuleLink['kind'] | null, limit: number, depth: number): GraphNode {
  const all = index.dependents(rule.id).filter((dependent) => dependent.rule.id !== rule.id)
  if (depth === 0) return { rule, kind, children: [], more: all.length }
  const shown = all.slice(0, limit)
  const isNarrow = shown.length <= GRANDCHILDREN
  return {
    rule,
    kind,
    children: shown.map((dependent) => belowOf(index, dependent.rule, dependent.kind, GRANDCHILDREN, isNarrow ? depth - 1 : 0)),
    more: all.length - shown.length,
  }
}

/** Columns of the surroundings. */
export function columnsOf({ above, below }: Surroundings): number {
  return levelsOf(above) + levelsOf(below) - 1
}

function levelsOf({ children }: GraphNode): number {
  return 1 + Math.max(0, ...children.map(levelsOf))
}

/** The trees of a file or a group: below each rule outside of it the rules inside. */
export function treesOf(index: RuleIndex, part: GraphPart): { readonly trees: readonly GraphNode[]; readonly more: number } {
  const own = [...index.byId.values()].filter(({ filename, groups }) => (part.kind === 'file' ? filename === part.filename : groups.includes(part.name)))
  const shown = new Set(own.slice(0, PART_RULES))
  const parentOf = (rule: RuleGraphNode): { readonly rule: RuleGraphNode; readonly kind: RuleLink['kind'] } | null => {
    const link = rule.links.find(({ id }) => id !== rule.id && index.byId.has(id))
    return link === undefined ? null : { rule: index.byId.get(link.id) as RuleGraphNode, kind: link.kind }
  }
  const children = new Map<RuleGraphNode, { readonly rule: RuleGraphNode; readonly kind: RuleLink['kind'] }[]>()
  const roots = new Set<RuleGraphNode>()
  for (const rule of shown) {
    const parent = parentOf(rule)
    if (parent === null) roots.add(rule)
    else {
      if (!shown.has(parent.rule)) roots.add(parent.rule)
      const known = children.get(parent.rule)
      if (known === undefined) children.set(parent.rule, [{ rule, kind: parent.kind }])
      else known.push({ rule, kind: parent.kind })
    }
  }
  const seen = new Set<RuleGraphNode>()
  const treeOf = (rule: RuleGraphNode, kind: RuleLink['kind'] | null): GraphNode => {
    seen.add(rule)
    const below = (children.get(rule) ?? []).filter((child) => !seen.has(child.rule))
    return { rule, kind, children: below.map((child) => treeOf(child.rule, child.kind)), more: 0 }
  }
  return { trees: [...roots].map((root) => treeOf(root, null)), more: own.length - shown.size }
}
