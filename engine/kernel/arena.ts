/**
 * Memory of the kernel for many small records of one owner. It is in pieces of the owner's own: in a piece that owners share, one record of the longest-lived of
 * them would keep all of it.
 */
import { BYTES, CHUNK, Chunk, take } from './memory.js'

/** Size of the first piece in bytes. Each further one is twice as large, up to a chunk. */
const FIRST_PIECE = 2048
/** Addresses are multiples of it. */
const ALIGNMENT = 16

/** Gives out memory, which is free again when the arena is collected. */
export class Arena {
  readonly #pieces: Chunk[] = []
  #left: number
  #size = FIRST_PIECE
  #at = 0
  #end = 0

  /** @param limit bytes that are given out at most */
  constructor(limit: number) {
    this.#left = limit
  }

  /** Returns the address of so many zeros; 0: there is no room. */
  take(length: number): number {
    const room = (length + ALIGNMENT - 1) & -ALIGNMENT
    if (room > this.#left || (this.#at + room > this.#end && !this.#extend(room))) return 0
    const address = this.#at
    this.#at += room
    this.#left -= room
    BYTES.fill(0, address, address + room)
    return address
  }

  #extend(room: number): boolean {
    const size = Math.max(this.#size, room + ALIGNMENT)
    try {
      const { chunk, address } = size < CHUNK ? take(size) : ownChunk(size)
      this.#pieces.push(chunk)
      this.#at = (address + ALIGNMENT - 1) & -ALIGNMENT
      this.#end = address + size
    } catch {
      // The memory of the kernel is full. Owners have to do without.
      return false
    }
    this.#size = Math.min(2 * this.#size, CHUNK)
    return true
  }
}

function ownChunk(size: number): { chunk: Chunk; address: number } {
  const chunk = new Chunk(size)
  return { chunk, address: chunk.address }
}
