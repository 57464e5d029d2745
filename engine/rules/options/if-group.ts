import { setOf } from '../../expressions/meaning.js'
import { joinTag } from './joined-text.js'
import type { OtherOption } from './option.js'

export const ifGroup: OtherOption = {
  name: 'if_group',
  part: 'placement',
  repeat: 'joined',
  help: {
    'en-US': 'Puts the rule under every rule, loaded before, whose groups contain this text; "|" separates alternatives.',
    'pt-BR': 'Põe a regra abaixo de toda regra já carregada cujos grupos contêm este texto; "|" separa alternativas.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_group>authentication_failed</if_group>',
      before: '<rule id="5710" level="5"><match>login failed</match><description>a</description><group>authentication_failed,</group></rule>',
      matches: ['login failed'],
      misses: ['hello'],
    },
  ],
  read: (reader, element) => {
    reader.draft.ifGroup = joinTag(reader, reader.draft.ifGroup, element, '|')
  },
  meaning: ({ ifGroup: text, ifMatchedGroup, places }) => (text !== null && (places.has('if_group') || text !== ifMatchedGroup) ? setOf(text.toLowerCase().split('|')) : undefined),
}
