/** Tags that ask something other than a pattern (engine-rules.md 2.3, 2.4, 2.6, 2.7, 5). */
import { parseAddressEntry } from '../../conditions/address.js'
import { parseTimeRange } from '../../conditions/time-range.js'
import { parseWeekdays, WEEKDAY_WORDS } from '../../conditions/weekday.js'
import type { DecoderType } from '../../event/event.js'
import { compileOsMatch } from '../../expressions/osmatch/osmatch.js'
import { LOOKUPS } from '../../lists/list.js'
import { append } from '../../source/append.js'
import { fromByteString } from '../../source/byte-string.js'
import { nameInRule } from '../../source/list-name.js'
import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'
import { COMPILED_RULES } from '../rule.js'
import type { RuleOption } from './option.js'
import { NEGATE_ATTRIBUTE, readNegate } from './patterns.js'

/** Categories that a rule may ask for. */
const CATEGORIES: readonly DecoderType[] = ['firewall', 'ids', 'syslog', 'web-log', 'squid', 'windows', 'ossec']

function addressOption(name: 'srcip' | 'dstip'): RuleOption {
  return {
    name,
    part: 'condition',
    repeat: 'each',
    help: `Address, network (10.0.0.0/8, 10.0.0.0/255.0.0.0, 2001:db8::/32) or "any" for the field ${name}. Repeated tags are alternatives; the last one's negate counts for all.`,
    attributes: [NEGATE_ATTRIBUTE],
    values: [],
    example: `<${name}>10.0.0.0/8</${name}>`,
    read: (reader, element) => {
      const entry = parseAddressEntry(element.content)
      if (entry === null) return reader.refuse('rule_ip_invalid', element, { tag: name, value: element.content })
      if (element.content.startsWith('!')) reader.report('rule_ip_negation_ignored', element, { tag: name, value: element.content })
      const { draft } = reader
      const entries = append(draft.addresses.get(name)?.entries ?? [], entry)
      draft.addresses = new Map(draft.addresses).set(name, { entries, negate: readNegate(reader, element), element })
    },
  }
}

/** Static names that `field` of a list knows; any other is a dynamic field. */
export const LIST_STATIC_FIELDS = [
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

const list: RuleOption = {
  name: 'list',
  part: 'condition',
  repeat: 'each',
  help: 'Looks a field up in a CDB list. All lists must pass; of three or more, only the last two are asked.',
  attributes: [
    { name: 'field', required: true, values: [], help: `Field to look up: one of ${LIST_STATIC_FIELDS.join(', ')}, or a dynamic field.` },
    { name: 'lookup', required: false, values: LOOKUPS, help: 'How to look it up; match_key when absent.' },
    { name: 'check_value', required: false, values: [], help: 'OSMatch pattern for the value, for match_key_value and address_match_key_value.' },
  ],
  values: [],
  example: '<list field="srcip" lookup="address_match_key">etc/lists/blocked-networks</list>',
  read: readList,
}

function readList(reader: RuleReader, element: XmlElement): void {
  const faults = reader.faultCount
  let field: string | null = null
  let lookup: (typeof LOOKUPS)[number] = 'match_key'
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

export const FILTER_OPTIONS: readonly RuleOption[] = [
  addressOption('srcip'),
  addressOption('dstip'),
  {
    name: 'decoded_as',
    part: 'condition',
    repeat: 'last',
    help: 'Name of the decoder that must answer for the event. Children without use_own_name answer with the name of their parent.',
    attributes: [],
    values: [],
    example: '<decoded_as>sshd</decoded_as>',
    read: (reader, element) => {
      const cause = reader.context.lostDecoder(element.content)
      if (cause !== undefined) return reader.refuse('rule_decoded_as_unknown', element, { value: element.content }, { cause })
      if (reader.context.decoders.find(element.content) < 0) {
        return reader.refuse('rule_decoded_as_unknown', element, { value: element.content }, { known: () => reader.context.decoders.names() })
      }
      reader.draft.decodedAs = { name: element.content, element }
    },
  },
  {
    name: 'category',
    part: 'placement',
    repeat: 'last',
    help: 'Puts a rule without parents under the template of this category. It is no condition by itself.',
    attributes: [],
    values: CATEGORIES,
    example: '<category>firewall</category>',
    read: (reader, element) => {
      const category = CATEGORIES.find((known) => known === element.content)
      if (category === undefined) return reader.refuse('rule_category_invalid', element, { value: element.content }, { known: CATEGORIES })
      reader.draft.category = category
    },
  },
  {
    name: 'time',
    part: 'condition',
    repeat: 'last',
    help: 'Local time of day at which the event was received. Over midnight both named minutes are outside, and a leading "!" is lost.',
    attributes: [],
    values: [],
    example: '<time>6 pm - 8:30 am</time>',
    read: (reader, element) => {
      const range = parseTimeRange(element.content)
      if (range === null) return reader.refuse('rule_time_invalid', element, { value: element.content })
      if (element.content.includes('!') && !range.negated) reader.report('rule_time_wrapped_negated', element, { value: element.content })
      reader.draft.time = range
    },
  },
  {
    name: 'weekday',
    part: 'condition',
    repeat: 'last',
    help: 'Local weekday at which the event was received: names, weekdays or weekends, separated by commas or blanks.',
    attributes: [],
    values: [...WEEKDAY_WORDS.keys()],
    example: '<weekday>weekends</weekday>',
    read: (reader, element) => {
      const days = parseWeekdays(element.content)
      if (days === null) return reader.refuse('rule_weekday_invalid', element, { value: element.content }, { known: [...WEEKDAY_WORDS.keys()] })
      reader.draft.weekday = days
    },
  },
  list,
  {
    name: 'compiled_rule',
    part: 'condition',
    repeat: 'last',
    help: 'One of the built-in tests.',
    attributes: [],
    values: COMPILED_RULES,
    example: '<compiled_rule>is_simple_http_request</compiled_rule>',
    read: (reader, element) => {
      const name = COMPILED_RULES.find((known) => known === element.content)
      if (name === undefined) return reader.refuse('rule_compiled_rule_unknown', element, { value: element.content }, { known: COMPILED_RULES })
      reader.draft.compiledRule = name
    },
  },
  {
    name: 'if_fts',
    part: 'condition',
    repeat: 'once',
    help: "Passes when the combination of fields that the decoder's fts names is seen for the first time.",
    attributes: [],
    values: [],
    example: '<if_fts />',
    read: (reader) => {
      reader.draft.ifFts = true
    },
  },
  {
    name: 'check_diff',
    part: 'condition',
    repeat: 'once',
    help: 'Passes when the log differs from the last one of this host and rule. It switches off any history search of the rule.',
    attributes: [],
    values: [],
    example: '<check_diff />',
    read: (reader) => {
      reader.draft.checkDiff = true
    },
  },
]
