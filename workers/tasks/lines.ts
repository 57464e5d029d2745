/**
 * Lines of a batch as they came, answered line by line: parsed, checked and run here, so that the main thread only cuts an upload at its line feeds. Ends
 * early, like a batch of inputs, when its turn is over; and when its answer is long, as someone has to hold it until the caller takes it.
 */
import { isUtf8 } from 'node:buffer'
import { isAnswerOk, type LogtestInput } from '#engine'
import { SHEET_BYTES } from '../answer-sheets.js'
import { now } from '../clock.js'
import type { LinesPart, LinesTask } from '../protocol.js'
import { readLine } from '../requests/read-line.js'
import { AnswerBytes } from './answer-bytes.js'
import { entryOf, SESSION_MISSING, type TaskContext, type TaskResult, TURN_MS } from './context.js'
import { lostSession, runTimed, takeSession, withFindings, withInsights, withoutFindings } from './logtest.js'

const LINE_FEED = 0x0a
/** Bytes of answers after which a turn is over, so that they can be lent: a window of such parts, one a thread, is what a slow reader makes us hold. */
const PART_BYTES = SHEET_BYTES - 64 * 1024

/** Of the part that is under way; a thread does one at a time. */
const answers = new AnswerBytes()

export function lines(context: TaskContext, task: LinesTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const entry = entryOf(context)
  // To find it out once more costs another thread as much as to compile what is the caller's own.
  const isContentOk = task.isContentOk ?? entry.isContentOk
  let found = session === null ? [] : lostSession(task, task.session)
  const setting = { texts: task.texts, sessionId: task.sessionId, requestId: task.requestId }
  const later: TaskContext = { ...context, found: { ...context.found, cacheHit: true, sourceMs: 0, compileMs: 0 } }
  const laterTask = { ...task, prepareMs: 0 }
  const bytes = Buffer.from(task.lines.buffer, task.lines.byteOffset, task.lines.byteLength)
  const isAllUtf8 = isUtf8(bytes)
  const inputs: LogtestInput[] = []
  answers.clear()
  let count = 0
  let matched = 0
  let failed = 0
  let wrong = 0
  let read = 0
  let hasRun = false
  const turnEnds = now() + TURN_MS
  while (read < bytes.length && (count === 0 || (answers.length < PART_BYTES && now() < turnEnds))) {
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
    const { printed, performance } = runTimed(isFirst ? context : { ...later, startedAt: now() }, isFirst ? task : laterTask, reading.input, session, found)
    hasRun = true
    found = []
    if (printed.report.rule !== null) matched++
    if (!isAnswerOk(printed.report, isContentOk)) failed++
    if (session !== null) inputs.push(reading.input)
    const told = withInsights(printed)
    const pieces = isFirst ? withFindings(told, entry.findings(task.locale, task.includeBaseline), performance) : withoutFindings(told, isContentOk, performance)
    for (const piece of pieces) answers.add(piece)
    answers.add('\n')
  }
  const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, inputs)
  const place = task.lends && context.sheets !== null ? answers.lend(context.sheets) : null
  const json = place === null ? answers.take() : null
  const part: LinesPart = { json, count, read, matched, failed, wrong, inputs, compiledHash: entry.ruleset.hash, isContentOk: hasRun ? isContentOk : null }
  return { value: part, snapshot, transfer: json === null ? [] : [json.buffer], place }
}

/** Blanks of JSON: such a line says nothing, and is not answered. */
export function isBlankAt(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
