/** Files of test cases. What a file has besides the cases of the page stays in it, and what was not changed stays as it is. */
import { type IniCase, isIniCase, type SuiteCase, type TestCase } from '#engine'
import { type IniText, readIniText, writeIniText } from './ini-text.js'
import type { EditedCase } from './state.js'
import { type Fields, isRecord, parse, readCase } from './written-work.js'

interface Entry {
  readonly written: unknown
  readonly id: number | null
}

export interface Suite {
  /** The cases as they were read. */
  readonly cases: readonly EditedCase[]
  /** The JSON; null: a suite in Wazuh's format. */
  readonly document: Fields | null
  /** A suite in Wazuh's format; null: JSON. Where both are null it cannot be read. */
  readonly ini: IniText | null
  /** Each entry of its list `cases`, with the id of its case; null: the page cannot read it, or has no room for it. */
  readonly entries: readonly Entry[]
}

export function emptySuite(): Suite {
  return { cases: [], document: {}, ini: null, entries: [] }
}

/**
 * Reads a file of cases.
 * @param id of the suite @param room cases that the page has room for
 * @returns null for JSON that has no list of cases, such as one that somebody is writing, and for more cases than the page takes
 */
export function readSuite(id: number, path: string, text: string, room: number): Suite | null {
  if (!/\.json$/i.test(path)) {
    const ini = readIniText(id, text, room)
    return ini === null ? null : { cases: ini.entries.flatMap(({ read }) => read ?? []), document: null, ini, entries: [] }
  }
  const document = parse(text.replace(/^\uFEFF/, ''))
  if (!isRecord(document) || !Array.isArray(document.cases)) return null
  const cases: EditedCase[] = []
  const entries = document.cases.map((written: unknown) => {
    const read = cases.length < room && isRecord(written) ? readCase(written) : null
    if (read !== null) cases.push({ ...read, suite: id })
    return { written, id: read?.id ?? null }
  })
  return { cases, document, ini: null, entries }
}

/** Writes the file with its present cases. @returns its text, and the suite that it then is */
export function writeSuite({ document, ini, entries, cases: read }: Suite, cases: readonly EditedCase[]): { readonly text: string; readonly suite: Suite } {
  if (ini !== null) {
    const written = writeIniText(ini, cases)
    return { text: written.text, suite: { cases, document, ini: written, entries } }
  }
  const present = new Map(cases.map((one) => [one.id, one]))
  const before = new Map(read.map((one) => [one.id, one]))
  const known = new Set(entries.map(({ id }) => id))
  const kept = entries.flatMap(({ written, id }): readonly Entry[] => {
    if (id === null) return [{ written, id }]
    const one = present.get(id)
    if (one === undefined) return []
    return [{ written: one.testCase === before.get(id)?.testCase ? written : { ...(written as Fields), ...one.testCase }, id }]
  })
  const next: readonly Entry[] = [...kept, ...cases.filter(({ id }) => !known.has(id)).map(({ testCase, id }) => ({ written: testCase, id }))]
  const text = `${JSON.stringify({ ...document, cases: next.map(({ written }) => written) }, null, 2)}\n`
  return { text, suite: { cases, document, ini, entries: next } }
}

/** A case as JSON suites have it. Null: it expects something to be wrong, which only Wazuh's format can say. */
export function asJsonCase(testCase: SuiteCase): TestCase | null {
  if (!isIniCase(testCase)) return testCase
  return isExpressible(testCase) ? toJsonCase(testCase) : null
}

function isExpressible({ verdict, decoder, rule, level, events }: IniCase): boolean {
  return !events.includes('') && (verdict === 'fail' ? rule === '' && level === '' : decoder !== '' && rule !== '' && /^\d+$/.test(level))
}

function toJsonCase({ name, verdict, events, decoder, rule, level, now }: IniCase): TestCase {
  return {
    name,
    log_format: 'syslog',
    ...(events.length === 1 ? { event_text: events[0] } : { events: events.map((event_text) => ({ event_text })) }),
    ...(now === undefined ? {} : { now }),
    ...(decoder === '' ? {} : { expected_decoder: decoder }),
    ...(verdict === 'pass' ? { expected_rule: rule, expected_level: Number(level) } : { expect_no_rule: true }),
  }
}
