/**
 * A batch of lines that is answered while it is uploaded. Invariants:
 *  1. chunks of answers are yielded in the order of the lines, as soon as they are ready, while more lines arrive
 *  2. nothing is read or run beyond the window: a reader that takes no more chunks stops the upload
 *  3. if a thread ends, one line is lost and answered as stopped; after `STOPS_LIMIT` of them, all later lines are answered in this way without a run
 */
import { setImmediate as nextIteration } from 'node:timers/promises'
import type { NotOk } from '../pool/pending-task.js'
import type { WrittenAnswer } from '../shared/answers.js'
import { isBlankAt } from '../shared/blank-line.js'
import type { Failed, Stopped, TaskOutcome, TimedOut } from '../shared/failure.js'
import type { LinesPart } from '../thread/tasks/lines.js'
import { type Stop, STOPS_LIMIT } from './run-in-chunks.js'
import { stoppedFirstLine, stoppedLine } from './stopped-line.js'

const LINE_FEED = 0x0a
const NOTHING_SHARED = (): void => {}
/** Maximum number of answers to lines that are not run, in one chunk. */
const STOPPED_LINES = 1024

/** The next part of an upload. */
export type LineItem =
  /** Whole lines. The last one may lack its line feed. `from`: number of the first one in the upload, default 1. */
  | { readonly lines: Uint8Array; readonly from?: number }
  /** Lines that are answered without a thread: their answers in JSON, and how many they are. */
  | { readonly answers: Uint8Array; readonly count: number }

export interface LineSource {
  /** Returns the next item; null: the end. Called again only after the last promise is settled. A rejection ends the batch and is passed to the caller. */
  next(): Promise<LineItem | null>
  /** Called with the lines of an item that are all answered: nobody reads them any more. */
  reuse?(lines: Uint8Array): void
}

/** A chunk of a batch's answer: NDJSON. */
export interface LineChunk extends Omit<WrittenAnswer, 'digest'> {
  /** Number of answered lines. */
  readonly count: number
  readonly matched: number
  readonly failed: number
  /** Number of lines that were events: all except those that a thread found to be invalid, and those that have their answer already. */
  readonly events: number
  /** Number of lines that a thread found to be invalid. */
  readonly wrong: number
  /** Number of events that alert, where some lines or fields are left out; else 0. */
  readonly alerts: number
  /** As in `LinesPart`. */
  readonly content: string | null
  /** Null when no event ran. */
  readonly compiledHash: string | null
}

export interface LineRun {
  /** Chunks that are processed at once. */
  readonly window: number
  readonly signal: AbortSignal | undefined
  /** @param from number of the first line */
  submit(
    lines: Uint8Array,
    from: number,
    isContentOk: boolean | null,
    signal: AbortSignal,
  ): Promise<NotOk | { readonly outcome: 'ok'; readonly part: LinesPart; readonly answer: WrittenAnswer }>
  describe(by: NotOk): Stopped
  /** @param line the line that was stopped */
  describeStop(stop: Stop, line: Uint8Array): Promise<TimedOut | Failed>
}

/** State shared by all chunks of a batch. */
interface Batch {
  readonly run: LineRun
  readonly signal: AbortSignal
  stops: number
  /** Null: no event has run, and the diagnostics are not reported yet. */
  isContentOk: boolean | null
  /** The answer to lines that are no longer run; null: lines are run. */
  abandoned: Buffer | null
}

type Chunks = AsyncGenerator<TaskOutcome<LineChunk>, void, undefined>

/** Answers the lines of a batch chunk by chunk, in their order. Some chunks run ahead of the reader. */
export async function* runLines(source: LineSource, run: LineRun): Chunks {
  // Chunks that run ahead are cancelled when the reader stops early.
  const left = new AbortController()
  const batch: Batch = { run, signal: run.signal === undefined ? left.signal : AbortSignal.any([run.signal, left.signal]), stops: 0, isContentOk: null, abandoned: null }
  const ahead: { readonly item: LineItem; readonly chunks: Chunks; next: ReturnType<Chunks['next']> }[] = []
  let reading: Promise<LineItem | null> | null = null
  let isOver = false
  try {
    for (;;) {
      // The first event that runs reports the diagnostics. Until then chunks run one by one.
      if (!isOver && reading === null && ahead.length < (batch.isContentOk === null ? 1 : run.window)) reading = source.next()
      const [first] = ahead
      if (first === undefined && reading === null) return
      const isRead = reading !== null && (first === undefined || (await Promise.race([first.next.then(() => false), reading.then(() => true)])))
      if (isRead) {
        const item: LineItem | null = await reading
        reading = null
        if (item === null) isOver = true
        else {
          const chunks = 'lines' in item ? runChunk(item.lines, item.from ?? 1, batch) : alreadyAnswered(item)
          ahead.push({ item, chunks, next: chunks.next() })
        }
        continue
      }
      const { value: chunk, done } = await first.next
      if (done === true) {
        ahead.shift()
        if ('lines' in first.item) source.reuse?.(first.item.lines)
        continue
      }
      // The next chunk runs while this one is sent.
      first.next = first.chunks.next()
      yield chunk
      if (chunk.outcome !== 'ok') return
    }
  } finally {
    left.abort()
    // Their results are no longer needed.
    reading?.catch(() => {})
    for (const { next } of ahead) {
      next.then(
        ({ value }) => value?.outcome === 'ok' && value.value.release(),
        () => {},
      )
    }
  }
}

async function* alreadyAnswered({ answers, count }: Extract<LineItem, { answers: Uint8Array }>): Chunks {
  yield { outcome: 'ok', value: { bytes: answers, release: NOTHING_SHARED, count, matched: 0, failed: count, events: 0, wrong: 0, alerts: 0, content: null, compiledHash: null } }
}

/** Answers every line with the reason why the ruleset could not be compiled. */
export async function* answerStopped(source: LineSource, stop: TimedOut | Failed): Chunks {
  const answer = stoppedLine(stop)
  let isFirst = true
  for (let item = await source.next(); item !== null; item = await source.next()) {
    if (!('lines' in item)) {
      yield* alreadyAnswered(item)
      continue
    }
    const { lines } = item
    const { start, next } = lineAt(lines, 0)
    if (!isFirst || start === lines.length) yield* abandon(lines, answer)
    else {
      isFirst = false
      yield { outcome: 'ok', value: stoppedChunk(stoppedFirstLine(stop), 1) }
      yield* abandon(lines.subarray(next), answer)
    }
  }
}

async function* runChunk(lines: Uint8Array, first: number, batch: Batch): Chunks {
  let rest = lines
  let from = first
  /** The line, counted from `rest`, that stopped a thread. The lines before it are run again, because their answers were lost. */
  let stopped: { at: number; readonly stop: Stop } | null = null
  while (rest.length > 0) {
    if (batch.abandoned !== null) {
      yield* abandon(rest, batch.abandoned)
      return
    }
    if (stopped !== null && stopped.at === 0) {
      const line = lineAt(rest, 0)
      const answer = stoppedLine(await batch.run.describeStop(stopped.stop, rest.subarray(line.start, line.end)))
      if (++batch.stops >= STOPS_LIMIT) batch.abandoned ??= answer
      yield { outcome: 'ok', value: stoppedChunk(answer, 1) }
      from += countLines(rest.subarray(0, line.next)).all
      rest = rest.subarray(line.next)
      stopped = null
      continue
    }
    const some = stopped === null ? rest : rest.subarray(0, lineAt(rest, stopped.at).start)
    const submitted = await batch.run.submit(some, from, batch.isContentOk, batch.signal)
    if (submitted.outcome === 'busy' || submitted.outcome === 'aborted') {
      yield batch.run.describe(submitted)
      return
    }
    if (submitted.outcome !== 'ok') {
      // Stopped before the first line: the cause is the ruleset, so another attempt would end in the same way.
      stopped = { at: (submitted.outcome === 'timeout' ? submitted.at.index : submitted.index) ?? 0, stop: submitted }
      continue
    }
    const { bytes, release } = submitted.answer
    const { count, read, lines: passed, matched, failed, wrong, alerts, content, compiledHash, isContentOk } = submitted.part
    batch.isContentOk ??= isContentOk
    rest = rest.subarray(read)
    from += passed
    if (stopped !== null) stopped.at -= count
    if (count > 0) yield { outcome: 'ok', value: { bytes, release, count, matched, failed, events: count - wrong, wrong, alerts, content, compiledHash } }
  }
}

/** Answers lines that are not run. There may be millions, so the main thread can do other work in between. */
async function* abandon(lines: Uint8Array, answer: Buffer): Chunks {
  let rest = lines
  while (rest.length > 0) {
    let count = 0
    while (count < STOPPED_LINES && rest.length > 0) {
      const { start, next } = lineAt(rest, 0)
      if (start < rest.length) count++
      rest = rest.subarray(next)
    }
    if (count > 0) yield { outcome: 'ok', value: stoppedChunk(answer, count) }
    await nextIteration()
  }
}

function stoppedChunk(answer: Buffer, count: number): LineChunk {
  return {
    bytes: Buffer.alloc(count * answer.length, answer),
    release: NOTHING_SHARED,
    count,
    matched: 0,
    failed: count,
    events: count,
    wrong: 0,
    alerts: 0,
    content: null,
    compiledHash: null,
  }
}

/** Returns the offsets of the non-blank line with that index. All three are the end of the lines if there is none. */
export function lineAt(lines: Uint8Array, index: number): { start: number; end: number; next: number } {
  let start = 0
  let seen = 0
  while (start < lines.length) {
    const feed = lines.indexOf(LINE_FEED, start)
    const end = feed < 0 ? lines.length : feed
    const next = feed < 0 ? end : feed + 1
    if (!isBlankAt(lines, start, end) && seen++ === index) return { start, end, next }
    start = next
  }
  return { start: lines.length, end: lines.length, next: lines.length }
}

/** Returns the number of non-blank lines, and that of all. */
export function countLines(lines: Uint8Array): { readonly filled: number; readonly all: number } {
  let filled = 0
  let all = 0
  for (let start = 0; start < lines.length; ) {
    const feed = lines.indexOf(LINE_FEED, start)
    const end = feed < 0 ? lines.length : feed
    if (!isBlankAt(lines, start, end)) filled++
    all++
    start = end + 1
  }
  return { filled, all }
}
