/** The blocks of a source that is read: each is given to a thread. */
import type { Readable } from 'node:stream'
import { ARRIVAL_START, ARRIVAL_STEP, type Block, type BlockAnswer } from '#workers'
import type { BlockMemory } from './block-memory.js'
import { type CutBlock, cutBlocks } from './blocks.js'
import type { BlockFeed, GivenBlock, LaneStart } from './lane.js'
import { openSource, type Source } from './sources.js'

/** Runs the events of a block as far as they do not depend on others. There is an answer for each content. */
export type RunBlock = (block: Block) => Promise<readonly BlockAnswer[]>

export class SourceFeed implements BlockFeed {
  readonly sample = null
  readonly isSampled = false
  fault: string | null = null
  readonly #source: Source
  readonly #start: Pick<LaneStart, 'offset' | 'lines' | 'linesBefore'>
  readonly #memory: BlockMemory
  readonly #run: RunBlock
  readonly #cuts: AsyncGenerator<CutBlock, void, undefined>
  #bytesRead: () => number = () => 0

  constructor(source: Source, start: Pick<LaneStart, 'offset' | 'lines' | 'linesBefore'>, stdin: Readable, memory: BlockMemory, run: RunBlock) {
    this.#source = source
    this.#start = start
    this.#memory = memory
    this.#run = run
    this.#cuts = this.#read(stdin)
  }

  async next(): Promise<GivenBlock | null> {
    const { value: cut } = await this.#cuts.next()
    if (cut === undefined) return null
    const { bytes, lines, firstLine } = cut
    if (lines === 0) this.#memory.give(bytes)
    const seconds = ARRIVAL_START + ARRIVAL_STEP * (this.#start.linesBefore + firstLine - 1)
    return { cut, answers: lines === 0 ? null : this.#run({ bytes, lines, firstLine, seconds, source: JSON.stringify(this.#source.name) }) }
  }

  bytesRead(): number {
    return this.#bytesRead()
  }

  close(): Promise<unknown> {
    return this.#cuts.return()
  }

  async *#read(stdin: Readable): AsyncGenerator<CutBlock, void, undefined> {
    const { stream, bytesRead, isWhole } = openSource(this.#source, stdin)
    this.#bytesRead = bytesRead
    let { offset } = this.#start
    try {
      for await (const cut of cutBlocks(stream, this.#memory, offset, this.#start.lines)) {
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
}
