/** The first phase of a replay for one source, in this thread: what it found is written for a later call, which joins the parts. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type CompiledRuleset, inheritsCaptures } from '#engine'
import { BEGINNING_BYTES, blocksInOwnThread } from '#workers'
import type { CommandContext } from '../command.js'
import { STDIN_NAME } from '../input/lines.js'
import { BlockMemory } from './block-memory.js'
import { createCostSample, noteEvent } from './cost-sample.js'
import { Lane } from './lane.js'
import type { ReplayOptions } from './options.js'
import { BlockStripper } from './partial-block.js'
import { PartialWriter } from './partial-file.js'
import { firstTime, timeIn } from './plan-sources.js'
import { SourceFeed } from './source-feed.js'

/** Where the source begins. */
const START = { rank: 0, offset: 0, lines: 0, linesBefore: 0, finished: null, lastTime: 0 } as const

/** @param call what has to be the same in the call that joins the parts @returns whether the source was read to its end */
export async function writePartial({ stdin, stdout }: CommandContext, options: ReplayOptions, rulesets: readonly CompiledRuleset[], call: string): Promise<boolean> {
  const { fields, clock, select } = options
  const [file] = options.sources
  const name = options.name ?? file.name
  const run = await blocksInOwnThread(rulesets, { fields, clock, select })
  const beginning: Buffer[] = []
  const memory = new BlockMemory()
  const feed = new SourceFeed(file, START, Readable.from(noting(stdin, beginning)), memory, async (block) => run({ ...block, source: JSON.stringify(name) }))
  const lane = new Lane({ name, size: file.size }, START, feed)
  const stripper = new BlockStripper({ inherits: rulesets.map(inheritsCaptures), all: rulesets.length > 1 })
  const writer = new PartialWriter({ call, name })
  const sample = createCostSample()
  const hash = createHash('sha256')
  await stdout.write(writer.begin())
  while ((await lane.take()) !== null) {
    const { block } = lane
    if (block === null) continue
    const { cut, answers } = block
    if (answers.length > 0) {
      const [{ bytes, count, starts, ends, lines }] = answers
      hash.update(bytes)
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      for (let i = 0; i < count; i++) noteEvent(sample, lane.seed, cut.firstLine + lines[i], ends[i] - starts[i], () => buffer.toString('latin1', starts[i], ends[i]))
    }
    // The place says which lines were too long.
    hash.update(`${cut.offset} ${cut.linesRead}\n`)
    await stdout.write(writer.block(stripper.strip(block)))
    if (answers.length > 0) memory.give(answers[0].bytes)
  }
  const first = file.name === STDIN_NAME ? timeIn(beginning, fields) : await firstTime(file, fields)
  await stdout.write(writer.end(sample, { first, fault: feed.fault, digest: hash.digest('hex') }))
  return feed.fault === null
}

/** Passes a stream on, and keeps its beginning. */
async function* noting(stream: Readable, beginning: Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0
  for await (const part of stream) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : (part as Buffer)
    if (bytes < BEGINNING_BYTES) beginning.push(chunk.subarray(0, BEGINNING_BYTES - bytes))
    bytes += chunk.length
    yield chunk
  }
}
