/** What may be spent on attacks against patterns: steps of the search, and calls that are counted. About 20 ns each. */
export interface Budget {
  left: number
}
