/** Writes cases in Wazuh's format of suites (`ini-suite.ts`), and says what of a case the format cannot have. */
import { DEFAULT_LOCATION } from '../predecoding/location.js'
import type { TestCase } from '../records/records.js'
import { detectFormat } from './detect-format.js'
import type { IniCase } from './ini-suite.js'
import { caseInputs } from './suite-case.js'

/** A property of a case that the format cannot express. */
export type IniLoss =
  | 'session'
  | 'location'
  | 'times'
  | 'lines'
  | 'format'
  | 'fields'
  | 'rule_ids'
  | 'forbidden_rule_ids'
  | 'level_without_rule'
  | 'decoder_missing'
  | 'rule_missing'
  | 'level_missing'

/** What the name of a case has behind the name of its section. */
const LOG_NUMBER = /, log \S+$/

/** Returns all properties that the format cannot express, with names if they have some; empty: the case becomes a section. */
export function iniLosses(testCase: TestCase): readonly (readonly [loss: IniLoss, names: readonly string[]])[] {
  const { session_id: session = '', expected_fields = {}, expected_rule_ids = [], forbidden_rule_ids = [], expected_level: level } = testCase
  const isQuiet = testCase.expect_no_rule === true
  const isMissing = (expected: string | null | undefined): boolean => !isQuiet && (expected ?? '') === ''
  const inputs = caseInputs(testCase)
  const texts = inputs.map(({ input }) => input.event)
  const locations = inputs.flatMap(({ input }) => input.location ?? []).filter((place) => place !== DEFAULT_LOCATION)
  const times = inputs.map(({ at }) => at)
  const formats = inputs.map(({ input }) => detectFormat(input)).filter((format) => format !== 'syslog')
  const found: readonly (readonly [loss: IniLoss, isLost: boolean, names?: readonly string[]])[] = [
    ['session', session !== '', [session]],
    ['location', locations.length > 0, locations],
    ['times', times.some((at) => at !== 0), times.map(String)],
    ['lines', texts.some((event) => event !== event.trim() || /[\r\n]/.test(event))],
    ['format', formats.length > 0, formats],
    ['fields', Object.keys(expected_fields).length > 0, Object.keys(expected_fields)],
    ['rule_ids', expected_rule_ids.length > 0, expected_rule_ids],
    ['forbidden_rule_ids', forbidden_rule_ids.length > 0, forbidden_rule_ids],
    ['level_without_rule', isQuiet && level != null],
    ['decoder_missing', isMissing(testCase.expected_decoder)],
    ['rule_missing', isMissing(testCase.expected_rule)],
    ['level_missing', !isQuiet && level == null],
  ]
  return found.flatMap(([loss, isLost, names = []]) => (isLost ? [[loss, [...new Set(names)]] as const] : []))
}

/** The case in the form of the format, without its losses. The format has no test for "no rule": its closest form always succeeds. */
export function asIniCase(testCase: TestCase): IniCase {
  const { name, now, expected_decoder: decoder, expected_rule: rule, expected_level: level, expect_no_rule } = testCase
  return {
    name,
    line: 0,
    verdict: expect_no_rule === true ? 'fail' : 'pass',
    events: caseInputs(testCase).map(({ input }) => input.event),
    decoder: decoder ?? '',
    rule: rule ?? '',
    level: level == null ? '' : String(level),
    ...(now === undefined || now === null || now === '' ? {} : { now }),
  }
}

/** Writes a case as a section of its own. Its name and its events are a line each. */
export function iniSection({ name, verdict, events, decoder, rule, level, now }: IniCase): string {
  return [
    ...(now === undefined ? [] : [`; now = ${now}`]),
    `[${name.replace(LOG_NUMBER, '')}]`,
    ...events.map((event) => `log 1 ${verdict} = ${event}`),
    `rule = ${rule}`,
    `alert = ${level}`,
    `decoder = ${decoder}`,
    '',
  ].join('\n')
}
