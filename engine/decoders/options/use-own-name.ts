import { meaningOf, type ValueOption } from './option.js'

export const useOwnName: ValueOption<boolean> = {
  name: 'use_own_name',
  repeat: 'once',
  onlyReported: true,
  help: {
    'en-US': 'A child keeps its own name instead of its parent\'s. Only the word "true" sets it.',
    'pt-BR': 'O filho mantém o próprio nome em vez do nome do pai. Só a palavra "true" liga a opção.',
  },
  attributes: [],
  values: ['true'],
  examples: [
    {
      xml: '<use_own_name>true</use_own_name>',
      around: '<parent>sshd</parent><prematch>^Failed </prematch>',
      before: '<decoder name="sshd"><program_name>^sshd</program_name></decoder>',
      events: [{ event: 'Jan  5 10:11:12 web1 sshd[2201]: Failed password', decoder: 'example' }],
    },
  ],
  byDefault: false,
  read: (reader, element) => {
    if (element.content === 'true') reader.draft.setValue(useOwnName, true)
    else reader.report('decoder_option_value_ignored', element, { name: 'use_own_name', value: element.content, expected: 'true' })
  },
  meaning: (definition) => meaningOf(definition, useOwnName),
}
