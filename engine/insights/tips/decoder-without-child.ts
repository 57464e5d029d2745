/** The root was selected and none of its children. Then there are no fields, because a root with children never runs its own regex. */
import { fromByteString } from '../../source/byte-string.js'
import type { Localized } from '../../diagnostics/text.js'
import { WORDS_OF } from '../caller-words.js'
import type { NearRule } from '../near-rule.js'
import { defineTip } from '../tip.js'

/** Whether the nearest own rule does not lack a field. */
function isDecided(near: NearRule | null): boolean {
  return near !== null && (near.kind === 'overtaken' || near.failure.kind !== 'condition' || near.failure.text !== undefined)
}

export const decoderWithoutChild = defineTip<{ decoder: string; children: number; trace: Localized }>({
  id: 'decoder-without-child',
  applies: ({ event: { decoder }, recorder, caller, near }) => {
    if (decoder === null || decoder.definition.parent !== null || decoder.children.length === 0) return null
    const chosen = recorder.decoderSteps.some(({ step }) => step === 'child' || step === 'entered')
    // The hint about an own decoder says why, and one about an own rule may say that something else decides.
    return chosen || (near !== null && (near.decoder !== null || isDecided(near.rule)))
      ? null
      : { decoder: fromByteString(decoder.name), children: decoder.children.length, trace: WORDS_OF[caller].trace }
  },
  text: {
    'en-US': ({ decoder, children, trace }) =>
      `The decoder "${decoder}" matched, but ${children === 1 ? 'its only child did not' : `none of its ${children} children did`}, so no fields were extracted. Every child's <prematch> is ${trace['en-US']}.`,
    'pt-BR': ({ decoder, children, trace }) =>
      `O decoder "${decoder}" casou, mas ${children === 1 ? 'o seu único filho não casou' : `nenhum dos seus ${children} filhos casou`}, então nenhum campo foi extraído. O <prematch> de cada filho está ${trace['pt-BR']}.`,
  },
})
