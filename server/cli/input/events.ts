/** The input lines of `logtest --jsonl`: one event, or several of one session. */
import type { LogFormat, LogtestInput } from '#engine'
import { LOG_FORMATS } from '#engine'
import { LineError, optionalText, readLineMembers, readMembers } from './json-lines.js'

/** Maximum length of a session id, as over HTTP. */
const SESSION_ID_LIMIT = 128

export type EventRequest =
  | { readonly kind: 'one'; readonly input: LogtestInput; readonly sessionId: string | null }
  | { readonly kind: 'several'; readonly inputs: readonly LogtestInput[]; readonly sessionId: string | null }

export function readEventRequest(value: unknown): EventRequest {
  const members = readLineMembers(value)
  const sessionId = optionalText(members, 'session_id') ?? null
  if (sessionId !== null && sessionId.length > SESSION_ID_LIMIT) throw new LineError('too_long', { member: 'session_id', limit: SESSION_ID_LIMIT })
  const { events } = members
  if (events === undefined) {
    if (members.event === undefined) throw new LineError('events_missing', {})
    return { kind: 'one', input: readInput(members, null, () => new LineError('line_event_not_text', {})), sessionId: sessionId === '' ? null : sessionId }
  }
  if (!Array.isArray(events)) throw new LineError('not_list', { member: 'events' })
  if (members.event !== undefined) throw new LineError('events_both', {})
  const inputs = events.map((entry: unknown, index) => {
    const number = index + 1
    const own = typeof entry === 'string' ? { event: entry } : readMembers(entry, () => new LineError('event_not_object', { number }))
    return readInput(own, members, () => new LineError('event_not_text', { number }))
  })
  return { kind: 'several', inputs, sessionId: sessionId === '' ? null : sessionId }
}

/** @param outer defaults for location and log format @param noText creates the error for an event that is not a text */
function readInput(members: Readonly<Record<string, unknown>>, outer: Readonly<Record<string, unknown>> | null, noText: () => LineError): LogtestInput {
  const { event } = members
  if (typeof event !== 'string') throw noText()
  const location = optionalText(members, 'location') ?? (outer === null ? undefined : optionalText(outer, 'location'))
  const format = optionalText(members, 'log_format') ?? (outer === null ? undefined : optionalText(outer, 'log_format')) ?? 'auto'
  if (!(LOG_FORMATS as readonly string[]).includes(format)) throw new LineError('not_choice', { member: 'log_format', choices: LOG_FORMATS.join(', ') })
  return { event, log_format: format as LogFormat, ...(location === undefined ? {} : { location }) }
}
