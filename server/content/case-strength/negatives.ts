/**
 * Which own rules lack a negative case. A positive case of a rule is one whose events match it. A negative case comes near the rule (`engine/logtest/near-rules.ts`
 * defines it), does not match it, and passes. A case that fails shows nothing.
 */
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
  const positive = new Set<string>()
  const negative = new Set<string>()
  const options = { organization: scope.organizationId, signal }
  for await (const chunk of pool.cases({ ruleset: files, cases, withDiagnostics: false, withNear: true }, options)) {
    if (stopOf(chunk) !== null) return null
    const { loads, results } = okOf(chunk, signal)
    if (!loads) return null
    for (const result of results) {
      if (result.outcome !== 'ok') return null
      const { covered, passed } = result.report
      for (const id of covered.own?.matched ?? []) positive.add(id)
      if (passed) for (const id of covered.own?.near ?? []) negative.add(id)
    }
  }
  const lacking = [...positive].filter((id) => !negative.has(id)).sort((a, b) => Number(a) - Number(b))
  return { lacking: lacking.slice(0, NAMED), lacking_count: lacking.length, positive_count: positive.size }
}
