/** An own rule tests or compares the location, which is only a placeholder where the caller names none, and another one for files of agents (BEHAVIOUR.md#location). */
import type { Event } from '../../event/event.js'
import type { Localized } from '../../diagnostics/text.js'
import { DEFAULT_LOCATION } from '../../predecoding/location.js'
import { SUBJECT_LOCATION } from '../../rules/condition.js'
import { foldCase } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { WORDS_OF } from '../caller-words.js'
import type { DecisiveCondition } from '../decisive-condition.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  /** `agent`: the pattern holds here, and would not for a file of an agent. `same`: the rule counts events of one location only. */
  readonly kind: 'holds' | 'fails' | 'agent' | 'same'
  readonly rule: number
  readonly pattern: string
  readonly actual: string
  readonly location: Localized
}

/** What stands before the path of a file on an agent. */
const AGENT = '(NAME) IP->'

function valuesOf(run: ToldRun): Values | null {
  const { event, caller, near, outcome } = run
  if (near === null) return null
  const values = { actual: cutText(event.location, HINT_TEXT), location: WORDS_OF[caller].location }
  const found = near.decisive('location')
  const isDefault = event.location === DEFAULT_LOCATION
  if (found !== null) {
    const kind = !found.holds ? 'fails' : isDefault ? 'holds' : isOfManager(event) && failsForAgents(found, event.location) ? 'agent' : null
    if (kind !== null) return { kind, rule: found.rule.id, pattern: found.pattern, ...values }
  }
  const { rule } = outcome
  const compares = isDefault && rule !== null && near.own.isOwn(rule) && rule.same.includes(SUBJECT_LOCATION)
  return compares ? { kind: 'same', rule: rule.id, pattern: '', ...values } : null
}

function isOfManager({ agentId, location }: Event): boolean {
  return agentId === '000' && !location.includes('->')
}

function failsForAgents({ condition }: DecisiveCondition, location: string): boolean {
  if (condition === null || condition.test.kind !== 'pattern') return false
  const { expression, negate } = condition.test
  const text = AGENT + location
  return expression.test(text, foldCase(text), 0) === negate
}

export const locationDecides = defineTip<Values>({
  id: 'location-decides',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, kind }) => `${rule} ${kind}`,
  text: {
    'en-US': ({ kind, rule, pattern, actual, location }) => {
      const set = `Here the location is "${actual}"; set ${location['en-US']} to the real one. For a file on an agent it is "${AGENT}/path".`
      switch (kind) {
        case 'same':
          return `Your rule ${rule} counts only events of the same location. ${set}`
        case 'agent':
          return `Your rule ${rule} depends on <location> "${pattern}", which fits "${actual}" but not the location of an agent's event, "${AGENT}${actual}".`
        default:
          return `Your rule ${rule} ${kind === 'holds' ? 'depends on' : 'fails only at'} <location> "${pattern}". ${set}`
      }
    },
    'pt-BR': ({ kind, rule, pattern, actual, location }) => {
      const set = `Aqui a location é "${actual}"; use a verdadeira em ${location['pt-BR']}. A de um arquivo em um agente é "(NOME) IP->/caminho".`
      switch (kind) {
        case 'same':
          return `A sua regra ${rule} conta só eventos da mesma location. ${set}`
        case 'agent':
          return `A sua regra ${rule} depende de <location> "${pattern}", que serve para "${actual}", mas não para a location de um evento de agente, "(NOME) IP->${actual}".`
        default:
          return `A sua regra ${rule} ${kind === 'holds' ? 'depende de' : 'falha só em'} <location> "${pattern}". ${set}`
      }
    },
  },
})
