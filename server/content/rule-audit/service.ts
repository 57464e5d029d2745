/** Audits the rules of a content of a project, or finds events that fire them, in a thread of the pool. Read-only; consumes no units of the plan. */
import { LRUCache } from 'lru-cache'
import type { AnalysisPool, Locale, RuleAudit } from '#workers'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type FileSet, fileSetHash } from '../shared/content.js'
import { loadChosen } from '../shared/chosen-content.js'
import { type RuleAuditRequest, type RuleAuditResponse, RULES_LISTED, type WitnessesRequest, type WitnessesResponse } from './schema.js'

export { RuleAuditResponse } from './schema.js'

/** Characters of all kept audits as JSON: some hundred of usual size. */
const KEPT_CHARACTERS = 16 * 1024 * 1024
/** How long an audit is kept that had too little time. On a machine that is less busy the next one may get further. */
const INCOMPLETE_MS = 60_000

interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

export class RuleAuditService {
  readonly #pool: AnalysisPool
  readonly #kept = new LRUCache<string, RuleAudit>({ maxSize: KEPT_CHARACTERS, sizeCalculation: (audit) => JSON.stringify(audit).length })

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, invalid_request (both a version and a workspace), edit_conflict, overloaded, internal_error */
  async audit(projectId: string, request: RuleAuditRequest, caller: Caller): Promise<RuleAuditResponse> {
    const outcome = await this.#pool.audit(await this.#requestOf(projectId, request, caller), optionsOf(caller))
    return presentAudit(okOf(outcome, caller.signal))
  }

  /** The audit of the own rules of a file set, kept until the content changes. Null: it exceeded the limits of a task. @throws ApiError overloaded, internal_error */
  async auditFiles(ruleset: FileSet, caller: Caller): Promise<RuleAudit | null> {
    const { contentId } = this.#pool
    const key = [caller.scope.organizationId, fileSetHash(ruleset), contentId, caller.locale].join('\n')
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const outcome = await this.#pool.audit({ ruleset, ruleIds: null, limit: RULES_LISTED }, optionsOf(caller))
    if (stopOf(outcome) !== null) return null
    const audit = okOf(outcome, caller.signal)
    if (this.#pool.contentId === contentId) this.#kept.set(key, audit, audit.complete ? {} : { ttl: INCOMPLETE_MS })
    return audit
  }

  /** @throws ApiError as `audit` */
  async witnesses(projectId: string, request: WitnessesRequest, caller: Caller): Promise<WitnessesResponse> {
    const outcome = await this.#pool.witnesses(await this.#requestOf(projectId, request, caller), request.near ?? false, optionsOf(caller))
    const { loads, complete, counts, rules } = okOf(outcome, caller.signal)
    return {
      loads,
      is_complete: complete,
      fires_count: counts.fires,
      cannot_fire_count: counts.cannot_fire,
      unknown_count: counts.unknown,
      rules: rules as WitnessesResponse['rules'],
    }
  }

  async #requestOf(projectId: string, { rule_ids = null, ...choice }: RuleAuditRequest, { scope, locale }: Caller) {
    return { ruleset: await loadChosen(scope, projectId, choice, '', locale), ruleIds: rule_ids, limit: RULES_LISTED }
  }
}

export function presentAudit({ loads, complete, never, counts, rules }: RuleAudit): RuleAuditResponse {
  return { loads, is_complete: complete, never_fire_count: never, counts: { ...counts }, rules: rules as RuleAuditResponse['rules'] }
}

function optionsOf({ scope, locale, signal }: Caller) {
  return { organization: scope.organizationId, locale, signal }
}
