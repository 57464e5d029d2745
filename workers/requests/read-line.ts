/** Reads one line of a batch: returns an input, or the JSON answer to a line without one. Runs in pooled threads. Nothing here throws. */
import { LOG_FORMATS, type LogtestInput } from '#engine-data'
import { EVENT_BYTES, LOCATION_CHARACTERS } from './event-limits.js'
import { type FieldIssue, fillText, issue, type IssueTexts, presentIssues } from './issue.js'
import { overJsonLimit } from './json-limits.js'
import { eventTooLong, fitsIn, logtestInput } from './read-request.js'
import { BATCH_INPUT, type BatchInputBody } from './schema.js'
import { validatorFor } from './validator.js'

/**
 * Texts of the answers to wrong lines, in the language of one batch. The task carries them, because the table of texts belongs to the server, and a thread
 * imports nothing of the server.
 */
export interface LineTexts {
  readonly errors: Readonly<Record<LineError, { readonly code: string; readonly message: string; readonly hint: string }>>
  readonly fields: IssueTexts
}

/** Why a line is refused: it is not JSON, a field is wrong, or a field is unknown. */
export type LineError = 'line_unparseable' | 'validation_failed' | 'request_validation_failed'

export interface LineSetting {
  readonly texts: LineTexts
  /** The session of the batch; empty: none. */
  readonly sessionId: string
  readonly requestId: string
}

export type LineReading = { readonly input: LogtestInput } | { readonly answer: string }

/**
 * Longer lines are checked against the JSON limits before they are parsed. Shorter lines take less time to parse than to check, and their fields contain no
 * objects or arrays.
 */
const LONG_LINE_CHARACTERS = 64 * 1024

/** @param line text that was decoded from UTF-8; null: its bytes are not UTF-8 @param number its number in the upload, for the answer to a wrong line */
export function readLine(line: string | null, number: number, setting: LineSetting): LineReading {
  let value: unknown
  const over = line === null || line.length <= LONG_LINE_CHARACTERS ? null : overJsonLimit(line)
  if (over !== null) return refused('validation_failed', [over], number, setting)
  try {
    value = line === null ? undefined : JSON.parse(line)
  } catch {
    value = undefined
  }
  if (value === undefined) return refused('line_unparseable', null, number, setting)
  if (isInput(value, setting.sessionId)) return { input: logtestInput(value) }
  const issues = issuesOfLine(value, setting.sessionId)
  if (issues.length === 0) return { input: logtestInput(value as BatchInputBody) }
  return refused(issues.some(({ message }) => message === 'unknown') ? 'request_validation_failed' : 'validation_failed', issues, number, setting)
}

function issuesOfLine(value: unknown, sessionId: string): readonly FieldIssue[] {
  const issues = validatorFor(BATCH_INPUT).check(value)
  if (issues.length > 0) return issues
  const { event, session_id } = value as BatchInputBody
  if (session_id !== undefined && session_id !== '' && session_id !== sessionId) return [issue('/session_id', 'choice', [sessionId])]
  return fitsIn(event, EVENT_BYTES) ? [] : [eventTooLong('/event')]
}

/** Accepts the usual inputs without the validator, which checks all others. */
function isInput(value: unknown, sessionId: string): value is BatchInputBody {
  if (typeof value !== 'object' || value === null) return false
  for (const name of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[name]
    if (typeof field !== 'string') return false
    if (name === 'event') {
      if (field === '' || !fitsIn(field, EVENT_BYTES)) return false
    } else if (name === 'log_format') {
      if (!FORMATS.has(field)) return false
    } else if (name === 'location') {
      if (field.length > LOCATION_CHARACTERS) return false
    } else if (name !== 'session_id' || (field !== '' && field !== sessionId)) return false
  }
  return Object.hasOwn(value, 'event')
}

const FORMATS: ReadonlySet<string> = new Set(LOG_FORMATS)

/** Returns an error in the format of the API. */
function refused(error: LineError, issues: readonly FieldIssue[] | null, line: number, { texts, requestId }: LineSetting): LineReading {
  const { code, message, hint } = texts.errors[error]
  const details = { line, ...(issues === null ? {} : { errors: presentIssues(issues, texts.fields) }) }
  return { answer: JSON.stringify({ code, message: fillText(message, { line }), hint, details, debug_id: requestId }) }
}
