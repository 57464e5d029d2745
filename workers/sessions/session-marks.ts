/**
 * Which sessions a process has, for the one that gets them when it ends without handing them over: that one tells each of their callers that the session is
 * lost, once. A mark is a hash and a time. Marks are in a file for the next process of the same name, and are sent to the process of another instance that is
 * next in rank, which hands them on when it ends in order. The file is a ring: the newest mark replaces the oldest one. Writing a mark takes some microseconds,
 * and the system keeps what was written when the process is killed.
 */
import { createHash } from 'node:crypto'
import { openSync, readFileSync, writeSync } from 'node:fs'
import type { LRUCache } from 'lru-cache'
import { entryCache } from '../shared/entry-cache.js'

/** First 16 bytes of the hash of its key, and milliseconds since the epoch. */
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

export interface Mark {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly bytes: Buffer
}

export class SessionMarks {
  readonly #options: SessionMarksOptions
  /** The sessions of other processes, with their time. */
  readonly #others: LRUCache<string, number>
  readonly #file: number | null
  #next = 0

  /** Reads what the process before has left. @throws if the folder can't be written */
  constructor(options: SessionMarksOptions) {
    this.#options = options
    const { file, limit } = options
    this.#others = entryCache(limit)
    const before = file === null ? null : readIfThere(file)
    this.#file = file === null ? null : openSync(file, 'w', 0o600)
    if (before === null) return
    this.add(before)
    for (const mark of this.#othersMarks()) this.#write(mark)
  }

  /** Records that there is a session, or that it was used. @param markedAt when it was recorded before; 0: never @returns the new mark; null: the last one suffices */
  note(key: string, markedAt: number): Mark | null {
    const at = this.#options.clock()
    if (at - markedAt < REFRESH_MS) return null
    const bytes = markOf(hashOf(key), at)
    this.#write(bytes)
    return { at, bytes }
  }

  /** Returns a mark of a session that this process had, for `add`. */
  markNow(key: string): Buffer {
    return markOf(hashOf(key), this.#options.clock())
  }

  /** Records sessions of another process. @param marks one after the other */
  add(marks: Uint8Array): void {
    const bytes = Buffer.from(marks.buffer, marks.byteOffset, marks.byteLength)
    for (let start = 0; start + MARK_BYTES <= bytes.length; start += MARK_BYTES) {
      const hash = bytes.toString('latin1', start, start + HASH_BYTES)
      const at = bytes.readDoubleLE(start + HASH_BYTES)
      if (this.#isRecent(at) && at > (this.#others.get(hash) ?? 0)) this.#others.set(hash, at)
    }
  }

  /** Returns the sessions of other processes, for `add`. The newest is the last. */
  others(): Buffer {
    return Buffer.concat([...this.#othersMarks()])
  }

  *#othersMarks(): Generator<Buffer, void, undefined> {
    for (const hash of this.#others.rkeys()) yield markOf(hash, this.#others.peek(hash) ?? 0)
  }

  /** Whether another process had the session. True once. */
  take(key: string): boolean {
    if (this.#others.size === 0) return false
    const hash = hashOf(key)
    const at = this.#others.get(hash)
    if (at === undefined) return false
    this.#others.delete(hash)
    return this.#isRecent(at)
  }

  #isRecent(at: number): boolean {
    const { ttlMs, clock } = this.#options
    return clock() - at < ttlMs + REFRESH_MS
  }

  #write(mark: Buffer): void {
    if (this.#file === null) return
    try {
      writeSync(this.#file, mark, 0, MARK_BYTES, (this.#next % this.#options.limit) * MARK_BYTES)
      this.#next++
    } catch {
      // A full disk must not prevent an analysis. Only a process that is killed then can't tell its callers.
    }
  }
}

/** Null: it is the first process of its number. */
function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}

/** As Latin-1. @param key of a session */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest().toString('latin1', 0, HASH_BYTES)
}

function markOf(hash: string, at: number): Buffer {
  const mark = Buffer.alloc(MARK_BYTES)
  mark.write(hash, 'latin1')
  mark.writeDoubleLE(at, HASH_BYTES)
  return mark
}
