import type { OtherOption } from './option.js'

export const description: OtherOption = {
  name: 'description',
  part: 'metadata',
  repeat: 'joined',
  help: {
    'en-US': 'What the alert says. Required. $(field) is replaced by the value of a field.',
    'pt-BR': 'O que o alerta diz. Obrigatória. $(campo) é trocado pelo valor de um campo.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<description>sshd: login failed for $(dstuser) from $(srcip)</description>',
      matches: ['{"dstuser": "ana", "srcip": "203.0.113.7"}'],
      answer: { description: 'sshd: login failed for ana from 203.0.113.7' },
    },
  ],
  read: (reader, element) => {
    // Only the first line break of each text becomes a blank.
    const text = { ...element, content: element.content.replace('\n', ' ') }
    reader.draft.description = reader.joinText(reader.draft.description, text, 'description')
  },
  meaning: (definition) => definition.description ?? '',
}
