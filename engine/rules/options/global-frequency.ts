import type { OtherOption } from './option.js'

export const globalFrequency: OtherOption = {
  name: 'global_frequency',
  part: 'correlation',
  repeat: 'once',
  help: {
    'en-US': 'Counts the events of all agents; otherwise only those of the same agent count.',
    'pt-BR': 'Conta os eventos de todos os agentes; sem ela, só os do mesmo agente contam.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<global_frequency />',
      around: '<if_matched_sid>5716</if_matched_sid>',
      attributes: 'frequency="2" timeframe="60"',
      before: '<rule id="5716" level="5"><match>login failed</match><description>a</description></rule>',
      matches: [['login failed', 'login failed']],
      misses: ['login failed'],
    },
  ],
  read: (reader) => {
    reader.draft.globalFrequency = true
  },
  meaning: (definition) => definition.globalFrequency || undefined,
}
