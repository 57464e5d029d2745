/**
 * Reads, checks and runs the lines of a batch as they were uploaded, so that the main thread only splits an upload at its line feeds. Ends early when its slice
 * is over, or when its answer is long, because the main thread has to keep the answer until the caller reads it.
 */
import { isUtf8 } from 'node:buffer'
import { isAnswerOk, type LogtestInput } from '#engine'
import type { SessionReference, TaskHead } from '../protocol.js'
import { isBlankAt } from '../blank-line.js'
import { type LineTexts, readLine } from '../requests/read-line.js'
import { BUFFER_BYTES } from '../shared-buffers.js'
import { now } from '../clock.js'
import { AnswerBuffer } from './answer-buffer.js'
import { entryOf, SESSION_MISSING, SLICE_MS, type TaskContext, type TaskDefinition } from './context.js'
import { lostSession, performanceJson, runEvent, takeSession, withDiagnostics, withInsights, withoutDiagnostics } from './logtest.js'

export interface LinesTask extends TaskHead {
  readonly kind: 'lines'
  /** UTF-8; each line is an input in JSON. A number: so many bytes of shared memory. */
  readonly lines: Uint8Array | number
  readonly seconds: number
  readonly trace: boolean
  /** The value that an earlier part reported. Null: no part did, and the first line that runs has `summary` and `diagnostics`. */
  readonly isContentOk: boolean | null
  readonly includeBaseline: boolean
  readonly session: SessionReference | null
  /** The session id that a line may have. */
  readonly sessionId: string
  /** The `debug_id` of the answer to a wrong line, and its texts. */
  readonly requestId: string
  readonly texts: LineTexts
}

/** Answers to the first `count` lines of a task: JSON, each followed by a line feed. */
export interface LinesPart {
  readonly count: number
  /** Number of bytes of the task's lines that are done. */
  readonly read: number
  readonly matched: number
  /** Number of events answered with `ok: false`, and of wrong lines. */
  readonly failed: number
  /** Number of lines that were not events. */
  readonly wrong: number
  /** The events that ran in a session, for its journal. */
  readonly inputs: readonly LogtestInput[]
  readonly compiledHash: string
  /** Whether the content has no error of the client's own. Null: no event ran, and nothing about the ruleset is reported yet. */
  readonly isContentOk: boolean | null
}

const LINE_FEED = 0x0a
/** Bytes of answers that end a slice, so that they fit into a shared buffer. A slow reader makes the main thread keep one such part for each chunk ahead. */
const PART_BYTES = BUFFER_BYTES - 64 * 1024

/** Answers of the running task; a thread runs one at a time. */
const answers = new AnswerBuffer()

export const lines: TaskDefinition<LinesTask> = {
  run(context, task) {
    const session = takeSession(context, task, task.session)
    if (session === SESSION_MISSING) return SESSION_MISSING
    const entry = entryOf(context)
    // Another thread would need as long as compiling the caller's content to find this out again.
    const isContentOk = task.isContentOk ?? entry.isContentOk
    let found = session === null ? [] : lostSession(task, task.session)
    const setting = { texts: task.texts, sessionId: task.sessionId, requestId: task.requestId }
    /** When a line after the first began. The ruleset took no time of it. */
    const later = { startedAt: 0, prepareMs: 0, found: { ...context.found, cacheHit: true, sourceMs: 0, compileMs: 0 } }
    const bytes = bytesOf(context, task)
    const isAllUtf8 = isUtf8(bytes)
    const inputs: LogtestInput[] = []
    answers.clear()
    let count = 0
    let matched = 0
    let failed = 0
    let wrong = 0
    let read = 0
    let hasRun = false
    const sliceEnds = context.clock() + SLICE_MS
    while (read < bytes.length && (count === 0 || (answers.length < PART_BYTES && context.clock() < sliceEnds))) {
      const feed = bytes.indexOf(LINE_FEED, read)
      const end = feed < 0 ? bytes.length : feed
      const start = read
      read = feed < 0 ? end : end + 1
      if (isBlankAt(bytes, start, end)) continue
      const line = isAllUtf8 || isUtf8(bytes.subarray(start, end)) ? bytes.toString('utf8', start, end) : null
      context.progress?.unit(count)
      count++
      const reading = readLine(line, setting)
      if ('answer' in reading) {
        answers.add(`${reading.answer}\n`)
        wrong++
        failed++
        continue
      }
      const isFirst = task.isContentOk === null && !hasRun
      later.startedAt = now()
      const printed = runEvent(context, task, reading.input, session, found, reading.eventJson)
      hasRun = true
      found = []
      if (printed.ruleId !== null) matched++
      if (!isAnswerOk(printed, isContentOk)) failed++
      if (session !== null) inputs.push(reading.input)
      const explained = withInsights(printed)
      const texts = isFirst
        ? withDiagnostics(explained, entry.report(task.locale, task.includeBaseline), performanceJson(context, task, printed.times))
        : withoutDiagnostics(explained, isContentOk, performanceJson(later, later, printed.times))
      for (const text of texts) answers.add(text)
      answers.add('\n')
    }
    const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, inputs)
    const value: LinesPart = { count, read, matched, failed, wrong, inputs, compiledHash: entry.ruleset.hash, isContentOk: hasRun ? isContentOk : null }
    const place = context.buffers === null ? null : answers.moveTo(context.buffers)
    return { value, snapshot, place, bytes: place === null ? answers.take() : null }
  },
}

function bytesOf({ buffers }: TaskContext, { lines }: LinesTask): Buffer {
  if (typeof lines !== 'number') return Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
  if (buffers === null) throw new TypeError('lines in shared memory need it')
  return buffers.lines(lines)
}
