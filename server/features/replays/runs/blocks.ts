/** Cuts the bytes of a corpus into blocks of whole lines. */

const BLOCK_BYTES = 128 * 1024
/** Longer lines are not run: Wazuh takes 64 KB of an event. */
const LINE_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

export interface LineBlock {
  readonly bytes: Buffer
  /** Number of its first line in the corpus, from 1. */
  readonly from: number
  /** Lines that are left out before it, because they are too long. */
  readonly tooLong: number
  /** Bytes of the corpus up to its end. */
  readonly done: number
}

/** @param limit bytes of a block, if it has more than one line */
export async function* lineBlocks(chunks: AsyncIterable<Buffer>, limit = BLOCK_BYTES): AsyncGenerator<LineBlock, void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let from = 1
  let done = 0
  let tooLong = 0
  /** The rest of a line that is too long is passed over. */
  let isSkipping = false
  const block = (bytes: Buffer): LineBlock => {
    const made = { bytes, from: from, tooLong, done: (done += bytes.length) }
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) from++
    tooLong = 0
    return made
  }
  for await (const chunk of chunks) {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (isSkipping) {
      const feed = bytes.indexOf(LINE_FEED)
      done += feed < 0 ? bytes.length : feed + 1
      bytes = feed < 0 ? Buffer.alloc(0) : bytes.subarray(feed + 1)
      if (feed >= 0) from++
      isSkipping = feed < 0
    }
    while (bytes.length > 0) {
      const last = bytes.length > limit ? bytes.lastIndexOf(LINE_FEED, limit - 1) : bytes.lastIndexOf(LINE_FEED)
      const end = last >= 0 ? last : bytes.indexOf(LINE_FEED)
      if (end < 0) break
      yield block(bytes.subarray(0, end + 1))
      bytes = bytes.subarray(end + 1)
    }
    if (bytes.length > LINE_BYTES) {
      done += bytes.length
      bytes = Buffer.alloc(0)
      tooLong++
      isSkipping = true
    }
    rest = bytes
  }
  if (rest.length > 0 || tooLong > 0) yield block(rest)
}
