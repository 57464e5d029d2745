/**
 * Limits the rate at which a holder sends: an initial burst, then a number of bytes per second. Reading costs time even if the body is refused later: six
 * clients whose bodies of 8 MB were refused at once took half of the main thread.
 */

/** Maximum of remembered holders; normal traffic has far fewer at a time. */
const REMEMBERED = 10_000

export class Pace {
  readonly #bytesPerMs: number
  readonly #burstMs: number
  readonly #now: () => number
  /** By holder: the time at which everything it sent would have arrived at the permitted rate. */
  readonly #due = new Map<string, number>()

  /** @param burstBytes accepted without waiting @param now milliseconds; only differences count */
  constructor(bytesPerSecond: number, burstBytes: number, now: () => number = () => performance.now()) {
    this.#bytesPerMs = bytesPerSecond / 1000
    this.#burstMs = burstBytes / this.#bytesPerMs
    this.#now = now
  }

  /** Counts received bytes. @returns milliseconds until the holder may send on */
  take(holder: string, bytes: number): number {
    const now = this.#now()
    const due = Math.max(this.#due.get(holder) ?? Number.NEGATIVE_INFINITY, now - this.#burstMs) + bytes / this.#bytesPerMs
    if (!this.#due.has(holder) && this.#due.size >= REMEMBERED) this.#forget(now)
    this.#due.set(holder, due)
    return Math.max(0, due - now)
  }

  /** Forgets holders whose burst is available again; if there are none, all. */
  #forget(now: number): void {
    for (const [holder, due] of this.#due) if (due <= now - this.#burstMs) this.#due.delete(holder)
    if (this.#due.size >= REMEMBERED) this.#due.clear()
  }
}
