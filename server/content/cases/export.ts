/** Exports cases as JSON with all fields, and in the format of Wazuh's test suites (`.ini`) with the fields that it supports. */
import { setImmediate } from 'node:timers/promises'
import { DEFAULT_LOCATION, detectFormat } from '#workers'
import type { Locale } from '../../core/i18n/locale.js'
import { fill } from '../../core/i18n/translate.js'
import type { CaseDocument } from '../shared/test-case.js'
import { EXPORT_TEXTS, type IniLoss } from './export-texts.js'
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

/** Names of a loss that a comment shows, and their characters. A comment is one line. */
const NAMES_SHOWN = 10
const NAME_CHARACTERS = 100

/** Writes a suite section by section, and counts what the format does not support. */
export class IniSuite {
  readonly #locale: Locale
  #all = 0
  #left = 0
  #hasDescriptions = false

  constructor(locale: Locale) {
    this.#locale = locale
  }

  /** Returns the section of a case, or a comment with its name and all that the format does not support. */
  section(testCase: CaseDocument): string {
    const { name, now = null, description, expected_decoder, expected_rule, expected_level, expect_no_rule } = testCase
    const texts = EXPORT_TEXTS[this.#locale]
    const losses = lossesOf(testCase)
    this.#all++
    this.#hasDescriptions ||= description !== ''
    if (losses.length > 0) {
      this.#left++
      return `; ${name}: ${texts.left_out} ${losses.map(([loss, names]) => fill(texts.losses[loss], { what: shown(names) })).join(', ')}\n`
    }
    const events = eventTexts(testCase)
    const verdict = expect_no_rule ? 'fail' : 'pass'
    return [
      // The format has no test for that: its closest form always succeeds.
      ...(expect_no_rule ? [`; ${texts.no_rule}`] : []),
      ...(now === null ? [] : [`; now = ${now}`]),
      `[${name.replace(LOG_NUMBER, '')}]`,
      ...events.map((event) => `log 1 ${verdict} = ${event}`),
      `rule = ${expected_rule ?? ''}`,
      `alert = ${expected_level ?? ''}`,
      `decoder = ${expected_decoder ?? ''}`,
      '',
    ].join('\n')
  }

  /** Returns the comments at the end: how many cases the suite lacks, and what else. */
  remarks(): string {
    const { summary, descriptions } = EXPORT_TEXTS[this.#locale]
    const remarks = [...(this.#left > 0 ? [fill(summary, { left: this.#left, all: this.#all })] : []), ...(this.#hasDescriptions ? [descriptions] : [])]
    return remarks.map((remark) => `; ${remark}\n`).join('')
  }
}

/** Returns all that the format does not support, with names where there are some; empty: the case becomes a section. */
function lossesOf(testCase: CaseDocument): readonly (readonly [loss: IniLoss, names: readonly string[]])[] {
  const { events, log_format, session_id, expected_decoder, expected_rule, expected_level, expect_no_rule } = testCase
  const texts = eventTexts(testCase)
  const locations = [testCase.location, ...events.map(({ location }) => location)].filter((place) => place !== null && place !== DEFAULT_LOCATION)
  const times = events.map(({ at }) => at ?? 0)
  const formats = texts.map((event) => detectFormat({ event, log_format })).filter((format) => format !== 'syslog')
  const found: readonly (readonly [loss: IniLoss, isLost: boolean, names?: readonly (string | null)[]])[] = [
    ['session', session_id !== '', [session_id]],
    ['location', locations.length > 0, locations],
    ['times', times.some((at) => at !== 0), times.map(String)],
    ['lines', texts.some((event) => event !== event.trim() || /[\r\n]/.test(event))],
    ['format', formats.length > 0, formats],
    ['fields', testCase.expected_fields.length > 0, testCase.expected_fields.map(({ name }) => name)],
    ['rule_ids', testCase.expected_rule_ids.length > 0, testCase.expected_rule_ids],
    ['forbidden_rule_ids', testCase.forbidden_rule_ids.length > 0, testCase.forbidden_rule_ids],
    ['level_without_rule', expect_no_rule && expected_level !== null],
    ['decoder_missing', !expect_no_rule && expected_decoder === null],
    ['rule_missing', !expect_no_rule && expected_rule === null],
    ['level_missing', !expect_no_rule && expected_level === null],
  ]
  return found.flatMap(([loss, isLost, names = []]) => (isLost ? [[loss, [...new Set(names.filter((name) => name !== null))]] as const] : []))
}

/** Names that callers have chosen, as a part of one line. */
function shown(names: readonly string[]): string {
  const some = names.slice(0, NAMES_SHOWN).map((name) => name.slice(0, NAME_CHARACTERS).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
  return names.length > NAMES_SHOWN ? `${some.join(', ')}, …` : some.join(', ')
}

function eventTexts({ event_text, events }: CaseDocument): readonly string[] {
  return events.length === 0 ? [event_text] : events.map((event) => event.event_text)
}
