import { OFFSETS, type Offset, PLUGINS } from '../../event/decoder.js'
import type { DecoderOption } from './option.js'
import { offsetAttribute } from './patterns.js'

export const pluginDecoder: DecoderOption = {
  name: 'plugin_decoder',
  repeat: 'last',
  help: { 'en-US': 'Built-in extractor instead of regex and order.', 'pt-BR': 'Extrator embutido no lugar de regex e order.' },
  attributes: [offsetAttribute(['after_parent', 'after_prematch'])],
  values: PLUGINS,
  examples: [
    {
      xml: '<plugin_decoder offset="after_prematch">JSON_Decoder</plugin_decoder>',
      around: '<prematch>^app: </prematch>',
      events: [{ event: 'app: {"user": {"name": "ana"}}', decoder: 'example', fields: { 'user.name': 'ana' } }],
    },
  ],
  read: (reader, element) => {
    const name = PLUGINS.find((known) => known === element.content)
    if (name === undefined) reader.refuse('decoder_plugin_unknown', element, { value: element.content }, { known: PLUGINS })
    const written = element.attributes.find((attribute) => attribute.name === 'offset')
    let offset: Offset = 'none'
    if (written !== undefined) {
      const known = OFFSETS.find((word) => word === written.value.toLowerCase() && word !== 'none')
      if (known === undefined) return reader.refuseAttribute('decoder_plugin_offset_invalid', written, { value: written.value }, { known: OFFSETS.slice(1) })
      offset = known
    }
    if (name === undefined) return
    reader.draft.plugin = { name, offset }
    reader.draft.pluginElement = element
  },
  meaning: ({ plugin }) => (plugin === null ? undefined : [plugin.name, plugin.offset]),
}
