import type { Arena } from '../kernel/arena.js'
import { WORDS } from '../kernel/memory.js'

const FIRST_SLOTS = 64

/** A hash table in the memory of the kernel, which finds records in it: slots with addresses of records, of which at most half are taken. */
export class RecordTable {
  /** The address of the slots, 0: there is no memory; and their number less one. */
  slots: number
  mask = FIRST_SLOTS - 1
  #count = 0
  readonly #arena: Arena
  readonly #hashAt: number

  /** @param hashAt offset of the hash in a record */
  constructor(arena: Arena, hashAt: number) {
    this.#arena = arena
    this.#hashAt = hashAt
    this.slots = arena.take(4 * FIRST_SLOTS)
  }

  /** Makes room for one more record. Returns false if there is none. */
  reserve(): boolean {
    const { slots, mask } = this
    if (slots === 0) return false
    if (2 * (this.#count + 1) <= mask + 1) return true
    const larger = this.#arena.take(8 * (mask + 1))
    if (larger === 0) return false
    this.slots = larger
    this.mask = 2 * mask + 1
    for (let slot = 0; slot <= mask; slot++) {
      const record = WORDS[(slots >> 2) + slot]
      if (record !== 0) this.#put(record)
    }
    return true
  }

  /** Adds a record, for which there is room. @param record its address */
  insert(record: number): void {
    this.#put(record)
    this.#count++
  }

  #put(record: number): void {
    const { mask } = this
    const first = this.slots >> 2
    let slot = WORDS[(record + this.#hashAt) >> 2] & mask
    while (WORDS[first + slot] !== 0) slot = (slot + 1) & mask
    WORDS[first + slot] = record
  }
}
