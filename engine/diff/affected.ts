/**
 * Rules of which changes of other rules may alter the part in an answer: a proof that a rule itself is as before says nothing of them. Too many are named, none is
 * missing. What a rule takes or leaves reaches the rules above it, below it, and behind it; what is stored of an event reaches what searches earlier events.
 */
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { DirectChange } from './direct-changes.js'
import { countingIn } from './counting.js'
import { areDisjoint, behind } from './overlap.js'
import type { Side } from './side.js'

/** Placements that are visited; beyond them nothing is known. */
const VISITS_LIMIT = 1_000_000

/** Ids of the affected rules, without those that are only changed themselves. Null: too many to follow. @param items all changes, none of them of a decoder */
export function affectedRules(items: readonly DirectChange[], before: Side, after: Side): ReadonlySet<number> | null {
  const spread = new Spread([before, after])
  for (const { kind, name, effective } of items) if (kind === 'rule' && effective.size > 0) spread.begin(Number(name))
  return spread.run() ? spread.affected : null
}

class Spread {
  readonly affected = new Set<number>()
  readonly #sides: readonly Side[]
  /** Rules whose own match may be another, in the order in which they were found. */
  readonly #sources: number[] = []
  readonly #isSource = new Set<number>()
  /** Composites that count events of a rule, and the rules that they count, by id. */
  readonly #composites = new Map<number, Set<number>>()
  readonly #counted = new Map<number, Set<number>>()
  /** Composites that count events of every rule. */
  readonly #ofAll: readonly number[]
  readonly #firstSeen: readonly number[]
  #visits = 0

  constructor(sides: readonly Side[]) {
    this.#sides = sides
    const rules = sides.flatMap(({ ruleset }) => ruleset.rules.inOrder())
    this.#ofAll = rules.filter(({ search }) => search?.kind === 'memory').map(({ id }) => id)
    this.#firstSeen = rules.filter(({ definition }) => definition.ifFts).map(({ id }) => id)
    for (const { ruleset } of sides)
      for (const { counted, composite } of countingIn(ruleset.rules)) {
        addTo(this.#composites, counted.id, composite.id)
        addTo(this.#counted, composite.id, counted.id)
      }
  }

  begin(id: number): void {
    if (this.#isSource.has(id)) return
    this.#isSource.add(id)
    this.#sources.push(id)
  }

  /** Whether all was followed. */
  run(): boolean {
    // Sources are added while the list is walked.
    for (let at = 0; at < this.#sources.length; at++) {
      const id = this.#sources[at]
      this.#reachStored(id)
      for (const side of this.#sides) this.#reachFrom(side, id)
      if (this.#visits > VISITS_LIMIT) return false
    }
    return true
  }

  /** The answers of a rule may be others, and what is stored of them. One that keeps something of its events passes the change on to later ones. */
  #reach(rule: CompiledRule): void {
    const { id, definition, search } = rule
    if (search !== null || definition.checkDiff || definition.ifFts || definition.ignore > 0) {
      this.affected.add(id)
      this.begin(id)
    }
    // All first-time tests share what was seen.
    if (definition.ifFts) for (const other of this.#firstSeen) this.#affect(other)
    if (this.affected.has(id)) return
    this.affected.add(id)
    this.#reachStored(id)
  }

  #affect(id: number): void {
    this.affected.add(id)
    this.begin(id)
  }

  #reachStored(id: number): void {
    for (const composite of this.#composites.get(id) ?? []) this.#affect(composite)
    for (const composite of this.#ofAll) this.#affect(composite)
    // A composite marks what it counts, so that others count it no more.
    for (const counted of this.#counted.get(id) ?? []) for (const composite of this.#composites.get(counted) ?? []) this.#affect(composite)
  }

  #reachFrom(side: Side, id: number): void {
    const { rules } = side.ruleset
    const own = rules.find(id)
    if (own === undefined) return
    if (own.definition.ifFts) for (const other of this.#firstSeen) this.#affect(other)
    /** Whether a rule shares events with this one, by id. */
    const known = new Map<number, boolean>()
    const overlaps = ({ rule }: RuleNode): boolean => {
      let found = known.get(rule.id)
      if (found === undefined) known.set(rule.id, (found = rule.id !== id && !areDisjoint(side, own, rule)))
      return found
    }
    for (const placement of rules.placements(id)) {
      this.#reachBelow(placement)
      // The first rule above it that alerts is the last one that its events come to.
      for (let above = rules.parentOf(placement); above !== null; above = above.rule.definition.noalert ? rules.parentOf(above) : null) this.#reach(above.rule)
      for (const node of behind(rules, placement)) {
        if (this.#visits++ > VISITS_LIMIT) return
        if (!overlaps(node)) continue
        this.#reach(node.rule)
        this.#reachBelow(node)
      }
    }
  }

  #reachBelow({ children }: RuleNode): void {
    const open = [...children]
    for (let node = open.pop(); node !== undefined && this.#visits <= VISITS_LIMIT; node = open.pop()) {
      this.#visits++
      this.#reach(node.rule)
      for (const child of node.children) open.push(child)
    }
  }
}

function addTo(sets: Map<number, Set<number>>, key: number, value: number): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([value]))
  else known.add(value)
}
