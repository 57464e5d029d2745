/** The root was selected and none of its children. Then there are no fields, because a root with children never runs its own regex. */
import { fromByteString } from '../../source/byte-string.js'
import type { Localized } from '../../diagnostics/text.js'
import { WORDS_OF } from '../caller-words.js'
import { defineTip } from '../tip.js'

export const decoderWithoutChild = defineTip<{ decoder: string; children: number; trace: Localized }>({
  id: 'decoder-without-child',
  applies: ({ event: { decoder }, recorder, caller, near }) => {
    // An own decoder that would match too says why.
    if (decoder === null || (near !== null && near.decoder !== null) || decoder.definition.parent !== null || decoder.children.length === 0) return null
    const chosen = recorder.decoderSteps.some(({ step }) => step === 'child' || step === 'entered')
    return chosen ? null : { decoder: fromByteString(decoder.name), children: decoder.children.length, trace: WORDS_OF[caller].trace }
  },
  text: {
    'en-US': ({ decoder, children, trace }) =>
      `The decoder "${decoder}" matched, but none of its ${children} children did, so no fields were extracted. Every child's <prematch> is ${trace['en-US']}.`,
    'pt-BR': ({ decoder, children, trace }) =>
      `O decoder "${decoder}" casou, mas nenhum dos seus ${children} filhos casou, então nenhum campo foi extraído. O <prematch> de cada filho está ${trace['pt-BR']}.`,
  },
})
