/**
 * The bytes of a request to what the pool takes. It knows no HTTP: the main thread reads small bodies with it, and worker threads import it (`RequestReader`)
 * for large ones and for the lines of batches. Nothing here throws.
 */
import type { BodyKind, BodyReading, LineReading, LineSetting, LogtestInput, ReadRuleset, SourceFile } from '#workers'
import { LOG_FORMATS } from '#workers'
import { ApiError } from '../../errors.js'
import { tooLarge } from '../../http/request/body-limit.js'
import { errorBody } from '../../http/response/error-response.js'
import { type FieldIssue, issue } from '../../http/validation/issue.js'
import { invalidRequest, presentIssues } from '../../http/validation/refuse.js'
import { overJsonLimit } from '../../http/validation/json-limits.js'
import { validateBytes } from '../../http/validation/validate-bytes.js'
import { validatorFor } from '../../http/validation/validator.js'
import type { Locale } from '../../i18n/locale.js'
import { EVENT_BYTES, LOCATION_CHARACTERS } from '../../projects/event-limits.js'
import {
  BATCH_HEAD,
  BATCH_INPUT,
  type BatchHeadBody,
  type BatchInputBody,
  LOGTEST_REQUEST,
  type LogtestRequestBody,
  RULESET_BYTES,
  VALIDATION_REQUEST,
  type ValidationRequestBody,
} from './schema.js'

/** Why bytes are not taken: plain data, as it crosses threads. */
export type Refusal =
  | { readonly reason: 'body_unparseable' }
  | { readonly reason: 'payload_too_large'; readonly limit: number }
  | { readonly reason: 'validation_failed'; readonly issues: readonly FieldIssue[] }
  /** The first line of a batch is an event. */
  | { readonly reason: 'batch_without_settings'; readonly issues: readonly FieldIssue[] }

type Body = ValidationRequestBody & Partial<Omit<LogtestRequestBody, keyof ValidationRequestBody>> & Partial<Omit<BatchHeadBody, keyof ValidationRequestBody>>

const SCHEMAS = { validate: VALIDATION_REQUEST, logtest: LOGTEST_REQUEST, head: BATCH_HEAD } as const satisfies Record<BodyKind, unknown>

/** A character takes three bytes at most, for each unit of a text's length. */
const BYTES_PER_UNIT = 3

/** Characters of a line that is looked through before it is parsed. A shorter one costs less to parse, and no field of a line takes an object or array. */
const LONG_LINE = 64 * 1024

export function readBody(of: BodyKind, bytes: Uint8Array): BodyReading<Refusal> {
  const body = validateBytes(SCHEMAS[of], bytes)
  if (body.kind === 'unparseable') return { refusal: { reason: 'body_unparseable' } }
  if (body.kind === 'invalid') return { refusal: { reason: of === 'head' && holdsEvent(body.issues) ? 'batch_without_settings' : 'validation_failed', issues: body.issues } }
  const { files = [], compiled_hash, include_disk_defaults = true, include_disk_custom = true, input, session_id, trace } = body.value as Body
  if (compiled_hash !== undefined && files.length > 0)
    return { refusal: { reason: 'validation_failed', issues: [issue('/compiled_hash', 'either', ['files', 'compiled_hash'], { other: 'files' })] } }
  if (input !== undefined && !fitsIn(input.event, EVENT_BYTES)) return { refusal: { reason: 'validation_failed', issues: [eventTooLong('/input/event')] } }
  if (!fitTogether(files, RULESET_BYTES)) return { refusal: { reason: 'payload_too_large', limit: RULESET_BYTES } }
  const ruleset: ReadRuleset =
    compiled_hash === undefined ? { includeDefaults: include_disk_defaults, includeCustom: include_disk_custom, files: files.map(sourceFile) } : { compiledHash: compiled_hash }
  const sessionId = of === 'head' ? session_id : input?.session_id
  return {
    request: {
      ruleset,
      input: input === undefined ? null : logtestInput(input),
      // An empty id names no session.
      sessionId: sessionId === undefined || sessionId === '' ? null : sessionId,
      trace: trace ?? of === 'logtest',
    },
  }
}

/** Whether the fields that settings don't have are those of an event, alone or as a single logtest has it. */
function holdsEvent(issues: readonly FieldIssue[]): boolean {
  return issues.some(({ path, message }) => message === 'unknown' && (path === '/event' || path === '/input'))
}

/** A line of a batch. What is right beyond doubt is told at once; the validator is asked only about the others. */
export function readLine(line: string | null, setting: LineSetting): LineReading {
  let value: unknown
  const over = line === null || line.length <= LONG_LINE ? null : overJsonLimit(line)
  if (over !== null) return refused(invalidRequest([over], setting.locale, 'validation_failed'), setting)
  try {
    value = line === null ? undefined : JSON.parse(line)
  } catch {
    value = undefined
  }
  if (value === undefined) return refused(new ApiError('line_unparseable'), setting)
  if (isInput(value, setting.sessionId)) return { input: logtestInput(value) }
  const issues = issuesOfLine(value, setting.sessionId)
  if (issues.length > 0) return refused(invalidRequest(issues, setting.locale, 'validation_failed'), setting)
  return { input: logtestInput(value as BatchInputBody) }
}

function issuesOfLine(value: unknown, sessionId: string): readonly FieldIssue[] {
  const issues = validatorFor(BATCH_INPUT).check(value)
  if (issues.length > 0) return issues
  const { event, session_id } = value as BatchInputBody
  if (session_id !== undefined && session_id !== '' && session_id !== sessionId) return [issue('/session_id', 'choice', [sessionId])]
  return fitsIn(event, EVENT_BYTES) ? [] : [eventTooLong('/event')]
}

/** Whether it is an input beyond doubt; a doubt is left to the validator. */
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

function refused(error: ApiError, { locale, requestId }: LineSetting): LineReading {
  return { answer: JSON.stringify(errorBody(error, locale, requestId)) }
}

function eventTooLong(path: string): FieldIssue {
  return issue(path, 'too_many_bytes', { max_bytes: EVENT_BYTES }, { limit: EVENT_BYTES })
}

function fitsIn(text: string, bytes: number): boolean {
  return text.length * BYTES_PER_UNIT <= bytes || Buffer.byteLength(text) <= bytes
}

function fitTogether(files: readonly { readonly content: string }[], bytes: number): boolean {
  let units = 0
  for (const { content } of files) units += content.length
  return units * BYTES_PER_UNIT <= bytes || files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0) <= bytes
}

function sourceFile({ filename, kind, scope = 'adhoc', content }: NonNullable<ValidationRequestBody['files']>[number]): SourceFile {
  return { filename, kind, scope, content }
}

function logtestInput({ event, log_format = 'auto', location }: BatchInputBody): LogtestInput {
  return location === undefined || location === '' ? { event, log_format } : { event, log_format, location }
}

/** The refusal as the caller gets it. */
export function refusalError(refusal: Refusal, locale: Locale): ApiError {
  switch (refusal.reason) {
    case 'body_unparseable':
      return new ApiError('body_unparseable')
    case 'payload_too_large':
      return tooLarge(refusal.limit)
    case 'validation_failed':
      return invalidRequest(refusal.issues, locale, 'validation_failed')
    case 'batch_without_settings':
      return new ApiError('batch_without_settings', { details: { errors: presentIssues(refusal.issues, locale) } })
  }
}
