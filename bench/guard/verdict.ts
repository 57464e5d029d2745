/** Decides from the ratios of several runs whether a build is slower than another one. */
import { median } from '../median.js'

/** Two-sided quantiles of Student's t for 95 %, by degrees of freedom from 1; the last one holds for more. */
const T_95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14]

export interface Verdict {
  /** The cost of this build, of that of the other one. Above the limit, this build counts as slower. */
  readonly ratio: number
  /** The interval of the mean ratio, 95 %. Null: one run has none. */
  readonly from: number | null
  readonly to: number | null
  /** Whether further runs would hardly change it. */
  readonly isDecided: boolean
}

/** The median counts. It is decided if the interval does not contain the limit. @param ratios of the runs */
export function verdictOn(ratios: readonly number[], limit: number): Verdict {
  const freedom = ratios.length - 1
  if (freedom === 0) return { ratio: ratios[0], from: null, to: null, isDecided: false }
  const logs = ratios.map(Math.log)
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / freedom
  const width = T_95[Math.min(freedom, T_95.length) - 1] * Math.sqrt(variance / logs.length)
  const [from, to] = [Math.exp(mean - width), Math.exp(mean + width)]
  return { ratio: median(ratios), from, to, isDecided: from > limit || to < limit }
}

/** The lowest ratio counts: one run that holds is enough, and another one must confirm one that does not. */
export function briefVerdictOn(ratios: readonly number[], limit: number): Verdict {
  const ratio = Math.min(...ratios)
  return { ratio, from: null, to: null, isDecided: ratio <= limit || ratios.length > 1 }
}
