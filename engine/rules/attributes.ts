/** Attributes of `<rule>` (engine-rules.md 1.5): the table that the parser reads and the schema shows. */
import { readInt32 } from '../conditions/number.js'
import type { XmlAttribute } from '../xml/node.js'
import type { RuleReader } from './parse.js'
import type { RuleDefinition } from './rule.js'

const LEVEL_LIMIT = 16
/** Also what counts when none is written (4.5). */
export const FREQUENCY_MINIMUM = 2
const FREQUENCY_LIMIT = 9999
const ID_DIGITS = 6

export interface RuleAttribute {
  readonly name: string
  readonly required: boolean
  readonly values: readonly string[]
  readonly help: string
  /** False: the engine stops at this attribute. */
  read(reader: RuleReader, attribute: XmlAttribute): boolean
}

/** "Digits" means only 0-9, and the empty text counts as digits. */
const DIGITS = /^[0-9]*$/

type NumberKey = { [K in keyof RuleDefinition]: RuleDefinition[K] extends number ? K : never }[keyof RuleDefinition]

/** A number of which only the first digits are read. */
function truncated(name: string, key: NumberKey, digits: number, code: 'rule_timeframe_invalid' | 'rule_attribute_invalid', help: string): RuleAttribute {
  return {
    name,
    required: false,
    values: [],
    help,
    read: (reader, attribute) => {
      const { value } = attribute
      if (!DIGITS.test(value)) return refuse(reader, code, attribute)
      if (value.length > digits) reader.reportAttribute('rule_number_truncated', attribute, { name, value, read: value.slice(0, digits), digits })
      if (value === '') reader.reportAttribute('rule_attribute_empty', attribute, { name })
      else reader.draft[key] = Number(value.slice(0, digits))
      return true
    },
  }
}

/** Says that the number which Wazuh reads is not the one that is written. */
function reportWrapped(reader: RuleReader, attribute: XmlAttribute, read: number): void {
  const { name, value } = attribute
  if (read !== Number(value)) reader.reportAttribute('rule_number_wrapped', attribute, { name, value, read })
}

function refuse(reader: RuleReader, code: Parameters<RuleReader['refuseAttribute']>[0], attribute: XmlAttribute): false {
  reader.refuseAttribute(code, attribute, { name: attribute.name, value: attribute.value })
  return false
}

export const RULE_ATTRIBUTES: readonly RuleAttribute[] = [
  {
    name: 'id',
    required: true,
    values: [],
    help: 'Rule id, 0 to 999999. Own rules take 100000 to 120000.',
    read: (reader, attribute) => {
      const { value } = attribute
      if (!DIGITS.test(value) || value.length > ID_DIGITS) return refuse(reader, 'rule_id_invalid', attribute)
      if (value !== '') reader.setId(Number(value))
      return true
    },
  },
  {
    name: 'level',
    required: true,
    values: [],
    help: 'Severity, 0 (ignored) to 16.',
    read: (reader, attribute) => {
      const { value } = attribute
      // Text that is no number counts as if the attribute were missing.
      if (!DIGITS.test(value)) {
        reader.levelText = attribute
        return true
      }
      const level = readInt32(value)
      if (level < 0 || level > LEVEL_LIMIT) return refuse(reader, 'rule_level_invalid', attribute)
      reportWrapped(reader, attribute, level)
      if (value === '') reader.reportAttribute('rule_attribute_empty', attribute, { name: 'level' })
      reader.setLevel(level)
      return true
    },
  },
  truncated('maxsize', 'maxsize', 4, 'rule_attribute_invalid', 'Least length of the log in bytes; despite its name no upper limit.'),
  {
    name: 'frequency',
    required: false,
    values: [],
    help: `How often the counted event must come, ${FREQUENCY_MINIMUM} to ${FREQUENCY_LIMIT}, the current one included.`,
    read: (reader, attribute) => {
      const { value } = attribute
      const frequency = DIGITS.test(value) ? readInt32(value) : 0
      if (frequency < FREQUENCY_MINIMUM || frequency > FREQUENCY_LIMIT) return refuse(reader, 'rule_frequency_invalid', attribute)
      reportWrapped(reader, attribute, frequency)
      reader.draft.frequency = frequency
      return true
    },
  },
  truncated('timeframe', 'timeframe', 5, 'rule_timeframe_invalid', 'Seconds in which the counted events must lie; 360 when absent.'),
  truncated('ignore', 'ignore', 6, 'rule_attribute_invalid', 'Seconds for which the rule stays silent after it fired.'),
  {
    name: 'overwrite',
    required: false,
    values: ['yes', 'no'],
    help: 'Replaces the rule of the same id that was loaded before. Its place in the tree stays.',
    read: (reader, attribute) => {
      if (attribute.value !== 'yes' && attribute.value !== 'no') return refuse(reader, 'rule_attribute_invalid', attribute)
      reader.draft.overwrite = attribute.value === 'yes'
      return true
    },
  },
  {
    name: 'noalert',
    required: false,
    values: ['0', '1'],
    help: '1: the rule is only a container, it never answers itself.',
    read: (reader, attribute) => {
      if (attribute.value === '1') reader.draft.noalert = true
      else if (attribute.value !== '0') reader.reportAttribute('rule_noalert_invalid', attribute, { name: 'noalert', value: attribute.value })
      return true
    },
  },
  {
    name: 'accuracy',
    required: false,
    values: [],
    help: '0 moves the rule behind all its siblings.',
    read: (reader, attribute) => {
      if (!DIGITS.test(attribute.value)) return refuse(reader, 'rule_attribute_invalid', attribute)
      if (attribute.value === '') reader.reportAttribute('rule_attribute_empty', attribute, { name: 'accuracy' })
      else reader.draft.accuracy = Number(attribute.value.slice(0, 4)) !== 0
      return true
    },
  },
]

const BY_NAME = new Map(RULE_ATTRIBUTES.map((attribute) => [attribute.name, attribute]))

export function findRuleAttribute(name: string): RuleAttribute | undefined {
  return BY_NAME.get(name.toLowerCase())
}
