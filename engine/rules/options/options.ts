import { nonEmptySetOf } from '../../expressions/meaning.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import { EMAIL_ALERT_LEVEL, LOG_ALERT_LEVEL } from '../alert-levels.js'
import type { OtherOption } from './option.js'

const WORDS = ['alert_by_email', 'no_email_alert', 'log_alert', 'no_log', 'no_ar', 'no_full_log', 'no_counter'] as const
export type AlertOption = (typeof WORDS)[number]

/** Flags that an option sets and another one clears. A rule of at least the level begins with the flag. */
const FLAGS = [
  { set: 'alert_by_email', clear: 'no_email_alert', level: EMAIL_ALERT_LEVEL },
  { set: 'log_alert', clear: 'no_log', level: LOG_ALERT_LEVEL },
] as const

/**
 * Adds a word to the options that are in effect, in which one of `set` and `clear` replaces the other. Clearing a flag that is set also clears an earlier
 * `no_counter` (Wazuh quirk).
 *
 * @returns whether it cleared one
 */
function apply(word: AlertOption, inEffect: Set<AlertOption>, level: number): boolean {
  const flag = FLAGS.find(({ set, clear }) => word === set || word === clear)
  let isCleared = false
  if (flag !== undefined) {
    const isSet = inEffect.has(flag.set) || (level >= flag.level && !inEffect.has(flag.clear))
    if (word === flag.clear && isSet) isCleared = inEffect.delete('no_counter')
    inEffect.delete(word === flag.set ? flag.clear : flag.set)
  }
  inEffect.add(word)
  return isCleared
}

export const options: OtherOption = {
  name: 'options',
  part: 'metadata',
  repeat: 'each',
  help: { 'en-US': 'One word a tag that changes how the alert is handled.', 'pt-BR': 'Uma palavra por tag que muda o tratamento do alerta.' },
  attributes: [],
  values: WORDS,
  examples: [
    { xml: '<options>no_full_log</options>', matches: ['hello'] },
    { xml: '<options>no_counter</options>', matches: ['hello'], answer: { firedtimes: null } },
  ],
  read: (reader, element) => {
    const word = WORDS.find((known) => known === element.content)
    if (word === undefined) return reader.refuse('rule_options_invalid', element, { value: element.content }, { known: WORDS })
    const { draft } = reader
    const inEffect = new Set(draft.options)
    apply(word, inEffect, draft.level)
    draft.options = inEffect
  },
  check: (reporter) => {
    const inEffect = new Set<AlertOption>()
    for (const element of elementsOf(reporter.owner, 'options')) {
      const word = WORDS.find((known) => known === element.content)
      if (word !== undefined && apply(word, inEffect, reporter.rule.definition.level)) reporter.report('rule_option_order', element, { value: word })
    }
  },
  meaning: (definition) => nonEmptySetOf(definition.options),
}
