import { meaningOf, type ValueOption } from './option.js'

export const ftsComment: ValueOption<string | null> = {
  name: 'ftscomment',
  repeat: 'joined',
  help: { 'en-US': 'Text that is shown with the decoder when it has fts.', 'pt-BR': 'Texto mostrado junto ao decoder quando ele tem fts.' },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<ftscomment>First time this user logged in.</ftscomment>',
      around: '<prematch>^login </prematch><regex offset="after_prematch">^(\\S+)</regex><order>user</order><fts>name, user</fts>',
      events: [{ event: 'login ana', decoder: 'example', fields: { dstuser: 'ana' } }],
    },
  ],
  byDefault: null,
  read: (reader, element) => reader.draft.setValue(ftsComment, reader.joinText('ftscomment', reader.draft.valueOf(ftsComment), element)),
  meaning: (definition) => meaningOf(definition, ftsComment),
}
