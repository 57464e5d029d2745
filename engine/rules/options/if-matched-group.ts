import { alternativesOf } from '../../expressions/meaning.js'
import { type FailedSearch, SEARCH_FAILS } from './explanations.js'
import { joinTag } from './joined-text.js'
import type { MatcherOption } from './option.js'

export const ifMatchedGroup: MatcherOption<FailedSearch> = {
  name: 'if_matched_group',
  part: 'correlation',
  repeat: 'joined',
  help: {
    'en-US': 'Counts earlier events that ended in a rule, loaded before, whose groups match this text.',
    'pt-BR': 'Conta eventos anteriores que terminaram em uma regra já carregada cujos grupos casam com este texto.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_matched_group>authentication_failed</if_matched_group>',
      attributes: 'frequency="2" timeframe="60"',
      before: '<rule id="5716" level="5"><match>login failed</match><description>a</description><group>authentication_failed,</group></rule>',
      matches: [['login failed', 'login failed']],
      misses: ['login failed', ['hello', 'login failed']],
    },
  ],
  read: (reader, element) => {
    reader.draft.ifMatchedGroup = joinTag(reader, reader.draft.ifMatchedGroup, element, '|')
  },
  meaning: ({ ifMatchedGroup: text }) => (text === null ? undefined : alternativesOf(text)),
  explain: SEARCH_FAILS,
}
