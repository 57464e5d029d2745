import { DECODER_TYPES } from '../../event/event.js'
import type { DecoderOption } from './option.js'

export const type: DecoderOption = {
  name: 'type',
  exactCase: true,
  repeat: 'last',
  onlyReported: true,
  help: { 'en-US': 'Category of the events: only rules of this category are tried.', 'pt-BR': 'Categoria dos eventos: só regras desta categoria são tentadas.' },
  attributes: [],
  values: DECODER_TYPES,
  examples: [{ xml: '<type>firewall</type>', around: '<prematch>^drop </prematch>', events: [{ event: 'drop 203.0.113.7', decoder: 'example' }] }],
  read: (reader, element) => {
    const known = DECODER_TYPES.find((word) => word === element.content)
    if (known === undefined) reader.refuse('decoder_type_invalid', element, { value: element.content }, { known: DECODER_TYPES })
    else reader.draft.type = known
  },
  meaning: (definition) => (definition.type === 'syslog' ? undefined : definition.type),
}
