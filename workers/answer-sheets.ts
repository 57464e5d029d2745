/**
 * Memory in which a thread writes answers and from which the main thread sends them, so that no answer is copied from heap to heap, encoded on the main
 * thread, or left to its garbage collector. Invariants:
 *  1. a sheet is written from its beginning to its end; it begins anew when nothing in it is lent, and only then
 *  2. what is written is lent until it is given back: the thread counts up before it tells of an answer, the main thread counts down
 *  3. an answer for which there is no room crosses as it did without this: a reader who is slow costs speed, never an answer
 */

/** Answers of a turn of logtests with trace, or of a part of a batch. */
export const SHEET_BYTES = 512 * 1024
/** A slow reader keeps a whole sheet. Memory that was never written takes none. */
export const SHEETS = 12
const HEADER_BYTES = SHEETS * Int32Array.BYTES_PER_ELEMENT

/** Of UTF-8, for one UTF-16 unit. */
const MOST_BYTES = 3

/** Where an answer stands, in UTF-8. */
export interface AnswerPlace {
  readonly sheet: number
  /** From the beginning of all sheets. */
  readonly at: number
  readonly bytes: number
}

/** Both sides have one, on the same memory. `write` and `copy` are the thread's, the others the main thread's. */
export class AnswerSheets {
  /** What of each sheet is lent. */
  readonly #lent: Int32Array
  readonly #memory: Buffer
  #sheet = 0
  /** Bytes of the sheet that are written. */
  #written = 0

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(HEADER_BYTES + SHEETS * SHEET_BYTES)) {
    this.#lent = new Int32Array(buffer, 0, SHEETS)
    this.#memory = Buffer.from(buffer, HEADER_BYTES)
  }

  /** Writes an answer, piece by piece. Null: there is no room for it. */
  write(pieces: readonly string[]): AnswerPlace | null {
    let units = 0
    for (const { length } of pieces) units += length
    // Encoding tells the length: to ask for it beforehand takes longer than the encoding.
    const at = this.#roomFor(units * MOST_BYTES)
    if (at < 0) return null
    let bytes = 0
    for (const piece of pieces) bytes += this.#memory.write(piece, at + bytes, 'utf8')
    return this.#lend(at, bytes)
  }

  /** Copies what is written elsewhere. Null: there is no room for it. */
  copy(answer: Uint8Array): AnswerPlace | null {
    const at = this.#roomFor(answer.length)
    if (at < 0) return null
    this.#memory.set(answer, at)
    return this.#lend(at, answer.length)
  }

  /** The bytes of an answer, until it is given back. */
  at({ at, bytes }: AnswerPlace): Buffer {
    return this.#memory.subarray(at, at + bytes)
  }

  /** Nobody looks at it any more. Once for each place. */
  giveBack({ sheet }: AnswerPlace): void {
    Atomics.sub(this.#lent, sheet, 1)
  }

  /** Answers that are lent. */
  get lent(): number {
    return this.#lent.reduce((sum, _, sheet) => sum + Atomics.load(this.#lent, sheet), 0)
  }

  /** Where so many bytes may be written; -1: nowhere. The first free sheet is taken, so that few are in use, and those stay near the processor. */
  #roomFor(bytes: number): number {
    if (bytes > SHEET_BYTES) return -1
    if (this.#written > 0 && Atomics.load(this.#lent, this.#sheet) === 0) this.#written = 0
    if (this.#written + bytes > SHEET_BYTES) {
      const free = this.#lent.findIndex((_, sheet) => sheet !== this.#sheet && Atomics.load(this.#lent, sheet) === 0)
      if (free < 0) return -1
      this.#sheet = free
      this.#written = 0
    }
    return this.#sheet * SHEET_BYTES + this.#written
  }

  #lend(at: number, bytes: number): AnswerPlace {
    this.#written += bytes
    Atomics.add(this.#lent, this.#sheet, 1)
    return { sheet: this.#sheet, at, bytes }
  }
}
