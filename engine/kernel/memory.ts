/**
 * The memory of the kernel: the bytes of the last texts, and the packed numbers of patterns, which patterns of one event find side by side. Everything in it is
 * given out in chunks of 16 KB; a chunk is free again when nothing refers to its object.
 */
import { bytesOver } from '#platform'
import type { Bytes } from '../source/bytes.js'
import { HEAP } from './layout.js'
import { WASM_API, type WasmMemory } from './web-assembly.js'

const PAGE = 65_536
/** Memory at the start and at most. The system provides what is used. */
const FIRST_PAGES = 64
const MOST_PAGES = 16_384
export const CHUNK = 16_384

/** Null where there is no WebAssembly: the memory is then a plain buffer. */
export const MEMORY: WasmMemory | null = createMemory()

function createMemory(): WasmMemory | null {
  if (WASM_API === undefined) return null
  try {
    return new WASM_API.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES })
  } catch {
    // The process may reserve no more addresses (`ulimit -v`).
    return null
  }
}

let buffer = MEMORY?.buffer ?? new ArrayBuffer(FIRST_PAGES * PAGE)
/** The memory in units of one, two and four bytes. They change when it grows: read them anew after each call that may allocate. */
export let BYTES = new Uint8Array(buffer)
export let HALVES = new Uint16Array(buffer)
export let WORDS = new Int32Array(buffer)

let whole = bytesOver(buffer, 0, buffer.byteLength)

/** Number of times that the memory has grown. */
export let growths = 0

/** Returns a part of the memory whose texts can be read and written, until the memory grows. */
export function bytesAt(address: number, length: number): Bytes {
  return bytesOver(buffer, address, length)
}

/** Returns a part of the memory as a byte string. */
export function textAt(address: number, length: number): string {
  return whole.latin1Slice(address, address + length)
}

/** Whether each chunk is given out. */
const isTaken: boolean[] = []

/** Chunks that follow one another. They are free again when the object is collected. */
export class Chunk {
  readonly address: number
  readonly length: number

  constructor(length: number) {
    const count = Math.ceil(length / CHUNK)
    const first = findFree(count)
    this.address = HEAP + first * CHUNK
    this.length = count * CHUNK
    if (this.address + this.length > BYTES.length) grow(this.address + this.length)
    for (let i = first; i < first + count; i++) isTaken[i] = true
    COLLECTED.register(this, { first, count })
  }
}

const COLLECTED = new FinalizationRegistry<{ first: number; count: number }>(({ first, count }) => {
  for (let i = first; i < first + count; i++) isTaken[i] = false
})

/** Returns the first of so many free chunks that follow one another. */
function findFree(count: number): number {
  let first = 0
  for (let at = 0; at < isTaken.length && at - first < count; at++) if (isTaken[at]) first = at + 1
  return first
}

/** @throws RangeError if the memory would be larger than `MOST_PAGES` */
function grow(length: number): void {
  const now = buffer.byteLength / PAGE
  const pages = Math.min(Math.max(Math.ceil(length / PAGE), 2 * now), MOST_PAGES)
  if (pages * PAGE < length) throw new RangeError('the memory of the kernel is full')
  if (MEMORY !== null) {
    MEMORY.grow(pages - now)
    buffer = MEMORY.buffer
  } else {
    const larger = new ArrayBuffer(pages * PAGE)
    new Uint8Array(larger).set(BYTES)
    buffer = larger
  }
  BYTES = new Uint8Array(buffer)
  HALVES = new Uint16Array(buffer)
  WORDS = new Int32Array(buffer)
  whole = bytesOver(buffer, 0, buffer.byteLength)
  growths++
}

/** Packed numbers. Their memory lives as long as `chunk`. */
export interface Packed {
  readonly chunk: Chunk
  /** Where they begin: a byte address, a multiple of four. */
  readonly address: number
}

let shared: Chunk | null = null
let used = 0

/** Takes memory for so many bytes, beside what was taken before. */
export function take(length: number): Packed {
  const room = (length + 3) & ~3
  if (room > CHUNK) {
    const chunk = new Chunk(room)
    return { chunk, address: chunk.address }
  }
  if (shared === null || used + room > CHUNK) {
    shared = new Chunk(CHUNK)
    used = 0
  }
  const address = shared.address + used
  used += room
  return { chunk: shared, address }
}

/** Packs numbers of four bytes. */
export function packWords(numbers: readonly number[]): Packed {
  const packed = take(4 * numbers.length)
  WORDS.set(numbers, packed.address >> 2)
  return packed
}
