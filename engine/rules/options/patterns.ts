/** Tags that compare a text with a pattern (engine-rules.md 2.2). */
import { STATIC_FIELDS } from '../../event/static-fields.js'
import { type Dialect, DIALECTS } from '../../expressions/expression.js'
import { append } from '../../source/append.js'
import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'
import type { FieldCondition, PatternTag, RulePattern } from '../rule.js'
import type { OptionAttribute, RuleOption } from './option.js'

/** Most `<field>` tags of a rule (internal option `analysisd.decoder_order_size`). */
const FIELD_LIMIT = 256

const TYPE_ATTRIBUTE: OptionAttribute = { name: 'type', required: false, values: DIALECTS, help: 'Dialect of the pattern. When the tag is repeated, the last one decides.' }
export const NEGATE_ATTRIBUTE: OptionAttribute = {
  name: 'negate',
  required: false,
  values: ['yes', 'no'],
  help: 'Turns the result round. A missing field fails the rule all the same. When the tag is repeated, the last one decides.',
}

function patternOption(name: PatternTag, dialect: RulePattern['dialect'], compared: string, example: string): RuleOption {
  return {
    name,
    part: 'condition',
    repeat: 'joined',
    help: `Pattern for ${compared}. Default dialect: ${dialect === 'exact' ? 'the exact text, case-sensitive' : dialect}.`,
    attributes: [TYPE_ATTRIBUTE, NEGATE_ATTRIBUTE],
    values: [],
    example,
    read: (reader, element) => joinPattern(reader, name, dialect, element),
  }
}

function joinPattern(reader: RuleReader, tag: PatternTag, dialect: RulePattern['dialect'], element: XmlElement): void {
  const patterns = new Map(reader.draft.patterns)
  reader.draft.patterns = patterns
  const written = readDialect(reader, element)
  const negate = readNegate(reader, element)
  const before = patterns.get(tag)
  const text = reader.joinText(before?.text ?? null, element, tag)
  if (text === null) patterns.delete(tag)
  else patterns.set(tag, { text, dialect: written ?? dialect, negate, elements: append(before?.elements ?? [], element) })
}

/** The `type` attribute; null = default. */
function readDialect(reader: RuleReader, element: XmlElement): Dialect | null {
  const attribute = element.attributes.find(({ name }) => name === 'type')
  if (attribute === undefined) return null
  const known = DIALECTS.find((word) => word === attribute.value.toLowerCase())
  if (known === undefined) reader.reportAttribute('rule_attribute_type_invalid', attribute, { tag: element.name, value: attribute.value }, { known: DIALECTS })
  return known ?? null
}

export function readNegate(reader: RuleReader, element: XmlElement): boolean {
  const attribute = element.attributes.find(({ name }) => name === 'negate')
  if (attribute === undefined) return false
  const value = attribute.value.toLowerCase()
  if (value !== 'yes' && value !== 'no') reader.reportAttribute('rule_negate_invalid', attribute, { tag: element.name, value: attribute.value })
  return value === 'yes'
}

/** Names that `<field>` refuses, in any case: they have tags of their own. */
const STATIC_NAMES: ReadonlySet<string> = new Set([...STATIC_FIELDS, 'user', 'srcgeoip', 'dstgeoip'])

/** The element that tests a static field: one does for both users. */
function tagOf(name: string): string {
  return name === 'srcuser' || name === 'dstuser' ? 'user' : name
}

const field: RuleOption = {
  name: 'field',
  part: 'condition',
  repeat: 'each',
  help: `Pattern for one dynamic field; the name compares without case. Every tag is a condition of its own; at most ${FIELD_LIMIT}. Default dialect: osregex.`,
  attributes: [{ name: 'name', required: true, values: [], help: 'Name of the dynamic field.' }, TYPE_ATTRIBUTE, NEGATE_ATTRIBUTE],
  values: [],
  example: '<field name="win.system.eventID">^4625$</field>',
  read: (reader, element) => {
    const name = element.attributes.find((attribute) => attribute.name === 'name')
    const faults = reader.faultCount
    if (name === undefined) reader.refuse('rule_field_name_missing', element, {})
    else if (STATIC_NAMES.has(name.value.toLowerCase())) {
      reader.refuseAttribute('rule_static_field_as_dynamic', name, { name: name.value, tag: tagOf(name.value.toLowerCase()) })
    } else if (reader.draft.fields.length >= FIELD_LIMIT) reader.refuse('rule_too_many_fields', element, { limit: FIELD_LIMIT })
    const isRefused = reader.faultCount > faults
    if (isRefused && !reader.context.survey) return
    const key = isRefused ? 'refusedFields' : 'fields'
    reader.draft[key] = append<FieldCondition>(reader.draft[key], {
      name: name?.value ?? '',
      text: element.content,
      dialect: readDialect(reader, element) ?? 'osregex',
      negate: readNegate(reader, element),
      elements: [element],
    })
  },
}

export const PATTERN_OPTIONS: readonly RuleOption[] = [
  patternOption('match', 'osmatch', 'the log, after timestamp, host and program were removed', '<match>authentication failure</match>'),
  patternOption('regex', 'osregex', 'the log, after timestamp, host and program were removed', '<regex>user \\S+ not found</regex>'),
  patternOption('program_name', 'osmatch', 'the program name of the header', '<program_name>^sshd</program_name>'),
  patternOption('hostname', 'osmatch', "the host name of the header, for agents the agent's name", '<hostname>^web</hostname>'),
  patternOption('location', 'osmatch', 'the place that the event came from', '<location>/var/log/auth.log</location>'),
  patternOption('user', 'osmatch', 'dstuser, or srcuser when there is none', '<user>^root$</user>'),
  patternOption('id', 'osmatch', 'the field id', '<id>^4625$|^4771$</id>'),
  patternOption('status', 'osmatch', 'the field status', '<status>^50</status>'),
  patternOption('url', 'osmatch', 'the field url', '<url>.env</url>'),
  patternOption('data', 'osmatch', 'the field data', '<data>denied</data>'),
  patternOption('extra_data', 'osmatch', 'the field extra_data', '<extra_data>^Security</extra_data>'),
  patternOption('protocol', 'osmatch', 'the field protocol', '<protocol>^tcp$</protocol>'),
  patternOption('system_name', 'osmatch', 'the field system_name', '<system_name>^DC01</system_name>'),
  patternOption('srcport', 'osmatch', 'the field srcport, as text: 22 also matches 2222', '<srcport>^22$</srcport>'),
  patternOption('dstport', 'osmatch', 'the field dstport, as text: 22 also matches 2222', '<dstport>^3389$</dstport>'),
  patternOption('srcgeoip', 'osmatch', 'the place of srcip; only builds with GeoIP have it', '<srcgeoip>^BR</srcgeoip>'),
  patternOption('dstgeoip', 'osmatch', 'the place of dstip; only builds with GeoIP have it', '<dstgeoip>^BR</dstgeoip>'),
  patternOption('action', 'exact', 'the field action', '<action>deny</action>'),
  field,
]
