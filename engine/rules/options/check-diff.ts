import { isComposite } from '../rule.js'
import { MATCHED_TAGS } from './if-matched.js'
import type { MatcherOption } from './option.js'

export const checkDiff: MatcherOption<null> = {
  name: 'check_diff',
  part: 'condition',
  repeat: 'once',
  help: {
    'en-US': 'Passes when the log differs from the last one of this host and rule. It switches off any history search of the rule.',
    'pt-BR': 'Passa quando o log difere do último deste host e regra. Desliga qualquer busca no histórico feita pela regra.',
  },
  attributes: [],
  values: [],
  examples: [{ xml: '<check_diff />', matches: [['df: 80%', 'df: 81%']], misses: ['df: 80%', ['df: 80%', 'df: 80%']] }],
  read: (reader) => {
    reader.draft.checkDiff = true
  },
  check: (reporter) => {
    const { definition } = reporter.rule
    if (!isComposite(definition)) return
    const tag = MATCHED_TAGS.find((name) => definition.places.has(name)) ?? MATCHED_TAGS[0]
    reporter.at('rule_check_diff_disables_search', 'check_diff', { tag })
  },
  meaning: (definition) => definition.checkDiff || undefined,
  explain: {
    'en-US': () => 'check_diff passes only when an earlier event of this host and rule had another text.',
    'pt-BR': () => 'check_diff só passa quando um evento anterior deste host e regra tinha outro texto.',
  },
}
