/**
 * Reads a line of a log as an event: the line itself, the log in a line of archives.log, archives.json or alerts.json, or a named member of a JSON line. Times are
 * read where a member gives them.
 */
import { type RunFormat, runFormat } from '../logtest/detect-format.js'
import { toAgentForm } from '../logtest/eventchannel-event.js'
import { limitOf, receiveEvent } from '../logtest/received-event.js'
import { DEFAULT_LOCATION, type Origin, readLocation } from '../predecoding/location.js'
import type { LogtestInput } from '../records/records.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { insideOf, unwrap, type WrapperKind } from '../wrappers/unwrap.js'

/** Names of the members of JSON lines that are read; null: the lines are not such JSON. A name with dots can also name a member of a member. */
export interface RecordFields {
  readonly event: string | null
  readonly location: string | null
  readonly time: string | null
}

export interface ReplayEvent {
  /** As a manager receives it, a byte string. */
  readonly text: string
  readonly format: RunFormat
  readonly origin: Origin
  /** Seconds since the epoch; null: the line has no time of its own. */
  readonly seconds: number | null
}

/** Why a line is no event: it is no JSON, has no text in the member that is to be the event, is a record of an event without a log, or its location begins with `[` without `]`. */
export type RecordFault = 'not_json' | 'no_event' | 'no_log' | 'bad_location'

/** Records of which the log is run. Other wrappers that people paste do not stand in files of a manager. */
const RECORDS: ReadonlySet<WrapperKind> = new Set(['archives_log', 'archives_json', 'alerts_json'])
/** The member with the time of a record, which Wazuh writes first. */
const FIRST_TIMESTAMP = /^\{"timestamp":"([^"]{1,40})"/
const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(?:Z|([+-])(\d\d):?(\d\d))?$/
const ARCHIVES_TIME = /^(\d{4}) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DIGITS = /^\d{1,13}(?:\.\d{1,9})?$/
/** Larger numbers are milliseconds: as seconds this is the year 5138. */
const LARGEST_SECONDS = 1e11
const PLAIN = readLocation(DEFAULT_LOCATION) as Origin
const PLAIN_LIMIT = limitOf(DEFAULT_LOCATION)

/** Reads a line as `readRecord` does, as the input of a logtest. @param line a byte string */
export function readLog(line: string, fields: RecordFields): LogtestInput | RecordFault {
  if (fields.event !== null) {
    const read = readMembers(line, fields.event, fields)
    return typeof read === 'string' ? read : read.input
  }
  const first = line.charCodeAt(0)
  const event = fromByteString(line)
  if (first !== 0x7b && !(first >= 0x30 && first <= 0x39)) return { event, log_format: 'auto' }
  const wrapper = unwrap(event)
  return wrapper === null || !RECORDS.has(wrapper.kind) ? { event, log_format: 'auto' } : (insideOf(wrapper) ?? 'no_log')
}

/** @param line a byte string */
export function readRecord(line: string, fields: RecordFields): ReplayEvent | RecordFault {
  if (fields.event !== null) {
    const read = readMembers(line, fields.event, fields)
    return typeof read === 'string' ? read : received(read.input, read.seconds)
  }
  const first = line.charCodeAt(0)
  if (first === 0x7b || (first >= 0x30 && first <= 0x39)) {
    const unicode = fromByteString(line)
    const wrapper = unwrap(unicode)
    if (wrapper !== null && RECORDS.has(wrapper.kind)) {
      const inside = insideOf(wrapper)
      return inside === null ? 'no_log' : received(inside, wrapper.kind === 'archives_log' ? secondsOfArchives(unicode) : secondsOfRecord(unicode))
    }
  }
  const format = runFormat({ event: line, log_format: 'auto' })
  const text = format === 'eventchannel' ? toByteString(toAgentForm(fromByteString(line))) : line
  return { text: text.slice(0, PLAIN_LIMIT), format, origin: PLAIN, seconds: null }
}

function received(input: LogtestInput, seconds: number | null): ReplayEvent | RecordFault {
  const event = receiveEvent(input)
  return event === null ? 'bad_location' : { text: event.text, format: event.format, origin: event.origin, seconds }
}

function readMembers(line: string, name: string, { location, time }: RecordFields): { readonly input: LogtestInput; readonly seconds: number | null } | RecordFault {
  const value = parse(fromByteString(line))
  if (value === undefined) return 'not_json'
  const event = memberOf(value, name)
  if (typeof event !== 'string' || event === '') return 'no_event'
  const place = location === null ? undefined : memberOf(value, location)
  const input: LogtestInput = { event, log_format: 'auto', ...(typeof place === 'string' && place !== '' ? { location: place } : {}) }
  return { input, seconds: time === null ? null : secondsOf(memberOf(value, time)) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The member of this name, or the member of a member that dots name. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  const dot = name.indexOf('.')
  return dot < 0 ? undefined : memberOf((value as Record<string, unknown>)[name.slice(0, dot)], name.slice(dot + 1))
}

/** The time of a record of archives.json or alerts.json, also of one in a document of the indexer. */
function secondsOfRecord(line: string): number | null {
  const first = FIRST_TIMESTAMP.exec(line)
  if (first !== null) return secondsOf(first[1])
  const value = parse(line)
  for (const name of ['timestamp', '@timestamp', '_source.timestamp', '_source.@timestamp']) {
    const seconds = secondsOf(memberOf(value, name))
    if (seconds !== null) return seconds
  }
  return null
}

/** The zone of archives.log is that of its manager, which it does not name: it is read as UTC. */
function secondsOfArchives(line: string): number | null {
  const [, year, month, day, hour, minute, second] = ARCHIVES_TIME.exec(line) ?? []
  return year === undefined ? null : Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), Number(hour), Number(minute), Number(second)) / 1000
}

/** Reads seconds or milliseconds since the epoch, as a number or digits, and a time of ISO 8601, in UTC if it names no zone. Null: it is none. */
export function secondsOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.floor(value > LARGEST_SECONDS ? value / 1000 : value) : null
  if (typeof value !== 'string') return null
  if (DIGITS.test(value)) return secondsOf(Number(value))
  const parts = ISO_TIME.exec(value)
  if (parts === null) return null
  const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = [1, 2, 3, 4, 5, 6, 8, 9].map((index) => Number(parts[index] ?? 0))
  const offset = (parts[7] === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60
  const seconds = Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - offset
  return seconds < 0 ? null : seconds
}
