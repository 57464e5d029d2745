/** What may be spent on attacks against patterns: steps of the search, and calls that are counted. 20 to 200 ns each. */
export interface Budget {
  left: number
}
