/** A rule with frequency counts this event, but without a session no event is remembered. */
import type { Localized } from '../../diagnostics/text.js'
import { WORDS_OF } from '../caller-words.js'
import { compositesCounting, findObstacle, nearestFirst, OBSTACLES_LIMIT } from '../composites.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly rule: number
  readonly total: number
  readonly timeframe: number
  readonly session: Localized
}

function valuesOf(run: ToldRun): Values | null {
  if (run.session !== null) return null
  const pending = nearestFirst(compositesCounting(run), run.near)
    .slice(0, OBSTACLES_LIMIT)
    .find((composite) => findObstacle(run, composite) === null)
  if (pending === undefined) return null
  const { rule, needed } = pending
  return { rule: rule.id, total: needed + 1, timeframe: rule.definition.timeframe, session: WORDS_OF[run.caller].session }
}

export const compositeNeedsSession = defineTip<Values>({
  id: 'composite-needs-session',
  applies: valuesOf,
  text: {
    'en-US': ({ rule, total, timeframe, session }) => `Rule ${rule} counts events like this one and fires at number ${total} within ${timeframe} seconds. ${session['en-US']}`,
    'pt-BR': ({ rule, total, timeframe, session }) => `A regra ${rule} conta eventos como este e dispara no número ${total} em ${timeframe} segundos. ${session['pt-BR']}`,
  },
})
