/** Counts of durations, as plain numbers for metrics. */

/** Upper bounds in milliseconds, from a cached answer to a task at its deadline. */
export const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

export interface HistogramReading {
  /** Number of values in each bucket, not cumulative; the last bucket counts those above all bounds. */
  readonly counts: readonly number[]
  readonly count: number
  readonly sum: number
}

export class Histogram {
  readonly #counts = new Array<number>(BUCKETS_MS.length + 1).fill(0)
  #count = 0
  #sum = 0

  add(ms: number): void {
    let bucket = 0
    while (bucket < BUCKETS_MS.length && ms > BUCKETS_MS[bucket]) bucket++
    this.#counts[bucket]++
    this.#count++
    this.#sum += ms
  }

  read(): HistogramReading {
    return { counts: [...this.#counts], count: this.#count, sum: this.#sum }
  }
}
