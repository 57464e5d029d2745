/**
 * Packs: the form in which Git sends objects. A pack that is read comes from a server that may be hostile. Invariants:
 *  1. an object is inflated to its declared size and no further, from no more bytes than that size needs; the size of an object, the work for a whole pack,
 *     and the work for all that is read of it afterwards, are limited
 *  2. the checksum of the pack is checked; an object's id is computed from its bytes, never taken from the server
 *  3. reading lets other work of the thread run after some megabytes
 */
import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { applyDelta, deltaSize } from './delta.js'
import { type GitObject, ID_BYTES, type NamedObject, named, type ObjectType, PackTooLargeError } from './objects.js'
import { MalformedGitError } from './pkt-line.js'

/** Objects of a pack: three for each entry of the largest tree that is listed. */
export const OBJECTS_LIMIT = 300_000
/** Bytes of one object: an accidental large file does not prevent the others from being read, and is inflated in some 100 ms. */
export const OBJECT_BYTES = 64 * 1024 * 1024
/** Bytes that are inflated or copied for one pack, about two seconds of work. A real pack of 42 MB had 113 MB. */
export const WORK_BYTES = 1024 * 1024 * 1024
/** Inflated objects that are kept, since deltas refer to them. */
const KEPT_BYTES = 16 * 1024 * 1024
/** Work between two pauses, some milliseconds. */
const WORK_AT_ONCE = 2 * 1024 * 1024
/** Work that an object costs beside its bytes. */
const OBJECT_WORK = 4 * 1024
/** Work of a command of a delta, which may copy one byte. */
const COMMAND_WORK = 256
/** Deflate never needs more: nine bits for a byte, and some for blocks. A stream of empty blocks would keep the thread for seconds, and make nothing. */
const compressedLimit = (size: number): number => size + Math.ceil(size / 4) + 1024

const HEADER_BYTES = 12
const VERSION = 2
const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7

export { PackTooLargeError }

interface Entry {
  /** Offset of the compressed bytes. */
  readonly dataOffset: number
  /** Number of inflated bytes: those of the object, or of the delta. */
  readonly dataSize: number
  readonly type: ObjectType
  /** Offset of the entry that a delta changes; null: no delta. */
  readonly baseOffset: number | null
  /** Number of bytes of the object. */
  readonly size: number
}

export class Pack {
  readonly #bytes: Buffer
  readonly #entries = new Map<number, Entry>()
  readonly #offsets = new Map<string, number>()
  readonly #kept = new LRUCache<number, Buffer>({ maxSize: KEPT_BYTES, sizeCalculation: ({ length }) => length + 1 })
  #work = 0

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads all objects once. @throws MalformedGitError, PackTooLargeError, or what `signal` is aborted with */
  static async read(bytes: Buffer, signal: AbortSignal): Promise<Pack> {
    const pack = new Pack(bytes)
    await pack.#index(signal)
    return pack
  }

  /** Type and size of an object; undefined: the pack does not have it. */
  describe(id: string): { readonly type: ObjectType; readonly size: number } | undefined {
    const offset = this.#offsets.get(id)
    return offset === undefined ? undefined : this.#entries.get(offset)
  }

  /** @throws PackTooLargeError; MalformedGitError if the pack does not have it */
  get(id: string): GitObject {
    const offset = this.#offsets.get(id)
    const entry = offset === undefined ? undefined : this.#entries.get(offset)
    if (offset === undefined || entry === undefined) throw new MalformedGitError('the pack lacks an object')
    return { type: entry.type, bytes: this.#resolve(offset) }
  }

  async #index(signal: AbortSignal): Promise<void> {
    const bytes = this.#bytes
    const end = bytes.length - ID_BYTES
    if (end < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK' || bytes.readUInt32BE(4) !== VERSION) throw new MalformedGitError('not a pack')
    if (!createHash('sha1').update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end))) throw new MalformedGitError('a wrong checksum')
    const count = bytes.readUInt32BE(8)
    if (count > OBJECTS_LIMIT) throw new PackTooLargeError(OBJECTS_LIMIT)
    let offset = HEADER_BYTES
    let pausedAt = 0
    for (let index = 0; index < count; index++) {
      const { type, object, next } = this.#addEntry(offset, end)
      this.#offsets.set(named(type, object).id, offset)
      offset = next
      this.#spend(OBJECT_WORK)
      if (this.#work - pausedAt < WORK_AT_ONCE) continue
      await new Promise(setImmediate)
      signal.throwIfAborted()
      pausedAt = this.#work
    }
    if (offset !== end) throw new MalformedGitError('bytes after the last object')
    // What is read afterwards has a limit of its own.
    this.#work = 0
  }

  /** Reads the entry at the offset. @returns its object, and the offset of the next entry */
  #addEntry(offset: number, end: number): { readonly type: ObjectType; readonly object: Buffer; readonly next: number } {
    const bytes = this.#bytes
    let at = offset
    const next = (): number => {
      if (at >= end) throw new MalformedGitError('the pack is cut')
      return bytes[at++]
    }
    let byte = next()
    const kind = (byte >> 4) & 7
    let dataSize = byte & 15
    for (let scale = 16; byte >= 128; scale *= 128) {
      byte = next()
      dataSize += (byte & 127) * scale
      if (dataSize > OBJECT_BYTES) throw new PackTooLargeError(OBJECT_BYTES)
    }
    let baseOffset: number | undefined | null = null
    if (kind === OFFSET_DELTA) {
      byte = next()
      let distance = byte & 127
      while (byte >= 128) {
        byte = next()
        distance = (distance + 1) * 128 + (byte & 127)
        if (distance > offset) throw new MalformedGitError('a delta of nothing')
      }
      baseOffset = offset - distance
    } else if (kind === REFERENCE_DELTA) {
      baseOffset = this.#offsets.get(bytes.toString('hex', at, at + ID_BYTES))
      at += ID_BYTES
    }
    const base = baseOffset === null || baseOffset === undefined ? undefined : this.#entries.get(baseOffset)
    const type = base?.type ?? TYPES[kind]
    // A pack without references to other packs was requested, and Git writes an object before its deltas.
    if (type === undefined || (baseOffset !== null && base === undefined)) throw new MalformedGitError('an object of no known type, or a delta of nothing')
    const { data, length } = this.#inflate(at, dataSize, end)
    const size = base === undefined ? dataSize : deltaSize(data)
    if (size > OBJECT_BYTES) throw new PackTooLargeError(OBJECT_BYTES)
    this.#entries.set(offset, { dataOffset: at, dataSize, type, baseOffset: baseOffset ?? null, size })
    const object = base === undefined ? data : this.#apply(this.#resolve(baseOffset!), data, size)
    this.#kept.set(offset, object)
    return { type, object, next: at + length }
  }

  /** The bytes of an object. A chain of deltas is followed without recursion: a hostile one may be long. */
  #resolve(offset: number): Buffer {
    const chain: number[] = []
    let at = offset
    let found = this.#kept.get(at)
    while (found === undefined) {
      const { baseOffset, dataOffset, dataSize } = this.#entries.get(at)!
      if (baseOffset === null) found = this.#inflate(dataOffset, dataSize, this.#bytes.length).data
      else {
        chain.push(at)
        this.#spend(OBJECT_WORK)
        at = baseOffset
        found = this.#kept.get(at)
      }
    }
    for (const each of chain.reverse()) {
      const { dataOffset, dataSize, size } = this.#entries.get(each)!
      found = this.#apply(found, this.#inflate(dataOffset, dataSize, this.#bytes.length).data, size)
    }
    this.#kept.set(offset, found)
    return found
  }

  #apply(base: Buffer, delta: Buffer, size: number): Buffer {
    this.#spend(size)
    return applyDelta(base, delta, size, (commands) => this.#spend(commands * COMMAND_WORK))
  }

  #inflate(offset: number, size: number, end: number): { readonly data: Buffer; readonly length: number } {
    this.#spend(size)
    try {
      // With `info` the result is an object; the types do not know it. Zero is no limit.
      const inflated = inflateSync(this.#bytes.subarray(offset, Math.min(end, offset + compressedLimit(size))), { info: true, maxOutputLength: Math.max(1, size) }) as unknown as {
        readonly buffer: Buffer
        readonly engine: { readonly bytesWritten: number }
      }
      if (inflated.buffer.length === size) return { data: inflated.buffer, length: inflated.engine.bytesWritten }
    } catch (error) {
      throw new MalformedGitError('an object cannot be inflated', { cause: error })
    }
    throw new MalformedGitError('an object has another size than declared')
  }

  #spend(work: number): void {
    this.#work += work
    if (this.#work > WORK_BYTES) throw new PackTooLargeError(WORK_BYTES)
  }
}

/** Writes a pack without deltas. */
export function writePack(objects: readonly NamedObject[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(VERSION, 4)
  header.writeUInt32BE(objects.length, 8)
  const content = Buffer.concat([header, ...objects.flatMap(({ type, bytes }) => [entryHeader(type, bytes.length), deflateSync(bytes)])])
  return Buffer.concat([content, createHash('sha1').update(content).digest()])
}

function entryHeader(type: ObjectType, size: number): Buffer {
  const bytes = [(TYPE_NUMBERS[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
