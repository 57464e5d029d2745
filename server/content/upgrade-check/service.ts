/** Says what an upgrade of the ruleset breaks in a content of a project, in a thread of the pool. Read-only; consumes no units of the plan. */
import type { AnalysisPool, CheckedFinding, FileKind, Locale, SourceFile } from '#workers'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { okOf } from '../../core/pool-outcome.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { loadChosen } from '../shared/chosen-content.js'
import type { FileSet } from '../shared/content.js'
import { loadCases, toTestCase } from '../shared/test-case.js'
import { FINDINGS_LISTED, type UpgradeCheckRequest, type UpgradeCheckResponse } from './schema.js'

/** Cases that are run on both rulesets: more would take the time of the search. */
const CASES_RUN = 500

interface Caller {
  readonly scope: Scope
  readonly locale: Locale
  readonly signal: AbortSignal
}

export class UpgradeCheckService {
  readonly #pool: AnalysisPool

  constructor(pool: AnalysisPool) {
    this.#pool = pool
  }

  /** @throws ApiError resource_missing, request_validation_failed (both a version and a workspace, or no ruleset), edit_conflict, overloaded, internal_error */
  async check(projectId: string, { from = null, to = null, ...choice }: UpgradeCheckRequest, { scope, locale, signal }: Caller): Promise<UpgradeCheckResponse> {
    if (from === null && to === null) throw invalidRequest([issue('/to', 'required_unless', { words: 'value' }, { other: 'from' })], locale)
    const content = await loadChosen(scope, projectId, choice, '', locale)
    const documents = await loadCases(scope, projectId)
    const cases = documents.slice(0, CASES_RUN).map(toTestCase)
    const request = { from: below(content, from), to: below(content, to), own: content.files, cases, limit: FINDINGS_LISTED }
    const { fromLoads, toLoads, ownLoads, complete, counts, findings, own, merged } = okOf(
      await this.#pool.upgrade(request, { organization: scope.organizationId, locale, signal }),
      signal,
    )
    const textOf = (kind: FileKind): string => [...merged, ...content.files].find((file) => file.kind === kind)?.content ?? ''
    return {
      from_loads: fromLoads,
      to_loads: toLoads,
      content_loads: ownLoads,
      is_complete: complete && documents.length <= CASES_RUN,
      error_count: counts.error,
      warning_count: counts.warning,
      info_count: counts.info,
      mergeable_count: counts.mergeable,
      behaviour: own === null ? null : { total_count: own.total, differing_count: own.differ, proven_count: own.proven, searched_count: own.searched, unknown_count: own.unknown },
      findings: findings.map((finding) => present(finding, documents)),
      merged: merged.length === 0 ? null : { decoders_xml: textOf('decoders'), rules_xml: textOf('rules') },
    }
  }
}

/** What is below the content: the ruleset of the request or of the service, and the instance's custom content if the content includes it. */
function below({ includeDefaults, includeCustom }: FileSet, base: NonNullable<UpgradeCheckRequest['from']> | null): FileSet {
  if (base === null) return { includeDefaults, includeCustom, files: [] }
  return { includeDefaults: false, includeCustom, files: base.files.map((file): SourceFile => ({ ...file, scope: 'default' })) }
}

/** A finding about a case has its number in place of the line. */
function present({ kind, file, mergeable, ...finding }: CheckedFinding, cases: readonly { readonly _id: string }[]): UpgradeCheckResponse['findings'][number] {
  const place = kind === 'cases' ? { filename: null, line: null, case_id: cases[finding.line - 1]._id } : { filename: file, line: finding.line, case_id: null }
  return { ...finding, ...place, is_mergeable: mergeable } as UpgradeCheckResponse['findings'][number]
}
