/** Test cases in files: suites in Wazuh's `.ini` form, and our own JSON `{"cases": [...]}`; each case with the line on which it begins. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SuiteCase, TestCase } from '#engine'
import { LOG_FORMATS, parseIniSuite } from '#engine'
import { nearest } from '../arguments.js'
import { UsageError } from '../usage-error.js'
import { FOLDER_DEPTH } from './content-files.js'
import { listElementLines } from './json-places.js'

export interface WrittenCase {
  readonly line: number
  readonly testCase: SuiteCase
}

export interface CaseFile {
  readonly path: string
  readonly cases: readonly WrittenCase[]
  /** What can't be read: it fails, as a test that silently isn't run is worse than none. */
  readonly faults: readonly { readonly line: number; readonly message: string }[]
}

/** @throws UsageError when one isn't there, or a folder holds none */
export function readCaseFiles(paths: readonly string[]): CaseFile[] {
  return paths.flatMap((named) => {
    const stats = statSync(named, { throwIfNoEntry: false })
    if (stats === undefined) throw new UsageError('file_not_found', { file: named })
    const found = stats.isDirectory() ? listFolder(named, 0) : [named]
    if (found.length === 0) throw new UsageError('folder_without_cases', { folder: named })
    return found.map((path) => readCases(path, readFileSync(path, 'utf8')))
  })
}

function listFolder(folder: string, depth: number): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth < FOLDER_DEPTH && !entry.name.startsWith('.') ? listFolder(path, depth + 1) : []
      return /\.(?:ini|json)$/i.test(entry.name) ? [path] : []
    })
}

/** Told by its name, else by its content: JSON begins with a brace, and no section header does. A list in JSON looks like one. */
function readCases(path: string, text: string): CaseFile {
  const plain = text.replace(/^\uFEFF/, '')
  return /\.json$/i.test(path) || plain.trimStart().startsWith('{') ? readJson(path, plain) : readIni(path, text)
}

function readIni(path: string, text: string): CaseFile {
  const { cases, unreadLines, emptySections } = parseIniSuite(text)
  const faults = [
    ...unreadLines.map((line) => ({ line, message: 'neither a section, a comment nor a key (log N pass, log N fail, rule, alert, decoder)' })),
    ...emptySections.map(({ line, name }) => ({ line, message: `the section "${name}" has no event, and tests nothing` })),
  ].sort((a, b) => a.line - b.line)
  return { path, cases: cases.map((testCase) => ({ line: testCase.line, testCase })), faults }
}

function readJson(path: string, text: string): CaseFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (fault) {
    return { path, cases: [], faults: [{ line: 1, message: `not JSON: ${fault instanceof Error ? fault.message : ''}` }] }
  }
  const written = (value as { cases?: unknown } | null)?.cases
  if (!Array.isArray(written)) return { path, cases: [], faults: [{ line: 1, message: 'no list "cases" in it' }] }
  const lines = listElementLines(text, 'cases')
  const cases: WrittenCase[] = []
  const faults: { line: number; message: string }[] = []
  written.forEach((entry: unknown, index) => {
    const line = lines[index] ?? 1
    const message = checkCase(entry)
    if (message === null) cases.push({ line, testCase: entry as TestCase })
    else faults.push({ line, message })
  })
  return { path, cases, faults }
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTextOrNull: Check = (value) => value === null || typeof value === 'string'
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText)
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
/** A member that may be left out, also as null. */
const isAbsent: Check = (value) => value === undefined || value === null
const isSecond: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const isEvent: Check = (value) => {
  if (!isObject(value)) return false
  const { event_text, at, location } = value as Record<string, unknown>
  return isText(event_text) && (isAbsent(at) || isSecond(at)) && (isAbsent(location) || isText(location))
}

/** What each member must be. */
const MEMBERS: Readonly<Record<string, readonly [check: Check, what: string]>> = {
  name: [isText, 'a text'],
  event_text: [isText, 'a text'],
  log_format: [(value) => (LOG_FORMATS as readonly unknown[]).includes(value), `one of ${LOG_FORMATS.join(', ')}`],
  location: [isTextOrNull, 'a text'],
  session_id: [isText, 'a text'],
  events: [(value) => Array.isArray(value) && value.every(isEvent), 'a list of {"event_text", "at"?, "location"?}'],
  expected_decoder: [isTextOrNull, 'a text'],
  expected_rule: [isTextOrNull, 'a text (rule ids are texts)'],
  expected_level: [(value) => value === null || typeof value === 'number', 'a number'],
  expected_rule_ids: [isTextList, 'a list of texts'],
  forbidden_rule_ids: [isTextList, 'a list of texts'],
  expect_no_rule: [(value) => typeof value === 'boolean', 'true or false'],
  expected_fields: [(value) => isObject(value) && Object.values(value as object).every(isText), 'an object of texts'],
}

/** Members whose names begin so say what is asked. Others that nobody knows are notes, but a misspelt one of these would ask nothing, and always pass. */
const EXPECTATION = /^(?:expect|forbid)/i

/** What is wrong with a case; null = nothing. */
function checkCase(value: unknown): string | null {
  if (!isObject(value)) return 'the case is not an object'
  const members = value as Record<string, unknown>
  for (const [name, [check, what]] of Object.entries(MEMBERS)) {
    if (members[name] !== undefined && !check(members[name])) return `"${name}" is not ${what}`
  }
  if (members.name === undefined) return 'the case has no "name"'
  const misspelt = Object.keys(members).find((name) => EXPECTATION.test(name) && !Object.hasOwn(MEMBERS, name))
  if (misspelt !== undefined) {
    const near = nearest(misspelt, Object.keys(MEMBERS))
    return `a case has no "${misspelt}"${near === null ? '' : `; did you mean "${near}"?`}`
  }
  const events = (members.events ?? []) as readonly { readonly at?: number | null }[]
  if (members.event_text === undefined && events.length === 0) return 'the case has neither "event_text" nor "events"'
  if (isText(members.event_text) && members.event_text !== '' && events.length > 0) return 'the case has both "event_text" and "events"'
  return runsBackwards(events) ? 'the seconds "at" of "events" run backwards' : null
}

/** Time never does: an event without a second comes with the one before it. */
function runsBackwards(events: readonly { readonly at?: number | null }[]): boolean {
  let clock = 0
  return events.some(({ at }) => {
    const before = clock
    clock = at ?? clock
    return clock < before
  })
}
