import { STATIC_INDEX } from '../../event/static-fields.js'
import { setOf } from '../../expressions/meaning.js'
import { foldCase } from '../../source/byte-string.js'
import type { XmlElement } from '../../xml/node.js'
import type { DecoderReader } from '../parse.js'
import type { DecoderOption } from './option.js'
import { splitWords } from './words.js'

/** Words that are not dynamic fields, with the static field that they read; null = none. */
const WORDS: ReadonlyMap<string, number | null> = new Map<string, number | null>([
  ['name', null],
  ['location', null],
  ['user', STATIC_INDEX.dstuser],
  ['dstuser', STATIC_INDEX.dstuser],
  ['srcuser', STATIC_INDEX.srcuser],
  ['srcip', STATIC_INDEX.srcip],
  ['dstip', STATIC_INDEX.dstip],
  ['id', STATIC_INDEX.id],
  ['data', STATIC_INDEX.data],
  // Wazuh quirk: it reads data.
  ['extra_data', STATIC_INDEX.data],
  ['system_name', STATIC_INDEX.system_name],
])

export const fts: DecoderOption = {
  name: 'fts',
  repeat: 'each',
  onlyReported: true,
  help: {
    'en-US': 'Fields that make up the "first time seen" key of if_fts rules.',
    'pt-BR': 'Campos que formam a chave de "visto pela primeira vez" das regras com if_fts.',
  },
  attributes: [],
  values: [...WORDS.keys()],
  examples: [
    {
      xml: '<fts>name, user, location</fts>',
      around: '<prematch>^login </prematch><regex offset="after_prematch">^(\\S+)</regex><order>user</order>',
      events: [{ event: 'login ana', decoder: 'example', fields: { dstuser: 'ana' } }],
    },
  ],
  read: readFts,
  meaning: ({ fts: fields }) => (fields === null ? undefined : [setOf(fields.statics.map(String)), fields.location, fields.name, setOf(fields.dynamic.map(foldCase))]),
}

function readFts(reader: DecoderReader, element: XmlElement): void {
  const before = reader.draft.fts
  const fields = {
    statics: new Set(before?.statics ?? []),
    location: before?.location ?? false,
    name: before?.name ?? false,
    dynamic: new Set(before?.dynamic ?? []),
  }
  const { order } = reader.draft
  for (const word of splitWords(element.content)) {
    const index = WORDS.get(word)
    if (word === '') return reader.refuse('decoder_fts_field_invalid', element, { value: word })
    if (index === undefined) {
      if (order === null) {
        // A wrong order has another diagnostic.
        if (reader.draft.orderElement === null) reader.report('decoder_fts_before_order', element, { value: word })
        continue
      }
      const firstStatic = order.findIndex((known) => known.staticIndex >= 0)
      const leading = firstStatic < 0 ? order : order.slice(0, firstStatic)
      const found = leading.find((known) => known.name.toLowerCase() === word.toLowerCase())
      if (found === undefined) return reader.refuse('decoder_fts_field_invalid', element, { value: word }, { known: [...WORDS.keys(), ...leading.map((known) => known.name)] })
      fields.dynamic.add(found.name)
    } else if (index !== null) fields.statics.add(index)
    else if (word === 'location') fields.location = true
    else fields.name = true
    if (word === 'extra_data') reader.report('decoder_fts_extra_data', element, {})
  }
  // Ignored words set nothing, and then the decoder has no fts.
  if (!fields.name && !fields.location && fields.statics.size === 0 && fields.dynamic.size === 0) return
  reader.draft.fts = { ...fields, statics: [...fields.statics], dynamic: [...fields.dynamic] }
  reader.draft.ftsElement = element
}
