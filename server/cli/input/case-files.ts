/** Test cases in files: suites in Wazuh's `.ini` format, and our JSON `{"cases": [...]}`; each case with the line on which it begins. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Locale, SuiteCase, TestCase } from '#engine'
import { LOG_FORMATS, parseIniSuite, readNow } from '#engine'
import { cases as english, remarks as englishRemarks } from '../../core/i18n/messages/en-US/input.js'
import { cases as portuguese, remarks as portugueseRemarks } from '../../core/i18n/messages/pt-BR/input.js'
import type { ErrorParams, ErrorTexts } from '../../core/i18n/localized-error.js'
import { fill } from '../../core/i18n/translate.js'
import { listPlaces } from '../../language/text/json-places.js'
import { nearest } from '../arguments.js'
import { UsageError } from '../usage-error.js'
import { FOLDER_DEPTH } from './content-files.js'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies ErrorTexts<typeof english>
const REMARKS = { 'en-US': englishRemarks, 'pt-BR': portugueseRemarks } as const satisfies ErrorTexts<typeof englishRemarks>

export interface WrittenCase {
  readonly line: number
  readonly testCase: SuiteCase
  /** Members that the engine does not know, and that look like no misspelt one. */
  readonly unknown: readonly string[]
}

export interface CaseFile {
  readonly path: string
  readonly text: string
  readonly cases: readonly WrittenCase[]
  /** Cases that cannot be read. They fail, because a silently skipped test is worse than none. */
  readonly faults: readonly CaseFault[]
}

interface CaseFault {
  readonly line: number
  /** A name built from the line, because the case has no readable one. */
  readonly name: string
  readonly message: string
}

/** Describes errors in one language. */
class CaseWords {
  readonly #texts: (typeof TEXTS)[Locale]

  constructor(locale: Locale) {
    this.#texts = TEXTS[locale]
  }

  localize<Fault extends keyof typeof english>(fault: Fault, params: ErrorParams<typeof english, Fault>): string {
    return fill(this.#texts[fault], params)
  }

  fault(line: number, message: string): CaseFault {
    return { line, name: this.localize('name', { line }), message }
  }
}

/** Text of a remark about a case that can be run. */
export function describeRemark<R extends keyof typeof englishRemarks>(remark: R, params: ErrorParams<typeof englishRemarks, R>, locale: Locale): string {
  return fill(REMARKS[locale][remark], params)
}

/**
 * Reads the cases of files and folders.
 * @param locale language of the messages about unreadable cases @param allowEmpty a folder may contain no cases
 * @throws UsageError when a path does not exist, or a folder contains no cases
 */
export function readCaseFiles(paths: readonly string[], locale: Locale, allowEmpty: boolean): CaseFile[] {
  const words = new CaseWords(locale)
  return paths.flatMap((named) => {
    const stats = statSync(named, { throwIfNoEntry: false })
    if (stats === undefined) throw new UsageError('file_not_found', { file: named })
    const found = stats.isDirectory() ? listFolder(named, 0) : [named]
    if (found.length === 0 && !allowEmpty) throw new UsageError('folder_without_cases', { folder: named })
    return found.map((path) => readCases(path, readFileSync(path, 'utf8'), words))
  })
}

/** Reads the cases of one text. @param path decides the format, see `readCases` */
export function readCaseText(path: string, text: string, locale: Locale): CaseFile {
  return readCases(path, text, new CaseWords(locale))
}

function listFolder(folder: string, depth: number): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth < FOLDER_DEPTH && !entry.name.startsWith('.') ? listFolder(path, depth + 1) : []
      return isCaseName(entry.name) ? [path] : []
    })
}

export function isCaseName(name: string): boolean {
  return /\.(?:ini|json)$/i.test(name)
}

/** Detects the format by file name, else by content: JSON begins with a brace and an `.ini` suite does not. A JSON list begins like an `.ini` section. */
function readCases(path: string, text: string, words: CaseWords): CaseFile {
  const plain = text.replace(/^\uFEFF/, '')
  return /\.json$/i.test(path) || plain.trimStart().startsWith('{') ? readJson(path, plain, words) : readIni(path, text, words)
}

function readIni(path: string, text: string, words: CaseWords): CaseFile {
  const { cases, unreadLines, misplacedClocks, emptySections } = parseIniSuite(text)
  const faults = [
    ...unreadLines.map((line) => words.fault(line, words.localize('line_unread', {}))),
    ...misplacedClocks.map((line) => words.fault(line, words.localize('clock_misplaced', {}))),
    ...emptySections.map(({ line, name }) => words.fault(line, words.localize('section_empty', { section: name }))),
  ].sort((a, b) => a.line - b.line)
  return { path, text, cases: cases.map((testCase) => ({ line: testCase.line, testCase, unknown: [] })), faults }
}

function readJson(path: string, text: string, words: CaseWords): CaseFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (fault) {
    return { path, text, cases: [], faults: [words.fault(1, words.localize('not_json', { reason: fault instanceof Error ? fault.message : '' }))] }
  }
  const written = (value as { cases?: unknown } | null)?.cases
  if (!Array.isArray(written)) return { path, text, cases: [], faults: [words.fault(1, words.localize('list_missing', {}))] }
  const places = listPlaces(text, 'cases')?.elements ?? []
  const cases: WrittenCase[] = []
  const faults: CaseFault[] = []
  written.forEach((entry: unknown, index) => {
    const line = places[index]?.line ?? 1
    const message = checkCase(entry, words)
    if (message === null) cases.push({ line, testCase: entry as TestCase, unknown: Object.keys(entry as object).filter((name) => !isKnown(name)) })
    else faults.push(words.fault(line, message))
  })
  return { path, text, cases, faults }
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTextOrNull: Check = (value) => value === null || typeof value === 'string'
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText)
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
/** An optional member that is absent or null. */
const isAbsent: Check = (value) => value === undefined || value === null
const isSecond: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const isTime: Check = (value) => value === null || value === '' || (typeof value === 'string' && readNow(value) !== null)
const isEvent: Check = (value) => {
  if (!isObject(value)) return false
  const { event_text, at, location, ...others } = value as Record<string, unknown>
  return isText(event_text) && (isAbsent(at) || isSecond(at)) && (isAbsent(location) || isText(location)) && Object.keys(others).every((name) => isNote(name))
}

type Refusal = (words: CaseWords, member: string) => string

const isNot =
  (fault: 'not_text' | 'not_text_list' | 'not_rule_id' | 'not_time' | 'not_number' | 'not_flag' | 'not_fields'): Refusal =>
  (words, member) =>
    words.localize(fault, { member })

/** The check of each member and the text of its error. */
const MEMBERS: Readonly<Record<string, readonly [check: Check, refuse: Refusal]>> = {
  name: [isText, isNot('not_text')],
  event_text: [isText, isNot('not_text')],
  log_format: [(value) => (LOG_FORMATS as readonly unknown[]).includes(value), (words, member) => words.localize('not_choice', { member, choices: LOG_FORMATS.join(', ') })],
  location: [isTextOrNull, isNot('not_text')],
  session_id: [isText, isNot('not_text')],
  now: [isTime, isNot('not_time')],
  events: [(value) => Array.isArray(value) && value.every(isEvent), (words, member) => words.localize('not_events', { member, form: '{"event_text", "at"?, "location"?}' })],
  expected_decoder: [isTextOrNull, isNot('not_text')],
  expected_rule: [isTextOrNull, isNot('not_rule_id')],
  expected_level: [(value) => value === null || typeof value === 'number', isNot('not_number')],
  expected_rule_ids: [isTextList, isNot('not_text_list')],
  forbidden_rule_ids: [isTextList, isNot('not_text_list')],
  expect_no_rule: [(value) => typeof value === 'boolean', isNot('not_flag')],
  expected_fields: [(value) => isObject(value) && Object.values(value as object).every(isText), isNot('not_fields')],
}

/** Prefixes of expectations. An unknown one is refused, because it would never be checked. */
const EXPECTATION = /^(?:expect|forbid)/i
/** Members for readers, and those that the API adds to the record of a case. */
const NOTES: ReadonlySet<string> = new Set(['description', 'note', 'notes', 'comment', 'comments', 'id', 'project_id', 'created_at', 'updated_at'])
/** Letters of a name for each of which one may be wrong: names that people choose for notes are short, and are not corrected. */
const LETTERS_PER_MISTAKE = 4

function isNote(name: string): boolean {
  return NOTES.has(name) || name.startsWith('_') || name.startsWith('$')
}

function isKnown(name: string): boolean {
  return Object.hasOwn(MEMBERS, name) || isNote(name)
}

/** The member that is probably meant: `event_text` by `event` or `event_txt`, `expected_rule` by `rule`. Null: none is similar. */
function meantBy(name: string): string | null {
  const known = Object.keys(MEMBERS)
  const lower = name.toLowerCase()
  const expectation = EXPECTATION.test(name)
  return known.find((member) => member.split('_').includes(lower)) ?? nearest(lower, known, expectation ? undefined : Math.floor(name.length / LETTERS_PER_MISTAKE))
}

/** The error of a case; null: none. */
function checkCase(value: unknown, words: CaseWords): string | null {
  if (!isObject(value)) return words.localize('not_object', {})
  const members = value as Record<string, unknown>
  for (const [member, [check, refuse]] of Object.entries(MEMBERS)) {
    if (members[member] !== undefined && !check(members[member])) return refuse(words, member)
  }
  for (const member of Object.keys(members)) {
    if (isKnown(member)) continue
    const near = meantBy(member)
    if (near !== null) return words.localize('member_misspelt', { member, near })
    if (EXPECTATION.test(member)) return words.localize('member_unknown', { member })
  }
  if (members.name === undefined) return words.localize('name_missing', {})
  const events = (members.events ?? []) as readonly { readonly at?: number | null }[]
  if (members.event_text === undefined && events.length === 0) return words.localize('event_missing', {})
  if (isText(members.event_text) && members.event_text !== '' && events.length > 0) return words.localize('events_both', {})
  return runsBackwards(events) ? words.localize('events_backwards', {}) : null
}

/** Whether the times decrease. An event without a time has the time of the previous one. */
function runsBackwards(events: readonly { readonly at?: number | null }[]): boolean {
  let clock = 0
  return events.some(({ at }) => {
    const before = clock
    clock = at ?? clock
    return clock < before
  })
}
