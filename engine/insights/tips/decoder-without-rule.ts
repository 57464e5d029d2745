/** A decoder answered that no rule asks for by name. */
import { fromByteString } from '../../source/byte-string.js'
import { defineTip } from '../tip.js'

export const decoderWithoutRule = defineTip<{ decoder: string }>({
  id: 'decoder-without-rule',
  applies: ({ event: { decoder }, outcome, runner: { ruleset } }) => {
    if (decoder === null || outcome.rule !== null) return null
    const asked = ruleset.rules.inOrder().some(({ id }) => ruleset.rules.find(id)?.identity === decoder.identity)
    return asked ? null : { decoder: fromByteString(decoder.name) }
  },
  text: {
    'en-US': ({ decoder }) =>
      `No rule asks for the decoder "${decoder}". Begin with a rule of level 0 or 3 that has <decoded_as>${decoder}</decoded_as>, and put the others below it with <if_sid>.`,
    'pt-BR': ({ decoder }) =>
      `Nenhuma regra pede o decoder "${decoder}". Comece com uma regra de nível 0 ou 3 que tenha <decoded_as>${decoder}</decoded_as> e ponha as outras abaixo dela com <if_sid>.`,
  },
})
