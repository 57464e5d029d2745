/**
 * Versions: create, publish, restore, archive. Invariants:
 *  1. of a project's versions at most one is published, and none that was archived: publishing and restoring write the project as it was read, and each
 *     change of status writes the version as it was read
 *  2. the gate evaluated exactly what is published: the commit fails if policy, cases or approval changed meanwhile
 *  3. the content of a version never changes; the commit of a status change contains its domain event, notice and audit entry
 *  4. publishing the version of an imported workspace sets the base of its binding (`shared/git-base.ts`)
 *  5. the project's `version_count` is the number of its versions: the commit that creates one increments it below the limit
 */
import type { Actor } from '../../core/auth/request-context.js'
import { nameOf, subjectOf, userIdOf, userIdOfSubject } from '../../core/auth/principal.js'
import { ApiError } from '../../core/errors.js'
import type { EventPayload } from '../../core/events/catalogue.js'
import type { Notices } from '../../core/events/notices.js'
import type { Outbox } from '../../core/events/outbox.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { type ContentDocument, CONTENTS, contentBytes, contentHash, publishedOf, type RulesetContent, rulesetOf } from '../shared/content.js'
import type { QualityGatePolicy } from '../shared/gate-policy.js'
import { settingBaseOfVersion } from '../shared/git-base.js'
import { commitInProject, loadChangeable, loadContent, loadOfProject, loadPageOfProject, loadProject, loadSnapshot, requireEverKnown } from '../shared/load.js'
import type { Measurement, ProjectMeasure } from '../shared/measure.js'
import { NOT_ARCHIVED, type ProjectDocument, PROJECTS } from '../shared/project.js'
import { REVIEWS } from '../shared/review.js'
import { type VersionDocument, VERSIONS, VERSIONS_LIMIT } from '../shared/version.js'
import { type WorkspaceDocument, WORKSPACES } from '../shared/workspace.js'
import type { Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, type Page } from '../../core/tenancy/page.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../core/audit/service.js'
import type { ProjectView } from '../projects/service.js'
import { type LostAlerts, lostAlertsOf, NOTHING_LOST, type QualityGateResult, type QualityGateService } from '../quality-gate/service.js'
import { type BehaviourSummary, type SemanticDiffService, summaryOf } from '../semantic-diff/service.js'
import type { VersionCreateRequest, VersionListQuery } from './schema.js'

export { presentVersion } from './present.js'
export { ProjectVersionRecord } from './schema.js'

/** Attempts to publish while the project, cases or reviews change during the measurement. */
const ATTEMPTS = 5
/** Attempts to restore, which needs no measurement. It must succeed while cases are written continuously. */
const RESTORE_ATTEMPTS = 24
const RESTORE_PAUSE_MS = 20

export interface VersionsParts {
  readonly measure: ProjectMeasure
  readonly diffs: Pick<SemanticDiffService, 'compareFiles'>
  readonly gate: QualityGateService
  readonly outbox: Pick<Outbox, 'emitting'>
  readonly notices: Pick<Notices, 'notifying'>
  readonly clock: () => number
}

/** The caller, and the signal that stops the measurement. */
export interface VersionActor extends Actor {
  readonly signal: AbortSignal
}

/** Result of publishing. */
export interface Publication {
  readonly version: VersionDocument
  readonly published: boolean
  readonly result: QualityGateResult
  /** What the version changes in the content that was active; null: not compared. */
  readonly behaviour: BehaviourSummary | null
}

/** Source of a version's content. */
interface Source {
  /** The binding and commit of an imported workspace. */
  readonly git: Pick<VersionDocument, 'git_binding_id' | 'git_commit_sha'>
  readonly content: ContentDocument
  readonly include: Pick<VersionDocument, 'include_disk_defaults' | 'include_disk_custom'>
  readonly workspaceId: string | null
  readonly reviewId: string | null
}

export class VersionsService {
  readonly #parts: VersionsParts

  constructor(parts: VersionsParts) {
    this.#parts = parts
  }

  /** Lists versions, also of a deleted project. @throws ApiError resource_missing */
  async list(scope: Scope, projectId: string, query: VersionListQuery): Promise<Page<VersionDocument>> {
    const filter = query.status === undefined ? {} : { status: query.status }
    return loadPageOfProject(scope, VERSIONS, projectId, filter, findOptions(query), requireEverKnown)
  }

  /** @throws ApiError resource_missing */
  get(scope: Scope, projectId: string, versionId: string): Promise<VersionDocument> {
    return loadOfProject(scope, VERSIONS, projectId, versionId, requireEverKnown)
  }

  /** @throws ApiError resource_missing */
  async content(scope: Scope, projectId: string, versionId: string): Promise<{ version: VersionDocument; content: ContentDocument }> {
    const version = await this.get(scope, projectId, versionId)
    return { version, content: await loadContent(scope, versionId) }
  }

  /** Creates a draft. @throws ApiError resource_missing (project, workspace or review), version_limit, request_validation_failed */
  async create(scope: Scope, projectId: string, request: VersionCreateRequest, actor: VersionActor): Promise<VersionDocument> {
    const { measure, outbox, clock } = this.#parts
    const project = await loadChangeable(scope, projectId)
    // Checked before the expensive measurement; the commit enforces it.
    if (project.version_count >= VERSIONS_LIMIT) throw versionLimit()
    const { content, include, git, workspaceId, reviewId } = await this.#source(scope, projectId, request, actor)
    const measured = await measure.measure({ ...content, ...include }, project, { scope, locale: actor.locale, signal: actor.signal })
    const now = new Date(clock())
    const version: VersionDocument = {
      _id: newId(),
      organization_id: scope.organizationId,
      project_id: projectId,
      source_workspace_id: workspaceId,
      source_review_id: reviewId,
      ...git,
      name: request.name.trim(),
      notes: request.notes ?? '',
      status: 'draft',
      ...include,
      content_hash: contentHash({ ...content, ...include }),
      ...measuredFields(measured),
      created_by: subjectOf(actor.principal),
      created_at: now,
      updated_at: now,
      published_at: null,
      revision: 1,
    }
    const writes = [
      scope
        .collection(PROJECTS)
        .updating({ _id: projectId, ...NOT_ARCHIVED, version_count: { lt: VERSIONS_LIMIT } }, { set: { latest_version_id: version._id }, increment: { version_count: 1 } }),
      scope.collection(VERSIONS).inserting(version),
      scope.collection(CONTENTS).inserting({ _id: version._id, project_id: projectId, ...publishedOf(content), event_text: '', source_files: content.source_files }),
      auditing(
        scope,
        auditContext(actor),
        {
          action: 'version.created',
          resource: resourceOf(version),
          projectId,
          diff: diffOf(null, version, ['name', 'content_hash', 'source_workspace_id', 'source_review_id', 'quality_score']),
        },
        now,
      ),
      ...(await outbox.emitting(scope, { name: 'version.created', payload: payloadOf(project, version) })),
    ]
    try {
      await scope.commit(writes)
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      await loadChangeable(scope, projectId)
      throw versionLimit()
    }
    return version
  }

  /** @throws ApiError resource_missing, version_published, version_not_draft, edit_conflict */
  async publish(scope: Scope, projectId: string, versionId: string, actor: VersionActor): Promise<Publication> {
    const { measure, gate, clock } = this.#parts
    // A stale write means that the gate evaluated outdated data.
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      const { version, content } = await this.content(scope, projectId, versionId)
      if (version.status === 'published') throw new ApiError('version_published')
      if (version.status !== 'draft') throw new ApiError('version_not_draft')
      const measured = await measure.measure({ ...content, ...version }, project, { scope, locale: actor.locale, signal: actor.signal })
      const { behaviour, lost } = await this.#changes(project, { ...content, ...version }, measured, actor, scope)
      const { result, approval } = await gate.evaluate({ scope, project, contentHash: version.content_hash, files: rulesetOf({ ...content, ...version }), measured, lost })
      const now = new Date(clock())
      const held = { project, version, content, measured, result, actor, now }
      // The version may still pass when its measurement ends, so no failure is reported.
      if (result.state === 'pending') return { version, published: false, result, behaviour }
      if (!result.passed) return { version: await this.#refuse(scope, held), published: false, result, behaviour }
      // The approval must still be valid when the version is published.
      const approving: Write[] =
        approval === null || !dependsOnApproval(project.quality_gate)
          ? []
          : [scope.collection(REVIEWS).updating({ _id: approval._id, status: 'approved', revision: approval.revision }, { set: { settled_at: now }, increment: { revision: 1 } })]
      return { version: await this.#promote(scope, held, approving), published: true, result, behaviour }
    })
  }

  /** Restores a previously published version without running the gate. @throws ApiError resource_missing, version_not_restorable, edit_conflict */
  async restore(scope: Scope, projectId: string, versionId: string, actor: Actor): Promise<ProjectView> {
    const attempt = async (): Promise<ProjectView> => {
      const project = await loadChangeable(scope, projectId)
      const { version, content } = await this.content(scope, projectId, versionId)
      if (version.published_at === null) throw new ApiError('version_not_restorable')
      const now = new Date(this.#parts.clock())
      const diff = diffOf(project, { ...project, active_baseline_id: versionId, content_hash: version.content_hash }, ['active_baseline_id', 'content_hash'])
      const [updated] = await scope.commit([
        ...makingActive(scope, project, version, content, now),
        scope.collection(VERSIONS).updating({ _id: versionId, revision: version.revision }, { set: { status: 'published', updated_at: now }, increment: { revision: 1 } }),
        archivingOthers(scope, projectId, versionId, now),
        auditing(scope, auditContext(actor), { action: 'version.restored', resource: resourceOf(version), projectId, diff }, now),
      ])
      return { project: updated as ProjectDocument, content: { ...(await loadContent(scope, projectId)), ...publishedOf(content) } }
    }
    return retryStale(RESTORE_ATTEMPTS, attempt, { pauseMs: RESTORE_PAUSE_MS })
  }

  /** Archives a draft. @throws ApiError resource_missing, version_not_draft, edit_conflict */
  async archive(scope: Scope, projectId: string, versionId: string, actor: Actor): Promise<VersionDocument> {
    return retryStale(ATTEMPTS, async () => {
      const version = await this.get(scope, projectId, versionId)
      if (version.status !== 'draft') throw new ApiError('version_not_draft')
      const now = new Date(this.#parts.clock())
      const diff = diffOf(version, { ...version, status: 'archived' }, ['status'])
      const [updated] = await commitInProject(scope, projectId, [
        scope
          .collection(VERSIONS)
          .updating({ _id: versionId, status: 'draft', revision: version.revision }, { set: { status: 'archived', updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'version.archived', resource: resourceOf(version), projectId, diff }, now),
      ])
      return updated as VersionDocument
    })
  }

  /** Returns the content of the workspace, else of the review's workspace, else of the project (CONTRACT.md#versions-and-reviews). */
  async #source(scope: Scope, projectId: string, { source_workspace_id = null, source_review_id = null }: VersionCreateRequest, actor: Actor): Promise<Source> {
    const review = source_review_id === null ? null : await loadOfProject(scope, REVIEWS, projectId, source_review_id)
    const workspaceId = source_workspace_id ?? review?.workspace_id ?? null
    if (review !== null && workspaceId !== review.workspace_id) throw invalidRequest([issue('/source_review_id', 'invalid', { words: 'review_of_workspace' })], actor.locale)
    const { owner, content } = await loadSnapshot<ProjectDocument | WorkspaceDocument>(scope, () =>
      workspaceId === null ? loadProject(scope, projectId) : loadOfProject(scope, WORKSPACES, projectId, workspaceId),
    )
    const { include_disk_defaults, include_disk_custom } = owner
    const { git_binding_id, git_commit_sha } = 'git_binding_id' in owner ? owner : NOT_IMPORTED
    return { content, include: { include_disk_defaults, include_disk_custom }, git: { git_binding_id, git_commit_sha }, workspaceId, reviewId: source_review_id }
  }

  /**
   * What a version changes in the content that is active, and what it loses by that. Only a policy that limits lost alerts needs it: without one, a comparison
   * that fails is omitted. The commit fails if the content changes meanwhile. @throws ApiError overloaded, internal_error
   */
  async #changes(
    project: ProjectDocument,
    version: RulesetContent,
    measured: Measurement,
    { locale, signal }: VersionActor,
    scope: Scope,
  ): Promise<{ readonly behaviour: BehaviourSummary | null; readonly lost: LostAlerts }> {
    const { measure, diffs } = this.#parts
    const isLimited = (project.quality_gate.max_lost_alerts ?? null) !== null
    if (!measured.loads && !isLimited) return NO_CHANGES
    const { include_disk_defaults, include_disk_custom } = project
    const active: RulesetContent = { ...(await loadContent(scope, project._id)), include_disk_defaults, include_disk_custom }
    const caller = { scope, locale, signal }
    try {
      const diff = measured.loads ? await diffs.compareFiles(project, rulesetOf(active), rulesetOf(version), caller) : null
      const behaviour = diff === null ? null : summaryOf(diff)
      return { behaviour, lost: isLimited ? lostAlertsOf(await measure.measure(active, project, caller), measured, diff) : NOTHING_LOST }
    } catch (error) {
      if (isLimited || signal.aborted) throw error
      return NO_CHANGES
    }
  }

  /** Stores that the gate failed. */
  async #refuse(scope: Scope, { project, version, measured, result, actor, now }: GatedVersion): Promise<VersionDocument> {
    const { outbox, notices } = this.#parts
    const { name, _id } = version
    const payload = {
      project_id: project._id,
      project_name: project.name,
      version_id: _id,
      name,
      quality_score: result.quality_score,
      failed_rules: result.failed_rules.map(({ rule, expected, actual }) => ({ rule, expected, actual })),
    }
    const diff = diffOf({ quality_gate: 'not tried', failed_rules: '' }, { quality_gate: 'failed', failed_rules: result.failed_rules.map(({ rule }) => rule).join(', ') }, [
      'quality_gate',
      'failed_rules',
    ])
    // The caller sees the answer; the author of the version gets a notice.
    const author = userIdOfSubject(version.created_by)
    const users = author === null || author === userIdOf(actor.principal) ? [] : [author]
    const [updated] = await commitInProject(scope, project._id, [
      scope
        .collection(VERSIONS)
        .updating({ _id, status: 'draft', revision: version.revision }, { set: { ...measuredFields(measured), updated_at: now }, increment: { revision: 1 } }),
      auditing(scope, auditContext(actor), { action: 'version.publish_failed', resource: resourceOf(version), projectId: project._id, diff }, now),
      ...(await outbox.emitting(scope, { name: 'publish.failed', payload })),
      ...notices.notifying(scope, { kind: 'publish.failed', params: { project: project.name, version: name }, recipients: { users }, link: linkTo(version) }),
    ])
    return updated as VersionDocument
  }

  /** Publishes the version. */
  async #promote(scope: Scope, { project, version, content, measured, actor, now }: GatedVersion, approving: readonly Write[]): Promise<VersionDocument> {
    const { outbox, notices } = this.#parts
    const published: VersionDocument = { ...version, ...measuredFields(measured), status: 'published', published_at: now, updated_at: now, revision: version.revision + 1 }
    const { status, published_at, updated_at, quality_score, regression_passed, total_rules, total_decoders } = published
    const fields = { status, published_at, updated_at, quality_score, regression_passed, total_rules, total_decoders }
    await scope.commit([
      ...makingActive(scope, project, version, content, now),
      scope.collection(VERSIONS).updating({ _id: version._id, status: 'draft', revision: version.revision }, { set: fields, increment: { revision: 1 } }),
      archivingOthers(scope, project._id, version._id, now),
      ...(await settingBaseOfVersion(scope, version, content.source_files, now)),
      ...approving,
      ...settlingReviews(scope, version, now),
      auditing(
        scope,
        auditContext(actor),
        {
          action: 'version.published',
          resource: resourceOf(version),
          projectId: project._id,
          diff: {
            ...diffOf(version, published, ['status', 'quality_score']),
            ...diffOf(project, { ...project, active_baseline_id: version._id, content_hash: version.content_hash }, ['active_baseline_id', 'content_hash']),
          },
        },
        now,
      ),
      ...(await outbox.emitting(scope, { name: 'version.published', payload: payloadOf(project, published) })),
      ...notices.notifying(scope, {
        kind: 'version.published',
        params: { project: project.name, version: version.name, actor: nameOf(actor.principal) },
        recipients: { everyoneBut: userIdOf(actor.principal) },
        link: linkTo(version),
      }),
    ])
    return published
  }
}

/** Content that was not imported. */
const NOT_IMPORTED = { git_binding_id: null, git_commit_sha: null } as const

function versionLimit(): ApiError {
  return new ApiError('version_limit', { params: { limit: VERSIONS_LIMIT } })
}

const NO_CHANGES = { behaviour: null, lost: NOTHING_LOST } as const

/** Whether an approval can be the reason why content passes. */
function dependsOnApproval({ require_approved_review, max_lost_alerts = null }: QualityGatePolicy): boolean {
  return require_approved_review || max_lost_alerts !== null
}

/** The data on which a decision of the gate is based. */
interface GatedVersion {
  readonly project: ProjectDocument
  readonly version: VersionDocument
  readonly content: ContentDocument
  readonly measured: Measurement
  readonly result: QualityGateResult
  readonly actor: Actor
  readonly now: Date
}

/** Returns the writes that make the version the project's content. They fail if policy, cases or decisions of reviews changed since they were read. */
function makingActive(scope: Scope, project: ProjectDocument, version: VersionDocument, content: ContentDocument, now: Date): Write[] {
  const fields = {
    active_baseline_id: version._id,
    active_baseline_name: version.name,
    include_disk_defaults: version.include_disk_defaults,
    include_disk_custom: version.include_disk_custom,
    content_hash: version.content_hash,
    content_bytes: contentBytes({ ...content, event_text: '', source_files: [] }),
    updated_at: now,
  }
  const { _id, revision, cases_revision, decisions_revision } = project
  return [
    scope.collection(PROJECTS).updating({ _id, revision, cases_revision, decisions_revision }, { set: fields, increment: { revision: 1 } }),
    scope.collection(CONTENTS).updating({ _id }, { set: { ...publishedOf(content) } }),
  ]
}

function archivingOthers(scope: Scope, projectId: string, versionId: string, now: Date): Write {
  return scope
    .collection(VERSIONS)
    .updatingMany({ project_id: projectId, status: 'published', _id: { not: versionId } }, { set: { status: 'archived', updated_at: now }, increment: { revision: 1 } })
}

/** Returns the writes that make decisions about a published workspace final. */
function settlingReviews(scope: Scope, { project_id, source_workspace_id }: VersionDocument, now: Date): Write[] {
  if (source_workspace_id === null) return []
  const decided = { in: ['approved', 'changes_requested', 'rejected'] as const }
  return [
    scope
      .collection(REVIEWS)
      .updatingMany({ project_id, workspace_id: source_workspace_id, status: decided, settled_at: null }, { set: { settled_at: now }, increment: { revision: 1 } }),
  ]
}

function measuredFields({ quality, failedCases, semantic }: Measurement): Pick<VersionDocument, 'quality_score' | 'regression_passed' | 'total_rules' | 'total_decoders'> {
  const { total_rules, total_decoders } = semantic
  return { quality_score: quality.score, regression_passed: failedCases === 0, total_rules, total_decoders }
}

function payloadOf(project: ProjectDocument, version: VersionDocument): EventPayload<'version.created'> {
  const { _id: version_id, name, status, quality_score, regression_passed, content_hash } = version
  return { project_id: project._id, project_name: project.name, version_id, name, status, quality_score, regression_passed, content_hash }
}

function resourceOf({ _id, name }: VersionDocument): AuditResource {
  return { type: 'version', id: _id, name }
}

function linkTo({ _id, project_id }: VersionDocument): string {
  return `/platform/projects/${project_id}/versions/${_id}`
}
