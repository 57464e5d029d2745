/** What is run of a corpus, part by part, by either clock. */
import { type AnalysisPool, ARRIVAL_START, ARRIVAL_STEP, BEGINNING_BYTES, lineAt, type LinesRequest, type Reading, type ReadOf, type RecordFields } from '#workers'
import { lineBlocks } from './blocks.js'
import { LineOrder, type OrderedBlock } from './line-order.js'
import { RunEnded } from './run-ended.js'
import type { ReplayTally } from './tally.js'

/** The first line is received then, and each further one a second later, as with `detection-content replay --clock arrival`. */
const ARRIVAL = { start: ARRIVAL_START, step: ARRIVAL_STEP } as const
/** Bytes of which a thread reads the times at once, if they are more than one line: short for others, who may wait for the thread. */
const READ_BYTES = 64 * 1024
const LINE_FEED = 0x0a

/** Lines that are run together, after those of the parts before. */
export interface CorpusPart {
  readonly bytes: Buffer
  /** Number of the first one. */
  readonly from: number
  readonly clock: NonNullable<LinesRequest['logs']>['clock']
  /** Bytes of the corpus that were read so far. */
  readonly done: number
  /** Returns the log of a line by its number. */
  readonly logOf: (line: number) => string
}

/** @param tally counts lines that are too long to be run */
export async function* partsByArrival(chunks: AsyncIterable<Buffer>, tally: ReplayTally): AsyncGenerator<CorpusPart, void, undefined> {
  for await (const { bytes, from, tooLong, done } of lineBlocks(chunks)) {
    tally.wrong += tooLong
    yield { bytes, from, clock: ARRIVAL, done, logOf: logsOf(bytes, from) }
  }
}

export interface TimeReading {
  readonly pool: AnalysisPool
  readonly organization: string
  readonly signal: AbortSignal
  readonly fields: RecordFields
}

/**
 * Threads read the times, and the order is made here.
 * @param open begins to read the corpus: its beginning is read before all of it
 * @param tally counts lines that are too long, and events that are late or have no time
 * @throws RunEnded analysis_failed
 */
export async function* partsByEvent(open: () => Promise<AsyncIterable<Buffer>>, reading: TimeReading, tally: ReplayTally): AsyncGenerator<CorpusPart, void, undefined> {
  const { seconds: first } = await readTimes({ of: 'first_time', bytes: await beginningOf(await open()), fields: reading.fields }, reading)
  const order = new LineOrder(first ?? ARRIVAL_START)
  let read = 0
  for await (const { bytes, tooLong, done } of lineBlocks(await open(), READ_BYTES)) {
    tally.wrong += tooLong
    read = done
    if (bytes.length === 0) continue
    const { times } = await readTimes({ of: 'times', bytes, fields: reading.fields }, reading)
    for (const block of order.take(bytes, times)) yield partOf(block, done)
  }
  for (const block of order.end()) yield partOf(block, read)
  tally.late = order.late
  tally.timeless = order.timeless
}

function partOf({ lines, seconds }: OrderedBlock, done: number): CorpusPart {
  const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1')
  return {
    bytes,
    from: 1,
    clock: { seconds },
    done,
    logOf: (line) =>
      Buffer.from(lines[line - 1], 'latin1')
        .toString('utf8')
        .trimEnd(),
  }
}

async function readTimes<R extends Extract<Reading, { of: 'times' | 'first_time' }>>(one: R, { pool, organization, signal }: TimeReading): Promise<ReadOf<R>> {
  const outcome = await pool.read(one, { organization, signal, isBackground: true })
  if (outcome.outcome === 'ok') return outcome.value
  signal.throwIfAborted()
  throw new RunEnded('analysis_failed')
}

async function beginningOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    bytes += chunk.length
    if (bytes >= BEGINNING_BYTES) break
  }
  return Buffer.concat(parts).subarray(0, BEGINNING_BYTES)
}

/** Returns the logs of a block by their numbers. Blank lines have numbers, and `lineAt` passes over them. */
function logsOf(bytes: Buffer, from: number): (line: number) => string {
  return (line) => {
    let start = 0
    for (let number = from; number < line; number++) start = bytes.indexOf(LINE_FEED, start) + 1
    const rest = bytes.subarray(start)
    const { start: at, end } = lineAt(rest, 0)
    return rest.toString('utf8', at, end).trimEnd()
  }
}
