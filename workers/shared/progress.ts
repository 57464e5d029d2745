/**
 * The task that a thread is running, in shared memory. A deadline therefore counts running time only, and a timeout can name its event.
 *
 * A thread writes twice for each event (a number and a time, about 50 ns); an event takes 10 to 300 µs. It does not write which rule or decoder runs, because
 * that would be a write for each condition. A task that exceeded its deadline is run again with a recorder that writes it (`thread/tasks/locate.ts`).
 */
import { sharedNow, toShared } from './clock.js'

/** Bytes of a decoder's name that are stored. */
const NAME_BYTES = 128
/** Indexes of the times. */
const BEGAN_AT = 0
const UNIT_AT = 1
/** Indexes of the numbers. The first four numbers share their bytes with the times. */
const UNIT = 4
const RULE = 5
const NAME_LENGTH = 6
const TASK = 7
const ASKED = 8
const NUMBERS = 9
const NAME_AT = NUMBERS * Int32Array.BYTES_PER_ELEMENT

/** The thread calls `begin`, `unit`, `step` and the methods for places; the main thread calls `clear`, `read` and `ask`. */
export class Progress {
  readonly #times: Float64Array
  readonly #numbers: Int32Array
  readonly #name: Uint8Array

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(NAME_AT + NAME_BYTES)) {
    this.#times = new Float64Array(buffer, 0, 2)
    this.#numbers = new Int32Array(buffer, 0, NUMBERS)
    this.#name = new Uint8Array(buffer, NAME_AT)
  }

  /** The main thread calls it before it sends a batch. */
  clear(): void {
    this.#times.fill(0)
    this.#numbers[TASK] = 0
    this.#numbers[UNIT] = -1
    Atomics.store(this.#numbers, ASKED, 0)
    this.atRule(0)
  }

  /** Asks the thread to end its slice, because another organization waits. */
  ask(): void {
    Atomics.store(this.#numbers, ASKED, 1)
  }

  get isAsked(): boolean {
    return Atomics.load(this.#numbers, ASKED) === 1
  }

  /** Task `index` of the batch begins, before its first unit. */
  begin(index = 0): void {
    this.#numbers[UNIT] = -1
    this.#numbers[TASK] = index
    this.#times[BEGAN_AT] = this.#times[UNIT_AT] = sharedNow()
  }

  /** Event or case `index` begins, and with it its deadline. @param time by `now` */
  unit(index: number, time: number): void {
    this.#numbers[UNIT] = index
    this.#times[UNIT_AT] = toShared(time)
  }

  /** Likewise, but within the deadline of the unit before it. */
  step(index: number): void {
    this.#numbers[UNIT] = index
  }

  atRule(id: number): void {
    this.#numbers[NAME_LENGTH] = 0
    this.#numbers[RULE] = id
  }

  atDecoder(name: string): void {
    const bytes = Buffer.from(name, 'utf8').subarray(0, NAME_BYTES)
    this.#name.set(bytes)
    this.#numbers[RULE] = 0
    this.#numbers[NAME_LENGTH] = bytes.length
  }

  read(): ProgressReading {
    const rule = this.#numbers[RULE]
    const length = this.#numbers[NAME_LENGTH]
    return {
      beganAt: this.#times[BEGAN_AT],
      unitAt: this.#times[UNIT_AT],
      task: this.#numbers[TASK],
      unit: this.#numbers[UNIT],
      ruleId: rule > 0 ? String(rule) : null,
      decoder: length > 0 ? Buffer.from(this.#name.slice(0, length)).toString('utf8') : null,
    }
  }
}

export interface ProgressReading {
  /** When the running task began. 0: the thread is still starting. */
  readonly beganAt: number
  /** When the running unit began. */
  readonly unitAt: number
  /** Index of the running task in its batch. */
  readonly task: number
  /** -1: before the first unit. */
  readonly unit: number
  readonly ruleId: string | null
  readonly decoder: string | null
}
