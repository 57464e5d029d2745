/** Timing for the benches: the median of rounds by wall clock. */
import { median } from '../median.js'

/** The time of events, the same in every bench. */
export const MOMENT = { seconds: 1_700_000_000, local: () => ({ timeOfDay: '12:00', weekday: 3 }) }

/** Nanoseconds per operation over all items, as the median of rounds. @param seconds total duration of all rounds */
export function measure<T>(items: readonly T[], operation: (item: T) => unknown, seconds: number): number {
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
  return median(rounds)
}
