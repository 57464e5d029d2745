/** The rule fired recently, and its `ignore` silences it. */
import { LOG_ALERT_LEVEL } from '../../rules/alert-levels.js'
import { defineTip } from '../tip.js'

export const ignoreWindow = defineTip<{ rule: number; seconds: number }>({
  id: 'ignore-window',
  applies: ({ outcome: { rule, alert } }) => {
    if (rule === null || alert || rule.level < LOG_ALERT_LEVEL || rule.definition.ignore === 0) return null
    return { rule: rule.id, seconds: rule.definition.ignore }
  },
  text: {
    'en-US': ({ rule, seconds }) =>
      `Rule ${rule} matches, but it fired less than ${seconds} seconds ago in this session and has ignore="${seconds}", so there is no alert and the event is not remembered.`,
    'pt-BR': ({ rule, seconds }) =>
      `A regra ${rule} casa, mas disparou há menos de ${seconds} segundos nesta sessão e tem ignore="${seconds}", então não há alerta e o evento não é lembrado.`,
  },
})
