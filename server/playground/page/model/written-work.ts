/** The plain form of the work, which is kept and shared, and its reading: what comes back may be anything. */
import { type FileKind, type IniCase, iniSection, isIniCase, type LogFormat, parseIniSuite, type TestCase } from '#engine'
import { CASES_LIMIT, CONTENT_FILES, EVENTS_LIMIT } from '../../worker/limits.js'
import { type EditedCase, type EditedEvent, type EditedFile, newEvent, newId, type Work } from './state.js'

const FORM = 1
const KINDS: readonly FileKind[] = ['rules', 'decoders', 'lists']
const FORMATS: readonly LogFormat[] = ['auto', 'syslog', 'json', 'eventchannel', 'plain']
/** Wazuh's names are shorter; a longer one is no name. */
const NAME_CHARACTERS = 255

export function writeWork({ files, events, cases, session, now }: Work): string {
  return JSON.stringify({
    form: FORM,
    files: files.map(({ kind, filename, content }) => ({ kind, filename, content })),
    events: events.map(({ id: _, ...event }) => event),
    cases: cases.map(({ testCase }) => testCase),
    session,
    now,
  })
}

/** Returns null for a text that is no work. */
export function readWork(text: string): Work | null {
  const written = parse(text)
  if (!isRecord(written) || written.form !== FORM) return null
  const files = listOf(written.files, CONTENT_FILES, readFile)
  const events = listOf(written.events, EVENTS_LIMIT, readEvent)
  const cases = listOf(written.cases, CASES_LIMIT, readCase)
  if (files === null || events === null || cases === null) return null
  return { files, events, cases, session: written.session === true, now: typeof written.now === 'string' ? written.now : null }
}

/** Reads the cases of a JSON suite, `{"cases": [...]}`. Null: the text is none. */
export function readCases(text: string): EditedCase[] | null {
  const written = parse(text)
  return isRecord(written) ? listOf(written.cases, CASES_LIMIT, readCase) : null
}

/** Reads the cases of a suite in Wazuh's format. Null: they are too many. */
export function readIniCases(text: string): { readonly cases: readonly EditedCase[]; readonly unread: number } | null {
  const { cases, unreadLines, misplacedClocks, emptySections, isWhole } = parseIniSuite(text, CASES_LIMIT)
  if (!isWhole) return null
  return { cases: cases.map((testCase) => ({ id: newId(), testCase })), unread: unreadLines.length + misplacedClocks.length + emptySections.length }
}

/** Suites by their names: JSON, and Wazuh's format for cases that have its form. */
export function writeCases(cases: readonly EditedCase[]): { readonly name: string; readonly text: string }[] {
  const json = cases.flatMap(({ testCase }) => (isIniCase(testCase) ? [] : [testCase]))
  const ini = cases.flatMap(({ testCase }) => (isIniCase(testCase) ? [testCase] : []))
  return [
    ...(json.length === 0 ? [] : [{ name: 'cases.json', text: `${JSON.stringify({ cases: json }, null, 2)}\n` }]),
    ...(ini.length === 0 ? [] : [{ name: 'cases.ini', text: ini.map(iniSection).join('\n') }]),
  ]
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export type Fields = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null: it is no list of these, or is too long. */
function listOf<T>(value: unknown, limit: number, read: (item: Fields) => T | null): T[] | null {
  if (!Array.isArray(value) || value.length > limit) return null
  const items = value.map((item: unknown) => (isRecord(item) ? read(item) : null))
  return items.every((item) => item !== null) ? items : null
}

function readFile({ kind, filename, content }: Fields): EditedFile | null {
  const known = KINDS.find((one) => one === kind)
  if (known === undefined || !isText(filename, NAME_CHARACTERS) || typeof content !== 'string') return null
  return { id: newId(), kind: known, filename, content }
}

function readEvent({ text, format, location, wait, expected }: Fields): EditedEvent | null {
  if (typeof text !== 'string') return null
  return newEvent(text, {
    format: FORMATS.find((one) => one === format) ?? 'auto',
    location: isText(location, NAME_CHARACTERS) ? location : '',
    wait: isSecond(wait) ? wait : 0,
    expected: isText(expected, NAME_CHARACTERS) ? expected : '',
  })
}

/** The members that the engine reads, each of its type. Others are left out. */
export function readCase(written: Fields): EditedCase | null {
  if (written.verdict !== undefined) return readIniCase(written)
  const { name, description, event_text, log_format, location, session_id, now, events, expected_decoder, expected_rule, expected_level, expected_rule_ids } = written
  const { forbidden_rule_ids, expect_no_rule, expected_fields } = written
  if (typeof name !== 'string') return null
  const sequence = events === undefined ? undefined : listOf(events, EVENTS_LIMIT, readCaseEvent)
  if (sequence === null || (sequence === undefined && typeof event_text !== 'string')) return null
  const format = FORMATS.find((one) => one === log_format)
  const testCase: TestCase = {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof event_text === 'string' ? { event_text } : {}),
    ...(format === undefined ? {} : { log_format: format }),
    ...(typeof location === 'string' ? { location } : {}),
    ...(typeof session_id === 'string' ? { session_id } : {}),
    ...(typeof now === 'string' ? { now } : {}),
    ...(sequence === undefined ? {} : { events: sequence }),
    ...(typeof expected_decoder === 'string' ? { expected_decoder } : {}),
    ...(typeof expected_rule === 'string' ? { expected_rule } : {}),
    ...(typeof expected_level === 'number' ? { expected_level } : {}),
    ...(isTextList(expected_rule_ids) ? { expected_rule_ids } : {}),
    ...(isTextList(forbidden_rule_ids) ? { forbidden_rule_ids } : {}),
    ...(typeof expect_no_rule === 'boolean' ? { expect_no_rule } : {}),
    ...(isRecord(expected_fields) && Object.values(expected_fields).every((value) => typeof value === 'string')
      ? { expected_fields: expected_fields as Readonly<Record<string, string>> }
      : {}),
  }
  return { id: newId(), testCase }
}

function readIniCase({ name, verdict, events, decoder, rule, level, now }: Fields): EditedCase | null {
  if (typeof name !== 'string' || (verdict !== 'pass' && verdict !== 'fail') || !isTextList(events) || events.length === 0 || events.length > EVENTS_LIMIT) return null
  if (typeof decoder !== 'string' || typeof rule !== 'string' || typeof level !== 'string') return null
  const testCase: IniCase = { name, line: 0, verdict, events, decoder, rule, level, ...(typeof now === 'string' ? { now } : {}) }
  return { id: newId(), testCase }
}

type CaseEvent = NonNullable<TestCase['events']>[number]

function readCaseEvent({ event_text, at, location }: Fields): CaseEvent | null {
  if (typeof event_text !== 'string') return null
  return { event_text, ...(isSecond(at) ? { at } : {}), ...(typeof location === 'string' ? { location } : {}) }
}

function isText(value: unknown, limit: number): value is string {
  return typeof value === 'string' && value.length <= limit
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isSecond(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}
