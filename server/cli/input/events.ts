/** The lines that `logtest --jsonl` reads: one event, or several of one session. */
import type { LogFormat, LogtestInput } from '#engine'
import { LOG_FORMATS } from '#engine'
import { LineError, optionalText, readMembers } from './json-lines.js'

/** Longest session id, as over HTTP. */
const SESSION_ID_LIMIT = 128

export type EventRequest =
  | { readonly kind: 'one'; readonly input: LogtestInput; readonly sessionId: string | null }
  | { readonly kind: 'several'; readonly inputs: readonly LogtestInput[]; readonly sessionId: string | null }

export function readEventRequest(value: unknown): EventRequest {
  const members = readMembers(value, 'the line')
  const sessionId = optionalText(members, 'session_id') ?? null
  if (sessionId !== null && sessionId.length > SESSION_ID_LIMIT) throw new LineError('invalid_line', `"session_id" is longer than ${SESSION_ID_LIMIT} characters`)
  const { events } = members
  if (events === undefined) {
    if (members.event === undefined) throw new LineError('invalid_line', 'the line has neither "event" nor "events"')
    return { kind: 'one', input: readInput(members, null, 'the line'), sessionId: sessionId === '' ? null : sessionId }
  }
  if (!Array.isArray(events)) throw new LineError('invalid_line', '"events" is not a list')
  if (members.event !== undefined) throw new LineError('invalid_line', 'the line has both "event" and "events"')
  const inputs = events.map((entry: unknown, index) =>
    readInput(typeof entry === 'string' ? { event: entry } : readMembers(entry, `event ${index + 1}`), members, `event ${index + 1}`),
  )
  return { kind: 'several', inputs, sessionId: sessionId === '' ? null : sessionId }
}

/** @param outer where location and form are looked up that the event itself doesn't give */
function readInput(members: Readonly<Record<string, unknown>>, outer: Readonly<Record<string, unknown>> | null, what: string): LogtestInput {
  const { event } = members
  if (typeof event !== 'string') throw new LineError('invalid_line', `"event" of ${what} is not a text`)
  const location = optionalText(members, 'location') ?? (outer === null ? undefined : optionalText(outer, 'location'))
  const format = optionalText(members, 'log_format') ?? (outer === null ? undefined : optionalText(outer, 'log_format')) ?? 'auto'
  if (!(LOG_FORMATS as readonly string[]).includes(format)) throw new LineError('invalid_line', `"log_format" is one of ${LOG_FORMATS.join(', ')}`)
  return { event, log_format: format as LogFormat, ...(location === undefined ? {} : { location }) }
}
