/** Runs a replay: reads the sources, gives blocks to the threads, takes what they found in the order of the blocks, and writes checkpoints meanwhile. */
import type { Readable } from 'node:stream'
import { ARRIVAL_START, ARRIVAL_STEP, type BlockAnswer, type ReplayThreads } from '#workers'
import type { AlertFile } from './alert-file.js'
import { type CutBlock, cutBlocks } from './blocks.js'
import { type IncompleteSource, type ReplayPlace, writeCheckpoint } from './checkpoint.js'
import type { Correlator } from './correlator.js'
import { countFault } from './counters.js'
import { openSource, type Source } from './sources.js'

/** Milliseconds between two checkpoints, which is the work that a crash loses. */
const CHECKPOINT_MS = 10_000

/** A block that is run, with where it came from. */
interface InFlight {
  readonly cut: CutBlock
  readonly source: Source
  /** The place behind it. */
  readonly place: ReplayPlace
  /** Bytes of the sources that were read, as they lie on the disk. */
  readonly bytesRead: number
  /** Null: the block has no lines. */
  readonly answer: Promise<BlockAnswer> | null
}

export interface ReplayRun {
  readonly sources: readonly Source[]
  readonly stdin: Readable
  readonly threads: ReplayThreads
  readonly correlator: Correlator
  readonly alerts: AlertFile
  readonly incomplete: IncompleteSource[]
  readonly folder: string
  /** What identifies the call. */
  readonly call: string
  /** Where it begins. */
  readonly place: ReplayPlace
  readonly isStopped: () => boolean
  /** Called after each block. @param bytesRead of the sources */
  readonly onBlock: (bytesRead: number) => Promise<void>
  readonly clock: () => number
}

/** @returns whether the input was read to its end. A checkpoint says where to go on, also if it was: the results are not complete yet */
export async function runReplay(run: ReplayRun): Promise<boolean> {
  const { threads, correlator, alerts, incomplete, folder, call, isStopped } = run
  const flight: InFlight[] = []
  let place = run.place
  let lastCheckpoint = run.clock()
  const save = (): void => {
    alerts.sync()
    correlator.settle()
    writeCheckpoint(folder, call, { place, state: correlator.state, alerts: alerts.size, incomplete, isFinished: false })
    lastCheckpoint = run.clock()
  }
  const finishFirst = async (): Promise<void> => {
    const first = flight.shift()
    if (first === undefined) return
    const { cut, source } = first
    const { counters } = correlator.state
    const answer = await first.answer
    if (answer !== null) correlator.take(answer, source.name, cut.firstLine)
    if (cut.beforeTooLong) countFault(counters, 'too_long', source.name, cut.firstLine + cut.lines)
    counters.lines += cut.lines + (cut.beforeTooLong ? 1 : 0)
    place = first.place
    await run.onBlock(first.bytesRead)
    if (run.clock() - lastCheckpoint >= CHECKPOINT_MS) save()
  }
  for await (const { cut, source, place: behind, bytesRead } of blocksFrom(run)) {
    const { bytes, lines, firstLine } = cut
    const seconds = ARRIVAL_START + ARRIVAL_STEP * (behind.linesBefore + firstLine - 1)
    const answer = lines === 0 ? null : threads.run({ bytes, lines, firstLine, seconds, source: JSON.stringify(source.name) })
    // It is awaited in its turn.
    answer?.catch(() => {})
    flight.push({ cut, source, place: behind, bytesRead, answer })
    if (flight.length >= threads.capacity) await finishFirst()
    if (isStopped()) break
  }
  while (flight.length > 0 && !isStopped()) await finishFirst()
  const isWhole = flight.length === 0 && !isStopped()
  if (isWhole) {
    correlator.end()
    place = { source: run.sources.length, offset: 0, lines: 0, linesBefore: 0 }
  }
  save()
  return isWhole
}

/** The blocks of all sources from a place on. A source that cannot be read to its end is noted, and the next one is read. */
async function* blocksFrom({ sources, stdin, place, incomplete }: ReplayRun): AsyncGenerator<Omit<InFlight, 'answer'>, void, undefined> {
  let { linesBefore } = place
  let bytesBefore = sources.slice(0, place.source).reduce((sum, { size }) => sum + (size ?? 0), 0)
  for (let at = place.source; at < sources.length; at++) {
    const source = sources[at]
    const isFirst = at === place.source
    const { stream, bytesRead, isWhole } = openSource(source, stdin)
    let offset = isFirst ? place.offset : 0
    let lines = isFirst ? place.lines : 0
    // A replay that goes on may have noted it before.
    const note = (reason: string): void => {
      if (!incomplete.some((known) => known.source === source.name)) incomplete.push({ source: source.name, reason })
    }
    try {
      for await (const cut of cutBlocks(stream, offset, lines)) {
        offset = cut.offset
        lines = cut.linesRead
        yield { cut, source, place: { source: at, offset, lines, linesBefore }, bytesRead: bytesBefore + bytesRead() }
      }
      if (!(await isWhole(offset))) note('truncated')
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException
      // Errors of the system and of the decompression have a code; others are faults of this program.
      if (typeof code !== 'string') throw fault
      note(code)
    } finally {
      stream.destroy()
    }
    linesBefore += lines
    bytesBefore += source.size ?? 0
  }
}
