/**
 * Memory for the bytes of blocks, which all threads share, and which is used again when all events of a block are finished. V8 counts other buffers as objects of
 * the heap, also those that are moved: it would mark a whole ruleset after every 40 MB of the input, which is a tenth of the processor time of a replay.
 */

/** A block ends with the line that reaches this. */
export const BLOCK_BYTES = 512 * 1024
/** Bytes of a piece of memory: a block and the rest of its last line, if that is no longer than an event can be. Larger blocks have memory of their own. */
const PIECE = BLOCK_BYTES + 64 * 1024
/** Pieces that are kept. */
const FREE_LIMIT = 64

export class BlockMemory {
  readonly #free: SharedArrayBuffer[] = []

  /** Memory for a block, which still has its former bytes. */
  take(bytes: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(bytes > PIECE ? new SharedArrayBuffer(bytes) : (this.#free.pop() ?? new SharedArrayBuffer(PIECE)), 0, bytes)
  }

  /** Takes back what nobody reads any more. */
  give({ buffer }: Uint8Array): void {
    if (buffer instanceof SharedArrayBuffer && buffer.byteLength === PIECE && this.#free.length < FREE_LIMIT) this.#free.push(buffer)
  }
}
