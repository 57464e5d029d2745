/** A source that is being read: its blocks are given to the threads ahead of their turn, and come back one after another. */
import type { Readable } from 'node:stream'
import { ARRIVAL_START, ARRIVAL_STEP, type BlockAnswer, EVENT, type ReplayThreads } from '#workers'
import { type CutBlock, cutBlocks } from './blocks.js'
import type { LanePlace } from './place.js'
import { seedOf } from './smallest.js'
import { openSource, type Source } from './sources.js'

/** A block with what each content makes of it. */
export interface TakenBlock {
  readonly cut: CutBlock
  /** Empty: the block has no lines. */
  readonly answers: readonly BlockAnswer[]
  /** Its first event that is not finished. */
  next: number
}

interface GivenBlock {
  readonly cut: CutBlock
  readonly answers: Promise<readonly BlockAnswer[]> | null
}

export interface LaneStart extends LanePlace {
  /** Lines of the sources before it. */
  readonly linesBefore: number
}

export class Lane {
  readonly source: Source
  readonly rank: number
  /** For hashes of its lines. */
  readonly seed: number
  readonly #threads: ReplayThreads
  readonly #start: LaneStart
  readonly #cuts: AsyncGenerator<CutBlock, void, undefined>
  readonly #given: GivenBlock[] = []
  /** The block whose turn it is; null: none was taken, or it is finished. */
  block: TakenBlock | null = null
  /** Of the block whose turn it is, or of the one that comes next. */
  #offset: number
  #lines: number
  /** Of the first block of a source that goes on: its events that are finished. */
  #finished: number | null
  /** Lines that were read. */
  linesRead: number
  /** Bytes of the file that were read so far. */
  bytesRead: () => number = () => 0
  /** Whether everything was given to the threads. */
  hasEnded = false
  /** Why the source was not read to its end. */
  fault: string | null = null
  lastTime: number

  constructor(source: Source, start: LaneStart, stdin: Readable, threads: ReplayThreads) {
    this.source = source
    this.rank = start.rank
    this.seed = seedOf(source.name)
    this.lastTime = start.lastTime
    this.#threads = threads
    this.#start = start
    this.#finished = start.finished
    this.#offset = start.offset
    this.#lines = this.linesRead = start.lines
    this.#cuts = this.#read(stdin)
  }

  /** Blocks that the threads have. */
  get inFlight(): number {
    return this.#given.length
  }

  /** Seconds at which the next event of the block is received, by the clock `event`. */
  get headTime(): number {
    if (this.block === null || this.block.answers.length === 0) return Number.NEGATIVE_INFINITY
    const { answers, next } = this.block
    const [{ states, seconds }] = answers
    return (states[next] & EVENT.timeless) === 0 ? seconds[next] : this.lastTime
  }

  /** Reads the next block and gives it to a thread. @returns false: there is none */
  async give(): Promise<boolean> {
    const { value: cut } = await this.#cuts.next()
    if (cut === undefined) {
      this.hasEnded = true
      return false
    }
    this.linesRead = cut.linesRead
    const { bytes, lines, firstLine } = cut
    const seconds = ARRIVAL_START + ARRIVAL_STEP * (this.#start.linesBefore + firstLine - 1)
    const answers = lines === 0 ? null : this.#threads.run({ bytes, lines, firstLine, seconds, source: JSON.stringify(this.source.name) })
    // It is awaited in its turn.
    answers?.catch(() => {})
    this.#given.push({ cut, answers })
    return true
  }

  /** Goes on to the next block, which may have to be read. @returns whether it is to be counted; null: there is none */
  async take(): Promise<boolean | null> {
    this.#leave()
    if (this.#given.length === 0 && (this.hasEnded || !(await this.give()))) return null
    const [{ cut, answers }] = this.#given.splice(0, 1)
    const answered = answers === null ? [] : await answers
    const finished = this.#finished
    this.#finished = null
    this.block = { cut, answers: answered, next: finished ?? 0 }
    return finished === null
  }

  /** Where the source goes on. */
  place(): LanePlace {
    const { rank, lastTime } = this
    return { rank, offset: this.#offset, lines: this.#lines, finished: this.block?.next ?? this.#finished, lastTime }
  }

  /** The block is finished. */
  #leave(): void {
    if (this.block === null) return
    this.#offset = this.block.cut.offset
    this.#lines = this.block.cut.linesRead
    this.block = null
  }

  async *#read(stdin: Readable): AsyncGenerator<CutBlock, void, undefined> {
    const { stream, bytesRead, isWhole } = openSource(this.source, stdin)
    this.bytesRead = bytesRead
    let { offset } = this.#start
    try {
      for await (const cut of cutBlocks(stream, offset, this.#start.lines)) {
        offset = cut.offset
        yield cut
      }
      if (!(await isWhole(offset))) this.fault = 'truncated'
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException
      // Errors of the system and of the decompression have a code; others are faults of this program.
      if (typeof code !== 'string') throw fault
      this.fault = code
    } finally {
      stream.destroy()
    }
  }

  close(): Promise<unknown> {
    return this.#cuts.return()
  }
}
