/**
 * Limits how fast bytes of refused requests are dropped, over all connections: each read of 64 KB is copied by the system and allocated, and forty senders who
 * do not stop cost half a core. A sender alone is not slowed down: it gets 12 MB/s.
 */

const INTERVAL_MS = 5
/** Reads of at most 64 KB in an interval: 100 MB/s. */
const READS = 8

export class DiscardPace {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  /** @param read called once, when the connection may read again */
  add(read: () => void): void {
    this.#waiting.push(read)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(() => {
      this.#isScheduled = false
      for (const read of this.#waiting.splice(0, READS)) read()
      if (this.#waiting.length > 0) this.#schedule()
    }, INTERVAL_MS).unref()
  }
}
