import { joinTag } from './joined-text.js'
import type { OtherOption } from './option.js'

export const ifLevel: OtherOption = {
  name: 'if_level',
  part: 'placement',
  repeat: 'joined',
  help: {
    'en-US': 'Puts the rule under every rule of at least this level. Level 0 counts as 99 here, so it sees practically every event.',
    'pt-BR': 'Põe a regra abaixo de toda regra de pelo menos este nível. O nível 0 conta como 99 aqui, então ela vê praticamente todo evento.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_level>7</if_level>',
      before: '<rule id="5710" level="8"><match>disk full</match><description>a</description></rule>',
      matches: ['disk full'],
    },
  ],
  read: (reader, element) => {
    if (/^[0-9]*$/.test(element.content)) reader.draft.ifLevel = joinTag(reader, reader.draft.ifLevel, element, ' ')
    else reader.skip('rule_if_level_invalid', element, { value: element.content })
  },
  meaning: ({ ifLevel: level }) => (level === null ? undefined : Number(level)),
}
