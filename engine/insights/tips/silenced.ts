/** The final rule has level 0. */
import { defineTip } from '../tip.js'

export const silenced = defineTip<{ rule: number }>({
  id: 'silenced',
  applies: ({ outcome: { rule } }) => (rule === null || rule.level !== 0 ? null : { rule: rule.id }),
  text: {
    'en-US': ({ rule }) => `Rule ${rule} has level 0: it silences the event. There is no alert, the event is not remembered, and it never counts for rules with frequency.`,
    'pt-BR': ({ rule }) => `A regra ${rule} tem nível 0: ela silencia o evento. Não há alerta, o evento não é lembrado e nunca conta para regras com frequency.`,
  },
})
