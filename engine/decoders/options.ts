/**
 * The table of decoder tags (engine-decoding.md 4.2): what the parser reads, the checker explains, and `/analysis/schema` shows.
 * To learn what a tag does, read its entry; the parser has no other knowledge of tags.
 */
import { DECODER_TYPES } from '../event/event.js'
import { ORDER_STATIC, STATIC_INDEX } from '../event/static-fields.js'
import type { XmlElement } from '../xml/node.js'
import type { FtsFields, Offset, OrderWord } from '../event/decoder.js'
import { OFFSETS, PLUGINS } from '../event/decoder.js'
import type { DecoderReader } from './parse.js'

/** An attribute of a tag, for the checker and the schema. */
export interface OptionAttribute {
  readonly name: string
  readonly required: boolean
  readonly values: readonly string[]
  readonly help: string
}

export interface DecoderOption {
  readonly name: string
  /** The tag name must be written exactly so; the others compare without case (1.7). */
  readonly exactCase?: boolean
  readonly help: string
  readonly attributes: readonly OptionAttribute[]
  readonly values: readonly string[]
  readonly example: string
  read(reader: DecoderReader, element: XmlElement): void
}

/** Longest joined text of a tag (4.2). */
export const DECODER_TEXT_LIMIT = 1023
/** Internal option `analysisd.decoder_order_size` (4.2). */
export const ORDER_LIMIT = 256

const TYPE_ATTRIBUTE = (values: readonly string[]): OptionAttribute => ({
  name: 'type',
  required: false,
  values,
  help: 'Dialect of the pattern. When the tag is repeated, the last one decides.',
})
const OFFSET_ATTRIBUTE = (values: readonly string[]): OptionAttribute => ({
  name: 'offset',
  required: false,
  values,
  help: 'Where the search begins. Only the first of repeated tags may have it.',
})

export const DECODER_OPTIONS: readonly DecoderOption[] = [
  {
    name: 'parent',
    help: 'Name of the root decoder that this one refines. The parent must be loaded before, and must not be a child itself.',
    attributes: [],
    values: [],
    example: '<parent>sshd</parent>',
    read: (reader, element) => reader.joinText('parent', element),
  },
  {
    name: 'program_name',
    help: 'Pattern for the program name of the syslog header. Selects the root; in a child it is compiled and never used.',
    attributes: [TYPE_ATTRIBUTE(['osmatch', 'osregex', 'pcre2'])],
    values: [],
    example: '<program_name>^sshd</program_name>',
    read: (reader, element) => reader.joinPattern('program_name', element),
  },
  {
    name: 'prematch',
    help: 'Pattern that must match for the decoder to be chosen.',
    attributes: [TYPE_ATTRIBUTE(['osregex', 'pcre2']), OFFSET_ATTRIBUTE(['after_parent'])],
    values: [],
    example: '<prematch offset="after_parent">^Failed \\S+ for </prematch>',
    read: (reader, element) => reader.joinPattern('prematch', element),
  },
  {
    name: 'regex',
    help: 'Pattern whose groups become the fields named in order.',
    attributes: [TYPE_ATTRIBUTE(['osregex', 'pcre2']), OFFSET_ATTRIBUTE(OFFSETS.slice(1))],
    values: [],
    example: '<regex offset="after_prematch">^(\\S+) from (\\S+)</regex>',
    read: (reader, element) => reader.joinPattern('regex', element),
  },
  {
    name: 'order',
    help: `Names of the fields that the groups of regex fill, separated by commas; at most ${ORDER_LIMIT}. The last tag counts.`,
    attributes: [],
    values: [...ORDER_STATIC.keys()],
    example: '<order>srcuser, srcip</order>',
    read: readOrder,
  },
  {
    name: 'type',
    exactCase: true,
    help: 'Category of the events: only rules of this category are tried.',
    attributes: [],
    values: DECODER_TYPES,
    example: '<type>firewall</type>',
    read: (reader, element) => {
      const type = DECODER_TYPES.find((known) => known === element.content)
      if (type === undefined) reader.refuse('decoder_type_invalid', element, { value: element.content }, { known: DECODER_TYPES })
      else reader.draft.type = type
    },
  },
  {
    name: 'use_own_name',
    help: 'A child keeps its own name instead of its parent\'s. Only the word "true" sets it.',
    attributes: [],
    values: ['true'],
    example: '<use_own_name>true</use_own_name>',
    read: (reader, element) => {
      if (element.content === 'true') reader.draft.useOwnName = true
      else reader.report('decoder_option_value_ignored', element, { name: 'use_own_name', value: element.content, expected: 'true' })
    },
  },
  {
    name: 'plugin_decoder',
    help: 'Built-in extractor instead of regex and order.',
    attributes: [OFFSET_ATTRIBUTE(['after_parent', 'after_prematch'])],
    values: PLUGINS,
    example: '<plugin_decoder offset="after_prematch">JSON_Decoder</plugin_decoder>',
    read: readPlugin,
  },
  {
    name: 'accumulate',
    help: 'Fields of earlier events with the same id are filled in. Any content switches it on.',
    attributes: [],
    values: [],
    example: '<accumulate />',
    read: (reader, element) => {
      reader.draft.accumulate = true
      if (element.content !== '') reader.report('decoder_accumulate_content', element, { value: element.content })
    },
  },
  {
    name: 'fts',
    help: 'Fields that make up the "first time seen" key of if_fts rules.',
    attributes: [],
    values: ['name', 'location', 'user', 'dstuser', 'srcuser', 'srcip', 'dstip', 'id', 'data', 'extra_data', 'system_name'],
    example: '<fts>name, user, location</fts>',
    read: readFts,
  },
  {
    name: 'ftscomment',
    help: 'Text that is shown with the decoder when it has fts.',
    attributes: [],
    values: [],
    example: '<ftscomment>First time this user logged in.</ftscomment>',
    read: (reader, element) => reader.joinText('ftscomment', element),
  },
  {
    name: 'json_null_field',
    help: 'What JSON_Decoder does with null: keep it as the text "null", or leave the field out.',
    attributes: [],
    values: ['string', 'discard'],
    example: '<json_null_field>discard</json_null_field>',
    read: (reader, element) => {
      const value = element.content.toLowerCase()
      if (value === 'empty') reader.report('decoder_json_option_deprecated', element, { name: 'json_null_field', value: element.content })
      else if (value !== 'string' && value !== 'discard')
        reader.report('decoder_json_option_invalid', element, { name: 'json_null_field', value: element.content, expected: 'string, discard' })
      reader.draft.jsonNull = value === 'discard' ? 'discard' : 'string'
    },
  },
  {
    name: 'json_array_structure',
    help: 'How JSON_Decoder writes arrays: as JSON text, or as values separated by commas.',
    attributes: [],
    values: ['array', 'csv'],
    example: '<json_array_structure>csv</json_array_structure>',
    read: (reader, element) => {
      const value = element.content.toLowerCase()
      if (value !== 'array' && value !== 'csv')
        reader.report('decoder_json_option_invalid', element, { name: 'json_array_structure', value: element.content, expected: 'array, csv' })
      reader.draft.jsonArray = value === 'csv' ? 'csv' : 'array'
    },
  },
]

const BY_NAME = new Map(DECODER_OPTIONS.map((option) => [option.name, option]))

/** The option that a tag name means, if any. */
export function findDecoderOption(tag: string): DecoderOption | undefined {
  const option = BY_NAME.get(tag.toLowerCase())
  return option?.exactCase === true && option.name !== tag ? undefined : option
}

/**
 * Words of an `order` or `fts` text (4.2): split at commas, `\,` is a comma of the word, leading blanks go, the word ends at the next
 * blank. Tabs and newlines stay, and become part of names.
 */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && text[at + 1] === ',') {
      word += ','
      at++
    } else if (text[at] === ',') {
      words.push(word)
      word = ''
    } else word += text[at]
  }
  words.push(word)
  return words.map((raw) => {
    const trimmed = raw.replace(/^ +/, '')
    const blank = trimmed.indexOf(' ')
    return blank < 0 ? trimmed : trimmed.slice(0, blank)
  })
}

function readOrder(reader: DecoderReader, element: XmlElement): void {
  const words = splitWords(element.content)
  reader.draft.orderElement = element
  if (words.length > ORDER_LIMIT) return reader.refuse('decoder_order_too_many', element, { count: words.length, limit: ORDER_LIMIT })
  if (words.includes('')) return reader.refuse('decoder_order_field_invalid', element, {})
  reader.draft.order = words.map((name): OrderWord => ({ name, staticIndex: ORDER_STATIC.get(name) ?? -1 }))
}

function readPlugin(reader: DecoderReader, element: XmlElement): void {
  const name = PLUGINS.find((known) => known === element.content)
  if (name === undefined) reader.refuse('decoder_plugin_unknown', element, { value: element.content }, { known: PLUGINS })
  const written = element.attributes.find((attribute) => attribute.name === 'offset')
  let offset: Offset = 'none'
  if (written !== undefined) {
    const known = OFFSETS.find((word) => word === written.value.toLowerCase() && word !== 'none')
    if (known === undefined) {
      return reader.refuseAttribute('decoder_plugin_offset_invalid', written, { value: written.value }, { known: OFFSETS.slice(1) })
    }
    offset = known
  }
  if (name === undefined) return
  reader.draft.plugin = { name, offset }
  reader.draft.pluginElement = element
}

/** Words that set a flag, with the static field they look at; null = no static field. */
const FTS_WORDS: ReadonlyMap<string, number | null> = new Map<string, number | null>([
  ['user', STATIC_INDEX.dstuser],
  ['dstuser', STATIC_INDEX.dstuser],
  ['srcuser', STATIC_INDEX.srcuser],
  ['srcip', STATIC_INDEX.srcip],
  ['dstip', STATIC_INDEX.dstip],
  ['id', STATIC_INDEX.id],
  ['data', STATIC_INDEX.data],
  // Quirk: the same flag as data, and it reads data.
  ['extra_data', STATIC_INDEX.data],
  ['system_name', STATIC_INDEX.system_name],
  ['location', null],
  ['name', null],
])

function readFts(reader: DecoderReader, element: XmlElement): void {
  const before = reader.draft.fts
  const fts = {
    statics: new Set(before?.statics ?? []),
    location: before?.location ?? false,
    name: before?.name ?? false,
    dynamic: [...(before?.dynamic ?? [])],
  }
  const order = reader.draft.order
  for (const word of splitWords(element.content)) {
    const index = FTS_WORDS.get(word)
    if (word === '') return reader.refuse('decoder_fts_field_invalid', element, { value: word })
    if (index === undefined) {
      if (order === null) {
        // One that is wrong has a finding of its own.
        if (reader.draft.orderElement === null) reader.report('decoder_fts_before_order', element, { value: word })
        continue
      }
      const firstStatic = order.findIndex((known) => known.staticIndex >= 0)
      const leading = firstStatic < 0 ? order : order.slice(0, firstStatic)
      const found = leading.find((known) => known.name.toLowerCase() === word.toLowerCase())
      if (found === undefined) return reader.refuse('decoder_fts_field_invalid', element, { value: word }, { known: [...FTS_WORDS.keys(), ...leading.map((known) => known.name)] })
      fts.dynamic.push(found.name)
    } else if (index !== null) fts.statics.add(index)
    else if (word === 'location') fts.location = true
    else fts.name = true
    if (word === 'extra_data') reader.report('decoder_fts_extra_data', element, {})
  }
  // Words that are ignored set no flag, and without a flag the decoder has no fts.
  if (!fts.name && !fts.location && fts.statics.size === 0 && fts.dynamic.length === 0) return
  reader.draft.fts = { ...fts, statics: [...fts.statics] } satisfies FtsFields
  reader.draft.ftsElement = element
}
