/**
 * Packs: the form in which Git sends objects. A pack that is read comes from a server that may be hostile. Invariants:
 *  1. an object is inflated to its declared size and no further, from no more bytes than that size needs; the size of an object, the work for a whole pack,
 *     and the work for all that is read of it afterwards, are limited
 *  2. the checksum of the pack is checked; an object's id is computed from its bytes, never taken from the server
 *  3. a blob that is no file of a content is inflated to find its end, and neither hashed nor kept
 */
import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { applyDelta, deltaSize } from './delta.js'
import { FILE_BYTES, OBJECT_BYTES, OBJECTS_LIMIT, READ_WORK_BYTES, WORK_BYTES } from './limits.js'
import { type GitObject, ID_BYTES, named, type ObjectType, PackTooLargeError } from './objects.js'
import { PackIndex } from './pack-index.js'
import { MalformedGitError } from './pkt-line.js'

/** Inflated objects that are kept, since deltas refer to them. */
const KEPT_BYTES = 16 * 1024 * 1024
/** Work that an object costs beside its bytes. */
const OBJECT_WORK = 4 * 1024
/** Work of a command of a delta, which may copy one byte. */
const COMMAND_WORK = 256
/** Deflate never needs more: nine bits for a byte, and some for blocks. A stream of empty blocks would keep the thread for seconds, and make nothing. */
const compressedLimit = (size: number): number => size + Math.ceil(size / 4) + 1024
/** Least memory for what is inflated that zlib accepts. */
const LEAST_CHUNK_BYTES = 64
/** An entry has a header, and a stream of at least eight bytes. */
const LEAST_ENTRY_BYTES = 9

export const HEADER_BYTES = 12
export const VERSION = 2
const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7

/** A pack with its index, in memory that threads share. */
export interface PackMemory {
  readonly bytes: SharedArrayBuffer
  readonly index: SharedArrayBuffer
}

/** An entry as it is read. */
interface Added {
  readonly type: ObjectType
  /** Null: it was skipped. */
  readonly object: Buffer | null
  /** Offset of the next entry. */
  readonly next: number
}

export class Pack {
  readonly #memory: SharedArrayBuffer
  readonly #bytes: Buffer
  readonly #index: PackIndex
  readonly #kept = new LRUCache<number, Buffer>({ maxSize: KEPT_BYTES, sizeCalculation: ({ length }) => length + 1 })
  readonly #workLimit: number
  /** What an error says. */
  readonly #namedLimit: number
  /** Bytes that were inflated and copied. */
  work = 0

  private constructor(bytes: SharedArrayBuffer, index: PackIndex, workLimit: number, namedLimit: number) {
    this.#memory = bytes
    this.#bytes = Buffer.from(bytes)
    this.#index = index
    this.#workLimit = workLimit
    this.#namedLimit = namedLimit
  }

  /** Reads all objects once. @throws MalformedGitError, PackTooLargeError */
  static read(memory: SharedArrayBuffer): Pack {
    const bytes = Buffer.from(memory)
    const end = bytes.length - ID_BYTES
    if (end < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK' || bytes.readUInt32BE(4) !== VERSION) throw new MalformedGitError('not a pack')
    if (!createHash('sha1').update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end))) throw new MalformedGitError('a wrong checksum')
    const count = bytes.readUInt32BE(8)
    if (count > OBJECTS_LIMIT) throw new PackTooLargeError(OBJECTS_LIMIT)
    if (count * LEAST_ENTRY_BYTES > end - HEADER_BYTES) throw new MalformedGitError('the pack is cut')
    const pack = new Pack(memory, new PackIndex(count), WORK_BYTES, WORK_BYTES)
    pack.#readEntries(count, end)
    return pack
  }

  /** Opens a pack that was read before. @param workLimit what is left of `READ_WORK_BYTES` */
  static open({ bytes, index }: PackMemory, workLimit: number): Pack {
    return new Pack(bytes, new PackIndex(index), workLimit, READ_WORK_BYTES)
  }

  get memory(): PackMemory {
    return { bytes: this.#memory, index: this.#index.memory }
  }

  /** Whether blobs were skipped, whose ids are not known. */
  get hasSkipped(): boolean {
    return this.#index.hasSkipped
  }

  /** Type and size of an object; undefined: the pack does not have it, or it was skipped. */
  describe(id: string): { readonly type: ObjectType; readonly size: number } | undefined {
    const entry = this.#index.find(id)
    return entry === null ? undefined : this.#index.get(entry)
  }

  /** @throws PackTooLargeError; MalformedGitError if the pack does not have it */
  get(id: string): GitObject {
    const entry = this.#index.find(id)
    if (entry === null) throw new MalformedGitError('the pack lacks an object')
    return { type: this.#index.get(entry).type, bytes: this.#resolve(entry) }
  }

  #readEntries(count: number, end: number): void {
    /** Entries by their offset, and by their id. */
    const offsets = new Map<number, number>()
    const ids = new Map<string, number>()
    let offset = HEADER_BYTES
    for (let entry = 0; entry < count; entry++) {
      const { type, object, next } = this.#addEntry(entry, offset, end, offsets, ids)
      offsets.set(offset, entry)
      if (object !== null) {
        const { id } = named(type, object)
        ids.set(id, entry)
        this.#index.name(entry, id)
        this.#kept.set(entry, object)
      }
      offset = next
      this.#spend(OBJECT_WORK)
    }
    if (offset !== end) throw new MalformedGitError('bytes after the last object')
    this.#index.sort()
  }

  #addEntry(entry: number, offset: number, end: number, offsets: ReadonlyMap<number, number>, ids: ReadonlyMap<string, number>): Added {
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
    let base: number | null | undefined = null
    if (kind === OFFSET_DELTA) {
      byte = next()
      let distance = byte & 127
      while (byte >= 128) {
        byte = next()
        distance = (distance + 1) * 128 + (byte & 127)
        if (distance > offset) throw new MalformedGitError('a delta of nothing')
      }
      base = offsets.get(offset - distance)
    } else if (kind === REFERENCE_DELTA) {
      base = ids.get(bytes.toString('hex', at, at + ID_BYTES))
      at += ID_BYTES
    }
    // A pack without references to other packs was requested, and Git writes an object before its deltas.
    if (base === undefined) throw new MalformedGitError('a delta of nothing')
    const type = base === null ? TYPES[kind] : this.#index.get(base).type
    if (type === undefined) throw new MalformedGitError('an object of no known type')
    const { data, length } = this.#inflate(at, dataSize, end)
    const size = base === null ? dataSize : deltaSize(data)
    if (size > OBJECT_BYTES) throw new PackTooLargeError(OBJECT_BYTES)
    this.#index.set(entry, { dataOffset: at, dataSize, type, base, size })
    const isSkipped = type === 'blob' && size > FILE_BYTES
    return { type, object: isSkipped ? null : base === null ? data : this.#apply(this.#resolve(base), data, size), next: at + length }
  }

  /** The bytes of an object. A chain of deltas is followed without recursion: a hostile one may be long. */
  #resolve(entry: number): Buffer {
    const chain: number[] = []
    let at = entry
    let found = this.#kept.get(at)
    while (found === undefined) {
      const { base, dataOffset, dataSize } = this.#index.get(at)
      if (base === null) found = this.#inflate(dataOffset, dataSize, this.#bytes.length).data
      else {
        chain.push(at)
        this.#spend(OBJECT_WORK)
        at = base
        found = this.#kept.get(at)
      }
    }
    for (const each of chain.reverse()) {
      const { dataOffset, dataSize, size } = this.#index.get(each)
      found = this.#apply(found, this.#inflate(dataOffset, dataSize, this.#bytes.length).data, size)
    }
    this.#kept.set(entry, found)
    return found
  }

  #apply(base: Buffer, delta: Buffer, size: number): Buffer {
    this.#spend(size)
    return applyDelta(base, delta, size, (commands) => this.#spend(commands * COMMAND_WORK))
  }

  #inflate(offset: number, size: number, end: number): { readonly data: Buffer; readonly length: number } {
    this.#spend(size)
    try {
      const compressed = this.#bytes.subarray(offset, Math.min(end, offset + compressedLimit(size)))
      // With `info` the result is an object; the types do not know it. Zero is no limit. One chunk is the whole result, which is not copied then.
      const inflated = inflateSync(compressed, { info: true, maxOutputLength: Math.max(1, size), chunkSize: Math.max(LEAST_CHUNK_BYTES, size + 1) }) as unknown as {
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
    this.work += work
    if (this.work > this.#workLimit) throw new PackTooLargeError(this.#namedLimit)
  }
}
