/** An own rule tests the time of day or the weekday: that of the manager when the event arrives, not the time in the log (BEHAVIOUR.md#time-and-weekday). */
import type { Localized } from '../../diagnostics/text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** From Sunday on, as the clock counts them. */
const DAYS: Localized<readonly string[]> = {
  'en-US': ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  'pt-BR': ['domingo', 'segunda-feira', 'terça-feira', 'quarta-feira', 'quinta-feira', 'sexta-feira', 'sábado'],
}

interface Values {
  readonly rule: number
  readonly holds: boolean
  readonly tag: string
  readonly pattern: string
  readonly timeOfDay: string
  readonly day: number
}

function valuesOf({ near, clock }: ToldRun): Values | null {
  const found = near?.decisive('clock') ?? null
  if (found === null) return null
  const { timeOfDay, weekday } = clock.local()
  return { rule: found.rule.id, holds: found.holds, tag: found.tag, pattern: found.pattern, timeOfDay, day: weekday }
}

export const clockDecides = defineTip<Values>({
  id: 'clock-decides',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, tag, holds }) => `${rule} ${tag} ${holds}`,
  text: {
    'en-US': ({ rule, holds, tag, pattern, timeOfDay, day }) =>
      `Your rule ${rule} ${holds ? 'depends on the clock' : 'fails only because of the clock'}: ${tag} "${pattern}" is compared with the manager's local time when the event arrives (here ${DAYS['en-US'][day]}, ${timeOfDay}), not with the time in the log.`,
    'pt-BR': ({ rule, holds, tag, pattern, timeOfDay, day }) =>
      `A sua regra ${rule} ${holds ? 'depende do relógio' : 'falha só por causa do relógio'}: ${tag} "${pattern}" é comparado com a hora local do manager quando o evento chega (aqui ${DAYS['pt-BR'][day]}, ${timeOfDay}), não com a hora do log.`,
  },
})
