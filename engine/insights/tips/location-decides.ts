/** An own rule tests the location, which is only a placeholder where the caller names none. */
import type { Localized } from '../../diagnostics/text.js'
import { DEFAULT_LOCATION } from '../../predecoding/location.js'
import { SUBJECT_LOCATION } from '../../rules/condition.js'
import { writtenCondition } from '../../trace/rule-details.js'
import { cutText } from '../../trace/text.js'
import { WORDS_OF } from '../caller-words.js'
import { findDecisive } from '../decisive-condition.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly rule: number
  readonly holds: boolean
  readonly pattern: string
  readonly actual: string
  readonly location: Localized
}

function valuesOf(run: ToldRun): Values | null {
  const { event, caller } = run
  const found = findDecisive(run, ({ subject }) => subject === SUBJECT_LOCATION)
  if (found === null || (found.holds && event.location !== DEFAULT_LOCATION)) return null
  return {
    rule: found.rule.id,
    holds: found.holds,
    pattern: writtenCondition(found.rule, found.condition).pattern,
    actual: cutText(event.location, HINT_TEXT),
    location: WORDS_OF[caller].location,
  }
}

export const locationDecides = defineTip<Values>({
  id: 'location-decides',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, holds }) => `${rule} ${holds}`,
  text: {
    'en-US': ({ rule, holds, pattern, actual, location }) =>
      `Your rule ${rule} ${holds ? 'depends on' : 'fails only at'} <location> "${pattern}". Here the location is "${actual}"; set ${location['en-US']} to the real one. Of a file on an agent it is "(NAME) IP->/path".`,
    'pt-BR': ({ rule, holds, pattern, actual, location }) =>
      `A sua regra ${rule} ${holds ? 'depende de' : 'falha só em'} <location> "${pattern}". Aqui a location é "${actual}"; use a verdadeira em ${location['pt-BR']}. A de um arquivo em um agente é "(NOME) IP->/caminho".`,
  },
})
