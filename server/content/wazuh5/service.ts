/** Says what happens to the rules of a content of a project in Wazuh 5, in a thread of the pool. Read-only; consumes no units of the plan. */
import type { AnalysisPool, Locale } from '#workers'
import { okOf } from '../../core/pool-outcome.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { loadChosen } from '../shared/chosen-content.js'
import { RULES_LISTED, type Wazuh5Request, type Wazuh5Response } from './schema.js'

interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

export class Wazuh5Service {
  readonly #pool: AnalysisPool

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, invalid_request (both a version and a workspace), edit_conflict, overloaded, internal_error */
  async convert(projectId: string, { rule_ids = null, ...choice }: Wazuh5Request, { scope, locale, signal }: Caller): Promise<Wazuh5Response> {
    const ruleset = await loadChosen(scope, projectId, choice, '', locale)
    const outcome = await this.#pool.wazuh5({ ruleset, ruleIds: rule_ids, limit: RULES_LISTED }, { organization: scope.organizationId, locale, signal })
    const { loads, complete, untried, counts, rules } = okOf(outcome, signal)
    const records = rules.map(({ file, ...rule }) => ({ ...rule, filename: file }))
    return { loads, is_complete: complete, untried_count: untried, counts: { ...counts }, rules: records as unknown as Wazuh5Response['rules'] }
  }
}
