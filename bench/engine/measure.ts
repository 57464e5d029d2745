/** Timing for the benches: rounds by wall clock, the best of several, so that a busy neighbour costs little. */
import { median } from '../median.js'

export interface Measured {
  /** Nanoseconds per operation, best round. */
  readonly best: number
  /** Median of the rounds. */
  readonly median: number
}

/** Runs `operation` over all items, round after round. @param seconds for all rounds together */
export function measure<T>(items: readonly T[], operation: (item: T) => unknown, seconds: number): Measured {
  const warmUntil = performance.now() + seconds * 300
  do for (const item of items) operation(item)
  while (performance.now() < warmUntil)
  const rounds: number[] = []
  const until = performance.now() + seconds * 1000
  do {
    const started = performance.now()
    let count = 0
    do {
      for (const item of items) operation(item)
      count += items.length
    } while (performance.now() - started < seconds * 100)
    rounds.push(((performance.now() - started) * 1e6) / count)
  } while (performance.now() < until)
  return { best: Math.min(...rounds), median: median(rounds) }
}
