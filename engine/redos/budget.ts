/** What may be spent on attacks against patterns, in calls that are counted: 10 to 25 ns each. */
export interface Budget {
  left: number
}
