/** The cases that can reach a rule or decoder, the likeliest first: only these can notice what is changed in it. */
import type { DecoderTree } from '../decoders/link.js'
import type { DecoderDefinition } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { DecodedEvent, KnownCase } from './case-runs.js'
import type { Mutant, MutatedItem } from './mutant.js'

export class ReachingCases {
  readonly #ruleset: CompiledRuleset
  readonly #cases: readonly KnownCase[]
  readonly #byRule = new Map<string, Set<KnownCase>>()
  readonly #byFinal = new Map<string, KnownCase[]>()
  readonly #byDecoder = new Map<string, Set<KnownCase>>()
  readonly #positions: ReturnType<typeof positionsOf>

  constructor(ruleset: CompiledRuleset, cases: readonly KnownCase[]) {
    this.#ruleset = ruleset
    this.#cases = cases
    this.#positions = positionsOf(ruleset.decoders)
    for (const one of cases) {
      for (const id of one.rules) setOf(this.#byRule, id).add(one)
      for (const place of one.decoders) setOf(this.#byDecoder, place).add(one)
      if (one.final !== null) this.#byFinal.set(one.final, [...(this.#byFinal.get(one.final) ?? []), one])
    }
  }

  casesFor(item: MutatedItem, mutant: Mutant): readonly KnownCase[] {
    return item.kind === 'rule' ? this.#ofRule(item.rule, mutant) : this.#ofDecoder(item.definition)
  }

  /** Cases that the rule answers, those that it matches, and those in which it is tried: a rule above it has matched. */
  #ofRule(rule: CompiledRule, { operator, parent }: Mutant): readonly KnownCase[] {
    const id = String(rule.id)
    const found = new Set<KnownCase>([...(this.#byFinal.get(id) ?? []), ...(this.#byRule.get(id) ?? [])])
    const { rules } = this.#ruleset
    // What it replaced, or left out, is back, and may be anywhere.
    const isAnywhere = operator === 'drop_overwrite' || (operator === 'delete' && this.#ruleset.lost.some((lost) => lost.id === rule.id))
    const above = parent === undefined ? rules.placements(rule.id).map((node) => rules.parentOf(node)) : rules.placements(parent)
    if (isAnywhere || above.some((node) => node === null)) for (const one of this.#cases) found.add(one)
    for (const node of above) for (const one of node === null ? [] : (this.#byRule.get(String(node.rule.id)) ?? [])) found.add(one)
    return [...found]
  }

  /** Cases in which the decoder ran, those of its name, and for a root all that no root before it takes: any of their events may reach it. */
  #ofDecoder(definition: DecoderDefinition): readonly KnownCase[] {
    const place = (one: DecoderDefinition): string => `${one.source.filename}:${one.span.line}`
    const found = new Set<KnownCase>(this.#byDecoder.get(place(definition)) ?? [])
    const root = definition.parent ?? definition.name
    const { definitions } = this.#ruleset.decoders
    for (const other of definitions) if ((other.parent ?? other.name) === root) for (const one of this.#byDecoder.get(place(other)) ?? []) found.add(one)
    if (definition.parent !== null) return [...found]
    const at = this.#positions.get(definition.name)?.first ?? 0
    for (const one of this.#cases) if (one.events === null || one.events.some((event) => this.#mayReach(event, definition, at))) found.add(one)
    return [...found]
  }

  /** Whether a root at a position is tried on an event, or would be if what it asks for were another. */
  #mayReach({ event }: DecodedEvent, { programName }: DecoderDefinition, at: number): boolean {
    // Roots with and without a program name are tried on other events.
    if ((event.programName === undefined) !== (programName === null)) return false
    if (event.decoder === null) return true
    const { name, parent } = event.decoder.definition
    const taken = this.#positions.get(parent ?? name)
    return taken === undefined || taken.last >= at
  }
}

/** Where the roots of each name are in their list. */
function positionsOf({ programRoots, plainRoots }: DecoderTree): ReadonlyMap<string, { readonly first: number; last: number }> {
  const found = new Map<string, { readonly first: number; last: number }>()
  for (const roots of [programRoots, plainRoots])
    for (const [at, { definition }] of roots.entries()) {
      const known = found.get(definition.name)
      if (known === undefined) found.set(definition.name, { first: at, last: at })
      else known.last = Math.max(known.last, at)
    }
  return found
}

function setOf(map: Map<string, Set<KnownCase>>, key: string): Set<KnownCase> {
  let found = map.get(key)
  if (found === undefined) map.set(key, (found = new Set()))
  return found
}
