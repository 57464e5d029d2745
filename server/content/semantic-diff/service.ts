/**
 * Compares what two contents of a project do with events, in a thread of the pool, for the API and for reports about a change. Read-only; consumes no
 * units of the plan. Comparisons are kept, because impact, gate and publication ask for the same one.
 */
import { LRUCache } from 'lru-cache'
import { type AnalysisPool, type BehaviourDiff, type Difference, differencesOf, EFFECTS, type Locale } from '#workers'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { loadChosen } from '../shared/chosen-content.js'
import { type FileSet, fileSetHash } from '../shared/content.js'
import { loadProject } from '../shared/load.js'
import type { ProjectDocument } from '../shared/project.js'
import { loadCases, toTestCase } from '../shared/test-case.js'
import { BehaviourSummary, ITEMS_LISTED, type SemanticDiffRequest, type SemanticDiffResponse, SUMMARY_ALERTS, SUMMARY_ITEMS } from './schema.js'

export { SemanticDiffResponse } from './schema.js'
export { BehaviourSummary }

/** Cases whose events are run beside those that are made: more would take the time of the search. */
const CASES_RUN = 500
/** Characters of all kept comparisons as JSON: some thousand of usual size. */
const KEPT_CHARACTERS = 16 * 1024 * 1024
/** How long a comparison is kept that had too little time. On a machine that is less busy the next one may find more. */
const INCOMPLETE_MS = 60_000
/** Characters of the items of a summary as JSON. Events of cases can have any length. */
const SUMMARY_CHARACTERS = 256 * 1024

export interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

type SeedProject = Pick<ProjectDocument, '_id' | 'cases_revision'>

export class SemanticDiffService {
  readonly #pool: AnalysisPool
  readonly #kept = new LRUCache<string, BehaviourDiff>({ maxSize: KEPT_CHARACTERS, sizeCalculation: (diff) => JSON.stringify(diff).length })

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, invalid_request (both a version and a workspace), edit_conflict, overloaded, internal_error */
  async compare(projectId: string, { before, after }: SemanticDiffRequest, caller: Caller): Promise<SemanticDiffResponse> {
    const { scope, locale } = caller
    const contents = [await loadChosen(scope, projectId, before, '/before', locale), await loadChosen(scope, projectId, after, '/after', locale)] as const
    const outcome = await this.#compare(await loadProject(scope, projectId), ...contents, caller)
    const diff = okOf(outcome, caller.signal)
    return { before_loads: diff.beforeLoads, after_loads: diff.afterLoads, ...countsOf(diff), ...alertsOf(diff), items: diff.items as SemanticDiffResponse['items'] }
  }

  /**
   * Compares two file sets, with the events of a project's cases as well. Null: Wazuh would not start with both, or the comparison exceeded its limits.
   * @throws ApiError overloaded, internal_error
   */
  async compareFiles(project: SeedProject, before: FileSet, after: FileSet, caller: Caller): Promise<BehaviourDiff | null> {
    const outcome = await this.#compare(project, before, after, caller)
    if (stopOf(outcome) !== null) return null
    const diff = okOf(outcome, caller.signal)
    return diff.beforeLoads && diff.afterLoads ? diff : null
  }

  async #compare(project: SeedProject, before: FileSet, after: FileSet, { scope, locale, signal }: Caller) {
    const { contentId } = this.#pool
    // The hashes of both contents, with the files on disk and the cases.
    const key = [scope.organizationId, fileSetHash(before), fileSetHash(after), contentId, project._id, project.cases_revision].join('\n')
    const known = this.#kept.get(key)
    if (known !== undefined) return { outcome: 'ok', value: known } as const
    const cases = (await loadCases(scope, project._id)).slice(0, CASES_RUN).map(toTestCase)
    const outcome = await this.#pool.behaviour({ before, after, cases, limit: ITEMS_LISTED }, { organization: scope.organizationId, locale, signal })
    if (outcome.outcome === 'ok' && this.#pool.contentId === contentId) this.#kept.set(key, outcome.value, outcome.value.complete ? {} : { ttl: INCOMPLETE_MS })
    return outcome
  }
}

/** What impact, checks and publications show of a comparison: all counts, and the first items that differ or are unknown. */
export function summaryOf(diff: BehaviourDiff): BehaviourSummary {
  let left = SUMMARY_CHARACTERS
  const items = diff.items.slice(0, SUMMARY_ITEMS).filter((item) => {
    left -= JSON.stringify(item).length
    return left >= 0
  })
  return { ...countsOf(diff), ...alertsOf(diff), items: items as BehaviourSummary['items'] }
}

/** One event for each kind of difference, lost alerts first. */
export function differencesIn({ items }: Pick<BehaviourSummary, 'items'>): Difference[] {
  return differencesOf(items as Parameters<typeof differencesOf>[0]).sort((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect))
}

/** What runs and logs keep: numbers, without events. */
export function alertCountsOf({ alerts: { lost, gained, changed } }: BehaviourDiff): Readonly<Record<'lost' | 'gained' | 'changed', number>> {
  return { lost: lost.length, gained: gained.length, changed: changed.length }
}

function countsOf({ complete, counts, more }: BehaviourDiff) {
  return {
    is_complete: complete,
    differing_count: counts.differs,
    proven_count: counts.proven,
    searched_count: counts.searched,
    unknown_count: counts.unknown,
    beyond_count: more,
  }
}

function alertsOf({ alerts: { lost, gained, changed } }: BehaviourDiff): Pick<BehaviourSummary, 'alerts'> {
  const listed = (rules: readonly string[]): string[] => rules.slice(0, SUMMARY_ALERTS)
  return {
    alerts: {
      lost_count: lost.length,
      gained_count: gained.length,
      changed_count: changed.length,
      lost: listed(lost),
      gained: listed(gained),
      changed: listed(changed),
    },
  }
}
