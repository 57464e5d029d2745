/** Compares what two contents of a project do with events, in a thread of the pool. Read-only; consumes no units of the plan. */
import type { AnalysisPool, Locale } from '#workers'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { okOf } from '../../core/pool-outcome.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type FileSet, rulesetOf } from '../shared/content.js'
import { loadOfProject, loadProject, loadSnapshot } from '../shared/load.js'
import type { ProjectDocument } from '../shared/project.js'
import { loadCases, toTestCase } from '../shared/test-case.js'
import { type VersionDocument, VERSIONS } from '../shared/version.js'
import { type WorkspaceDocument, WORKSPACES } from '../shared/workspace.js'
import { ITEMS_LISTED, type SemanticDiffRequest, type SemanticDiffResponse } from './schema.js'

/** Cases whose events are run beside those that are made: more would take the time of the search. */
const CASES_RUN = 500

interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

type Owner = ProjectDocument | VersionDocument | WorkspaceDocument
type Choice = SemanticDiffRequest['before']

export class SemanticDiffService {
  readonly #pool: AnalysisPool

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, invalid_request (both a version and a workspace), edit_conflict, overloaded, internal_error */
  async compare(projectId: string, { before, after }: SemanticDiffRequest, caller: Caller): Promise<SemanticDiffResponse> {
    const { scope, locale, signal } = caller
    const contents = [await this.#load(projectId, before, 'before', caller), await this.#load(projectId, after, 'after', caller)] as const
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

  async #load(projectId: string, { version_id = null, workspace_id = null }: Choice, member: 'before' | 'after', { scope, locale }: Caller): Promise<FileSet> {
    if (version_id !== null && workspace_id !== null)
      throw invalidRequest([issue(`/${member}/version_id`, 'either', { not_beside: 'workspace_id' }, { other: 'workspace_id' })], locale)
    const { owner, content } = await loadSnapshot<Owner>(scope, () => {
      if (version_id !== null) return loadOfProject(scope, VERSIONS, projectId, version_id)
      return workspace_id !== null ? loadOfProject(scope, WORKSPACES, projectId, workspace_id) : loadProject(scope, projectId)
    })
    return rulesetOf({ ...content, include_disk_defaults: owner.include_disk_defaults, include_disk_custom: owner.include_disk_custom })
  }
}
