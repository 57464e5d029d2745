/** The median of several rounds. Other load on the machine spoils some rounds; the minimum would hide that and the mean would include it. */

/** The median of numbers. @throws RangeError for an empty list */
export function median(values: readonly number[]): number {
  return medianBy(values, (value) => value)
}

/** The round whose measured value is the median. @throws RangeError for an empty list */
export function medianBy<Round>(rounds: readonly Round[], measured: (round: Round) => number): Round {
  if (rounds.length === 0) throw new RangeError('the median needs at least one round')
  return [...rounds].sort((a, b) => measured(a) - measured(b))[rounds.length >> 1]
}
