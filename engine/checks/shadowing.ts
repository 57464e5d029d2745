/**
 * Finds rules after a sibling that takes all their events. Siblings are tried in order, and the first that matches wins (BEHAVIOUR.md#rule-matching).
 * Each list of siblings is indexed once by one of the conditions of each sibling, so that only candidates are compared.
 */
import { FREQUENCY_MINIMUM } from '../rules/attributes.js'
import type { CompiledListCondition, CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { PLACEMENT_LIMIT, placesAbove } from './decoder-facts.js'
import type { RuleTree } from '../rules/tree.js'
import type { RuleReporter } from '../rules/reporter.js'
import { placeOf } from '../xml/definition-reporter.js'

/** Maximum number of compared siblings that share a condition; enough for hand-written rulesets. */
const CANDIDATE_LIMIT = 64

/** A requirement of a rule as a single value: a condition by its number, a decoder below zero, a list as text. */
type Requirement = number | string

interface Taker {
  readonly node: RuleNode
  readonly position: number
  readonly requirements: readonly Requirement[]
}

export class Shadowing {
  readonly #tree: RuleTree
  readonly #siblings = new Map<RuleNode, SiblingIndex>()

  constructor(tree: RuleTree) {
    this.#tree = tree
  }

  check(reporter: RuleReporter): void {
    const { nodes, rule } = reporter
    if (nodes.length === 0 || nodes.length > PLACEMENT_LIMIT || !rule.definition.isSure('level')) return
    const takers = nodes.map((node) => this.#indexOf(node)?.takerOf(node) ?? null)
    const [first] = takers
    if (first !== null && !takers.includes(null)) {
      reporter.atAttribute('rule_overlapping_level', 'level', { other: first.id }, { related: [placeOf(first.definition)] })
      return
    }
    if (rule.definition.unsure.size > 0) return
    const twins = nodes.map((node) => this.#indexOf(node)?.twinOf(node) ?? null)
    const [twin] = twins
    if (twin !== null && !twins.includes(null)) reporter.at('rule_duplicate_logic', null, { other: twin.id }, { related: [placeOf(twin.definition)] })
  }

  #indexOf(node: RuleNode): SiblingIndex | null {
    const parent = this.#tree.parentOf(node)
    if (parent === null) return null
    let index = this.#siblings.get(parent)
    if (index === undefined) this.#siblings.set(parent, (index = new SiblingIndex(parent, this.#tree)))
    return index
  }
}

class SiblingIndex {
  /** Requirements that the path to these siblings already implies. */
  readonly #implied = new Set<Requirement>()
  readonly #positions = new Map<RuleNode, number>()
  /** The first sibling without further requirements. */
  #free: Taker | null = null
  readonly #takers = new Map<Requirement, Taker[]>()
  readonly #twins = new Map<string, RuleNode>()

  constructor(parent: RuleNode, tree: RuleTree) {
    for (const { rule } of [parent, ...placesAbove(tree, parent)]) {
      for (const condition of rule.conditions) this.#implied.add(condition.index)
      if (rule.identity >= 0) this.#implied.add(decoderRequirement(rule.identity))
    }
    parent.children.forEach((node, position) => {
      this.#positions.set(node, position)
      this.#add(node, position)
    })
  }

  /** The earlier sibling that takes every event of this one. */
  takerOf(node: RuleNode): CompiledRule | null {
    const position = this.#positions.get(node) ?? -1
    const free = this.#free
    if (free !== null && free.position < position && free.node.rule.id !== node.rule.id) return free.node.rule
    const requirements = new Set(requirementsOf(node.rule, this.#implied))
    for (const requirement of requirements) {
      const takers = this.#takers.get(requirement)
      if (takers === undefined) continue
      for (let i = 0; i < takers.length && i < CANDIDATE_LIMIT && takers[i].position < position; i++) {
        const taker = takers[i]
        if (taker.node.rule.id !== node.rule.id && taker.requirements.every((requirement) => requirements.has(requirement))) return taker.node.rule
      }
    }
    return null
  }

  /** An earlier sibling that counts or remembers exactly the same. */
  twinOf(node: RuleNode): CompiledRule | null {
    if (takesAll(node.rule) || node.rule.definition.noalert) return null
    const twin = this.#twins.get(this.#logicOf(node.rule))
    return twin === undefined || twin === node || twin.rule.id === node.rule.id ? null : twin.rule
  }

  #add(node: RuleNode, position: number): void {
    const { rule } = node
    if (rule.definition.noalert || rule.definition.fault !== null) return
    if (!takesAll(rule)) {
      const logic = this.#logicOf(rule)
      if (!this.#twins.has(logic)) this.#twins.set(logic, node)
      return
    }
    const requirements = requirementsOf(rule, this.#implied)
    const taker = { node, position, requirements }
    if (requirements.length === 0) {
      this.#free ??= taker
      return
    }
    // Index by the requirement with the highest number, which is usually the rarest one.
    const rarest = requirements.reduce((a, b) => (typeof a === 'string' || (typeof b === 'number' && b <= a) ? a : b))
    const known = this.#takers.get(rarest)
    if (known === undefined) this.#takers.set(rarest, [taker])
    else known.push(taker)
  }

  #logicOf(rule: CompiledRule): string {
    const { definition, search } = rule
    const correlation = [
      definition.frequency ?? FREQUENCY_MINIMUM,
      definition.timeframe,
      definition.globalFrequency,
      [...rule.same].sort(),
      [...rule.different].sort(),
      [...rule.sameKeys].sort(),
      [...rule.differentKeys].sort(),
    ]
    const source =
      search === null ? '' : search.kind === 'rule' ? search.target : search.kind === 'group' ? `group ${definition.ifMatchedGroup}` : `memory ${definition.ifMatchedRegex ?? ''}`
    return JSON.stringify([requirementsOf(rule, this.#implied).map(String).sort(), definition.ifFts, definition.checkDiff, source, correlation])
  }
}

/** Whether the rule matches whenever its requirements are met. */
function takesAll({ search, definition }: CompiledRule): boolean {
  return search === null && !definition.ifFts && !definition.checkDiff
}

function decoderRequirement(identity: number): Requirement {
  return -1 - identity
}

function requirementsOf(rule: CompiledRule, implied: ReadonlySet<Requirement>): Requirement[] {
  const requirements: Requirement[] = []
  for (const { index } of rule.conditions) if (!implied.has(index)) requirements.push(index)
  if (rule.identity >= 0 && !implied.has(decoderRequirement(rule.identity))) requirements.push(decoderRequirement(rule.identity))
  for (const list of rule.lists) requirements.push(listRequirement(list))
  return requirements
}

function listRequirement({ path, subject, lookup, check }: CompiledListCondition): Requirement {
  return `${subject} ${lookup} ${path} ${check?.pattern ?? ''}`
}
