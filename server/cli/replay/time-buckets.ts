/** Counts of something over time, in at most some hundred steps of equal length, which grow with the time that is covered. */

/** Lengths of a step in seconds: a second to a year. */
const STEPS = [1, 10, 60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400]
/** Steps from the first to the last at most, as far as there are longer ones. */
const LIMIT = 240

export interface TimeCounts {
  /** Position in the lengths of steps. */
  step: number
  /** Numbers of steps since the epoch, with their counts. */
  counts: Map<number, number>
}

export function createTimeCounts(): TimeCounts {
  return { step: 0, counts: new Map() }
}

export function stepSeconds({ step }: TimeCounts): number {
  return STEPS[step]
}

/** @param seconds since the epoch */
export function countAt(time: TimeCounts, seconds: number): void {
  const at = Math.floor(seconds / STEPS[time.step])
  const known = time.counts.get(at)
  time.counts.set(at, (known ?? 0) + 1)
  if (known === undefined && time.counts.size > 1) widen(time)
}

/** Joins steps until few enough are between the first and the last one. */
function widen(time: TimeCounts): void {
  while (time.step < STEPS.length - 1) {
    let first = Number.POSITIVE_INFINITY
    let last = Number.NEGATIVE_INFINITY
    for (const at of time.counts.keys()) {
      if (at < first) first = at
      if (at > last) last = at
    }
    if (last - first < LIMIT) return
    const before = STEPS[time.step]
    time.step++
    const joined = new Map<number, number>()
    for (const [at, count] of time.counts) {
      const next = Math.floor((at * before) / STEPS[time.step])
      joined.set(next, (joined.get(next) ?? 0) + count)
    }
    time.counts = joined
  }
}

/** The counts in order, with zeros between them: seconds at which a step begins, and its count. */
export function timeSeries(time: TimeCounts): readonly (readonly [seconds: number, count: number])[] {
  const { counts } = time
  if (counts.size === 0) return []
  const places = [...counts.keys()].sort((a, b) => a - b)
  const length = STEPS[time.step]
  // Beyond the longest step there may be more of them than could be shown.
  const all = places[places.length - 1] - places[0] < LIMIT ? Array.from({ length: places[places.length - 1] - places[0] + 1 }, (_, index) => places[0] + index) : places
  return all.map((at) => [at * length, counts.get(at) ?? 0])
}
