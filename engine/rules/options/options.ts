import { nonEmptySetOf } from '../../expressions/meaning.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import type { OtherOption } from './option.js'

const WORDS = ['alert_by_email', 'no_email_alert', 'log_alert', 'no_log', 'no_ar', 'no_full_log', 'no_counter'] as const
export type AlertOption = (typeof WORDS)[number]

/** Clearing a flag that is set also clears an earlier no_counter (Wazuh quirk). */
function clearsNoCounter(word: string, before: ReadonlySet<string>): boolean {
  return (word === 'no_email_alert' && before.has('alert_by_email')) || (word === 'no_log' && before.has('log_alert'))
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
    const read = new Set(reader.draft.options)
    if (clearsNoCounter(word, read)) read.delete('no_counter')
    reader.draft.options = read.add(word)
  },
  check: (reporter) => {
    const seen = new Set<string>()
    for (const element of elementsOf(reporter.owner, 'options')) {
      const word = element.content
      if (clearsNoCounter(word, seen) && seen.has('no_counter')) reporter.report('rule_option_order', element, { value: word })
      seen.add(word)
    }
  },
  meaning: (definition) => nonEmptySetOf(definition.options),
}
