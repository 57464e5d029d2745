/**
 * The form of a partial result: what the first phase of a replay found in one source, in frames. A frame is the length of its bytes and those bytes, compressed;
 * the last one is the tail, and its length once more and a mark follow it. So a file without its end is known, and what identifies a part is read without its blocks.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import { deflateSync, inflateSync } from 'node:zlib'
import type { BlockAnswer } from '#workers'
import type { CostSample } from './cost-sample.js'
import type { BlockCut } from './lane.js'

/** The facts that identify a part. */
export interface PartialHead {
  /** What has to be the same in the call that joins the parts. */
  readonly call: string
  /** Name of the source. */
  readonly name: string
}

export interface PartialBlock {
  readonly cut: BlockCut
  /** For each content; empty: the block has no lines. */
  readonly answers: readonly BlockAnswer[]
}

/** The sample of the source for the cost: the last frame before the tail, because only few parts are read at once. */
export interface PartialSample {
  readonly sample: CostSample
}

export interface PartialTail extends PartialHead {
  /** The first time in the source in seconds since the epoch; null: none was found in its beginning. */
  readonly first: number | null
  /** Why the source was not read to its end. */
  readonly fault: string | null
  /** SHA-256 of the events, from which all else follows: the bytes of a frame of the same content may differ from run to run. */
  readonly digest: string
}

/** Bytes of a length, and the mark at the end of a file. */
const LENGTH_BYTES = 4
const MARK = Buffer.from('REPLAYP1', 'latin1')
/** Bytes of a frame, compressed: those of a block of long lines, all of which are alerts. A larger length is none. */
const FRAME_LIMIT = 256 * 1024 * 1024

/** Makes the frames of a part, one after another. */
export class PartialWriter {
  readonly #head: PartialHead

  constructor(head: PartialHead) {
    this.#head = head
  }

  /** The beginning, which names the part even if nothing follows. */
  begin(): Buffer {
    return this.#frame(this.#head)
  }

  block(block: PartialBlock): Buffer {
    return this.#frame(block)
  }

  end(sample: CostSample, tail: Omit<PartialTail, keyof PartialHead>): Buffer {
    const sampled = this.#frame({ sample } satisfies PartialSample)
    const frame = this.#frame({ ...this.#head, ...tail } satisfies PartialTail)
    return Buffer.concat([sampled, frame, frame.subarray(0, LENGTH_BYTES), MARK])
  }

  #frame(content: PartialHead | PartialBlock | PartialSample | PartialTail): Buffer {
    const packed = deflateSync(serialize(content))
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32LE(packed.length)
    return Buffer.concat([length, packed])
  }
}

/** The facts about a file that are known without its blocks. */
export interface PartialOutline {
  /** Null: not even the beginning is there. */
  readonly head: PartialHead | null
  /** Null: the file has no end. */
  readonly tail: PartialTail | null
  /** Where the tail begins, in bytes. */
  readonly end: number
}

/** @param size bytes of the file */
export async function readOutline(path: string, size: number): Promise<PartialOutline> {
  const handle = await open(path)
  try {
    const head = (await frameAt(handle, 0, size)) as { readonly content: PartialHead } | null
    const close = size - LENGTH_BYTES - MARK.length
    const closing = await bytesAt(handle, close, size - close)
    if (closing === null || !closing.subarray(LENGTH_BYTES).equals(MARK)) return { head: head?.content ?? null, tail: null, end: size }
    const end = close - LENGTH_BYTES - closing.readUInt32LE(0)
    const tail = (await frameAt(handle, end, close)) as { readonly content: PartialTail } | null
    return { head: head?.content ?? null, tail: tail?.content ?? null, end }
  } finally {
    await handle.close()
  }
}

/** Reads the blocks of a file one by one, and at last its sample. @param end where its tail begins @param passed lines of the blocks that are left out */
export async function* readBlocks(path: string, end: number, passed: number, onRead: (bytes: number) => void): AsyncGenerator<PartialBlock | PartialSample, void, undefined> {
  const handle = await open(path)
  try {
    let at = (await frameAt(handle, 0, end))?.next ?? end
    while (at < end) {
      const frame = await frameAt(handle, at, end)
      if (frame === null) throw Object.assign(new Error(`${path} is damaged`), { code: 'damaged' })
      at = frame.next
      onRead(at)
      const content = frame.content as PartialBlock | PartialSample
      if ('sample' in content || content.cut.linesRead > passed) yield content
    }
  } finally {
    await handle.close()
  }
}

/** The frame at a position. @param end bytes that are there @returns null: it is not whole, or what is there is none */
async function frameAt(handle: FileHandle, at: number, end: number): Promise<{ readonly content: unknown; readonly next: number } | null> {
  if (at < 0 || at + LENGTH_BYTES > end) return null
  const length = (await bytesAt(handle, at, LENGTH_BYTES))?.readUInt32LE(0) ?? FRAME_LIMIT + 1
  const next = at + LENGTH_BYTES + length
  if (length > FRAME_LIMIT || next > end) return null
  const packed = await bytesAt(handle, at + LENGTH_BYTES, length)
  if (packed === null) return null
  try {
    return { content: deserialize(inflateSync(packed)), next }
  } catch {
    return null
  }
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer | null> {
  if (at < 0) return null
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, at)
  return bytesRead === length ? bytes : null
}
