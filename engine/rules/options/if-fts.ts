import type { MatcherOption } from './option.js'

interface NotFirst {
  /** Null: no decoder matched. */
  readonly decoder: string | null
  readonly hasFts: boolean
}

export const ifFts: MatcherOption<NotFirst> = {
  name: 'if_fts',
  part: 'condition',
  repeat: 'once',
  help: {
    'en-US': "Passes when the combination of fields that the decoder's fts names is seen for the first time.",
    'pt-BR': 'Passa quando a combinação de campos citada no fts do decoder é vista pela primeira vez.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_fts />',
      decoders:
        '<decoder name="door"><prematch>^door </prematch></decoder><decoder name="door-user"><parent>door</parent><prematch offset="after_parent">^opened by </prematch><regex offset="after_prematch">^(\\S+)</regex><order>user</order><fts>name, user</fts></decoder>',
      matches: ['door opened by ana', ['door opened by ana', 'door opened by bob']],
      misses: [['door opened by ana', 'door opened by ana'], 'hello'],
    },
  ],
  read: (reader) => {
    reader.draft.ifFts = true
  },
  meaning: (definition) => definition.ifFts || undefined,
  explain: {
    'en-US': ({ decoder, hasFts }) =>
      hasFts
        ? 'if_fts passes only the first time, and these values were seen before.'
        : `if_fts needs a decoder with <fts>, and ${decoder === null ? 'no decoder matched' : `"${decoder}" has none`}.`,
    'pt-BR': ({ decoder, hasFts }) =>
      hasFts
        ? 'if_fts só passa na primeira vez, e estes valores já foram vistos.'
        : `if_fts precisa de um decoder com <fts>, e ${decoder === null ? 'nenhum decoder casou' : `"${decoder}" não tem`}.`,
  },
}
