/** Compares what two contents of a project do with events, in a thread of the pool. Read-only; consumes no units of the plan. */
import type { AnalysisPool, Locale } from '#workers'
import { okOf } from '../../core/pool-outcome.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { loadChosen } from '../shared/chosen-content.js'
import { loadCases, toTestCase } from '../shared/test-case.js'
import { ITEMS_LISTED, type SemanticDiffRequest, type SemanticDiffResponse } from './schema.js'

/** Cases whose events are run beside those that are made: more would take the time of the search. */
const CASES_RUN = 500

interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

export class SemanticDiffService {
  readonly #pool: AnalysisPool

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, invalid_request (both a version and a workspace), edit_conflict, overloaded, internal_error */
  async compare(projectId: string, { before, after }: SemanticDiffRequest, caller: Caller): Promise<SemanticDiffResponse> {
    const { scope, locale, signal } = caller
    const contents = [await loadChosen(scope, projectId, before, '/before', locale), await loadChosen(scope, projectId, after, '/after', locale)] as const
    const cases = (await loadCases(scope, projectId)).slice(0, CASES_RUN).map(toTestCase)
    const outcome = await this.#pool.behaviour({ before: contents[0], after: contents[1], cases, limit: ITEMS_LISTED }, { organization: scope.organizationId, locale, signal })
    const { beforeLoads, afterLoads, complete, counts, more, items } = okOf(outcome, signal)
    return {
      before_loads: beforeLoads,
      after_loads: afterLoads,
      is_complete: complete,
      differing_count: counts.differs,
      proven_count: counts.proven,
      searched_count: counts.searched,
      unknown_count: counts.unknown,
      beyond_count: more,
      items: items as SemanticDiffResponse['items'],
    }
  }
}
