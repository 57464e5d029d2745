/** The family `<program_name>`, `<prematch>` and `<regex>`: patterns that differ by the text that they test, and by the start of the match. */
import type { Localized } from '../../diagnostics/text.js'
import type { Dialect } from '../../expressions/expression.js'
import { textMeaning } from '../../expressions/meaning.js'
import { append } from '../../source/append.js'
import type { XmlElement } from '../../xml/node.js'
import { type OptionAttribute, typeAttribute } from '../../xml/tag-option.js'
import { type DecoderDefinition, OFFSETS, type Offset, type PatternSource } from '../../event/decoder.js'
import type { DecoderReader } from '../parse.js'
import type { DecoderExample, DecoderOption } from './option.js'

export const PATTERN_TAGS = ['program_name', 'prematch', 'regex'] as const
export type PatternTag = (typeof PATTERN_TAGS)[number]

/** The member of the definition that has each pattern. */
const KEY = { program_name: 'programName', prematch: 'prematch', regex: 'regex' } as const satisfies Record<PatternTag, keyof DecoderDefinition>

/** Accepted dialects; the first one is the default. */
const DIALECTS: Readonly<Record<PatternTag, readonly [Dialect, ...Dialect[]]>> = {
  program_name: ['osmatch', 'osregex', 'pcre2'],
  prematch: ['osregex', 'pcre2'],
  regex: ['osregex', 'pcre2'],
}

/** Returns the patterns that a decoder has. */
export function patternsOf(definition: DecoderDefinition): { tag: PatternTag; pattern: PatternSource }[] {
  return PATTERN_TAGS.flatMap((tag) => {
    const pattern = definition[KEY[tag]]
    return pattern === null ? [] : [{ tag, pattern }]
  })
}

/** @param values offsets that are valid for the tag */
export function offsetAttribute(values: readonly Offset[]): OptionAttribute {
  return {
    name: 'offset',
    required: false,
    values,
    help: { 'en-US': 'Where the search begins. Only the first of repeated tags may have it.', 'pt-BR': 'Onde a busca começa. Entre tags repetidas, só a primeira pode ter.' },
  }
}

function patternOption(tag: PatternTag, offsets: readonly Offset[], help: Localized, examples: DecoderOption['examples']): DecoderOption {
  const type = typeAttribute(DIALECTS[tag])
  return {
    name: tag,
    repeat: 'joined',
    help,
    attributes: offsets.length === 0 ? [type] : [type, offsetAttribute(offsets)],
    values: [],
    examples,
    read: (reader, element) => {
      // An empty program_name is a common way to accept any program.
      if (element.content === '' && tag !== 'program_name') reader.report('decoder_element_empty', element, { name: tag })
      reader.draft[KEY[tag]] = joinPattern(reader, tag, reader.draft[KEY[tag]], element)
    },
    check: (reporter) => {
      const { parent, programName } = reporter.definition
      if (tag === 'program_name' && parent !== null && programName !== null) reporter.report('decoder_program_name_in_child', programName.elements[0], {})
    },
    meaning: (definition) => {
      const pattern = definition[KEY[tag]]
      return pattern === null ? undefined : [pattern.dialect, pattern.offset, textMeaning(pattern.dialect, pattern.text)]
    },
  }
}

/** Joins the texts of repeated tags. The last one decides the dialect, and only the first one may have a known offset. Null: the text is too long. */
function joinPattern(reader: DecoderReader, tag: PatternTag, before: PatternSource | null, element: XmlElement): PatternSource | null {
  const dialect = readDialect(reader, tag, element)
  let offset: Offset = before?.offset ?? 'none'
  const written = tag === 'program_name' ? undefined : element.attributes.find((attribute) => attribute.name === 'offset')
  if (written !== undefined) {
    const known = OFFSETS.find((word) => word !== 'none' && word === written.value.toLowerCase())
    if (known === undefined) {
      // Wazuh logs this as an error for the first prematch, else as a warning; all load.
      const code = tag === 'prematch' && before === null ? 'decoder_prematch_offset_unknown' : 'decoder_offset_invalid'
      reader.reportAttribute(code, written, { name: tag, value: written.value }, { known: OFFSETS.slice(1) })
    } else if (before !== null) reader.refuseAttribute('decoder_offset_duplicate', written, { name: tag })
    else offset = known
  }
  const text = reader.joinText(tag, before?.text ?? null, element)
  return text === null ? null : { text, dialect, offset, elements: append(before?.elements ?? [], element) }
}

function readDialect(reader: DecoderReader, tag: PatternTag, element: XmlElement): Dialect {
  const known = DIALECTS[tag]
  const written = element.attributes.find((attribute) => attribute.name === 'type')
  if (written === undefined) return known[0]
  const dialect = known.find((word) => word === written.value.toLowerCase())
  if (dialect !== undefined) return dialect
  reader.reportAttribute('decoder_expression_type_invalid', written, { name: tag, value: written.value, expected: known.join(', '), default: known[0] })
  return known[0]
}

const SSHD = '<decoder name="sshd"><program_name>^sshd</program_name></decoder>'
const header = (log: string): string => `Jan  5 10:11:12 web1 sshd[2201]: ${log}`
const PROGRAM_EXAMPLE: DecoderExample = {
  xml: '<program_name>^sshd</program_name>',
  events: [
    { event: header('hello'), decoder: 'example' },
    { event: 'Jan  5 10:11:12 web1 cron[1]: hello', decoder: null },
  ],
}
const PREMATCH_EXAMPLE: DecoderExample = {
  xml: '<prematch offset="after_parent">^Failed \\S+ for </prematch>',
  around: '<parent>sshd</parent><use_own_name>true</use_own_name>',
  before: SSHD,
  events: [
    { event: header('Failed password for root'), decoder: 'example' },
    { event: header('Accepted password for root'), decoder: 'sshd' },
  ],
}
const REGEX_EXAMPLE: DecoderExample = {
  xml: '<regex offset="after_prematch">^(\\S+) from (\\S+)</regex>',
  around: '<prematch>^login </prematch><order>user, srcip</order>',
  events: [
    { event: 'login ana from 203.0.113.7', decoder: 'example', fields: { dstuser: 'ana', srcip: '203.0.113.7' } },
    { event: 'login ana', decoder: 'example', fields: {} },
  ],
}

export const programName = patternOption(
  'program_name',
  [],
  {
    'en-US': 'Pattern for the program name of the syslog header. Selects the root; in a child it is compiled and never used.',
    'pt-BR': 'Padrão para o nome do programa no cabeçalho syslog. Seleciona a raiz; em um filho é compilado e nunca usado.',
  },
  [PROGRAM_EXAMPLE],
)
export const prematch = patternOption(
  'prematch',
  ['after_parent'],
  { 'en-US': 'Pattern that must match for the decoder to be chosen.', 'pt-BR': 'Padrão que precisa casar para o decoder ser escolhido.' },
  [PREMATCH_EXAMPLE],
)
export const regex = patternOption(
  'regex',
  ['after_parent', 'after_prematch', 'after_regex'],
  { 'en-US': 'Pattern whose groups become the fields named in order.', 'pt-BR': 'Padrão cujos grupos viram os campos nomeados em order.' },
  [REGEX_EXAMPLE],
)
