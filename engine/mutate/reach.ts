/** The cases that can reach a rule or decoder, the likeliest first: only these can notice what is changed in it. */
import type { DecoderDefinition } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { KnownCase } from './case-runs.js'
import type { Mutant, MutatedItem } from './mutant.js'

export class ReachingCases {
  readonly #ruleset: CompiledRuleset
  readonly #cases: readonly KnownCase[]
  readonly #byRule = new Map<string, Set<KnownCase>>()
  readonly #byFinal = new Map<string, KnownCase[]>()
  readonly #byDecoder = new Map<string, Set<KnownCase>>()

  constructor(ruleset: CompiledRuleset, cases: readonly KnownCase[]) {
    this.#ruleset = ruleset
    this.#cases = cases
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

  /** Cases in which the decoder ran, those of its name, and all others: any event that is not decoded before it may reach it. */
  #ofDecoder(definition: DecoderDefinition): readonly KnownCase[] {
    const place = (one: DecoderDefinition): string => `${one.source.filename}:${one.span.line}`
    const found = new Set<KnownCase>(this.#byDecoder.get(place(definition)) ?? [])
    const root = definition.parent ?? definition.name
    for (const other of this.#ruleset.decoders.definitions) if ((other.parent ?? other.name) === root) for (const one of this.#byDecoder.get(place(other)) ?? []) found.add(one)
    if (definition.parent === null) for (const one of this.#cases) found.add(one)
    return [...found]
  }
}

function setOf(map: Map<string, Set<KnownCase>>, key: string): Set<KnownCase> {
  let found = map.get(key)
  if (found === undefined) map.set(key, (found = new Set()))
  return found
}
