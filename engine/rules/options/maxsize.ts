import { SUBJECT_LOG } from '../condition.js'
import { EVENT_FAILS } from './explanations.js'
import type { ConditionKind } from './option.js'

/** The condition of the attribute `maxsize`: a minimum length of the log, despite its name. */
export const minimumLength: ConditionKind<number> = {
  name: 'maxsize',
  cost: 40,
  compile: (minimum, compiler) =>
    compiler.add(minimumLength, { key: `maxsize ${minimum}`, subject: SUBJECT_LOG, test: { kind: 'event', passes: ({ log }) => log.length >= minimum }, shown: String(minimum) }),
  explain: EVENT_FAILS,
}
