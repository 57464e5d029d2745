/** The table of attributes of `<rule>`, used by the parser, the checks, the comparison of contents and the schema. */
import { readInt32 } from '../conditions/number.js'
import type { XmlAttribute } from '../xml/node.js'
import type { OptionAttribute } from '../xml/tag-option.js'
import { minimumLength } from './options/maxsize.js'
import type { RuleReader } from './parse.js'
import type { RuleReporter } from './reporter.js'
import { DEFAULT_TIMEFRAME, type RuleDefinition } from './rule.js'
import { wrongNumber } from './wrong-number.js'

const LEVEL_LIMIT = 16
/** Levels above this have no special meaning in Wazuh. */
const HIGHEST_USUAL_LEVEL = 15
/** The minimum is also the default. */
export const FREQUENCY_MINIMUM = 2
const FREQUENCY_LIMIT = 9999
/** Digits of an id. */
export const ID_DIGITS = 6
const LEVEL_DIGITS = 2
const FREQUENCY_DIGITS = 4
/** Digits that Wazuh reads. */
const TIMEFRAME_DIGITS = 5

export interface RuleAttribute extends OptionAttribute {
  /** Returns false when Wazuh stops at this attribute. */
  read(reader: RuleReader, attribute: XmlAttribute): boolean
  /** Checks this attribute alone. */
  check?(reporter: RuleReporter): void
  /** The meaning of the attribute in the rule, as JSON; undefined = equal to its absence. */
  meaning(definition: RuleDefinition): unknown
}

/** Wazuh accepts the empty text as a number. */
const DIGITS = /^[0-9]*$/

/** Reads a number of which only the first digits are used; null when there are none. */
function readTruncated(reader: RuleReader, attribute: XmlAttribute, digits: number): number | null {
  const { name, value } = attribute
  if (value.length > digits) reader.reportAttribute('rule_number_truncated', attribute, { name, value, read: value.slice(0, digits), digits })
  if (value !== '') return Number(value.slice(0, digits))
  reader.reportAttribute('rule_attribute_empty', attribute, { name })
  return null
}

/** Reports a number that Wazuh reads as another number. */
function reportWrapped(reader: RuleReader, attribute: XmlAttribute, read: number): void {
  const { name, value } = attribute
  if (read !== Number(value)) reader.reportAttribute('rule_number_wrapped', attribute, { name, value, read })
}

/** @param digits the most that the number may have; null: the value is no number */
function refuse(reader: RuleReader, code: Parameters<RuleReader['refuseAttribute']>[0], attribute: XmlAttribute, digits: number | null = null): false {
  reader.refuseAttribute(code, attribute, { name: attribute.name, value: attribute.value }, digits === null ? {} : wrongNumber(attribute.value, digits))
  return false
}

/** Refuses a `level` that is not a number. */
export function refuseLevelText(reader: RuleReader, attribute: XmlAttribute): void {
  refuse(reader, 'rule_level_invalid', attribute, LEVEL_DIGITS)
}

/** Undefined for the default value. */
function unlessDefault<T>(value: T, byDefault: T): T | undefined {
  return value === byDefault ? undefined : value
}

export const RULE_ATTRIBUTES: readonly RuleAttribute[] = [
  {
    name: 'id',
    required: true,
    values: [],
    help: { 'en-US': 'Rule id, 0 to 999999. Own rules take 100000 to 120000.', 'pt-BR': 'Id da regra, 0 a 999999. Regras próprias usam 100000 a 120000.' },
    read: (reader, attribute) => {
      const { value } = attribute
      if (!DIGITS.test(value) || value.length > ID_DIGITS) {
        refuse(reader, 'rule_id_invalid', attribute, ID_DIGITS)
        // Only a survey continues with the rule. Under the id that was meant, its children are not reported as well.
        const { suggestion } = wrongNumber(value, ID_DIGITS)
        if (suggestion !== null && reader.context.placed(Number(suggestion)) === undefined) reader.setId(Number(suggestion))
        return false
      }
      if (value !== '') reader.setId(Number(value))
      return true
    },
    // The id identifies the rule and is not part of its meaning.
    meaning: () => undefined,
  },
  {
    name: 'level',
    required: true,
    values: [],
    help: { 'en-US': 'Severity, 0 (ignored) to 16.', 'pt-BR': 'Severidade, de 0 (ignorada) a 16.' },
    read: (reader, attribute) => {
      const { value } = attribute
      // Text that is not a number has the same effect as a missing attribute.
      if (!DIGITS.test(value)) {
        reader.levelText = attribute
        return true
      }
      const level = readInt32(value)
      if (level < 0 || level > LEVEL_LIMIT) return refuse(reader, 'rule_level_invalid', attribute, LEVEL_DIGITS)
      reportWrapped(reader, attribute, level)
      if (value === '') reader.reportAttribute('rule_attribute_empty', attribute, { name: 'level' })
      reader.setLevel(level)
      return true
    },
    check: (reporter) => {
      const { level } = reporter.rule.definition
      if (level > HIGHEST_USUAL_LEVEL) reporter.atAttribute('rule_level_unusual', 'level', { level })
    },
    meaning: ({ level }) => level,
  },
  {
    name: 'maxsize',
    required: false,
    values: [],
    help: {
      'en-US': 'Minimum length of the log in bytes; despite its name it is not an upper limit.',
      'pt-BR': 'Tamanho mínimo do log em bytes; apesar do nome, não é um limite máximo.',
    },
    read: (reader, attribute) => {
      if (!DIGITS.test(attribute.value)) return refuse(reader, 'rule_attribute_invalid', attribute)
      const length = readTruncated(reader, attribute, 4)
      if (length !== null) reader.draft.setCondition(minimumLength, length === 0 ? null : length)
      return true
    },
    check: (reporter) => {
      const value = reporter.rule.definition.valueOf(minimumLength)
      if (value !== undefined) reporter.atAttribute('rule_maxsize_meaning', 'maxsize', { value })
    },
    meaning: (definition) => definition.valueOf(minimumLength),
  },
  {
    name: 'frequency',
    required: false,
    values: [],
    help: {
      'en-US': `How often the counted event must come, ${FREQUENCY_MINIMUM} to ${FREQUENCY_LIMIT}, the current one included.`,
      'pt-BR': `Quantas vezes o evento contado precisa vir, de ${FREQUENCY_MINIMUM} a ${FREQUENCY_LIMIT}, incluindo o atual.`,
    },
    read: (reader, attribute) => {
      const { value } = attribute
      const frequency = DIGITS.test(value) ? readInt32(value) : 0
      if (frequency < FREQUENCY_MINIMUM || frequency > FREQUENCY_LIMIT) return refuse(reader, 'rule_frequency_invalid', attribute, FREQUENCY_DIGITS)
      reportWrapped(reader, attribute, frequency)
      reader.draft.frequency = frequency
      return true
    },
    meaning: ({ frequency }) => unlessDefault(frequency ?? FREQUENCY_MINIMUM, FREQUENCY_MINIMUM),
  },
  {
    name: 'timeframe',
    required: false,
    values: [],
    help: {
      'en-US': 'Seconds in which the counted events must lie; 360 when absent.',
      'pt-BR': 'Segundos em que os eventos contados precisam cair; 360 quando ausente.',
    },
    read: (reader, attribute) => {
      if (!DIGITS.test(attribute.value)) return refuse(reader, 'rule_timeframe_invalid', attribute, TIMEFRAME_DIGITS)
      reader.draft.timeframe = readTruncated(reader, attribute, TIMEFRAME_DIGITS) ?? reader.draft.timeframe
      return true
    },
    meaning: ({ timeframe }) => unlessDefault(timeframe, DEFAULT_TIMEFRAME),
  },
  {
    name: 'ignore',
    required: false,
    values: [],
    help: { 'en-US': 'Seconds for which the rule stays silent after it fired.', 'pt-BR': 'Segundos em que a regra fica em silêncio depois de disparar.' },
    read: (reader, attribute) => {
      if (!DIGITS.test(attribute.value)) return refuse(reader, 'rule_attribute_invalid', attribute)
      reader.draft.ignore = readTruncated(reader, attribute, 6) ?? reader.draft.ignore
      return true
    },
    meaning: ({ ignore }) => unlessDefault(ignore, 0),
  },
  {
    name: 'overwrite',
    required: false,
    values: ['yes', 'no'],
    help: {
      'en-US': 'Replaces the rule of the same id that was loaded before. Its place in the tree stays.',
      'pt-BR': 'Substitui a regra de mesmo id já carregada. O lugar dela na árvore permanece.',
    },
    read: (reader, attribute) => {
      if (attribute.value !== 'yes' && attribute.value !== 'no') return refuse(reader, 'rule_attribute_invalid', attribute)
      reader.draft.overwrite = attribute.value === 'yes'
      return true
    },
    meaning: ({ overwrite }) => unlessDefault(overwrite, false),
  },
  {
    name: 'noalert',
    required: false,
    values: ['0', '1'],
    help: {
      'en-US': '1: the rule is only a container, it never answers itself.',
      'pt-BR': '1: a regra é só um recipiente e nunca responde por si.',
    },
    read: (reader, attribute) => {
      // Any other value is read as 0.
      reader.draft.noalert = attribute.value === '1'
      if (attribute.value !== '0' && attribute.value !== '1') reader.reportAttribute('rule_noalert_invalid', attribute, { name: 'noalert', value: attribute.value })
      return true
    },
    meaning: ({ noalert }) => unlessDefault(noalert, false),
  },
  {
    name: 'accuracy',
    required: false,
    values: [],
    help: { 'en-US': '0 moves the rule behind all its siblings.', 'pt-BR': '0 põe a regra atrás de todas as irmãs.' },
    read: (reader, attribute) => {
      if (!DIGITS.test(attribute.value)) return refuse(reader, 'rule_attribute_invalid', attribute)
      if (attribute.value === '') reader.reportAttribute('rule_attribute_empty', attribute, { name: 'accuracy' })
      else reader.draft.accuracy = Number(attribute.value.slice(0, 4)) !== 0
      return true
    },
    check: (reporter) => {
      if (reporter.rule.definition.attribute('accuracy') !== undefined) reporter.atAttribute('rule_accuracy_used', 'accuracy', {})
    },
    meaning: ({ accuracy }) => unlessDefault(accuracy, true),
  },
]

const BY_NAME = new Map(RULE_ATTRIBUTES.map((attribute) => [attribute.name, attribute]))

export function findRuleAttribute(name: string): RuleAttribute | undefined {
  return BY_NAME.get(name.toLowerCase())
}
