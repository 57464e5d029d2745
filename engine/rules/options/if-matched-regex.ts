import { type FailedSearch, SEARCH_FAILS } from './explanations.js'
import { joinTag } from './joined-text.js'
import type { MatcherOption } from './option.js'

export const ifMatchedRegex: MatcherOption<FailedSearch> = {
  name: 'if_matched_regex',
  part: 'correlation',
  repeat: 'joined',
  help: {
    'en-US': 'Counts earlier events of the same decoder type whose log matches this OSRegex.',
    'pt-BR': 'Conta eventos anteriores do mesmo tipo de decoder cujo log casa com este OSRegex.',
  },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_matched_regex>^Failed</if_matched_regex>',
      around: '<if_sid>5716</if_sid>',
      attributes: 'frequency="2" timeframe="60"',
      before: '<rule id="5716" level="5"><match>login</match><description>a</description></rule>',
      matches: [['Failed login', 'login']],
      misses: ['Failed login', ['login', 'Failed login']],
    },
  ],
  read: (reader, element) => {
    reader.draft.ifMatchedRegex = joinTag(reader, reader.draft.ifMatchedRegex, element, '')
  },
  meaning: ({ ifMatchedRegex: pattern }) => pattern ?? undefined,
  explain: SEARCH_FAILS,
}
