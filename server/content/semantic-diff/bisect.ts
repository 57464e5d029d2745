/**
 * Finds the version of a project since which an event has a rule, or no longer has it. Versions are those that were published, in the order of their publication,
 * and then the content of the project. The number of versions and the time are limited. Read-only; consumes no units of the plan.
 */
import { type AnalysisPool, findChange, type TestCase } from '#workers'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import { type FileSet, rulesetOf } from '../shared/content.js'
import { loadContent, loadProject, loadSnapshot } from '../shared/load.js'
import { type VersionDocument, VERSIONS } from '../shared/version.js'
import type { BisectRequest, BisectResponse } from './schema.js'
import type { Caller, SemanticDiffService } from './service.js'

/** Versions that are looked at, the newest. A bisection needs nine looks for them, unless both ends agree. */
const VERSIONS_BISECTED = 500
/** Versions that are looked at one by one where both ends agree. */
const LOOKS_LIMIT = 50
/** Time in which versions are looked at. */
const LOOKS_MS = 20_000

/** What happens to the last event. */
type State = NonNullable<BisectResponse['answer']>

export class VersionBisection {
  readonly #pool: AnalysisPool
  readonly #diffs: Pick<SemanticDiffService, 'compare'>

  constructor(pool: AnalysisPool, diffs: Pick<SemanticDiffService, 'compare'>) {
    this.#pool = pool
    this.#diffs = diffs
  }

  /** @throws ApiError resource_missing, edit_conflict, overloaded, internal_error */
  async run(projectId: string, { rule_id, events, log_format }: BisectRequest, caller: Caller): Promise<BisectResponse> {
    const { scope } = caller
    const { owner: project, content } = await loadSnapshot(scope, () => loadProject(scope, projectId))
    const newestFirst = await scope
      .collection(VERSIONS)
      .find({ project_id: projectId, published_at: { not: null } }, { sort: { published_at: -1, _id: -1 }, limit: VERSIONS_BISECTED })
    const versions: readonly VersionDocument[] = newestFirst.toReversed()
    const testCase = caseOf(events, log_format)
    const ends = performance.now() + LOOKS_MS
    let isComplete = true
    const look = async (at: number): Promise<State | null> => {
      const version = versions[at]
      if (performance.now() >= ends) {
        isComplete = false
        return null
      }
      return this.#answer(
        rulesetOf(version === undefined ? { ...content, ...includesOf(project) } : { ...(await loadContent(scope, version._id)), ...includesOf(version) }),
        testCase,
        caller,
      )
    }
    const found = await findChange({ count: versions.length + 1, limit: LOOKS_LIMIT, look, holds: (answer) => answer.rule_id === rule_id })
    const nameOf = (at: number): BisectResponse['since'] => (at < versions.length ? { version_id: versions[at]._id, name: versions[at].name } : { version_id: null, name: null })
    if (found === null)
      return { holds: null, answer: null, since: null, before: null, before_answer: null, is_unsure: false, is_complete: isComplete, skipped_count: 0, changes: null }
    const { holds, newest, since, before, isUnsure, skipped } = found
    const choice = (at: number) => (at < versions.length ? { version_id: versions[at]._id } : {})
    return {
      holds,
      answer: newest.state,
      since: since === null ? null : nameOf(since.at),
      before: before === null ? null : nameOf(before.at),
      before_answer: before?.state ?? null,
      is_unsure: isUnsure,
      is_complete: isComplete,
      skipped_count: skipped.length,
      changes: since === null || before === null ? null : await this.#diffs.compare(projectId, { before: choice(before.at), after: choice(since.at) }, caller),
    }
  }

  /** Null: Wazuh would not start with the content, or the run exceeded its limits. */
  async #answer(ruleset: FileSet, testCase: TestCase, { scope, locale, signal }: Caller): Promise<State | null> {
    for await (const chunk of this.#pool.cases({ ruleset, cases: [testCase], withDiagnostics: false }, { organization: scope.organizationId, locale, signal })) {
      if (stopOf(chunk) !== null) return null
      const { loads, results } = okOf(chunk, signal)
      const [result] = results
      if (!loads || (result !== undefined && result.outcome !== 'ok')) return null
      if (result === undefined) continue
      const { rule, decoder } = result.report.analysis
      return { rule_id: rule?.id ?? null, level: rule?.level ?? null, decoder: decoder?.name ?? null }
    }
    return null
  }
}

function includesOf({ include_disk_defaults, include_disk_custom }: Pick<VersionDocument, 'include_disk_defaults' | 'include_disk_custom'>) {
  return { include_disk_defaults, include_disk_custom }
}

function caseOf(events: BisectRequest['events'], log_format: BisectRequest['log_format']): TestCase {
  let second = 0
  return {
    name: 'bisect',
    log_format: log_format ?? 'auto',
    events: events.map(({ event, location, advance = 1 }, index) => {
      second += index === 0 ? 0 : advance
      return { event_text: event, at: second, ...(location === undefined ? {} : { location }) }
    }),
  }
}
