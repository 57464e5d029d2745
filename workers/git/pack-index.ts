/** Where the objects of a pack are, in memory that threads share: a pack is indexed once, and each later call finds what it needs of it. */
import { ID_BYTES, type ObjectType } from './objects.js'

const TYPES: readonly ObjectType[] = ['commit', 'tree', 'blob', 'tag']
/** Bits of the number of an entry in a key; the others are the beginning of its id. `OBJECTS_LIMIT` has fewer. */
const NUMBER_BITS = 19n
const NUMBER_MASK = (1n << NUMBER_BITS) - 1n
/** Bytes of the beginning of an id in a key. */
const PREFIX_BYTES = 8
/** Four numbers, a key, an id and a type. */
const ENTRY_BYTES = 4 * Uint32Array.BYTES_PER_ELEMENT + BigUint64Array.BYTES_PER_ELEMENT + ID_BYTES + 1
/** The number of keys. */
const HEADER_BYTES = BigUint64Array.BYTES_PER_ELEMENT
/** The base of an object that is no delta. */
const NO_BASE = 0xffff_ffff

export interface Entry {
  /** Offset of the compressed bytes. */
  readonly dataOffset: number
  /** Number of inflated bytes: those of the object, or of the delta. */
  readonly dataSize: number
  readonly type: ObjectType
  /** Number of the entry that a delta changes; null: no delta. */
  readonly base: number | null
  /** Number of bytes of the object. */
  readonly size: number
}

export class PackIndex {
  readonly memory: SharedArrayBuffer
  readonly #count: Uint32Array
  /** Beginnings of ids with the numbers of their entries, sorted. */
  readonly #keys: BigUint64Array
  readonly #numbers: Uint32Array
  readonly #ids: Buffer
  readonly #types: Uint8Array

  /** @param of an index, or the number of entries of a new one */
  constructor(of: SharedArrayBuffer | number) {
    const entries = typeof of === 'number' ? of : (of.byteLength - HEADER_BYTES) / ENTRY_BYTES
    this.memory = typeof of === 'number' ? new SharedArrayBuffer(HEADER_BYTES + entries * ENTRY_BYTES) : of
    let at = HEADER_BYTES
    const next = (bytes: number): number => (at += entries * bytes) - entries * bytes
    this.#count = new Uint32Array(this.memory, 0, 1)
    this.#keys = new BigUint64Array(this.memory, next(BigUint64Array.BYTES_PER_ELEMENT), entries)
    this.#numbers = new Uint32Array(this.memory, next(4 * Uint32Array.BYTES_PER_ELEMENT), 4 * entries)
    this.#ids = Buffer.from(this.memory, next(ID_BYTES), entries * ID_BYTES)
    this.#types = new Uint8Array(this.memory, next(1), entries)
  }

  set(entry: number, { dataOffset, dataSize, type, base, size }: Entry): void {
    this.#numbers.set([dataOffset, dataSize, base ?? NO_BASE, size], 4 * entry)
    this.#types[entry] = TYPES.indexOf(type)
  }

  get(entry: number): Entry {
    const [dataOffset, dataSize, base, size] = this.#numbers.subarray(4 * entry, 4 * entry + 4)
    return { dataOffset, dataSize, type: TYPES[this.#types[entry]], base: base === NO_BASE ? null : base, size }
  }

  /** Names an entry, which `find` finds after `sort`. An entry without a name was skipped. */
  name(entry: number, id: string): void {
    this.#ids.write(id, entry * ID_BYTES, 'hex')
    this.#keys[this.#count[0]++] = (this.#prefixOf(entry) & ~NUMBER_MASK) | BigInt(entry)
  }

  sort(): void {
    this.#keys.subarray(0, this.#count[0]).sort()
  }

  /** Returns the number of the entry with that id; null: there is none. */
  find(id: string): number | null {
    const wanted = Buffer.from(id, 'hex')
    if (wanted.length !== ID_BYTES) return null
    const key = wanted.readBigUInt64BE() & ~NUMBER_MASK
    let [low, high] = [0, this.#count[0]]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#keys[middle] < key) low = middle + 1
      else high = middle
    }
    for (; low < this.#count[0] && (this.#keys[low] & ~NUMBER_MASK) === key; low++) {
      const entry = Number(this.#keys[low] & NUMBER_MASK)
      if (wanted.equals(this.#ids.subarray(entry * ID_BYTES, (entry + 1) * ID_BYTES))) return entry
    }
    return null
  }

  /** Whether an entry was skipped. */
  get hasSkipped(): boolean {
    return this.#count[0] < this.#types.length
  }

  #prefixOf(entry: number): bigint {
    return this.#ids.subarray(entry * ID_BYTES, entry * ID_BYTES + PREFIX_BYTES).readBigUInt64BE()
  }
}
