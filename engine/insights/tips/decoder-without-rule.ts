/** No rule uses the name of the reported decoder. */
import type { RuleTree } from '../../rules/tree.js'
import { fromByteString } from '../../source/byte-string.js'
import { defineTip } from '../tip.js'

/** Decoder names that rules require, by tree. Cached, because a stock tree has thousands of rules and every event without a final rule needs the set. */
const REQUIRED = new WeakMap<RuleTree, ReadonlySet<number>>()

function requiredNames(tree: RuleTree): ReadonlySet<number> {
  let required = REQUIRED.get(tree)
  if (required === undefined) {
    required = new Set(tree.inOrder().flatMap(({ id }) => tree.find(id)?.identity ?? []))
    REQUIRED.set(tree, required)
  }
  return required
}

export const decoderWithoutRule = defineTip<{ decoder: string }>({
  id: 'decoder-without-rule',
  applies: ({ event: { decoder }, outcome, near, runner: { ruleset } }) => {
    if (decoder === null || outcome.rule !== null || near?.isNamed === true) return null
    return requiredNames(ruleset.rules).has(decoder.identity) ? null : { decoder: fromByteString(decoder.name) }
  },
  text: {
    'en-US': ({ decoder }) =>
      `No rule requires the decoder "${decoder}". Begin with a rule of level 0 or 3 that has <decoded_as>${decoder}</decoded_as>, and put the others below it with <if_sid>.`,
    'pt-BR': ({ decoder }) =>
      `Nenhuma regra exige o decoder "${decoder}". Comece com uma regra de nível 0 ou 3 que tenha <decoded_as>${decoder}</decoded_as> e ponha as outras abaixo dela com <if_sid>.`,
  },
})
