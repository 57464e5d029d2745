/** The result of a suite: the number of answers, how many agree, and the differences. */
import { canonical } from './conformance.js'

export interface SuiteResult {
  readonly name: string
  /** Share that must agree, in per cent. */
  readonly required: number
  readonly total: number
  readonly agreed: number
  /** One line each. */
  readonly differences: readonly string[]
}

/** Counts answers. */
export class Tally {
  total = 0
  agreed = 0
  readonly differences: string[] = []

  count(label: string, got: unknown, want: unknown): void {
    this.total++
    if (canonical(got) === canonical(want)) this.agreed++
    else this.differences.push(`${label}: ${difference(got, want)}`)
  }

  result(name: string, required: number): SuiteResult {
    return { name, required, total: this.total, agreed: this.agreed, differences: this.differences }
  }
}

/** Returns the members that differ. */
function difference(got: unknown, want: unknown): string {
  if (got === null || want === null || typeof got !== 'object' || typeof want !== 'object') return `${canonical(got)} instead of ${canonical(want)}`
  const pairs = Object.keys({ ...got, ...want }).flatMap((key) => {
    const [ours, theirs] = [(got as Record<string, unknown>)[key], (want as Record<string, unknown>)[key]]
    return canonical(ours) === canonical(theirs) ? [] : [`${key} ${canonical(ours)} instead of ${canonical(theirs)}`]
  })
  return pairs.join('; ').slice(0, 600)
}
