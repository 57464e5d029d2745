/** Finds what stays in order between two sequences. */

/** Indexes of a longest increasing subsequence of distinct numbers (patience sorting: n log n). */
export function longestRise(values: readonly number[]): Set<number> {
  /** For each length the index of the smallest value that ends an increasing subsequence of that length. */
  const ends: number[] = []
  const previous: number[] = []
  values.forEach((value, index) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (values[ends[middle]] < value) low = middle + 1
      else high = middle
    }
    previous[index] = low === 0 ? -1 : ends[low - 1]
    ends[low] = index
  })
  const rise = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]) rise.add(at)
  return rise
}
