/**
 * Which sessions a process has, in a file for its successor: if the process is killed, the successor tells each of their callers that the session is lost, once.
 * The file has hashes only. It is a ring: the newest mark replaces the oldest one. Writing a mark takes some microseconds, and the system keeps what was written
 * when the process is killed.
 */
import { createHash } from 'node:crypto'
import { openSync, readFileSync, writeSync } from 'node:fs'

/** First 16 bytes of the hash, and milliseconds since the epoch. */
const HASH_BYTES = 16
const MARK_BYTES = HASH_BYTES + 8
/** A session that is used is marked again after so long. */
const REFRESH_MS = 5 * 60 * 1000

export interface SessionMarksOptions {
  readonly file: string
  /** Marks that the file has room for. */
  readonly limit: number
  /** Time after its last use at which a session expires. */
  readonly ttlMs: number
  /** Milliseconds since the epoch, in all processes. */
  readonly clock: () => number
}

export class SessionMarks {
  readonly #options: SessionMarksOptions
  /** The sessions of the process before, with their time. */
  readonly #before: Map<string, number>
  readonly #file: number
  readonly #mark = Buffer.alloc(MARK_BYTES)
  #next = 0

  /** Reads what the process before has left. @throws if the folder can't be written */
  constructor(options: SessionMarksOptions) {
    this.#options = options
    this.#before = readMarks(options)
    this.#file = openSync(options.file, 'w', 0o600)
    for (const [hash, at] of this.#before) this.#write(Buffer.from(hash, 'latin1'), at)
  }

  /** Records that there is a session. @param markedAt when it was recorded before; 0: never @returns when it was recorded last */
  note(key: string, markedAt: number): number {
    const now = this.#options.clock()
    if (now - markedAt < REFRESH_MS) return markedAt
    this.#write(hashOf(key), now)
    return now
  }

  /** Whether the process before had the session. True once. */
  take(key: string): boolean {
    if (this.#before.size === 0) return false
    const hash = hashOf(key).toString('latin1')
    const at = this.#before.get(hash)
    if (at === undefined) return false
    this.#before.delete(hash)
    return isRecent(at, this.#options)
  }

  #write(hash: Buffer, at: number): void {
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
function readMarks(options: SessionMarksOptions): Map<string, number> {
  const marks = new Map<string, number>()
  let bytes: Buffer
  try {
    bytes = readFileSync(options.file)
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

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, HASH_BYTES)
}
