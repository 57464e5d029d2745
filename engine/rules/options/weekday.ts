import { parseWeekdays, WEEKDAY_WORDS } from '../../conditions/weekday.js'
import { SUBJECT_NEVER } from '../condition.js'
import { EVENT_FAILS } from './explanations.js'
import type { ConditionOption } from './option.js'

export const weekday: ConditionOption<readonly number[]> = {
  name: 'weekday',
  part: 'condition',
  repeat: 'last',
  help: {
    'en-US': 'Local weekday at which the event was received: names, weekdays or weekends, separated by commas or blanks.',
    'pt-BR': 'Dia da semana local em que o evento foi recebido: nomes, weekdays ou weekends, separados por vírgulas ou espaços.',
  },
  attributes: [],
  values: [...WEEKDAY_WORDS.keys()],
  examples: [
    { xml: '<weekday>weekends</weekday>', time: { timeOfDay: '12:00', weekday: 6 }, matches: ['hello'] },
    { xml: '<weekday>monday, tue</weekday>', time: { timeOfDay: '12:00', weekday: 3 }, matches: [], misses: ['hello'] },
  ],
  read: (reader, element) => {
    const days = parseWeekdays(element.content)
    if (days === null) return reader.refuse('rule_weekday_invalid', element, { value: element.content }, { known: [...WEEKDAY_WORDS.keys()] })
    reader.draft.setCondition(weekday, [...days].sort())
  },
  meaning: (definition) => definition.valueOf(weekday),
  cost: 51,
  compile: (days, compiler) =>
    compiler.add(weekday, { key: `weekday ${days.join()}`, subject: SUBJECT_NEVER, test: { kind: 'event', passes: (_, clock) => days.includes(clock.local().weekday) } }),
  explain: EVENT_FAILS,
}
