/**
 * Memory in which a thread writes answers and from which the main thread sends them. An answer is then neither copied between heaps nor encoded on the main
 * thread, and leaves no garbage there. Invariants:
 *  1. a buffer is filled from its beginning to its end. It is filled again only when every answer in it is released
 *  2. the thread counts an answer before it reports it (`acquire`), the main thread counts it down (`release`)
 *  3. an answer that finds no room crosses as bytes of its own: a slow reader costs speed, never an answer
 */

/** Room for the answers of a batch of logtests with trace, or for those of a chunk of lines. */
export const BUFFER_BYTES = 512 * 1024
/** A slow reader keeps a whole buffer. Memory that was never written takes none. */
export const BUFFERS = 12
const HEADER_BYTES = BUFFERS * Int32Array.BYTES_PER_ELEMENT

/** Of UTF-8, for one UTF-16 unit. */
const MAX_UNIT_BYTES = 3

/** Where an answer is, in UTF-8. */
export interface AnswerPlace {
  readonly buffer: number
  /** From the beginning of the memory. */
  readonly at: number
  readonly bytes: number
}

/** Both sides have one, on the same memory. `write` and `copy` are the thread's, the others the main thread's. */
export class SharedBuffers {
  /** Unreleased answers of each buffer. */
  readonly #unreleased: Int32Array
  readonly #memory: Buffer
  #current = 0
  /** Bytes of the current buffer that are written. */
  #written = 0

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(HEADER_BYTES + BUFFERS * BUFFER_BYTES)) {
    this.#unreleased = new Int32Array(buffer, 0, BUFFERS)
    this.#memory = Buffer.from(buffer, HEADER_BYTES)
  }

  /** Writes an answer that consists of several texts. Null: there is no room for it. */
  write(texts: readonly string[]): AnswerPlace | null {
    let units = 0
    for (const { length } of texts) units += length
    // Encoding tells the length: to ask for it beforehand takes longer than the encoding.
    const at = this.#roomFor(units * MAX_UNIT_BYTES)
    if (at < 0) return null
    let bytes = 0
    for (const text of texts) bytes += this.#memory.write(text, at + bytes, 'utf8')
    return this.#acquire(at, bytes)
  }

  /** Copies an answer that is written elsewhere. Null: there is no room for it. */
  copy(answer: Uint8Array): AnswerPlace | null {
    const at = this.#roomFor(answer.length)
    if (at < 0) return null
    this.#memory.set(answer, at)
    return this.#acquire(at, answer.length)
  }

  /** The bytes of an answer, until it is released. */
  at({ at, bytes }: AnswerPlace): Buffer {
    return this.#memory.subarray(at, at + bytes)
  }

  /** Nobody reads the answer any more. To be called once for each place. */
  release({ buffer }: AnswerPlace): void {
    Atomics.sub(this.#unreleased, buffer, 1)
  }

  /** Answers that are not released. */
  get unreleased(): number {
    return this.#unreleased.reduce((sum, _, buffer) => sum + Atomics.load(this.#unreleased, buffer), 0)
  }

  /** Where that many bytes may be written; -1: nowhere. The first free buffer is taken, so that few are in use and stay in the processor's caches. */
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
