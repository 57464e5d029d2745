/**
 * Reads the body of an analysis request: takes bytes, returns a valid request or a refusal. The main thread reads small bodies, pooled threads large ones.
 * Nothing here throws, and a refusal is plain data, because it crosses threads.
 */
import { type LogtestInput, readSelect, type SourceFile } from '#engine-data'
import type { AnalysisRequest, BodyKind, ReadRuleset } from './analysis-request.js'
import { EVENT_BYTES, RULESET_BYTES, SELECTED_LIMIT } from './event-limits.js'
import { type FieldIssue, issue } from './issue.js'
import { BATCH_HEAD, type BatchHeadBody, type BatchInputBody, LOGTEST_REQUEST, type LogtestRequestBody, VALIDATION_REQUEST, type ValidationRequestBody } from './schema.js'
import { validateBytes } from './validate-bytes.js'

/** Why a body is refused. */
export type Refusal =
  | { readonly reason: 'body_unparseable' }
  | { readonly reason: 'payload_too_large'; readonly limit: number }
  | { readonly reason: 'validation_failed'; readonly issues: readonly FieldIssue[] }
  /** The first line of a batch is an event. */
  | { readonly reason: 'batch_without_settings'; readonly issues: readonly FieldIssue[] }

export type RequestReading = { readonly request: AnalysisRequest<ReadRuleset> } | { readonly refusal: Refusal }

type Body = ValidationRequestBody & Partial<Omit<LogtestRequestBody, keyof ValidationRequestBody>> & Partial<Omit<BatchHeadBody, keyof ValidationRequestBody>>

const SCHEMAS = { validate: VALIDATION_REQUEST, logtest: LOGTEST_REQUEST, head: BATCH_HEAD } as const satisfies Record<BodyKind, unknown>

/** Maximum number of UTF-8 bytes of one UTF-16 unit. */
const BYTES_PER_UNIT = 3

export function readRequest(kind: BodyKind, bytes: Uint8Array): RequestReading {
  const body = validateBytes(SCHEMAS[kind], bytes)
  if (body.kind === 'unparseable') return { refusal: { reason: 'body_unparseable' } }
  if (body.kind === 'invalid') return { refusal: { reason: kind === 'head' && holdsEvent(body.issues) ? 'batch_without_settings' : 'validation_failed', issues: body.issues } }
  const { files = [], compiled_hash, include_disk_defaults = true, include_disk_custom = true, input, session_id, trace, select, only } = body.value as Body
  if (compiled_hash !== undefined && files.length > 0)
    return { refusal: { reason: 'validation_failed', issues: [issue('/compiled_hash', 'either', ['files', 'compiled_hash'], { other: 'files' })] } }
  if (input !== undefined && !fitsIn(input.event, EVENT_BYTES)) return { refusal: { reason: 'validation_failed', issues: [eventTooLong('/input/event')] } }
  if (!fitTogether(files, RULESET_BYTES)) return { refusal: { reason: 'payload_too_large', limit: RULESET_BYTES } }
  const names = select === undefined ? null : readSelect(select)
  const wrong = select === undefined ? null : selectIssue(names, trace === true)
  if (wrong !== null) return { refusal: { reason: 'validation_failed', issues: [wrong] } }
  const ruleset: ReadRuleset =
    compiled_hash === undefined ? { includeDefaults: include_disk_defaults, includeCustom: include_disk_custom, files: files.map(sourceFile) } : { compiledHash: compiled_hash }
  const sessionId = kind === 'head' ? session_id : input?.session_id
  return {
    request: {
      ruleset,
      input: input === undefined ? null : logtestInput(input),
      // An empty id means no session.
      sessionId: sessionId === undefined || sessionId === '' ? null : sessionId,
      trace: trace ?? kind === 'logtest',
      ...(kind === 'head' && { select: names, onlyAlerts: only === 'alerts' }),
    },
  }
}

/** What is wrong with the selected fields; null: nothing. @param names null: one is empty */
function selectIssue(names: readonly string[] | null, hasTrace: boolean): FieldIssue | null {
  if (names === null) return issue('/select', 'invalid', 'rule.id,level,srcip')
  if (names.length > SELECTED_LIMIT) return issue('/select', 'too_many', { max_items: SELECTED_LIMIT }, { limit: SELECTED_LIMIT })
  return hasTrace ? issue('/select', 'either', ['select', 'trace'], { other: 'trace' }) : null
}

/** Whether an unknown field of settings belongs to an event (`event`) or to a single logtest (`input`). */
function holdsEvent(issues: readonly FieldIssue[]): boolean {
  return issues.some(({ path, message }) => message === 'unknown' && (path === '/event' || path === '/input'))
}

export function eventTooLong(path: string): FieldIssue {
  return issue(path, 'too_many_bytes', { max_bytes: EVENT_BYTES }, { limit: EVENT_BYTES })
}

/** Whether a text has at most that many bytes in UTF-8. Counts bytes only if its length does not decide. */
export function fitsIn(text: string, bytes: number): boolean {
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

export function logtestInput({ event, log_format = 'auto', location }: BatchInputBody): LogtestInput {
  return location === undefined || location === '' ? { event, log_format } : { event, log_format, location }
}
