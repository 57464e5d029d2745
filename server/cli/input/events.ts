/** The input lines of `logtest --jsonl`: one event, or several of one session. */
import type { LogFormat, LogtestInput } from '#engine'
import { insideOf, LOG_FORMATS, unwrap } from '#engine'
import { LineError, optionalText, readLineMembers, readMembers } from './json-lines.js'

/** Maximum length of a session id, as over HTTP. */
const SESSION_ID_LIMIT = 128

export type EventRequest =
  | { readonly kind: 'one'; readonly input: LogtestInput; readonly sessionId: string | null }
  | { readonly kind: 'several'; readonly inputs: readonly LogtestInput[]; readonly sessionId: string | null }

/** @param line its text @param unwraps whether events are taken out of records about them, which the line can be as well */
export function readEventRequest(value: unknown, line: string, unwraps: boolean): EventRequest {
  const members = readLineMembers(value)
  const sessionId = optionalText(members, 'session_id') ?? null
  if (sessionId !== null && sessionId.length > SESSION_ID_LIMIT) throw new LineError('too_long', { member: 'session_id', limit: SESSION_ID_LIMIT })
  const { events } = members
  if (events === undefined) {
    if (members.event === undefined) return { kind: 'one', input: readRecord(line, unwraps), sessionId: null }
    return { kind: 'one', input: readInput(members, null, unwraps, () => new LineError('line_event_not_text', {})), sessionId: sessionId === '' ? null : sessionId }
  }
  if (!Array.isArray(events)) throw new LineError('not_list', { member: 'events' })
  if (members.event !== undefined) throw new LineError('events_both', {})
  const inputs = events.map((entry: unknown, index) => {
    const number = index + 1
    const own = typeof entry === 'string' ? { event: entry } : readMembers(entry, () => new LineError('event_not_object', { number }))
    return readInput(own, members, unwraps, () => new LineError('event_not_text', { number }))
  })
  return { kind: 'several', inputs, sessionId: sessionId === '' ? null : sessionId }
}

/** A line that is not a request, but perhaps a line of archives.json or alerts.json. */
function readRecord(line: string, unwraps: boolean): LogtestInput {
  const wrapper = unwrap(line)
  if (wrapper === null) throw new LineError('events_missing', {})
  const inside = insideOf(wrapper)
  if (inside === null) throw new LineError('record_without_log', {})
  if (!unwraps) throw new LineError('record_of_wazuh', {})
  return inside
}

/** @param outer defaults for location and log format @param noText creates the error for an event that is not a text */
function readInput(members: Readonly<Record<string, unknown>>, outer: Readonly<Record<string, unknown>> | null, unwraps: boolean, noText: () => LineError): LogtestInput {
  const { event } = members
  if (typeof event !== 'string') throw noText()
  const location = optionalText(members, 'location') ?? (outer === null ? undefined : optionalText(outer, 'location'))
  const format = optionalText(members, 'log_format') ?? (outer === null ? undefined : optionalText(outer, 'log_format')) ?? 'auto'
  if (!(LOG_FORMATS as readonly string[]).includes(format)) throw new LineError('not_choice', { member: 'log_format', choices: LOG_FORMATS.join(', ') })
  const input = { event, log_format: format as LogFormat, ...(location === undefined ? {} : { location }) }
  const wrapper = unwraps ? unwrap(event) : null
  const inside = wrapper === null ? null : insideOf(wrapper)
  return inside === null ? input : { ...input, ...inside }
}
