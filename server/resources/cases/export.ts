/** Exports cases as JSON with all fields, and in the format of Wazuh's test suites (`.ini`) with the fields that it supports. */
import { setImmediate } from 'node:timers/promises'
import { DEFAULT_LOCATION, detectFormat } from '#workers'
import type { CaseDocument } from '../../projects/test-case.js'
import type { CaseCreateRequest } from './schema.js'

/** Suffix of the names of imported cases. */
const LOG_NUMBER = /, log \S+$/

/** Cases of a chunk: a few milliseconds. Thousands at once would block the event loop for a tenth of a second. */
const CASES_OF_CHUNK = 50

/** Serializes cases in chunks and yields to the event loop between them. */
export async function serializeInChunks(cases: readonly CaseDocument[], write: (testCase: CaseDocument, index: number) => string): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  for (let first = 0; first < cases.length; first += CASES_OF_CHUNK) {
    if (first > 0) await setImmediate()
    const some = cases.slice(first, first + CASES_OF_CHUNK)
    chunks.push(Buffer.from(some.map((testCase, index) => write(testCase, first + index)).join('')))
  }
  return chunks
}

/** Returns the request that creates the same case. Fields with default values are omitted. */
export function writtenCase(testCase: CaseDocument): CaseCreateRequest {
  const { name, description, event_text, events, log_format, location, session_id, now = null, expected_decoder, expected_rule, expected_level, expect_no_rule } = testCase
  const { expected_fields, expected_rule_ids, forbidden_rule_ids } = testCase
  return {
    name,
    ...(description === '' ? {} : { description }),
    ...(events.length === 0
      ? { event_text }
      : {
          events: events.map((event) => ({
            event_text: event.event_text,
            ...(event.at === null ? {} : { at: event.at }),
            ...(event.location === null ? {} : { location: event.location }),
          })),
        }),
    log_format,
    ...(location === null ? {} : { location }),
    ...(session_id === '' ? {} : { session_id }),
    ...(now === null ? {} : { now }),
    ...(expected_decoder === null ? {} : { expected_decoder }),
    ...(expected_rule === null ? {} : { expected_rule }),
    ...(expected_level === null ? {} : { expected_level }),
    ...(expected_fields.length === 0 ? {} : { expected_fields: Object.fromEntries(expected_fields.map((field) => [field.name, field.value])) }),
    ...(expected_rule_ids.length === 0 ? {} : { expected_rule_ids: [...expected_rule_ids] }),
    ...(forbidden_rule_ids.length === 0 ? {} : { forbidden_rule_ids: [...forbidden_rule_ids] }),
    ...(expect_no_rule ? { expect_no_rule } : {}),
  }
}

/** Comment of a case that expects no rule. The format has no test for that: its closest form always succeeds. */
const VACUOUS_FAIL = 'no rule: this form always succeeds in Wazuh; an import creates a case that expects no rule'

/** Returns a section of a suite, or a comment with the name of the case and the reason why the format does not support it. */
export function iniSection(testCase: CaseDocument): string {
  const { name, now = null, expected_decoder, expected_rule, expected_level, expect_no_rule } = testCase
  const obstacle = obstacleOf(testCase)
  if (obstacle !== null) return `; ${name}: ${obstacle}\n`
  const events = eventTexts(testCase)
  const verdict = expect_no_rule ? 'fail' : 'pass'
  return [
    ...(expect_no_rule ? [`; ${VACUOUS_FAIL}`] : []),
    ...(now === null ? [] : [`; now = ${now}`]),
    `[${name.replace(LOG_NUMBER, '')}]`,
    ...events.map((event) => `log 1 ${verdict} = ${event}`),
    `rule = ${expected_rule ?? ''}`,
    `alert = ${expected_level ?? ''}`,
    `decoder = ${expected_decoder ?? ''}`,
    '',
  ].join('\n')
}

/** Returns why the format does not support the case; null: it does. */
function obstacleOf(testCase: CaseDocument): string | null {
  const { events, log_format, location, session_id, expected_decoder, expected_rule, expected_level, expect_no_rule } = testCase
  const texts = eventTexts(testCase)
  if (session_id !== '') return 'shares a session'
  if ([location, ...events.map((event) => event.location)].some((place) => place !== null && place !== DEFAULT_LOCATION)) return 'has a location'
  if (events.some(({ at }) => at !== null && at !== 0)) return 'has events at different times'
  if (texts.some((event) => event !== event.trim() || /[\r\n]/.test(event))) return 'has an event of several lines, or with leading or trailing blanks'
  if (texts.some((event) => detectFormat({ event, log_format }) !== 'syslog')) return 'has an event that is not in syslog format'
  if (testCase.expected_fields.length > 0 || testCase.expected_rule_ids.length > 0 || testCase.forbidden_rule_ids.length > 0) return 'expects more than decoder, rule and level'
  if (expect_no_rule) return expected_level === null ? null : 'expects a level and no rule'
  return expected_decoder === null || expected_rule === null || expected_level === null ? 'lacks an expected decoder, rule or level' : null
}

function eventTexts({ event_text, events }: CaseDocument): readonly string[] {
  return events.length === 0 ? [event_text] : events.map((event) => event.event_text)
}
