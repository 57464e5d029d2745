/**
 * Reads the complete lines of an upload. It reads ahead of the threads, because many clients send everything before they read the answer, and waiting for
 * them would deadlock. Beyond the limit of `batch_bytes` an upload continues only when its lines are run. An incomplete line cannot run and counts as
 * `body_bytes`.
 */
import type { Readable } from 'node:stream'
import { isBlankAt } from '#workers'
import type { ApiError } from '../core/errors.js'
import { freeMemory } from '../core/http/connection/free-memory.js'
import type { GrowingPermit, Meter } from '../core/limits/limits.js'

const LINE_FEED = 0x0a
/**
 * Maximum bytes of the lines that `next` returns; a longer line is returned alone. They are those of two reads of a connection: each chunk takes a millisecond of
 * the event loop, so a batch in chunks of one read takes 1.06 times as much processor time, and more than two bring little.
 */
const CHUNK_BYTES = 136 * 1024

/** Complete lines, in the pieces in which they arrived. They are joined when they are run. */
interface Lines {
  readonly pieces: readonly Uint8Array[]
  readonly bytes: number
}

export class Upload {
  readonly #body: Readable
  readonly #open: GrowingPermit | null
  readonly #read: Meter
  /** Complete lines, in order. */
  readonly #lines: Lines[] = []
  /** Memory in which lines were joined, and that is no longer read: what is not reused must be collected, which takes more time than the copy. */
  readonly #free: ArrayBuffer[] = []
  #bytes = 0
  #firstNumber = 1
  #isOver = false
  #isClosed = false
  #failure: unknown = null
  #wakeReader: (() => void) | null = null
  #wakeUpload: (() => void) | null = null

  /** @param open counts the incomplete line @param read counts complete lines that `next` has not returned */
  constructor(body: Readable, open: GrowingPermit | null, read: Meter) {
    this.#body = body
    this.#open = open
    this.#read = read
    void this.#readAhead()
  }

  /** Why the upload ended early; null: it did not. */
  get failure(): unknown {
    return this.#failure
  }

  /** Number of the line that `first` returned. */
  get firstNumber(): number {
    return this.#firstNumber
  }

  /** Returns the first line that is not blank, without its line feed; null: none. */
  async first(): Promise<Uint8Array | null> {
    for (let block = await this.next(); block !== null; block = await this.next()) {
      for (let start = 0; start < block.length; ) {
        const feed = block.indexOf(LINE_FEED, start)
        const end = feed < 0 ? block.length : feed
        if (!isBlankAt(block, start, end)) {
          // A copy, because the memory of a piece is freed.
          if (end + 1 < block.length) this.#putBack(Buffer.from(block.subarray(end + 1)))
          return block.subarray(start, end)
        }
        start = end + 1
        this.#firstNumber++
      }
    }
    return null
  }

  /** Returns complete lines, as soon as there is one; null: the upload has ended. */
  async next(): Promise<Uint8Array | null> {
    while (this.#lines.length === 0) {
      if (this.#isOver || this.#isClosed) return null
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
    let count = 1
    let { bytes } = this.#lines[0]
    while (count < this.#lines.length && bytes + this.#lines[count].bytes <= CHUNK_BYTES) bytes += this.#lines[count++].bytes
    const pieces = this.#lines.splice(0, count).flatMap((lines) => lines.pieces)
    this.#release(bytes)
    return this.#join(pieces, bytes)
  }

  /** Takes back what `next` returned, or the beginning of it, when it is no longer read. */
  reuse({ buffer, byteOffset }: Uint8Array): void {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === CHUNK_BYTES && byteOffset === 0) this.#free.push(buffer)
  }

  /** Discards the rest. @param failure why the upload ends early; null: the rest is not needed */
  close(failure: ApiError | null = null): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (!this.#isOver || this.#lines.length > 0) this.#failure ??= failure
    this.#lines.length = 0
    this.#release(this.#bytes)
    this.#body.destroy()
    this.#wakeReader?.()
  }

  #putBack(rest: Uint8Array): void {
    this.#lines.unshift({ pieces: [rest], bytes: rest.length })
    this.#count(rest.length)
  }

  #join(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
    const joined = bytes > CHUNK_BYTES ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(this.#free.pop() ?? new ArrayBuffer(CHUNK_BYTES), 0, bytes)
    let at = 0
    for (const piece of pieces) {
      joined.set(piece, at)
      at += piece.length
      // All that precedes the end of a chunk is joined by then.
      freeMemory(piece)
    }
    return joined
  }

  async #readAhead(): Promise<void> {
    /** Chunks of the incomplete line. */
    let open: Uint8Array[] = []
    let openBytes = 0
    try {
      for await (const chunk of this.#body as AsyncIterable<Uint8Array>) {
        if (this.#isClosed) return
        const feed = chunk.lastIndexOf(LINE_FEED)
        if (feed < 0) {
          open.push(chunk)
          openBytes += chunk.length
          this.#open?.grow(chunk.length)
          continue
        }
        const last = chunk.subarray(0, feed + 1)
        this.#add([...open, last], openBytes + last.length)
        open = feed + 1 < chunk.length ? [chunk.subarray(feed + 1)] : []
        openBytes = chunk.length - feed - 1
        this.#open?.release()
        this.#open?.grow(openBytes)
        while (this.#read.isFull && this.#bytes > CHUNK_BYTES && !this.#isClosed) {
          await new Promise<void>((resolve) => {
            this.#wakeUpload = resolve
          })
        }
      }
      if (openBytes > 0 && !this.#isClosed) this.#add(open, openBytes)
    } catch (error) {
      if (!this.#isClosed) this.#failure = error
    } finally {
      this.#open?.release()
    }
    this.#isOver = true
    this.#wakeReader?.()
  }

  #add(pieces: readonly Uint8Array[], bytes: number): void {
    this.#lines.push({ pieces, bytes })
    this.#count(bytes)
    this.#wakeReader?.()
    this.#wakeReader = null
  }

  #count(bytes: number): void {
    this.#read.change(bytes)
    this.#bytes += bytes
  }

  #release(bytes: number): void {
    this.#read.change(-bytes)
    this.#bytes -= bytes
    this.#wakeUpload?.()
    this.#wakeUpload = null
  }
}
