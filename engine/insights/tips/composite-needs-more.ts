/** A rule with frequency counts this event, and needs more of them. */
import { compositesCounting } from '../composites.js'
import { defineTip } from '../tip.js'

export const compositeNeedsMore = defineTip<{ rule: number; missing: number; timeframe: number }>({
  id: 'composite-needs-more',
  applies: (run) => {
    if (run.session === null) return null
    const [nearest] = compositesCounting(run).sort((a, b) => a.missing - b.missing)
    return nearest === undefined ? null : { rule: nearest.rule.id, missing: nearest.missing, timeframe: nearest.rule.definition.timeframe }
  },
  text: {
    'en-US': ({ rule, missing, timeframe }) => `Rule ${rule} counts events like this one: ${missing} more in this session within ${timeframe} seconds, and it fires.`,
    'pt-BR': ({ rule, missing, timeframe }) => `A regra ${rule} conta eventos como este: com mais ${missing} nesta sessão em ${timeframe} segundos, ela dispara.`,
  },
})
