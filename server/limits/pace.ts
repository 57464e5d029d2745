/**
 * How fast a holder may send: past a first rush, so many bytes a second; what is more waits. To read is work that cannot be refused afterwards: six clients that
 * send bodies of 8 MB, each refused at once, took half of the main thread.
 */

/** Holders that are remembered; more of them have sent lately only where something is wrong. */
const REMEMBERED = 10_000

export class Pace {
  readonly #bytesPerMs: number
  readonly #rushMs: number
  readonly #now: () => number
  /** By holder: when all that it has sent would have come at the pace. */
  readonly #due = new Map<string, number>()

  /** @param rushBytes come without waiting @param now milliseconds; only differences count */
  constructor(bytesPerSecond: number, rushBytes: number, now: () => number = () => performance.now()) {
    this.#bytesPerMs = bytesPerSecond / 1000
    this.#rushMs = rushBytes / this.#bytesPerMs
    this.#now = now
  }

  /** Counts bytes that came. @returns milliseconds until the holder may send on */
  take(holder: string, bytes: number): number {
    const now = this.#now()
    const due = Math.max(this.#due.get(holder) ?? Number.NEGATIVE_INFINITY, now - this.#rushMs) + bytes / this.#bytesPerMs
    if (!this.#due.has(holder) && this.#due.size >= REMEMBERED) this.#forget(now)
    this.#due.set(holder, due)
    return Math.max(0, due - now)
  }

  /** Those who may rush again; where there are none, all. */
  #forget(now: number): void {
    for (const [holder, due] of this.#due) if (due <= now - this.#rushMs) this.#due.delete(holder)
    if (this.#due.size >= REMEMBERED) this.#due.clear()
  }
}
