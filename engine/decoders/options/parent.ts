import type { DecoderOption } from './option.js'

export const parent: DecoderOption = {
  name: 'parent',
  repeat: 'joined',
  help: {
    'en-US': 'Name of the root decoder that this one refines. The parent must be loaded before, and must not be a child itself.',
    'pt-BR': 'Nome do decoder raiz que este refina. O pai precisa ser carregado antes e não pode ser ele mesmo um filho.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<parent>sshd</parent>',
      around: '<prematch>^Failed </prematch><regex offset="after_prematch">^(\\S+)</regex><order>method</order>',
      before: '<decoder name="sshd"><program_name>^sshd</program_name></decoder>',
      events: [{ event: 'Jan  5 10:11:12 web1 sshd[2201]: Failed password', decoder: 'sshd', fields: { method: 'password' } }],
    },
  ],
  read: (reader, element) => {
    reader.draft.parent = reader.joinText('parent', reader.draft.parent, element)
  },
  meaning: (definition) => definition.parent ?? undefined,
}
