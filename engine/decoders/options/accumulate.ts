import { meaningOf, type ValueOption } from './option.js'

export const accumulate: ValueOption<boolean> = {
  name: 'accumulate',
  repeat: 'once',
  onlyReported: true,
  help: {
    'en-US': 'Fields of earlier events with the same id are filled in. Any content switches it on.',
    'pt-BR': 'Completa com campos de eventos anteriores de mesmo id. Qualquer conteúdo liga a opção.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<accumulate />',
      around: '<prematch>^mail </prematch><plugin_decoder offset="after_prematch">JSON_Decoder</plugin_decoder>',
      events: [
        { event: 'mail {"id": "q1", "srcip": "203.0.113.7"}', decoder: 'example', fields: { id: 'q1', srcip: '203.0.113.7' } },
        { event: 'mail {"id": "q1", "status": "sent"}', decoder: 'example', fields: { id: 'q1', status: 'sent', srcip: '203.0.113.7' } },
      ],
    },
  ],
  byDefault: false,
  read: (reader, element) => {
    reader.draft.setValue(accumulate, true)
    if (element.content !== '') reader.report('decoder_accumulate_content', element, { value: element.content })
  },
  meaning: (definition) => meaningOf(definition, accumulate),
}
