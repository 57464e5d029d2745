/** A rule requires the reported decoder, but is in the tree of another category, where it is never tried for the event. */
import type { CompiledRule } from '../../rules/compiled-rule.js'
import type { RuleTree } from '../../rules/tree.js'
import { fromByteString } from '../../source/byte-string.js'
import type { TracedRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** Custom rules that require a decoder, by tree. Cached, because a stock tree has thousands of rules and every event needs the list. */
const OWN_RULES = new WeakMap<RuleTree, readonly CompiledRule[]>()

function ownRules(tree: RuleTree): readonly CompiledRule[] {
  let own = OWN_RULES.get(tree)
  if (own === undefined) {
    own = tree.inOrder().filter(({ definition, identity }) => definition.source.scope !== 'default' && identity >= 0)
    OWN_RULES.set(tree, own)
  }
  return own
}

/** Returns custom rules for this decoder in a tree that this event does not use. */
function findMisplaced({ event: { decoder, type }, runner: { ruleset } }: TracedRun): CompiledRule | undefined {
  if (decoder === null) return undefined
  return ownRules(ruleset.rules).find(({ identity, category }) => identity === decoder.identity && category !== type)
}

export const categoryMismatch = defineTip<{ rule: number; category: string; decoder: string; type: string }>({
  id: 'category-mismatch',
  applies: (run) => {
    const rule = findMisplaced(run)
    return rule === undefined ? null : { rule: rule.id, category: rule.category, decoder: fromByteString(run.event.decoder?.name ?? ''), type: run.event.type }
  },
  text: {
    'en-US': ({ rule, category, decoder, type }) =>
      `Rule ${rule} requires the decoder "${decoder}", whose events have the type "${type}", but is in the category "${category}" and is never tried. Add <category>${type}</category> to it.`,
    'pt-BR': ({ rule, category, decoder, type }) =>
      `A regra ${rule} exige o decoder "${decoder}", cujos eventos têm o tipo "${type}", mas está na categoria "${category}" e nunca é testada. Acrescente <category>${type}</category> a ela.`,
  },
})
