/**
 * Memory in which a thread writes answers and from which the main thread sends them. An answer is neither copied between heaps nor encoded on the main thread,
 * and leaves no garbage there. Invariants:
 *  1. a buffer is filled from its beginning to its end. It is filled again only when every answer in it is released
 *  2. the thread counts an answer before it reports it (`acquire`), the main thread decrements the count (`release`)
 *  3. an answer that does not fit is sent in its message: a slow reader costs speed, never an answer
 *  4. the main thread writes lines only while the thread runs nothing, so the thread reads them in place
 */

/**
 * Enough for the answers of a batch of logtests with trace, or for those of a chunk of lines (136 KB): answers without trace have eight times its bytes. A chunk
 * whose answers do not fit is sent to a thread a second time.
 */
export const BUFFER_BYTES = 1280 * 1024
/** A slow reader occupies a whole buffer, and eight batches at once nearly all. Memory that was never written uses no RAM. */
export const BUFFERS = 16
/** Enough for a chunk of an upload (136 KB) and the line that begins it. */
const LINES_BYTES = 192 * 1024
const HEADER_BYTES = BUFFERS * Int32Array.BYTES_PER_ELEMENT

/** The place of an answer, in UTF-8. */
export interface AnswerPlace {
  readonly buffer: number
  /** Offset from the beginning of the memory. */
  readonly at: number
  readonly bytes: number
}

/** Both threads have one, on the same memory. The pooled thread calls `copy` and `lines`, the main thread the other methods. */
export class SharedBuffers {
  /** Number of unreleased answers in each buffer. */
  readonly #unreleased: Int32Array
  readonly #memory: Buffer
  readonly #lines: Buffer
  #current = 0
  /** Number of written bytes in the current buffer. */
  #written = 0

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(HEADER_BYTES + BUFFERS * BUFFER_BYTES + LINES_BYTES)) {
    this.#unreleased = new Int32Array(buffer, 0, BUFFERS)
    this.#memory = Buffer.from(buffer, HEADER_BYTES, BUFFERS * BUFFER_BYTES)
    this.#lines = Buffer.from(buffer, HEADER_BYTES + BUFFERS * BUFFER_BYTES, LINES_BYTES)
  }

  /** Writes the lines of the task that is sent next. False: they do not fit. */
  writeLines(lines: Uint8Array): boolean {
    if (lines.length > LINES_BYTES) return false
    this.#lines.set(lines)
    return true
  }

  /** Returns the lines of the running task. */
  lines(bytes: number): Buffer {
    return this.#lines.subarray(0, bytes)
  }

  /** Copies an answer. Null: it does not fit. */
  copy(answer: Uint8Array): AnswerPlace | null {
    const at = this.#roomFor(answer.length)
    if (at < 0) return null
    this.#memory.set(answer, at)
    return this.#acquire(at, answer.length)
  }

  /** Returns the bytes of an answer, which are valid until it is released. */
  at({ at, bytes }: AnswerPlace): Buffer {
    return this.#memory.subarray(at, at + bytes)
  }

  /** Releases an answer that is no longer read. Call it once for each place. */
  release({ buffer }: AnswerPlace): void {
    Atomics.sub(this.#unreleased, buffer, 1)
  }

  /** Number of answers that are not released. */
  get unreleased(): number {
    return this.#unreleased.reduce((sum, _, buffer) => sum + Atomics.load(this.#unreleased, buffer), 0)
  }

  /**
   * Returns the offset at which that many bytes may be written; -1: there is none. Takes the first free buffer, so that few are in use and stay in the
   * processor's caches.
   */
  #roomFor(bytes: number): number {
    if (bytes > BUFFER_BYTES) return -1
    if (this.#written > 0 && Atomics.load(this.#unreleased, this.#current) === 0) this.#written = 0
    if (this.#written + bytes > BUFFER_BYTES) {
      const free = this.#unreleased.findIndex((_, buffer) => buffer !== this.#current && Atomics.load(this.#unreleased, buffer) === 0)
      if (free < 0) return -1
      this.#current = free
      this.#written = 0
    }
    return this.#current * BUFFER_BYTES + this.#written
  }

  #acquire(at: number, bytes: number): AnswerPlace {
    this.#written += bytes
    Atomics.add(this.#unreleased, this.#current, 1)
    return { buffer: this.#current, at, bytes }
  }
}
