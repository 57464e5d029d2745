/**
 * Cases of projects: create, list, get, update, delete, import, export. Invariants:
 *  1. a project's `case_count`, `case_bytes` and `cases_revision` change in the commit of the case. The filter of the project's update contains the
 *     limits, so that they are exact under concurrency
 *  2. an update is validated with the whole resulting case, and committed only if the case has not changed since it was read
 */
import { subjectOf } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import { ApiError } from '../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../core/etag.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { loadChangeable, loadOfProject, loadPageOfProject, loadProject } from '../shared/load.js'
import { NOT_ARCHIVED, type ProjectDocument, PROJECTS } from '../shared/project.js'
import { loadCases } from '../shared/test-case.js'
import { type CaseDocument, CASES, CASES_BYTES_LIMIT, CASES_LIMIT } from '../shared/test-case.js'
import type { Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { newOrderedId } from '../../core/storage/id.js'
import { findOptions, type Page } from '../../core/tenancy/page.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AuditEntry, type AuditResource, auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { projectResource } from '../projects/service.js'
import { AUDITED_FIELDS, auditedCase, caseBytes, type CaseFields, caseIssues, newCaseFields, sentFields } from './case-fields.js'
import { readSuite, type SkippedPart, SUITE_PARTS_LIMIT } from './import.js'
import type { CaseCreateRequest, CaseImportRequest, CaseListQuery, CaseUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes of the case or project. */
const ATTEMPTS = 10

export interface ImportedSuite {
  readonly cases: readonly CaseDocument[]
  readonly skipped: readonly SkippedPart[]
}

export class CasesService {
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** @throws ApiError resource_missing */
  async list(scope: Scope, projectId: string, { search, expected_rule, expected_decoder, session_id, ...page }: CaseListQuery): Promise<Page<CaseDocument>> {
    const filter = {
      ...(search === undefined ? {} : { name: { contains: search } }),
      ...(expected_rule === undefined ? {} : { expected_rule }),
      ...(expected_decoder === undefined ? {} : { expected_decoder }),
      ...(session_id === undefined ? {} : { session_id }),
    }
    return loadPageOfProject(scope, CASES, projectId, filter, findOptions(page))
  }

  /** Returns all cases, in order of creation. @throws ApiError resource_missing */
  async all(scope: Scope, projectId: string): Promise<readonly CaseDocument[]> {
    await loadProject(scope, projectId)
    return loadCases(scope, projectId)
  }

  /** @throws ApiError resource_missing */
  get(scope: Scope, projectId: string, caseId: string): Promise<CaseDocument> {
    return loadOfProject(scope, CASES, projectId, caseId)
  }

  /** @throws ApiError resource_missing, case_limit, request_validation_failed, edit_conflict */
  async create(scope: Scope, projectId: string, request: CaseCreateRequest, actor: Actor): Promise<CaseDocument> {
    const project = await loadChangeable(scope, projectId)
    const fields = { ...newCaseFields('', project.default_log_format), ...sentFields(request) }
    refuse(fields, actor)
    const [created] = this.#documents(scope, projectId, [fields], actor)
    await this.#insert(scope, projectId, [created], actor, {
      action: 'case.created',
      resource: caseResource(created),
      projectId,
      diff: diffOf(null, auditedCase(created), AUDITED_FIELDS),
    })
    return created
  }

  /** Creates all cases of a suite, or none. @param dryRun creates none @throws ApiError resource_missing, case_limit, request_validation_failed, edit_conflict */
  async import(scope: Scope, projectId: string, request: CaseImportRequest, dryRun: boolean, actor: Actor): Promise<ImportedSuite> {
    const project = await loadChangeable(scope, projectId)
    const suite = readSuite(request)
    if (suite === null) throw invalidRequest([issue('/content', 'too_many', { entries: SUITE_PARTS_LIMIT }, { limit: SUITE_PARTS_LIMIT })], actor.locale)
    const { found, skipped } = suite
    const cases = this.#documents(scope, projectId, found, actor)
    const bytes = cases.reduce((sum, testCase) => sum + testCase.bytes, 0)
    if (exceeds(project, cases.length, bytes)) throw caseLimit()
    if (!dryRun && cases.length > 0) {
      const counts = { cases: cases.length, skipped: skipped.length }
      const diff = Object.fromEntries(Object.entries(counts).map(([name, after]) => [name, { before: null, after }]))
      await this.#insert(scope, projectId, cases, actor, { action: 'case.imported', resource: projectResource(project), projectId, diff })
    }
    return { cases, skipped }
  }

  /** Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, case_limit, request_validation_failed, edit_conflict */
  async update(scope: Scope, projectId: string, caseId: string, request: CaseUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<CaseDocument> {
    return retryStale(ATTEMPTS, async () => {
      const testCase = await this.get(scope, projectId, caseId)
      requireMatch(etagOf(testCase), ifMatch)
      const sent = sentFields(request)
      const changed = { ...testCase, ...sent }
      refuse(changed, actor)
      const diff = diffOf(auditedCase(testCase), auditedCase(changed), AUDITED_FIELDS)
      if (Object.keys(diff).length === 0) return testCase
      const now = new Date(this.#clock())
      const bytes = caseBytes(changed)
      const [updated] = await this.#commit(scope, projectId, 0, bytes - testCase.bytes, [
        // The expectations were validated with the whole case, so it must not have changed since.
        scope
          .collection(CASES)
          .updating({ _id: caseId, revision: testCase.revision }, { set: { ...sent, bytes, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'case.updated', resource: caseResource(changed), projectId, diff }, now),
      ])
      return updated as CaseDocument
    })
  }

  /** @throws ApiError resource_missing, edit_conflict */
  async delete(scope: Scope, projectId: string, caseId: string, actor: Actor): Promise<void> {
    return retryStale(ATTEMPTS, async () => {
      const testCase = await this.get(scope, projectId, caseId)
      const now = new Date(this.#clock())
      const entry = { action: 'case.deleted', resource: caseResource(testCase), projectId, diff: diffOf(auditedCase(testCase), null, AUDITED_FIELDS) } as const
      await this.#commit(scope, projectId, -1, -testCase.bytes, [
        scope.collection(CASES).deleting({ _id: caseId, revision: testCase.revision }),
        auditing(scope, auditContext(actor), entry, now),
      ])
    })
  }

  #documents(scope: Scope, projectId: string, found: readonly CaseFields[], actor: Actor): CaseDocument[] {
    const now = new Date(this.#clock())
    return found.map((fields) => ({
      _id: newOrderedId(now.getTime()),
      organization_id: scope.organizationId,
      project_id: projectId,
      ...fields,
      bytes: caseBytes(fields),
      created_by: subjectOf(actor.principal),
      created_at: now,
      updated_at: now,
      revision: 1,
    }))
  }

  async #insert(scope: Scope, projectId: string, cases: readonly CaseDocument[], actor: Actor, entry: AuditEntry): Promise<void> {
    const bytes = cases.reduce((sum, testCase) => sum + testCase.bytes, 0)
    const writes = [...cases.map((testCase) => scope.collection(CASES).inserting(testCase)), auditing(scope, auditContext(actor), entry, cases[0].created_at)]
    await retryStale(ATTEMPTS, () => this.#commit(scope, projectId, cases.length, bytes, writes))
  }

  /**
   * Commits a change of cases together with the project's counts, which enforces the limits.
   * @returns the result of `Scope.commit` for the other writes @throws the errors of `Scope.commit`; ApiError resource_missing, project_archived, case_limit
   */
  async #commit(scope: Scope, projectId: string, count: number, bytes: number, writes: readonly Write[]) {
    const limits = {
      ...(count > 0 ? { case_count: { lte: CASES_LIMIT - count } } : {}),
      ...(bytes > 0 ? { case_bytes: { lte: CASES_BYTES_LIMIT - bytes } } : {}),
    }
    const counting = scope.collection(PROJECTS).updating({ _id: projectId, ...NOT_ARCHIVED, ...limits }, { increment: { case_count: count, case_bytes: bytes, cases_revision: 1 } })
    try {
      return (await scope.commit([counting, ...writes])).slice(1)
    } catch (error) {
      if (error instanceof StaleWriteError && error.index === 0 && exceeds(await loadChangeable(scope, projectId), count, bytes)) throw caseLimit()
      throw error
    }
  }
}

function refuse(fields: CaseFields, actor: Actor): void {
  const issues = caseIssues(fields)
  if (issues.length > 0) throw invalidRequest(issues, actor.locale)
}

function exceeds(project: ProjectDocument, count: number, bytes: number): boolean {
  return (count > 0 && project.case_count + count > CASES_LIMIT) || (bytes > 0 && project.case_bytes + bytes > CASES_BYTES_LIMIT)
}

function caseLimit(): ApiError {
  return new ApiError('case_limit', { params: { limit: CASES_LIMIT, bytes: CASES_BYTES_LIMIT } })
}

function caseResource({ _id, name }: Pick<CaseDocument, '_id' | 'name'>): AuditResource {
  return { type: 'case', id: _id, name }
}
