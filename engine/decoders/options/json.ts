/** The family `<json_null_field>` and `<json_array_structure>`: each chooses one of two ways in which JSON_Decoder writes a kind of value. */
import type { Localized } from '../../diagnostics/text.js'
import { type DecoderExample, meaningOf, type ValueOption } from './option.js'

/** @param obsolete a word that Wazuh still accepts as the first one */
function jsonOption<V extends string>(
  name: string,
  words: readonly [byDefault: V, other: V],
  obsolete: string | null,
  help: Localized,
  example: Omit<DecoderExample, 'xml' | 'around'>,
): ValueOption<V> {
  const option: ValueOption<V> = {
    name,
    repeat: 'last',
    onlyReported: true,
    help,
    attributes: [],
    values: words,
    examples: [{ xml: `<${name}>${words[1]}</${name}>`, around: '<prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder>', ...example }],
    byDefault: words[0],
    read: (reader, element) => {
      const value = element.content.toLowerCase()
      if (value === obsolete) reader.report('decoder_json_option_deprecated', element, { name, value: element.content })
      else if (!words.some((word) => word === value)) reader.report('decoder_json_option_invalid', element, { name, value: element.content, expected: words.join(', ') })
      reader.draft.setValue(option, value === words[1] ? words[1] : words[0])
    },
    meaning: (definition) => meaningOf(definition, option),
  }
  return option
}

export const jsonNullField = jsonOption(
  'json_null_field',
  ['string', 'discard'],
  'empty',
  {
    'en-US': 'What JSON_Decoder does with null: keep it as the text "null", or leave the field out.',
    'pt-BR': 'O que o JSON_Decoder faz com null: mantém como o texto "null" ou omite o campo.',
  },
  { events: [{ event: '{"a": null, "b": 1}', decoder: 'example', fields: { b: '1' } }] },
)
export const jsonArrayStructure = jsonOption(
  'json_array_structure',
  ['array', 'csv'],
  null,
  {
    'en-US': 'How JSON_Decoder writes arrays: as JSON text, or as values separated by commas.',
    'pt-BR': 'Como o JSON_Decoder escreve arrays: como texto JSON ou como valores separados por vírgulas.',
  },
  { events: [{ event: '{"a": [1, 2]}', decoder: 'example', fields: { a: '1,2' } }] },
)
