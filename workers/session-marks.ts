/**
 * Which sessions a process has, for the one that gets them when it ends without handing them over: that one tells each of their callers that the session is lost,
 * once. Marks are hashes. They are in a file for the next process of the same name, and are sent to the process of another instance that is next in rank. The file
 * is a ring: the newest mark replaces the oldest one. Writing a mark takes some microseconds, and the system keeps what was written when the process is killed.
 */
import { createHash } from 'node:crypto'
import { openSync, readFileSync, writeSync } from 'node:fs'
import type { LRUCache } from 'lru-cache'
import { entryCache } from './entry-cache.js'

/** First 16 bytes of the hash, and milliseconds since the epoch. */
const HASH_BYTES = 16
const MARK_BYTES = HASH_BYTES + 8
/** A session that is used is marked again after so long. */
const REFRESH_MS = 5 * 60 * 1000

export interface SessionMarksOptions {
  /** Null: no next process finds a file of this one. */
  readonly file: string | null
  /** Marks that the file has room for, and marks of other processes that are kept. */
  readonly limit: number
  /** Time after its last use at which a session expires. */
  readonly ttlMs: number
  /** Milliseconds since the epoch, in all processes. */
  readonly clock: () => number
}

export class SessionMarks {
  readonly #options: SessionMarksOptions
  /** The sessions of other processes, with their time. */
  readonly #others: LRUCache<string, number>
  readonly #file: number | null
  readonly #mark = Buffer.alloc(MARK_BYTES)
  #next = 0

  /** Reads what the process before has left. @throws if the folder can't be written */
  constructor(options: SessionMarksOptions) {
    this.#options = options
    const { file, limit } = options
    this.#others = entryCache(limit)
    const before = file === null ? [] : readMarks(file, options)
    this.#file = file === null ? null : openSync(file, 'w', 0o600)
    for (const [hash, at] of before) {
      this.#others.set(hash, at)
      this.#write(Buffer.from(hash, 'latin1'), at)
    }
  }

  /** Records that there is a session. @param markedAt when it was recorded before; 0: never @returns when it was recorded last */
  note(key: string, markedAt: number): number {
    const now = this.#options.clock()
    if (now - markedAt < REFRESH_MS) return markedAt
    this.#write(hashOf(key), now)
    return now
  }

  /** Records sessions of another process. @param hashes of `hashOf`, one after the other */
  add(hashes: Uint8Array): void {
    const now = this.#options.clock()
    const text = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('latin1')
    for (let start = 0; start + HASH_BYTES <= text.length; start += HASH_BYTES) this.#others.set(text.slice(start, start + HASH_BYTES), now)
  }

  /** Whether another process had the session. True once. */
  take(key: string): boolean {
    if (this.#others.size === 0) return false
    const hash = hashOf(key).toString('latin1')
    const at = this.#others.get(hash)
    if (at === undefined) return false
    this.#others.delete(hash)
    return isRecent(at, this.#options)
  }

  #write(hash: Buffer, at: number): void {
    if (this.#file === null) return
    this.#mark.set(hash)
    this.#mark.writeDoubleLE(at, HASH_BYTES)
    try {
      writeSync(this.#file, this.#mark, 0, MARK_BYTES, (this.#next % this.#options.limit) * MARK_BYTES)
      this.#next++
    } catch {
      // A full disk must not prevent an analysis. Only a process that is killed then can't tell its callers.
    }
  }
}

/** The hashes as Latin-1, with the newest time of each. */
function readMarks(file: string, options: SessionMarksOptions): Map<string, number> {
  const marks = new Map<string, number>()
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch {
    // The first process of its number.
    return marks
  }
  for (let start = 0; start + MARK_BYTES <= bytes.length; start += MARK_BYTES) {
    const hash = bytes.toString('latin1', start, start + HASH_BYTES)
    const at = bytes.readDoubleLE(start + HASH_BYTES)
    if (isRecent(at, options) && at > (marks.get(hash) ?? 0)) marks.set(hash, at)
  }
  return marks
}

function isRecent(at: number, { ttlMs, clock }: SessionMarksOptions): boolean {
  return clock() - at < ttlMs + REFRESH_MS
}

/** @param key of a session */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, HASH_BYTES)
}
