/** An own rule with frequency is reached, but does not count the events: a countdown would be false. */
import { comparisonTag } from '../../rules/options/comparisons.js'
import { cutText } from '../../trace/text.js'
import { ABSENCE_WORDS, type Absence, explainAbsence } from '../absent-field.js'
import { comparedName, isStatic } from '../compared-fields.js'
import { compositesCounting, findObstacle, isBlocking, type Obstacle, OBSTACLES_LIMIT } from '../composites.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** Values of the header; rules cannot compare them, except for the location. */
const HEADER_VALUES: ReadonlySet<string> = new Set(['hostname', 'program_name', 'timestamp'])
const VALUE_SHOWN = 60

interface Values {
  readonly kind: 'absent' | 'static' | 'equal' | 'no-field' | 'used' | 'other-agent'
  readonly rule: number
  readonly field: string
  /** Why the event lacks the field. */
  readonly absence: Absence | null
  /** The element that compares a static field. */
  readonly element: string
  /** Whether the field is a value of the header. */
  readonly isOfHeader: boolean
  readonly value: string
  readonly count: number
  readonly of: number
  readonly timeframe: number
  readonly level: number
}

function valuesOf(run: ToldRun): Values | null {
  const { near, runner } = run
  if (near === null) return null
  for (const pending of compositesCounting(run)
    .filter(({ rule }) => near.own.isOwn(rule))
    .slice(0, OBSTACLES_LIMIT)) {
    const obstacle = findObstacle(run, pending)
    if (!isBlocking(obstacle)) continue
    const { id, definition } = pending.rule
    const field = 'compared' in obstacle ? comparedName(runner.ruleset, pending.rule, obstacle.compared.kind, obstacle.compared.of) : ''
    const isOfHeader = HEADER_VALUES.has(field.toLowerCase())
    return {
      kind: kindOf(obstacle, field),
      rule: id,
      field,
      absence: obstacle.kind === 'absent' && !isOfHeader ? explainAbsence(run, field) : null,
      element: isStatic(field) ? `<${comparisonTag('same', field)} />` : '',
      isOfHeader,
      value: obstacle.kind === 'equal' ? cutText(obstacle.compared.text, VALUE_SHOWN) : '',
      count: countOf(obstacle),
      of: 'of' in obstacle ? obstacle.of : 0,
      timeframe: definition.timeframe,
      level: obstacle.kind === 'used' ? obstacle.level : 0,
    }
  }
  return null
}

function kindOf(obstacle: Exclude<Obstacle, { readonly kind: 'differs' }>, field: string): Values['kind'] {
  if (obstacle.kind === 'equal' && field === '') return 'no-field'
  return obstacle.kind === 'absent' && obstacle.compared.kind === 'sameField' && isStatic(field) ? 'static' : obstacle.kind
}

function countOf(obstacle: Obstacle): number {
  return 'count' in obstacle ? obstacle.count : 0
}

export const compositeBlocked = defineTip<Values>({
  id: 'composite-blocked',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ kind, rule, field }) => `${kind} ${rule} ${field}`,
  text: {
    'en-US': ({ kind, rule, field, absence, element, isOfHeader, value, count, of, timeframe, level }) => {
      switch (kind) {
        case 'absent':
          return `Your rule ${rule} never counts events like this one: it compares "${field}", which this event does not have.${isOfHeader ? ` "${field}" is a value of the header, not a field of a decoder.` : ABSENCE_WORDS['en-US'](absence)}`
        case 'static':
          return `Your rule ${rule} never counts events like this one: <same_field> compares only fields that are not built in, and "${field}" is one that is. Write ${element}.`
        case 'equal':
          return `Your rule ${rule} does not count ${count} of the ${of} earlier events within ${timeframe} seconds: their "${field}" has the same value, "${value}", and the rule requires another one.`
        case 'no-field':
          return `Your rule ${rule} does not count ${count} of the ${of} earlier events within ${timeframe} seconds: to compare different fields, one of two events must have a field other than the built-in ones.`
        case 'used':
          return `Your rule ${rule} no longer counts the earlier events: a rule of the higher level ${level} counted them and fired.`
        case 'other-agent':
          return `Your rule ${rule} does not count ${count} earlier events of another agent; <global_frequency /> counts those of all agents.`
      }
    },
    'pt-BR': ({ kind, rule, field, absence, element, isOfHeader, value, count, of, timeframe, level }) => {
      switch (kind) {
        case 'absent':
          return `A sua regra ${rule} nunca conta eventos como este: ela compara "${field}", que este evento não tem.${isOfHeader ? ` "${field}" é um valor do cabeçalho, não um campo de um decoder.` : ABSENCE_WORDS['pt-BR'](absence)}`
        case 'static':
          return `A sua regra ${rule} nunca conta eventos como este: <same_field> só compara campos que não são embutidos, e "${field}" é um deles. Escreva ${element}.`
        case 'equal':
          return `A sua regra ${rule} não conta ${count} dos ${of} eventos anteriores em ${timeframe} segundos: o "${field}" deles tem o mesmo valor, "${value}", e a regra exige outro.`
        case 'no-field':
          return `A sua regra ${rule} não conta ${count} dos ${of} eventos anteriores em ${timeframe} segundos: para comparar campos diferentes, um dos dois eventos precisa ter um campo além dos embutidos.`
        case 'used':
          return `A sua regra ${rule} não conta mais os eventos anteriores: uma regra do nível ${level}, mais alto, os contou e disparou.`
        case 'other-agent':
          return `A sua regra ${rule} não conta ${count} eventos anteriores de outro agente; <global_frequency /> conta os de todos os agentes.`
      }
    },
  },
})
