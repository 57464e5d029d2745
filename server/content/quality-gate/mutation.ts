/** The mutation score as the gate decides by it, and as the API returns it. */
import type { MutationScore } from '../case-strength/service.js'
import { type GateFacts, shareOf } from '../shared/gate.js'
import { CAUSES_SHOWN } from './limits.js'
import type { QualityGateResult } from './schema.js'

/** What the gate needs. Cases that fail, and items that were not tried, leave the score unproven. */
export function mutantsOf(score: MutationScore): GateFacts['mutants'] {
  if (score.failed_cases > 0 || score.untried > 0) return { state: 'not_proven' }
  return { state: 'known', value: { killed: score.killed, counted: countedOf(score) } }
}

export function presentMutation(score: MutationScore): NonNullable<QualityGateResult['mutation']> {
  const { killed, survived, equivalent, unknown, failed_cases, untried, survivors } = score
  return {
    score: failed_cases > 0 ? null : shareOf(killed, countedOf(score)),
    killed_count: killed,
    survived_count: survived,
    equivalent_count: equivalent,
    unknown_count: unknown,
    failed_case_count: failed_cases,
    untried_count: untried,
    survivors: survivors.slice(0, CAUSES_SHOWN).map((survivor) => ({ ...survivor, killing_case: survivor.killing_case as Record<string, unknown> | null })),
  }
}

/** Equivalent mutants do not count; those of which nothing is known do, as not killed. */
function countedOf({ killed, survived, unknown }: MutationScore): number {
  return killed + survived + unknown
}
