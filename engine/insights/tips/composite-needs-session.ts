/** A rule with frequency counts this event, but without a session no event is remembered. */
import { compositesCounting } from '../composites.js'
import { defineTip } from '../tip.js'

export const compositeNeedsSession = defineTip<{ rule: number; total: number; timeframe: number }>({
  id: 'composite-needs-session',
  applies: (run) => {
    if (run.session !== null) return null
    const [first] = compositesCounting(run)
    return first === undefined ? null : { rule: first.rule.id, total: first.missing + 1, timeframe: first.rule.definition.timeframe }
  },
  text: {
    'en-US': ({ rule, total, timeframe }) =>
      `Rule ${rule} counts events like this one and fires at number ${total} within ${timeframe} seconds. Send them with the same session_id: without one every event starts a new session.`,
    'pt-BR': ({ rule, total, timeframe }) =>
      `A regra ${rule} conta eventos como este e dispara no número ${total} em ${timeframe} segundos. Envie-os com o mesmo session_id: sem ele, cada evento começa uma nova sessão.`,
  },
})
