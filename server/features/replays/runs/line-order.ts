/** Puts the lines of a corpus into the order of the times of their events, as `detection-content replay --clock event` does, and cuts them into blocks. */
import { createOrderWindow, enterWindow, type EventTime, isWindowFull, leaveWindow, type Waiting } from '#workers'

/** Lines of a block, whose times are sent with each slice of it, and bytes of them. The last line may exceed the bytes. */
const BLOCK_LINES = 1024
const BLOCK_BYTES = 128 * 1024
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Lines in the order in which they run. */
export interface OrderedBlock {
  /** Byte strings without line feeds. A block of a corpus is not kept for one line of it that waits. */
  readonly lines: readonly string[]
  /** Seconds since the epoch at which each is received. */
  readonly seconds: readonly number[]
}

interface Held extends Waiting {
  readonly line: string
}

export class LineOrder {
  readonly #window = createOrderWindow<Held>()
  #lines: string[] = []
  #seconds: number[] = []
  #bytes = 0
  /** The time of the last event that has left the window. */
  #now = Number.NEGATIVE_INFINITY
  /** The time of the last line that has one, which is that of lines without. */
  #lastTime: number
  /** Events that came later than one that has left the window: they run where they arrived, at its time. */
  late = 0
  /** Events without a time of their own. */
  timeless = 0

  /** @param first seconds of events before the first one with a time */
  constructor(first: number) {
    this.#lastTime = first
  }

  /** Adds lines. @param times that of each, blank ones included @returns the blocks that are complete */
  *take(bytes: Buffer, times: readonly EventTime[]): Generator<OrderedBlock, void, undefined> {
    let start = 0
    for (const time of times) {
      const feed = bytes.indexOf(LINE_FEED, start)
      const next = feed < 0 ? bytes.length : feed
      const line = bytes.toString('latin1', start, next > start && bytes[next - 1] === CARRIAGE_RETURN ? next - 1 : next)
      start = next + 1
      this.#place(line, time)
      if (this.#isComplete()) yield this.#cut()
      while (isWindowFull(this.#window)) {
        this.#leave()
        if (this.#isComplete()) yield this.#cut()
      }
    }
  }

  /** Returns what is left, at the end of the corpus. */
  *end(): Generator<OrderedBlock, void, undefined> {
    while (this.#leave()) if (this.#isComplete()) yield this.#cut()
    if (this.#lines.length > 0) yield this.#cut()
  }

  #place(line: string, time: EventTime): void {
    // It is counted where it is, and no other line depends on it.
    if (time === 'none') {
      this.#add(line, this.#lastTime)
      return
    }
    if (time === 'timeless') this.timeless++
    else this.#lastTime = time
    const seconds = this.#lastTime
    if (seconds >= this.#now) enterWindow(this.#window, { seconds, bytes: line.length, line })
    else {
      this.late++
      this.#add(line, this.#now)
    }
  }

  /** Lets the earliest event go. @returns false: none waits */
  #leave(): boolean {
    const held = leaveWindow(this.#window)
    if (held === undefined) return false
    this.#now = held.seconds
    this.#add(held.line, held.seconds)
    return true
  }

  #add(line: string, seconds: number): void {
    this.#lines.push(line)
    this.#seconds.push(seconds)
    this.#bytes += line.length + 1
  }

  #isComplete(): boolean {
    return this.#lines.length >= BLOCK_LINES || this.#bytes >= BLOCK_BYTES
  }

  #cut(): OrderedBlock {
    const block = { lines: this.#lines, seconds: this.#seconds }
    this.#lines = []
    this.#seconds = []
    this.#bytes = 0
    return block
  }
}
