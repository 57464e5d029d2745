/** An own rule requires the reported decoder, but is in the tree of another category, where it is never tried for the event. */
import type { CompiledRule } from '../../rules/compiled-rule.js'
import { fromByteString } from '../../source/byte-string.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** Returns an own rule for this decoder in a tree that this event does not use. */
function findMisplaced({ event: { decoder, type }, near }: ToldRun): CompiledRule | undefined {
  if (decoder === null || near === null) return undefined
  return near.own.ofDecoder.get(decoder.identity)?.find(({ category }) => category !== type)
}

export const categoryMismatch = defineTip<{ rule: number; category: string; decoder: string; type: string }>({
  id: 'category-mismatch',
  isOfOwnContent: true,
  applies: (run) => {
    const rule = findMisplaced(run)
    return rule === undefined ? null : { rule: rule.id, category: rule.category, decoder: fromByteString(run.event.decoder?.name ?? ''), type: run.event.type }
  },
  text: {
    'en-US': ({ rule, category, decoder, type }) =>
      `Your rule ${rule} requires the decoder "${decoder}", whose events have the type "${type}", but is in the category "${category}" and is never tried. Add <category>${type}</category> to it.`,
    'pt-BR': ({ rule, category, decoder, type }) =>
      `A sua regra ${rule} exige o decoder "${decoder}", cujos eventos têm o tipo "${type}", mas está na categoria "${category}" e nunca é testada. Acrescente <category>${type}</category> a ela.`,
  },
})
