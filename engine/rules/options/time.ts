import { inTimeRange, isIncompleteTime, parseTimeRange, type TimeRange } from '../../conditions/time-range.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import { SUBJECT_NEVER } from '../condition.js'
import { EVENT_FAILS } from './explanations.js'
import type { ConditionOption } from './option.js'

const MINUTES_IN_HOUR = 60

export const time: ConditionOption<TimeRange> = {
  name: 'time',
  part: 'condition',
  repeat: 'last',
  help: {
    'en-US': 'Local time of day at which the event was received. Over midnight both named minutes are outside, and a leading "!" is lost.',
    'pt-BR': 'Hora local em que o evento foi recebido. Passando da meia-noite, os dois minutos citados ficam de fora e um "!" inicial se perde.',
  },
  attributes: [],
  values: [],
  examples: [
    { xml: '<time>6 pm - 8:30 am</time>', time: { timeOfDay: '23:15', weekday: 1 }, matches: ['hello'] },
    { xml: '<time>6 pm - 8:30 am</time>', time: { timeOfDay: '08:30', weekday: 1 }, matches: [], misses: ['hello'] },
    { xml: '<time>!09:00 - 17:00</time>', time: { timeOfDay: '17:01', weekday: 1 }, matches: ['hello'] },
  ],
  read: (reader, element) => {
    const range = parseTimeRange(element.content)
    if (range === null) return reader.refuse('rule_time_invalid', element, { value: element.content })
    if (element.content.includes('!') && !range.negated) reader.report('rule_time_wrapped_negated', element, { value: element.content })
    reader.draft.setCondition(time, range)
  },
  check: (reporter) => {
    if (reporter.rule.definition.valueOf(time) === undefined) return
    for (const element of elementsOf(reporter.owner, 'time')) {
      const { content } = element
      const range = parseTimeRange(content)
      if (range !== null && isIncompleteTime(content)) {
        reporter.report('rule_time_incomplete', element, { value: content, read: `${range.negated ? '!' : ''}${range.from} - ${range.to}` })
      }
      if ([...content.matchAll(/:(\d\d)/g)].some(([, minutes]) => Number(minutes) >= MINUTES_IN_HOUR)) reporter.report('rule_time_minutes', element, { value: content })
    }
  },
  meaning: (definition) => definition.valueOf(time),
  cost: 50,
  compile: (range, compiler) =>
    compiler.add(time, {
      key: `time ${JSON.stringify(range)}`,
      subject: SUBJECT_NEVER,
      test: { kind: 'event', passes: (_, clock) => inTimeRange(clock.local().timeOfDay, range) },
    }),
  explain: EVENT_FAILS,
}
