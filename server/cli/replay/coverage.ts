/** How long the time is that events cover, from which counts a day follow. Gaps are cut, so that one event with a wrong clock does not make it years. Plain data. */

const DAY = 86_400
/** Counts of a shorter time say nothing about a day. */
const SHORTEST = 60

export interface Coverage {
  /** Without gaps, as far as they are longer than a day. */
  seconds: number
  /** The time of the last event; null: there was none. */
  last: number | null
}

export function createCoverage(): Coverage {
  return { seconds: 0, last: null }
}

/** @param seconds of an event that is not before the last one */
export function cover(coverage: Coverage, seconds: number): void {
  if (coverage.last !== null && seconds > coverage.last) coverage.seconds += Math.min(seconds - coverage.last, DAY)
  coverage.last = seconds
}

/** Days that the events cover. Null: too little to say anything about a day. */
export function daysOf({ seconds }: Coverage): number | null {
  return seconds < SHORTEST ? null : seconds / DAY
}
