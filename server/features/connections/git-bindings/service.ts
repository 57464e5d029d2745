/**
 * Git bindings of an organization (CONTRACT.md#git-bindings): create, list, get, update, rotate, delete. Invariants:
 *  1. the secret of the inbound webhook is stored sealed, and shown once
 *  2. the base of the project's content (`shared/git-base.ts`) belongs to repository, branch and paths: an update of them deletes it
 *  3. a schedule has one job; a change of the interval replaces it in the same commit
 */
import type { Identities } from '../../../core/auth/identities.js'
import { subjectOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError, required } from '../../../core/errors.js'
import { type IfMatch, requireCurrent } from '../../../core/etag.js'
import { type Expected, type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Locale } from '../../../core/i18n/locale.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import { forgettingBases } from '../../../content/shared/git-base.js'
import { commitInProject, loadChangeable, loadProject, requiringChangeable } from '../../../content/shared/load.js'
import type { Fields, Write } from '../../../core/storage/contract.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import type { OverLimit } from '../../../core/tenancy/over-limit.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { IntegrationsService } from '../integrations/service.js'
import { isBranchName, normalizePath } from './paths.js'
import { bindingResource } from './present.js'
import { replacingSchedule, scheduling } from './schedule.js'
import type { BindingListQuery, GitBindingCreateRequest, GitBindingUpdateRequest } from './schema.js'
import { GIT_BINDINGS, GIT_RUNS, type GitBindingDocument } from './store.js'
import { newWebhookSecret } from './webhook-secret.js'

export { blobId } from './blob-id.js'
export { composeContent } from './compose.js'
export type { OnReviewEvent, ReviewEvent } from './inbound.js'
export { mergePlaces } from './merge-places.js'
export { type OpenBinding, openBinding } from './open-binding.js'
export { bindingResource, presentRun } from './present.js'
export { readBase } from './read-base.js'
export { readRepository, type RepositoryContent, shownPath, type SkippedFile } from './read-repository.js'
export { newRun, type RunCause, runErrorOf, shownNames } from './runs.js'
export { GitProjectSyncRunRecord } from './run-schema.js'
export { BindingParams, repositoryFields } from './schema.js'
export { type BindingReview, type GitRunDocument, PUBLISH_STRATEGIES, type PublishStrategy, type RepositoryPaths } from './store.js'
export { GIT_BINDINGS, GIT_RUNS, type GitBindingDocument }

/** Maximum bindings of an organization. Each may have a schedule, whose job calls the provider up to once a minute. */
export const BINDINGS_LIMIT = 200
/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 10
const AUDITED = [
  'integration_id',
  'repository',
  'branch',
  'rules_path',
  'decoders_path',
  'lists_path',
  'publish_strategy',
  'scheduled_sync_interval_minutes',
  'sync_on_webhook',
  'check_pull_requests',
  'comment_on_review',
] as const
/** The fields that say what the base was read from. */
const SOURCE_FIELDS = ['repository', 'branch', 'rules_path', 'decoders_path', 'lists_path'] as const

export interface GitBindingsParts {
  readonly identities: Pick<Identities, 'secrets' | 'clock'>
  readonly quotas: Pick<Quotas, 'creating'>
  readonly overLimit: Pick<OverLimit, 'requireWritable'>
  readonly integrations: Pick<IntegrationsService, 'get'>
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'rescheduling'>
}

/** A binding with the secret of its webhook in plain text. */
export interface RevealedBinding {
  readonly binding: GitBindingDocument
  readonly secret: string
}

export class GitBindingsService {
  readonly #parts: GitBindingsParts

  constructor(parts: GitBindingsParts) {
    this.#parts = parts
  }

  list(scope: Scope, query: BindingListQuery): Promise<Page<GitBindingDocument>> {
    return findPage(scope.collection(GIT_BINDINGS), {}, findOptions(query))
  }

  /** @throws ApiError resource_missing (project) */
  async listOfProject(scope: Scope, projectId: string, query: BindingListQuery): Promise<Page<GitBindingDocument>> {
    await loadProject(scope, projectId)
    return findPage(scope.collection(GIT_BINDINGS), { project_id: projectId }, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, bindingId: string): Promise<GitBindingDocument> {
    return required(await scope.collection(GIT_BINDINGS).findOne({ _id: bindingId }))
  }

  /** Returns a binding that is going to be changed or used. @throws ApiError resource_missing, project_archived */
  async changeable(scope: Scope, bindingId: string): Promise<GitBindingDocument> {
    const binding = await this.get(scope, bindingId)
    await loadChangeable(scope, binding.project_id)
    return binding
  }

  /** @throws ApiError resource_missing (project or integration), project_archived, over_plan_limit, integration_kind_wrong, request_validation_failed, binding_limit */
  async create(scope: Scope, request: GitBindingCreateRequest, actor: Actor): Promise<RevealedBinding> {
    const { identities, quotas, overLimit, jobs } = this.#parts
    const source = checkedFields(request, actor.locale)
    await Promise.all([loadChangeable(scope, request.project_id), this.#requireGit(scope, request.integration_id)])
    await overLimit.requireWritable(scope, 'projects', request.project_id)
    const now = new Date(identities.clock())
    const place = { _id: newId(), organization_id: scope.organizationId }
    const { secret, sealed } = newWebhookSecret(identities.secrets, place)
    const binding: GitBindingDocument = {
      ...place,
      project_id: request.project_id,
      integration_id: request.integration_id,
      ...source,
      lists_path: source.lists_path ?? null,
      publish_strategy: request.publish_strategy,
      scheduled_sync_interval_minutes: request.scheduled_sync_interval_minutes ?? 0,
      schedule: 1,
      sync_on_webhook: request.sync_on_webhook ?? false,
      check_pull_requests: request.check_pull_requests ?? true,
      comment_on_review: request.comment_on_review ?? false,
      hook_id: place._id,
      webhook_secret: sealed,
      synced_commit_sha: null,
      synced_at: null,
      review: null,
      discovered: null,
      created_by: subjectOf(actor.principal),
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    const entry = { action: 'git_binding.created', resource: bindingResource(binding), projectId: binding.project_id, diff: diffOf(null, binding, AUDITED) } as const
    const bindings = scope.collection(GIT_BINDINGS)
    const writes = [
      requiringChangeable(scope, request.project_id),
      bindings.inserting(binding),
      auditing(scope, auditContext(actor), entry, now),
      ...scheduling(jobs, scope, binding, now),
    ]
    try {
      await quotas.creating(scope, 'git_bindings', { count: () => bindings.count({}), requireRoom, writes: async () => writes })
    } catch (error) {
      if (error instanceof StaleWriteError) await loadChangeable(scope, request.project_id)
      throw error
    }
    return { binding, secret }
  }

  /**
   * Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition
   * @throws ApiError resource_missing, project_archived, integration_kind_wrong, precondition_failed, request_validation_failed, edit_conflict
   */
  async update(scope: Scope, bindingId: string, request: GitBindingUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<GitBindingDocument> {
    const { identities, jobs } = this.#parts
    const fields: Fields<GitBindingDocument> = { ...request, ...checkedFields(request, actor.locale) }
    return retryStale(ATTEMPTS, async () => {
      const binding = await this.changeable(scope, bindingId)
      requireCurrent(binding.revision, ifMatch)
      if (request.integration_id !== undefined) await this.#requireGit(scope, request.integration_id)
      const now = new Date(identities.clock())
      const changed: GitBindingDocument = { ...binding, ...fields }
      const diff = diffOf(binding, changed, AUDITED)
      if (Object.keys(diff).length === 0) return binding
      const isMoved = SOURCE_FIELDS.some((field) => field in diff)
      const isRescheduled = 'scheduled_sync_interval_minutes' in diff
      const set: Fields<GitBindingDocument> = {
        ...fields,
        ...(isMoved ? { synced_commit_sha: null, synced_at: null, review: null, discovered: null } : {}),
        ...(isRescheduled ? { schedule: binding.schedule + 1 } : {}),
        updated_at: now,
      }
      const [updated] = await commitInProject(scope, binding.project_id, [
        scope.collection(GIT_BINDINGS).updating({ _id: bindingId, revision: binding.revision }, { set, increment: { revision: 1 } }),
        ...(isMoved ? forgettingBases(scope, bindingId) : []),
        ...(isRescheduled ? replacingSchedule(jobs, scope, binding, { ...changed, schedule: binding.schedule + 1 }, now) : []),
        auditing(scope, auditContext(actor), { action: 'git_binding.updated', resource: bindingResource(changed), projectId: binding.project_id, diff }, now),
      ])
      return updated as GitBindingDocument
    })
  }

  /** Replaces the secret of the webhook; the previous one is invalid at once. @throws ApiError resource_missing, project_archived, edit_conflict */
  async rotateSecret(scope: Scope, bindingId: string, actor: Actor): Promise<RevealedBinding> {
    const { secrets, clock } = this.#parts.identities
    const binding = await this.changeable(scope, bindingId)
    const now = new Date(clock())
    const { secret, sealed } = newWebhookSecret(secrets, binding)
    try {
      const [updated] = await commitInProject(scope, binding.project_id, [
        scope
          .collection(GIT_BINDINGS)
          .updating({ _id: bindingId, webhook_secret: binding.webhook_secret }, { set: { webhook_secret: sealed, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'git_binding.secret_rotated', resource: bindingResource(binding), projectId: binding.project_id }, now),
      ])
      return { binding: updated as GitBindingDocument, secret }
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      // A concurrent request rotated or deleted it, so the new secret is invalid and must not be returned.
      await this.get(scope, bindingId)
      throw new ApiError('edit_conflict')
    }
  }

  /** Deletes the binding and its base. Workspaces that were imported from it, and what was published, stay. @throws ApiError resource_missing */
  async delete(scope: Scope, bindingId: string, actor: Actor): Promise<void> {
    const { identities, jobs } = this.#parts
    await retryStale(ATTEMPTS, async () => {
      const binding = await this.get(scope, bindingId)
      const now = new Date(identities.clock())
      const entry = { action: 'git_binding.deleted', resource: bindingResource(binding), projectId: binding.project_id, diff: diffOf(binding, null, AUDITED) } as const
      await scope.commit([
        scope.collection(GIT_BINDINGS).deleting({ _id: bindingId, revision: binding.revision }),
        ...forgettingBases(scope, bindingId),
        ...replacingSchedule(jobs, scope, binding, null, now),
        auditing(scope, auditContext(actor), entry, now),
      ])
    })
  }

  /** Returns the writes that delete the bindings of a project that is deleted. @throws ApiError project_busy */
  async deletingOf(scope: Scope, projectId: string): Promise<readonly Write[]> {
    const { identities, jobs } = this.#parts
    const bindings = await scope.collection(GIT_BINDINGS).find({ project_id: projectId })
    const now = new Date(identities.clock())
    const writes: Write[] = []
    for (const binding of bindings) {
      // The forge must get the end of a check, and the history that of a publication.
      if ((await scope.collection(GIT_RUNS).count({ binding_id: binding._id, status: 'running' })) > 0) throw new ApiError('project_busy')
      writes.push(
        scope.collection(GIT_BINDINGS).deleting({ _id: binding._id, revision: binding.revision }),
        ...forgettingBases(scope, binding._id),
        ...replacingSchedule(jobs, scope, binding, null, now),
      )
    }
    return writes
  }

  /** Returns the writes by which bindings lose an integration that is deleted. */
  orphaning(scope: Scope, integrationId: string): readonly Write[] {
    const now = new Date(this.#parts.identities.clock())
    return [scope.collection(GIT_BINDINGS).updatingMany({ integration_id: integrationId }, { set: { integration_id: null, updated_at: now }, increment: { revision: 1 } })]
  }

  /** @throws ApiError resource_missing, integration_kind_wrong */
  async #requireGit(scope: Scope, integrationId: string): Promise<void> {
    const { kind } = await this.#parts.integrations.get(scope, integrationId)
    if (kind !== 'git') throw new ApiError('integration_kind_wrong', { params: { kind: 'git' } })
  }
}

type SourceFields = Pick<GitBindingDocument, (typeof SOURCE_FIELDS)[number]>

/** Returns the fields of the request that name repository, branch and paths, as they are stored. @throws ApiError request_validation_failed */
export function checkedFields<R extends Partial<SourceFields>>(request: R, locale: Locale): Pick<R, keyof SourceFields & keyof R> {
  const checked: Record<string, string | null> = {}
  const issues: FieldIssue[] = []
  for (const field of SOURCE_FIELDS) {
    const written = request[field]
    if (written === undefined) continue
    const value = written === null ? null : field === 'branch' ? (isBranchName(written) ? written : undefined) : (normalizePath(written) ?? undefined)
    if (value === undefined || (field === 'repository' && value === '')) issues.push(issue(`/${field}`, 'invalid', EXPECTED[field]))
    else checked[field] = value
  }
  if (issues.length > 0) throw invalidRequest(issues, locale)
  return checked as Pick<R, keyof SourceFields & keyof R>
}

const RELATIVE = { type: 'string', format: { words: 'relative_path' } } as const
const EXPECTED = {
  repository: RELATIVE,
  branch: { type: 'string', format: { words: 'branch_name' } },
  rules_path: RELATIVE,
  decoders_path: RELATIVE,
  lists_path: RELATIVE,
} as const satisfies Record<(typeof SOURCE_FIELDS)[number], Expected>

/** @throws ApiError binding_limit */
function requireRoom(there: number): void {
  if (there >= BINDINGS_LIMIT) throw new ApiError('binding_limit', { params: { limit: BINDINGS_LIMIT } })
}
