/** What counts of several rounds: the middle one. A busy neighbour spoils some of them, and a best or mean would hide or spread that. */

/** Of several numbers. @throws RangeError for none */
export function median(values: readonly number[]): number {
  return medianBy(values, (value) => value)
}

/** Of several rounds, by what is measured of them. @throws RangeError for none */
export function medianBy<Round>(rounds: readonly Round[], measured: (round: Round) => number): Round {
  if (rounds.length === 0) throw new RangeError('no rounds have no middle one')
  return [...rounds].sort((a, b) => measured(a) - measured(b))[rounds.length >> 1]
}
