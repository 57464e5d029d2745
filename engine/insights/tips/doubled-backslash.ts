/** The value of a field has two backslashes for each one of the log, as those of Windows events have, and the pattern of an own rule has one (BEHAVIOUR.md#windows-eventchannel). */
import { foldCase, fromByteString } from '../../source/byte-string.js'
import { SUBJECT_DYNAMIC } from '../../rules/condition.js'
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly rule: number
  readonly field: string
  readonly value: string
}

function valuesOf({ near }: ToldRun): Values | null {
  for (const { rule, failure } of near?.failures ?? []) {
    if (failure.kind !== 'condition' || failure.text === undefined || failure.condition.subject < SUBJECT_DYNAMIC) continue
    const { text, condition } = failure
    const { test, field } = condition
    if (test.kind === 'event' || test.negate || !text.includes('\\\\')) continue
    const single = text.replaceAll('\\\\', '\\')
    const passes = test.kind === 'exact' ? single === test.text : test.kind === 'pattern' ? test.expression.test(single, foldCase(single), 0) : test.passes(single)
    if (passes) return { rule: rule.id, field: fromByteString(field ?? ''), value: cutText(text, HINT_TEXT) }
  }
  return null
}

export const doubledBackslash = defineTip<Values>({
  id: 'doubled-backslash',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ rule, field }) => `${rule} ${field}`,
  text: {
    'en-US': ({ rule, field, value }) =>
      `Your rule ${rule} fails at the backslashes of the field "${field}": its value has two for each one of the log, "${value}", and the pattern matches only one. In a pattern two backslashes of the value are \\\\\\\\.`,
    'pt-BR': ({ rule, field, value }) =>
      `A sua regra ${rule} falha nas barras invertidas do campo "${field}": o valor tem duas para cada uma do log, "${value}", e o padrão só casa com uma. Em um padrão, duas barras invertidas do valor são \\\\\\\\.`,
  },
})
