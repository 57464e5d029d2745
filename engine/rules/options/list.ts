import { compileOsMatch, OsMatchExpression } from '../../expressions/osmatch/osmatch.js'
import { alternativesOf, nonEmptySetOf } from '../../expressions/meaning.js'
import { type Lookup, LOOKUPS } from '../../lists/list.js'
import { append } from '../../source/append.js'
import { foldCase, fromByteString } from '../../source/byte-string.js'
import { nameInRule } from '../../source/list-name.js'
import type { XmlElement } from '../../xml/node.js'
import type { RuleCompiler } from '../compile.js'
import type { CompiledListCondition } from '../compiled-rule.js'
import { SUBJECT_HOSTNAME, SUBJECT_LIST_USER, SUBJECT_PROGRAM_NAME, type Subject, staticSubject } from '../condition.js'
import type { RuleReader } from '../parse.js'
import type { MatcherOption } from './option.js'

/** Wazuh evaluates only the last lists of a rule. */
const LISTS_EVALUATED = 2

/** Names that `field` treats as texts of the event; any other name is a dynamic field. */
const STATIC_NAMES = [
  'srcip',
  'srcport',
  'dstip',
  'dstport',
  'user',
  'url',
  'id',
  'hostname',
  'program_name',
  'status',
  'action',
  'protocol',
  'system_name',
  'data',
  'extra_data',
] as const

export interface ListCondition {
  readonly path: string
  /** As written. */
  readonly field: string
  readonly lookup: Lookup
  readonly checkValue: string | null
  readonly element: XmlElement
}

interface FailedLookup {
  readonly list: string
  readonly field: string
  readonly text: string | null
}

export const list: MatcherOption<FailedLookup> = {
  name: 'list',
  part: 'condition',
  repeat: 'each',
  help: {
    'en-US': 'Looks a field up in a CDB list. All lists must pass; of three or more, only the last two are asked.',
    'pt-BR': 'Procura um campo em uma lista CDB. Todas as listas precisam passar; de três ou mais, só as duas últimas são consultadas.',
  },
  attributes: [
    {
      name: 'field',
      required: true,
      values: [],
      help: {
        'en-US': `Field to look up: one of ${STATIC_NAMES.join(', ')}, or a dynamic field.`,
        'pt-BR': `Campo a procurar: um de ${STATIC_NAMES.join(', ')}, ou um campo dinâmico.`,
      },
    },
    { name: 'lookup', required: false, values: LOOKUPS, help: { 'en-US': 'How to look it up; match_key when absent.', 'pt-BR': 'Como procurar; match_key quando ausente.' } },
    {
      name: 'check_value',
      required: false,
      values: [],
      help: {
        'en-US': 'OSMatch pattern for the value, for match_key_value and address_match_key_value.',
        'pt-BR': 'Padrão OSMatch para o valor, em match_key_value e address_match_key_value.',
      },
    },
  ],
  values: [],
  examples: [
    {
      xml: '<list field="srcip" lookup="address_match_key">etc/lists/blocked-networks</list>',
      lists: { 'etc/lists/blocked-networks': '203.0.113.:scanner\n' },
      matches: ['{"srcip": "203.0.113.7"}'],
      misses: ['{"srcip": "198.51.100.7"}', 'x'],
    },
    {
      xml: '<list field="device" lookup="match_key_value" check_value="^lab">etc/lists/devices</list>',
      lists: { 'etc/lists/devices': 'd1:lab\nd2:office\n' },
      matches: ['{"device": "d1"}'],
      misses: ['{"device": "d2"}', '{"device": "d3"}'],
    },
  ],
  read: readList,
  check: (reporter) => {
    const { lists } = reporter.rule.definition
    if (lists.length > LISTS_EVALUATED) reporter.report('rule_list_more_than_two', lists[0].element, { count: lists.length })
    for (const { field, lookup, checkValue, element } of lists) {
      if (lookup === 'address_match_key_value') reporter.report('rule_list_inverted_lookup', element, {})
      else if (lookup === 'match_key_value' && checkValue === null) {
        reporter.report('rule_list_value_without_check', element, { lookup, reason: 'without check_value it never passes' })
      } else if (lookup !== 'match_key_value' && checkValue !== null) {
        reporter.report('rule_list_value_without_check', element, { lookup, reason: 'check_value is ignored' })
      }
      if (field.toLowerCase() === 'user') reporter.report('rule_list_user_order', element, {})
    }
  },
  meaning: ({ lists }) => nonEmptySetOf(lists.slice(-LISTS_EVALUATED).map(listMeaning)),
  explain: {
    'en-US': ({ list: name, field, text }) =>
      text === null ? `The list ${name} is asked for the field "${field}", which the event does not have.` : `The look-up of ${field} "${text}" in the list ${name} fails.`,
    'pt-BR': ({ list: name, field, text }) =>
      text === null ? `A lista ${name} é consultada para o campo "${field}", que o evento não tem.` : `A busca de ${field} "${text}" na lista ${name} falha.`,
  },
}

function readList(reader: RuleReader, element: XmlElement): void {
  const faults = reader.faultCount
  let field: string | null = null
  let lookup: Lookup = 'match_key'
  let checkValue: string | null = null
  for (const attribute of element.attributes) {
    const name = attribute.name.toLowerCase()
    if (name === 'field') {
      const trimmed = attribute.value.replace(/^ +/, '')
      const blank = trimmed.indexOf(' ')
      field = blank < 0 ? trimmed : trimmed.slice(0, blank)
    } else if (name === 'lookup') {
      const known = LOOKUPS.find((word) => word === attribute.value.toLowerCase())
      if (known === undefined) reader.refuseAttribute('rule_list_lookup_invalid', attribute, { value: attribute.value }, { known: LOOKUPS })
      else lookup = known
    } else if (name === 'check_value') {
      const outcome = compileOsMatch(attribute.value)
      if (!outcome.ok) reader.refuseAttribute('rule_list_check_value_invalid', attribute, { reason: outcome.error.message })
      else checkValue = attribute.value
    } else reader.refuseAttribute('rule_list_attribute_unknown', attribute, { name: attribute.name }, { known: ['field', 'lookup', 'check_value'] })
    if (reader.faultCount > faults && !reader.context.survey) return
  }
  if (field === null && reader.faultCount === faults) reader.refuse('rule_list_field_missing', element, {})
  if (reader.faultCount > faults && !reader.context.survey) return
  const path = nameInRule(element.content)
  const { lists, awaitedLists } = reader.context
  const known = lists.get(path)
  if (known === undefined) {
    awaitedLists.add(path)
    return reader.skip('rule_list_not_loaded', element, { value: element.content }, { known: () => [...lists.keys()].map(fromByteString) })
  }
  if (field !== null && reader.faultCount === faults) reader.draft.lists = append(reader.draft.lists, { path: known.path, field, lookup, checkValue, element })
}

function listMeaning({ path, field, lookup, checkValue }: ListCondition): string {
  const folded = foldCase(field)
  const name = (STATIC_NAMES as readonly string[]).includes(folded) ? folded : ['dynamic', folded]
  return JSON.stringify([path, name, lookup, checkValue === null ? null : alternativesOf(checkValue)])
}

/** Compiles the lists of a rule that are evaluated. */
export function compileLists(lists: readonly ListCondition[], compiler: RuleCompiler): CompiledListCondition[] {
  return lists.slice(-LISTS_EVALUATED).map(({ path, field, lookup, checkValue }): CompiledListCondition => {
    const outcome = checkValue === null ? null : compiler.tables.expressions.compile('osmatch', checkValue)
    const check = outcome?.ok === true && outcome.expression instanceof OsMatchExpression ? outcome.expression : null
    return { path, subject: subjectOf(field, compiler), field, lookup, check }
  })
}

function subjectOf(field: string, compiler: RuleCompiler): Subject {
  const known = STATIC_NAMES.find((name) => name === field.toLowerCase())
  if (known === undefined) return compiler.dynamicSubject(field)
  if (known === 'user') return SUBJECT_LIST_USER
  if (known === 'hostname') return SUBJECT_HOSTNAME
  return known === 'program_name' ? SUBJECT_PROGRAM_NAME : staticSubject(known)
}
