/** A source that is being read: its blocks are asked for ahead of their turn, and come back one after another. */
import { type BlockAnswer, EVENT } from '#workers'
import type { CutBlock } from './blocks.js'
import type { CostSample } from './cost-sample.js'
import type { LanePlace } from './place.js'
import { seedOf } from './smallest.js'
import type { Source } from './sources.js'

/** What is counted and passed over of a block; its bytes are those of the answers. */
export type BlockCut = Omit<CutBlock, 'bytes'>

/** A block with what each content makes of it. */
export interface TakenBlock {
  readonly cut: BlockCut
  /** Empty: the block has no lines. */
  readonly answers: readonly BlockAnswer[]
  /** Its first event that is not finished. */
  next: number
}

/** A block whose answers may still be awaited; null: it has no lines. */
export interface GivenBlock {
  readonly cut: BlockCut
  readonly answers: Promise<readonly BlockAnswer[]> | null
}

/** Gives the blocks of a source in their order, from its start on. */
export interface BlockFeed {
  /** @returns null: there is none any more */
  next(): Promise<GivenBlock | null>
  /** Bytes of the file that were read so far. */
  bytesRead(): number
  /** At the end: why the source was not read to its end; null: it was. */
  readonly fault: string | null
  /** At the end: the sample of the source for the cost. Null: it is taken from the lines of the blocks. */
  readonly sample: CostSample | null
  /** Whether there will be a sample. */
  readonly isSampled: boolean
  close(): Promise<unknown>
}

/** How the sources of a replay are read. */
export interface Feeds {
  /** Blocks that are given at once. */
  readonly capacity: number
  /** @param source its position in the list of sources */
  open(source: number, size: number | null, start: LaneStart): BlockFeed
}

export interface LaneStart extends LanePlace {
  /** Lines of the sources before it. */
  readonly linesBefore: number
}

export class Lane {
  readonly source: Source
  readonly rank: number
  /** Seed of the hashes of its lines. */
  readonly seed: number
  readonly feed: BlockFeed
  readonly #given: GivenBlock[] = []
  /** The block whose turn it is; null: none was taken, or it is finished. */
  block: TakenBlock | null = null
  /** Where the block begins whose turn it is, or else the next one: the offset in bytes, and the lines before it. */
  #offset: number
  #lines: number
  /** If a source is resumed from a checkpoint: the number of finished events in its first block. */
  #finished: number | null
  /** Lines that were read. */
  linesRead: number
  /** Whether every block was given. */
  hasEnded = false
  lastTime: number

  constructor(source: Source, start: LanePlace, feed: BlockFeed) {
    this.source = source
    this.rank = start.rank
    this.seed = seedOf(source.name)
    this.lastTime = start.lastTime
    this.feed = feed
    this.#finished = start.finished
    this.#offset = start.offset
    this.#lines = this.linesRead = start.lines
  }

  /** Blocks that were given ahead of their turn. */
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

  /** Asks for the next block. @returns false: there is none */
  async give(): Promise<boolean> {
    const given = await this.feed.next()
    if (given === null) {
      this.hasEnded = true
      return false
    }
    this.linesRead = given.cut.linesRead
    // It is awaited in its turn.
    given.answers?.catch(() => {})
    this.#given.push(given)
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

  /** Where the source continues. */
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
}
