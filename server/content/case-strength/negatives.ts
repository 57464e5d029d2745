/** Which own rules lack a negative case (`engine/logtest/negative-cases.ts`). */
import { NegativeCases as Tally } from '#engine-data'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import { loadCases, toTestCase } from '../shared/test-case.js'
import type { Measuring } from './measuring.js'

/** Rules that are named; their number includes all. */
const NAMED = 100

export interface NegativeCases {
  /** Own rules with a positive and without a negative case; the first ones. */
  readonly lacking: readonly string[]
  readonly lacking_count: number
  /** Own rules with a positive case. */
  readonly positive_count: number
}

export const measureNegatives: Measuring<NegativeCases> = async (pool, scope, { project, files }, signal) => {
  const cases = (await loadCases(scope, project._id)).map(toTestCase)
  const tally = new Tally()
  const options = { organization: scope.organizationId, signal }
  for await (const chunk of pool.cases({ ruleset: files, cases, withDiagnostics: false, withNear: true }, options)) {
    if (stopOf(chunk) !== null) return null
    const { loads, results } = okOf(chunk, signal)
    if (!loads) return null
    for (const result of results) {
      if (result.outcome !== 'ok') return null
      tally.add(result.report)
    }
  }
  const lacking = tally.lacking()
  return { lacking: lacking.slice(0, NAMED), lacking_count: lacking.length, positive_count: tally.positives }
}
