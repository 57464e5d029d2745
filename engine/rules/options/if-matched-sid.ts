import { type FailedSearch, SEARCH_FAILS } from './explanations.js'
import { ID_DIGITS } from '../attributes.js'
import { wrongNumberOf } from '../wrong-number.js'
import type { MatcherOption } from './option.js'

export const ifMatchedSid: MatcherOption<FailedSearch> = {
  name: 'if_matched_sid',
  part: 'correlation',
  repeat: 'last',
  help: { 'en-US': 'Counts earlier events that ended in this one rule.', 'pt-BR': 'Conta eventos anteriores que terminaram nesta regra.' },
  attributes: [],
  values: [],
  examples: [
    {
      xml: '<if_matched_sid>5716</if_matched_sid>',
      attributes: 'frequency="3" timeframe="60"',
      before: '<rule id="5716" level="5"><match>login failed</match><description>a</description></rule>',
      matches: [['login failed', 'login failed', 'login failed']],
      misses: ['login failed', ['login failed', 'login failed']],
    },
  ],
  read: (reader, element) => {
    if (!/^[0-9]*$/.test(element.content)) return reader.skip('rule_if_matched_sid_invalid', element, { value: element.content }, wrongNumberOf(element.content, ID_DIGITS))
    reader.draft.ifMatchedSid = element.content
  },
  meaning: ({ ifMatchedSid: id }) => id?.replace(/^0+(?=\d)/, ''),
  explain: SEARCH_FAILS,
}
