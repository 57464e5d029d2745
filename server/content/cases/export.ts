/** Exports cases as JSON with all fields, and in the format of Wazuh's test suites (`.ini`) with the fields that it supports. */
import { setImmediate } from 'node:timers/promises'
import { asIniCase, iniLosses, iniSection } from '#workers'
import type { Locale } from '../../core/i18n/locale.js'
import { fill } from '../../core/i18n/translate.js'
import { type CaseDocument, toTestCase } from '../shared/test-case.js'
import { EXPORT_TEXTS } from './export-texts.js'
import type { CaseCreateRequest } from './schema.js'

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
    const { name, description, expect_no_rule } = testCase
    const texts = EXPORT_TEXTS[this.#locale]
    const written = toTestCase(testCase)
    const losses = iniLosses(written)
    this.#all++
    this.#hasDescriptions ||= description !== ''
    if (losses.length > 0) {
      this.#left++
      return `; ${name}: ${texts.left_out} ${losses.map(([loss, names]) => fill(texts.losses[loss], { what: shown(names) })).join(', ')}\n`
    }
    // The format has no test for that: its closest form always succeeds.
    return `${expect_no_rule ? `; ${texts.no_rule}\n` : ''}${iniSection(asIniCase(written))}`
  }

  /** Returns the comments at the end: how many cases the suite lacks, and what else. */
  remarks(): string {
    const { summary, descriptions } = EXPORT_TEXTS[this.#locale]
    const remarks = [...(this.#left > 0 ? [fill(summary, { left: this.#left, all: this.#all })] : []), ...(this.#hasDescriptions ? [descriptions] : [])]
    return remarks.map((remark) => `; ${remark}\n`).join('')
  }
}

/** Names that callers have chosen, as a part of one line. */
function shown(names: readonly string[]): string {
  const some = names.slice(0, NAMES_SHOWN).map((name) => name.slice(0, NAME_CHARACTERS).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
  return names.length > NAMES_SHOWN ? `${some.join(', ')}, …` : some.join(', ')
}
