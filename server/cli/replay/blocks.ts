/** Cuts a stream of bytes into blocks of whole lines. Where it is cut depends on the bytes alone, so a replay that continues in the middle has the same blocks. */
import type { Readable } from 'node:stream'
import { LINE_LIMIT } from '../input/lines.js'
import { BLOCK_BYTES, type BlockMemory } from './block-memory.js'

/** A block ends with the line that reaches this, or its bytes: as much as takes a thread some milliseconds. */
const BLOCK_LINES = 4096
const LINE_FEED = 0x0a

/** Lines of a source, and where it continues after them. */
export interface CutBlock {
  readonly bytes: Uint8Array
  readonly lines: number
  /** Number of the first line, from 1. */
  readonly firstLine: number
  /** The line after the block is too long, and is left out. */
  readonly beforeTooLong: boolean
  /** Bytes of the source up to the end of the block, with the line that is left out. */
  readonly offset: number
  /** Lines of the source up to there. */
  readonly linesRead: number
}

/** @param memory where the blocks are @param offset bytes that are passed over @param linesRead the lines in them */
export async function* cutBlocks(stream: Readable, memory: BlockMemory, offset: number, linesRead: number): AsyncGenerator<CutBlock, void, undefined> {
  let skip = offset
  const cutter = new Cutter(memory, offset, linesRead)
  for await (const part of stream) {
    const chunk = typeof part === 'string' ? Buffer.from(part) : (part as Buffer)
    const from = Math.min(skip, chunk.length)
    skip -= from
    if (from < chunk.length) yield* cutter.add(from === 0 ? chunk : chunk.subarray(from))
  }
  yield* cutter.end()
}

class Cutter {
  readonly #memory: BlockMemory
  #parts: Buffer[] = []
  /** Bytes in the parts, and those of whole lines among them. */
  #bytes = 0
  #whole = 0
  #lines = 0
  #offset: number
  #linesRead: number
  /** The current line is too long, and passed over. */
  #isPassing = false

  constructor(memory: BlockMemory, offset: number, linesRead: number) {
    this.#memory = memory
    this.#offset = offset
    this.#linesRead = linesRead
  }

  *add(chunk: Buffer): Generator<CutBlock, void, undefined> {
    let kept = 0
    for (let at = 0; at < chunk.length; ) {
      const feed = chunk.indexOf(LINE_FEED, at)
      const next = feed < 0 ? chunk.length : feed + 1
      if (this.#isPassing) {
        this.#offset += next - at
        kept = at = next
        if (feed < 0) continue
        this.#isPassing = false
        yield this.#cut(true)
        continue
      }
      const length = this.#bytes + next - kept - this.#whole
      if (length > LINE_LIMIT + 1) {
        // What precedes the line stays.
        this.#parts = [Buffer.concat(this.#parts.concat(chunk.subarray(kept, at))).subarray(0, this.#whole)]
        this.#offset += this.#bytes + at - kept - this.#whole
        this.#bytes = this.#whole
        kept = at
        this.#isPassing = true
        continue
      }
      at = next
      if (feed < 0) continue
      this.#lines++
      this.#whole = this.#bytes + next - kept
      if (this.#whole < BLOCK_BYTES && this.#lines < BLOCK_LINES) continue
      this.#keep(chunk.subarray(kept, next))
      kept = next
      yield this.#cut(false)
    }
    if (kept < chunk.length) this.#keep(chunk.subarray(kept))
  }

  /** The last line may have no end. */
  *end(): Generator<CutBlock, void, undefined> {
    if (this.#isPassing) yield this.#cut(true)
    if (this.#bytes === 0) return
    if (this.#bytes > this.#whole) this.#lines++
    this.#whole = this.#bytes
    yield this.#cut(false)
  }

  #keep(part: Buffer): void {
    this.#parts.push(part)
    this.#bytes += part.length
  }

  #cut(beforeTooLong: boolean): CutBlock {
    const bytes = this.#memory.take(this.#whole)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    const lines = this.#lines
    const firstLine = this.#linesRead + 1
    this.#linesRead += lines + (beforeTooLong ? 1 : 0)
    this.#offset += this.#whole
    this.#parts = []
    this.#bytes = this.#whole = this.#lines = 0
    return { bytes, lines, firstLine, beforeTooLong, offset: this.#offset, linesRead: this.#linesRead }
  }
}
