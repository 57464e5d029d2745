import { OFFSETS, type Offset, type PluginName, PLUGINS } from '../../event/decoder.js'
import type { XmlElement } from '../../xml/node.js'
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
  repeatCounts: (element) => nameIn(element) !== undefined,
  read: (reader, element) => {
    const name = nameIn(element)
    const isRepeat = reader.draft.plugin !== null
    if (name === undefined && isRepeat) {
      reader.report('decoder_plugin_repeat_ignored', element, { value: element.content, kept: reader.draft.plugin?.name ?? '' }, { known: PLUGINS })
    } else if (name === undefined) reader.refuse('decoder_plugin_unknown', element, { value: element.content }, { known: PLUGINS })
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

function nameIn({ content }: XmlElement): PluginName | undefined {
  return PLUGINS.find((known) => known === content)
}
