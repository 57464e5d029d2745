/**
 * Reads, checks and runs the lines of a batch as they were uploaded, so that the main thread only splits an upload at its line feeds. Ends early when its slice
 * is over, or when its answer is long, because the main thread has to keep the answer until the caller reads it.
 */
import { isUtf8 } from 'node:buffer'
import { AlertLine, finalRuleOf, insightOf, isAnswerOk, jsonBytes, type JsonPart, type LogtestInput, readLog, type RecordFields, type UnwrittenRun, writeReport } from '#engine'
import { readEventLine, type ReadLine } from '../../requests/read-event-line.js'
import { type LineTexts, readLine } from '../../requests/read-line.js'
import { isBlankAt } from '../../shared/blank-line.js'
import { BUFFER_BYTES } from '../../shared/buffers.js'
import type { SessionReference, TaskHead } from '../../shared/protocol.js'
import type { ContentReport } from '../ruleset-cache.js'
import { answers } from './answer-buffer.js'
import { beginSlice, entryOf, SESSION_MISSING, type TaskContext, type TaskDefinition } from './context.js'
import { lostSession, runEvent, takeSession, writeDiagnostics, writePerformance } from './logtest.js'

export interface LinesTask extends TaskHead {
  readonly kind: 'lines'
  /** UTF-8; each line is an input in JSON. A number: so many bytes of shared memory. */
  readonly lines: Uint8Array | number
  /** Number of the first line in the upload. */
  readonly from: number
  readonly seconds: number
  readonly trace: boolean
  /** As in `AnalysisRequest`. */
  readonly select: readonly string[] | null
  readonly onlyAlerts: boolean
  /** Lines are logs, or records of logs; the `seconds` of its clock are those of the lines of this task. Null: they are inputs in JSON. With it fields are selected. */
  readonly logs: LogLines | null
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

/**
 * When logs are received, in seconds since the epoch: the first of the upload at `start`, and each further one `step` seconds later, or each when `seconds` says,
 * which has an entry for each line, blank ones included. These are sent with every slice, so such an upload has few lines.
 */
export type LogClock = { readonly start: number; readonly step: number } | { readonly seconds: readonly number[] }

/** How lines that are logs, or records of logs, are read. */
export interface LogLines {
  readonly clock: LogClock
  readonly fields: RecordFields
}

/** Answers to the first `count` lines of a task: JSON, each followed by a line feed. */
export interface LinesPart {
  readonly count: number
  /** Number of bytes of the task's lines that are done. */
  readonly read: number
  /** Number of lines in these bytes, blank ones included. */
  readonly lines: number
  readonly matched: number
  /** Number of events answered with `ok: false`, and of wrong lines. */
  readonly failed: number
  /** Number of lines that were not events. */
  readonly wrong: number
  /** Number of events that alert. */
  readonly alerts: number
  /** Members `summary` and `diagnostics` as JSON, each after a comma, where the answer to the first event that ran cannot have them; else null. */
  readonly content: string | null
  /** The events that ran in a session, for its journal. */
  readonly inputs: readonly LogtestInput[]
  /** When they were received, where that differs; null: all at the time of the task. */
  readonly seconds: readonly number[] | null
  readonly compiledHash: string
  /** Whether the content has no error of the client's own. Null: no event ran, and nothing about the ruleset is reported yet. */
  readonly isContentOk: boolean | null
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** Bytes of answers that end a slice, so that they fit into a shared buffer. A slow reader makes the main thread keep one such part for each chunk ahead. */
const PART_BYTES = BUFFER_BYTES - 64 * 1024

/**
 * Lines that are read, then run, and then answered together: the code of each of the three steps then stays in the first cache of the core, which takes 0.92 of
 * the time of one line after the other. What they hold meanwhile fits the second cache.
 */
const BLOCK_LINES = 16
const BLOCK_BYTES = 16 * 1024

/** An event that ran, and what its answer says besides its report. */
interface RanLine {
  readonly run: UnwrittenRun
  readonly eventJson: JsonPart | null
  /** The diagnostics of the ruleset, which the answer to the first event of the batch has; null: it is a later one. */
  readonly content: ContentReport | null
  readonly totalMs: number
}

/** The source of an event of a batch. */
const NO_SOURCE = jsonBytes('null')

export const lines: TaskDefinition<LinesTask> = {
  run(context, task) {
    const session = takeSession(context, task, task.session)
    if (session === SESSION_MISSING) return SESSION_MISSING
    const entry = entryOf(context)
    // Another thread would need as long as compiling the caller's content to find this out again.
    const isContentOk = task.isContentOk ?? entry.isContentOk
    let found = session === null ? [] : lostSession(task, task.session)
    /** The ruleset took no time of a line after the first. */
    const later = { found: { ...context.found, cacheHit: true, sourceMs: 0, compileMs: 0 } }
    const bytes = bytesOf(context, task)
    const isAllUtf8 = isUtf8(bytes)
    const inputs: LogtestInput[] = []
    const received: number[] = []
    const selected = task.select === null ? null : new AlertLine(task.select)
    /** Whether every event has a line with everything. */
    const isWhole = selected === null && !task.onlyAlerts
    let contentJson: string | null = null
    let alerts = 0
    answers.clear()
    let count = 0
    let matched = 0
    let failed = 0
    let wrong = 0
    let read = 0
    /** Lines that were read, blank ones included. */
    let passed = 0
    let hasRun = false
    /** When the last event ended or the block began: the next event begins then, so the clock is read once for each. */
    let time = context.clock()
    const isOver = beginSlice(context, time)
    /** The answers of a block that are not written yet, in their order; a text is one that needs no run. */
    const pending: (RanLine | string)[] = []

    /** Numbers of the lines in `pending`, where fields are selected. */
    let numbers: readonly number[] = []

    /** Writes the selected fields of an event. @returns false: the event has its whole answer */
    const isDone = ({ stages }: UnwrittenRun, at: number): boolean => {
      if (stages.kind === 'refused') return false
      const { event, rule, description, previous, firedTimes, alert } = stages.outcome
      if (alert) alerts++
      else if (task.onlyAlerts) return true
      selected?.write(answers, { source: NO_SOURCE, line: numbers[at], event, rule, description, previous, firedTimes })
      return selected !== null
    }

    const writePending = (): void => {
      for (let at = 0; at < pending.length; at++) {
        const one = pending[at]
        if (typeof one === 'string') answers.text(one)
        else {
          const { run, eventJson, content, totalMs } = one
          const { diagnostics, insights } = run
          const ok = isAnswerOk(run, isContentOk)
          if (!ok) failed++
          if (finalRuleOf(run) !== null) matched++
          if (!isWhole && isDone(run, at)) continue
          // Only the first event has `diagnostics`.
          writeReport(answers, run, { ok, insights: diagnostics.length === 0 ? insights : [...diagnostics.map(insightOf), ...insights] }, eventJson)
          if (content !== null) writeDiagnostics(answers, diagnostics, content)
          writePerformance(answers, content === null ? later : context, content === null ? 0 : task.prepareMs, totalMs, run.times)
        }
        answers.byte(LINE_FEED)
      }
      pending.length = 0
    }

    while (read < bytes.length && (count === 0 || (answers.length < PART_BYTES && !isOver(time)))) {
      const begun = read
      const block = readBlock(bytes, read, task.from + passed, isAllUtf8, task)
      if (block.lines.length === 0) read = block.end
      numbers = block.numbers
      time = context.clock()
      let at = 0
      for (const { reading, eventJson, end } of block.lines) {
        if (pending.length > 0 && isOver(time)) break
        context.progress?.unit(count, time)
        count++
        read = end
        const seconds = task.logs === null ? task.seconds : receivedAt(task.logs.clock, numbers[at++], task.from)
        if ('answer' in reading) {
          pending.push(reading.answer)
          wrong++
          failed++
          continue
        }
        const isFirst = task.isContentOk === null && !hasRun
        // The first answer also has the time of the ruleset and of its checks.
        const startedAt = isFirst ? context.startedAt - task.prepareMs : time
        const content = isFirst ? entry.report(task.locale, task.includeBaseline) : null
        const run = runEvent(context, task.logs === null ? task : { locale: task.locale, trace: false, seconds }, reading.input, session, found)
        time = context.clock()
        if (content !== null && !isWhole) contentJson = contentOf(content)
        pending.push({ run, eventJson, content: isWhole ? content : null, totalMs: time - startedAt })
        hasRun = true
        found = []
        if (session !== null) {
          inputs.push(reading.input)
          if (task.logs !== null) received.push(seconds)
        }
      }
      passed += read === block.end ? block.passed : feedsIn(bytes, begun, read)
      writePending()
    }
    const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, inputs)
    const value: LinesPart = {
      count,
      read,
      lines: passed,
      matched,
      failed,
      wrong,
      alerts,
      content: contentJson,
      inputs,
      seconds: task.logs === null ? null : received,
      compiledHash: entry.ruleset.hash,
      isContentOk: hasRun ? isContentOk : null,
    }
    return { value, snapshot, ...answers.take(context.buffers) }
  },
}

/**
 * Reads some lines from `from` on, and leaves out blank ones. With a trace it reads one, because a report with a trace is written before the next event runs.
 * @param number number of the first one in the upload
 * @returns the lines, their numbers where some fields are selected, where the first unread one begins, and how many were passed, blank ones included
 */
function readBlock(
  bytes: Buffer,
  from: number,
  number: number,
  isAllUtf8: boolean,
  task: LinesTask,
): { readonly lines: readonly ReadLine[]; readonly numbers: readonly number[]; readonly end: number; readonly passed: number } {
  const block: ReadLine[] = []
  const numbers: number[] = []
  const isNumbered = task.select !== null
  let blank = 0
  const limit = task.trace ? 1 : BLOCK_LINES
  let at = from
  while (at < bytes.length && block.length < limit && at - from < BLOCK_BYTES) {
    if (isNumbered) numbers[block.length] = number + block.length + blank
    const short = task.logs === null ? readEventLine(bytes, at, isAllUtf8) : null
    if (short !== null) {
      block.push(short)
      at = short.end
      continue
    }
    const feed = bytes.indexOf(LINE_FEED, at)
    const lineEnd = feed < 0 ? bytes.length : feed
    const end = feed < 0 ? lineEnd : feed + 1
    if (isBlankAt(bytes, at, lineEnd)) blank++
    else if (task.logs !== null) {
      const log = readLog(bytes.toString('latin1', at, lineEnd > at && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd), task.logs.fields)
      block.push({ reading: typeof log === 'string' ? { answer: JSON.stringify({ line: number + block.length + blank, fault: log }) } : { input: log }, eventJson: null, end })
    } else {
      const line = isAllUtf8 || isUtf8(bytes.subarray(at, lineEnd)) ? bytes.toString('utf8', at, lineEnd) : null
      block.push({ reading: readLine(line, number + block.length + blank, task), eventJson: null, end })
    }
    at = end
  }
  return { lines: block, numbers, end: at, passed: block.length + blank }
}

/** @param number of a line in the upload @param from that of the first line of the task */
function receivedAt(clock: LogClock, number: number, from: number): number {
  return 'seconds' in clock ? clock.seconds[number - from] : clock.start + clock.step * (number - 1)
}

/** Members of the last line of a batch. */
function contentOf({ summaryJson, diagnosticsJson }: ContentReport): string {
  return `,"summary":${summaryJson},"diagnostics":[${diagnosticsJson}]`
}

/** Number of lines that end in a part of the bytes. */
function feedsIn(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED, from); at >= 0 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

function bytesOf({ buffers }: TaskContext, { lines }: LinesTask): Buffer {
  if (typeof lines !== 'number') return Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
  if (buffers === null) throw new TypeError('lines in shared memory need it')
  return buffers.lines(lines)
}
