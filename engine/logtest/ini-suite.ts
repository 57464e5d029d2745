/**
 * Test suites in Wazuh's format (BEHAVIOUR.md#test-suites-of-wazuh):
 *
 *     ; now = 2026-01-05T22:30:00-03:00
 *     [SSH: failed login]
 *     log 1 pass = Nov 17 08:15:30 host sshd[1]: Failed password …
 *     log 2 fail = Nov 17 08:15:30 host sshd[1]: Accepted password …
 *     rule = 5716
 *     alert = 5
 *     decoder = sshd
 *
 * Lines of one section with the same key are the events of one session, and the last one is evaluated. `pass`: decoder, rule and level equal the three written
 * values, and none of these is empty. `fail` is the opposite, so it also succeeds if all are equal and one is empty: suites express "no rule" in this way.
 * The comment `; now = …` above a section is ours: it sets the clock of the section's cases. Wazuh ignores it.
 */
import { readNow } from './virtual-clock.js'

export interface IniCase {
  /** Section and key: `SSH: failed login, log 1`. */
  readonly name: string
  /** Line of the key. */
  readonly line: number
  readonly verdict: 'pass' | 'fail'
  readonly events: readonly string[]
  /** As written; empty = none. */
  readonly decoder: string
  readonly rule: string
  readonly level: string
  /** When the first event arrives; absent: by the caller's clock. */
  readonly now?: string
}

export interface IniSuite {
  readonly cases: readonly IniCase[]
  /** Lines that are neither a section, a comment nor a known key. */
  readonly unreadLines: readonly number[]
  /** Lines `; now = …` without a time, or above no section. */
  readonly misplacedClocks: readonly number[]
  /** Sections without an event, by the line of their header. */
  readonly emptySections: readonly { readonly name: string; readonly line: number }[]
  /** False: the limit was reached and the rest was not read. */
  readonly isWhole: boolean
}

const SECTION = /^\[(.*)\]\s*$/
const LOG_KEY = /^log\s+(\S+)\s+(pass|fail)$/
const CLOCK = /^[;#]\s*now\s*=\s*(.*)$/

interface OpenSection {
  readonly name: string
  readonly line: number
  readonly now: string | null
  readonly values: { decoder: string; rule: string; alert: string }
  readonly logs: Map<string, { readonly line: number; readonly events: string[] }>
}

/** A clock that waits for its section. */
interface OpenClock {
  readonly line: number
  readonly now: string
}

/** Reads a suite in Wazuh's format. @param limit maximum number of cases, invalid lines and sections together */
export function parseIniSuite(text: string, limit = Number.POSITIVE_INFINITY): IniSuite {
  const cases: IniCase[] = []
  const unreadLines: number[] = []
  const misplacedClocks: number[] = []
  const emptySections: { readonly name: string; readonly line: number }[] = []
  const close = (section: OpenSection | null): void => {
    if (section === null) return
    if (section.logs.size === 0) emptySections.push({ name: section.name, line: section.line })
    cases.push(...casesOf(section))
  }
  let section: OpenSection | null = null
  let clock: OpenClock | null = null
  let isWhole = true
  for (const [index, line] of linesOf(text)) {
    const trimmed = line.trim()
    if (trimmed === '') continue
    if (trimmed.startsWith(';') || trimmed.startsWith('#')) {
      const now = CLOCK.exec(trimmed)?.[1]
      if (now === undefined) continue
      if (clock !== null) misplacedClocks.push(clock.line)
      if (readNow(now) === null) misplacedClocks.push(index + 1)
      clock = readNow(now) === null ? null : { line: index + 1, now }
    } else {
      const header = SECTION.exec(trimmed)
      if (header !== null) {
        close(section)
        section = { name: header[1], line: index + 1, now: clock?.now ?? null, values: { decoder: '', rule: '', alert: '' }, logs: new Map() }
        clock = null
      } else if (section === null || !readKey(section, trimmed, index + 1)) unreadLines.push(index + 1)
    }
    const open = section === null ? 0 : Math.max(1, section.logs.size)
    if (cases.length + open + unreadLines.length + misplacedClocks.length + emptySections.length > limit) {
      isWhole = false
      break
    }
  }
  close(section)
  if (clock !== null) misplacedClocks.push(clock.line)
  return { cases, unreadLines, misplacedClocks, emptySections, isWhole }
}

/** A generator, because a suite may have millions of cases. */
function* linesOf(text: string): Generator<readonly [index: number, line: string]> {
  let start = text.startsWith('\uFEFF') ? 1 : 0
  for (let index = 0; ; index++) {
    const feed = text.indexOf('\n', start)
    if (feed < 0) return yield [index, text.slice(start)]
    yield [index, text.slice(start, feed)]
    start = feed + 1
  }
}

/** Reads `key = value`. Returns false for an unknown key. */
function readKey({ values, logs }: OpenSection, line: string, number: number): boolean {
  const equals = line.indexOf('=')
  if (equals < 0) return false
  const key = line.slice(0, equals).trim()
  const value = line.slice(equals + 1).trim()
  if (key === 'decoder' || key === 'rule' || key === 'alert') {
    values[key] = value
    return true
  }
  if (!LOG_KEY.test(key)) return false
  const log = logs.get(key)
  if (log === undefined) logs.set(key, { line: number, events: [value] })
  else log.events.push(value)
  return true
}

function casesOf({ name, now, values, logs }: OpenSection): IniCase[] {
  const clock = now === null ? {} : { now }
  return [...logs].map(([key, { line, events }]) => {
    const [, number, verdict] = LOG_KEY.exec(key) as RegExpExecArray
    return { name: `${name}, log ${number}`, line, verdict: verdict as IniCase['verdict'], events, decoder: values.decoder, rule: values.rule, level: values.alert, ...clock }
  })
}
