/**
 * Converts a suite in the format of Wazuh's test suites (`.ini`) to cases. `pass` expects decoder, rule and level, as a case does. `fail` succeeds if
 * any of the three differs, which a case cannot express, except for the common form with an empty rule and level: it means that no rule fires. Parts
 * that cannot become a case are reported with their line.
 */
import { type IniCase, parseIniSuite } from '#workers'
import { NAME_CHARACTERS } from '../../core/auth/records.js'
import { CASE_EVENTS_LIMIT, RULE_ID } from './case-record.js'
import { DESCRIPTION_CHARACTERS } from '../shared/fields.js'
import { DECODER_NAME_CHARACTERS } from '../shared/source-files.js'
import { CASES_LIMIT } from '../shared/test-case.js'
import { type CaseFields, newCaseFields } from './case-fields.js'
import type { CaseImportRequest, ImportFault } from './schema.js'

const RULE = new RegExp(RULE_ID)
const LEVEL = /^(?:[0-9]|1[0-6])$/
/** Characters that names of cases cannot contain. */
const NOT_IN_NAMES = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

/** A part of a suite that cannot become a case. */
export interface SkippedPart {
  readonly line: number
  readonly name: string | null
  readonly reason: ImportFault
}

/** Maximum entries of the answer to an import: the cases that a project may have, and as many parts that are skipped. */
export const SUITE_PARTS_LIMIT = 2 * CASES_LIMIT

export interface ReadSuite {
  /** The cases, in the order of the suite. */
  readonly found: readonly CaseFields[]
  /** The skipped parts, by line. */
  readonly skipped: readonly SkippedPart[]
}

/** Returns null if the suite has more than `SUITE_PARTS_LIMIT` parts. */
export function readSuite({ content, filename, prefix }: CaseImportRequest): ReadSuite | null {
  const { cases, unreadLines, misplacedClocks, emptySections, isWhole } = parseIniSuite(content, SUITE_PARTS_LIMIT)
  if (!isWhole) return null
  const found: CaseFields[] = []
  const skipped: SkippedPart[] = [
    ...unreadLines.map((line) => ({ line, name: null, reason: 'line_unread' as const })),
    ...misplacedClocks.map((line) => ({ line, name: null, reason: 'clock_misplaced' as const })),
    ...emptySections.map(({ line, name }) => ({ line, name, reason: 'section_empty' as const })),
  ]
  for (const iniCase of cases) {
    const reason = faultOf(iniCase)
    if (reason !== null) skipped.push({ line: iniCase.line, name: iniCase.name, reason })
    else found.push(caseOf(iniCase, filename, prefix))
  }
  return { found, skipped: skipped.sort((a, b) => a.line - b.line) }
}

/** Returns why the test cannot become a case; null: it can. */
function faultOf({ verdict, events, decoder, rule, level }: IniCase): ImportFault | null {
  if (events.includes('')) return 'event_empty'
  if (events.length > CASE_EVENTS_LIMIT) return 'events_limit'
  if (decoder.length > DECODER_NAME_CHARACTERS) return 'decoder_invalid'
  if (verdict === 'fail') return rule === '' && level === '' ? null : 'fail_inexpressible'
  if (decoder === '' || rule === '' || level === '') return 'pass_incomplete'
  if (!RULE.test(rule)) return 'rule_invalid'
  return LEVEL.test(level) ? null : 'level_invalid'
}

function caseOf({ name, line, verdict, events, decoder, rule, level, now }: IniCase, filename: string | undefined, prefix: string | undefined): CaseFields {
  const whole = `${prefix === undefined ? '' : `${prefix.trim()} `}${name}`.replace(NOT_IN_NAMES, ' ').trim()
  const short = shorten(whole, NAME_CHARACTERS)
  const place = `${filename?.trim() ?? 'suite.ini'}:${line}`
  return {
    ...newCaseFields(short, 'syslog'),
    description: short === whole ? place : shorten(`${place}\n${whole}`, DESCRIPTION_CHARACTERS),
    ...(events.length === 1 ? { event_text: events[0] } : { events: events.map((event_text) => ({ event_text, at: null, location: null })) }),
    now: now ?? null,
    expected_decoder: decoder === '' ? null : decoder,
    ...(verdict === 'pass' ? { expected_rule: rule, expected_level: Number(level) } : { expect_no_rule: true }),
  }
}

/** Cuts a text between code points, because a half of a surrogate pair cannot be stored. */
function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text
  const end = characters - 1
  return `${text.slice(0, /[\ud800-\udbff]/.test(text[end - 1]) ? end - 1 : end)}…`
}
