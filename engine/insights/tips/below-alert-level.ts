/** The level of the final rule is too low for an alert. */
import { LOG_ALERT_LEVEL } from '../../rules/alert-levels.js'
import { defineTip } from '../tip.js'

export const belowAlertLevel = defineTip<{ rule: number; level: number }>({
  id: 'below-alert-level',
  applies: ({ outcome: { rule } }) => (rule === null || rule.level === 0 || rule.level >= LOG_ALERT_LEVEL ? null : { rule: rule.id, level: rule.level }),
  text: {
    'en-US': ({ rule, level }) =>
      `Rule ${rule} matches, but its level ${level} is below log_alert_level (${LOG_ALERT_LEVEL} by default), so there is no alert. The event is remembered and counts for rules with frequency.`,
    'pt-BR': ({ rule, level }) =>
      `A regra ${rule} casa, mas o nível ${level} está abaixo de log_alert_level (${LOG_ALERT_LEVEL} por padrão), então não há alerta. O evento é lembrado e conta para regras com frequency.`,
  },
})
