import { STATIC_FIELDS } from '../../event/static-fields.js'
import { nonEmptySetOf } from '../../expressions/meaning.js'
import { append } from '../../source/append.js'
import { foldCase } from '../../source/byte-string.js'
import { TEXT_FAILS } from './explanations.js'
import type { ConditionOption } from './option.js'
import { checkEdges, NEGATE_ATTRIBUTE, patternMeaning, readDialect, readNegate, type RulePattern, TYPE_ATTRIBUTE } from './pattern-text.js'

/** Maximum number of `<field>` tags of a rule (internal option `analysisd.decoder_order_size`). */
const FIELD_LIMIT = 256

/** Names that Wazuh refuses, in any case, because they have separate tags. */
export const STATIC_NAMES: ReadonlySet<string> = new Set([...STATIC_FIELDS, 'user', 'srcgeoip', 'dstgeoip'])

export interface FieldCondition extends RulePattern {
  /** As written. */
  readonly name: string
}

export interface FieldConditions {
  readonly accepted: readonly FieldCondition[]
  /** Conditions refused for their name: a survey still compiles their patterns, to report their faults. */
  readonly refused: readonly FieldCondition[]
  /** One more than the limit was read. */
  readonly isFull: boolean
}

const NO_FIELDS: FieldConditions = { accepted: [], refused: [], isFull: false }

/** Returns the tag that tests a static field; `user` tests both users. */
export function tagOf(name: string): string {
  return name === 'srcuser' || name === 'dstuser' ? 'user' : name
}

export const field: ConditionOption<FieldConditions> = {
  name: 'field',
  part: 'condition',
  repeat: 'each',
  help: {
    'en-US': `Pattern for one dynamic field; the name ignores case. Every tag is a condition of its own; at most ${FIELD_LIMIT}. Default dialect: osregex.`,
    'pt-BR': `Padrão para um campo dinâmico; o nome é comparado sem diferenciar maiúsculas. Cada tag é uma condição própria; no máximo ${FIELD_LIMIT}. Dialeto padrão: osregex.`,
  },
  attributes: [{ name: 'name', required: true, values: [], help: { 'en-US': 'Name of the dynamic field.', 'pt-BR': 'Nome do campo dinâmico.' } }, TYPE_ATTRIBUTE, NEGATE_ATTRIBUTE],
  values: [],
  examples: [
    {
      xml: '<field name="win.system.eventID">^4625$</field>',
      matches: ['{"win": {"system": {"eventID": "4625"}}}'],
      misses: ['{"win": {"system": {"eventID": "4624"}}}', 'eventID 4625'],
    },
    { xml: '<field name="DEVICE" negate="yes">^disk</field>', matches: ['{"device": "tape"}'], misses: ['{"device": "disk0"}', '{"other": "tape"}'] },
  ],
  read: (reader, element) => {
    const { draft } = reader
    let before = draft.valueOf(field) ?? NO_FIELDS
    const name = element.attributes.find((attribute) => attribute.name === 'name')
    const faults = reader.faultCount
    if (name === undefined) reader.refuse('rule_field_name_missing', element, {})
    else if (STATIC_NAMES.has(name.value.toLowerCase())) {
      reader.refuseAttribute('rule_static_field_as_dynamic', name, { name: name.value, tag: tagOf(name.value.toLowerCase()) })
    } else if (before.accepted.length >= FIELD_LIMIT) {
      // Reported once: the fields behind it are over the limit as well.
      if (before.isFull) return
      before = { ...before, isFull: true }
      reader.refuse('rule_too_many_fields', element, { limit: FIELD_LIMIT })
    }
    const isRefused = reader.faultCount > faults
    if (isRefused && !reader.context.survey) return
    const key = isRefused ? 'refused' : 'accepted'
    const condition: FieldCondition = {
      name: name?.value ?? '',
      text: element.content,
      dialect: readDialect(reader, element) ?? 'osregex',
      negate: readNegate(reader, element),
      elements: [element],
    }
    draft.setCondition(field, { ...before, [key]: append(before[key], condition) })
  },
  check: (reporter) => {
    for (const pattern of reporter.rule.definition.valueOf(field)?.accepted ?? []) checkEdges(reporter, 'field', pattern, false)
  },
  meaning: (definition) => nonEmptySetOf((definition.valueOf(field)?.accepted ?? []).map((one) => JSON.stringify([foldCase(one.name), patternMeaning(one)]))),
  cost: 10,
  compile: ({ accepted, refused }, compiler) => {
    for (const one of accepted) compiler.addPattern(field, one, compiler.dynamicSubject(one.name), one.name)
    for (const one of refused) compiler.compilePattern(field, one)
  },
  explain: TEXT_FAILS,
  neededFields: ({ accepted }) => accepted.map(({ name, elements }) => ({ name, field: { dynamic: foldCase(name) }, element: elements[0] })),
}
