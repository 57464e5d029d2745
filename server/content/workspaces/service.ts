/**
 * Workspaces of a project: create, list, get, update, close, delete. Invariants:
 *  1. a workspace and its content change in one commit, with the hash of the new content
 *  2. the project's `workspace_count` is the number of its open workspaces: it changes in the commit that opens or closes one
 *  3. a closed workspace changes only in the commit that opens it again
 */
import type { Actor } from '../../core/auth/request-context.js'
import { subjectOf } from '../../core/auth/principal.js'
import { ApiError } from '../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../core/etag.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { type ContentDocument, CONTENTS, contentBytes, contentHash, type PublishedContent, sortedLists } from '../shared/content.js'
import { requireContent } from '../shared/content-limits.js'
import { commitInProject, loadChangeable, loadContent, loadContents, loadOfProject, loadPageOfProject, loadSnapshot, requiringChangeable } from '../shared/load.js'
import { NOT_ARCHIVED, type ProjectDocument, PROJECTS } from '../shared/project.js'
import { REVIEWS } from '../shared/review.js'
import { describeSourceFile } from '../shared/source-files.js'
import { mayBecome, WORKSPACE_TRANSITIONS, type WorkspaceStatus } from '../shared/transitions.js'
import { type WorkspaceDocument, WORKSPACES, WORKSPACES_LIMIT } from '../shared/workspace.js'
import type { Fields, Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, type Page } from '../../core/tenancy/page.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { KeyedMutex } from '../../core/tenancy/keyed-mutex.js'
import { type AuditContext, auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { CONTENT_FIELDS, diffOfContent, SHOWN_FIELDS, workspaceResource } from './audit.js'
import type { WorkspaceCreateRequest, WorkspaceListQuery, WorkspaceUpdateRequest } from './schema.js'

export { presentWorkspace } from './present.js'
export { SourceFile, WorkspaceRecord } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes of the workspace. */
const ATTEMPTS = 10

/** A workspace and its content. */
export interface WorkspaceView {
  readonly workspace: WorkspaceDocument
  readonly content: ContentDocument
}

export class WorkspacesService {
  readonly #clock: () => number
  /** Workspaces that are opened again, by project. */
  readonly #mutex = new KeyedMutex()

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** @throws ApiError resource_missing (project) */
  async list(scope: Scope, projectId: string, query: WorkspaceListQuery): Promise<Page<WorkspaceDocument>> {
    const filter = query.status === 'all' ? {} : { status: query.status }
    return loadPageOfProject(scope, WORKSPACES, projectId, filter, findOptions(query))
  }

  /** Lists workspaces with their contents. */
  async views(scope: Scope, workspaces: readonly WorkspaceDocument[]): Promise<readonly WorkspaceView[]> {
    const contents = await loadContents(
      scope,
      workspaces.map(({ _id }) => _id),
    )
    return workspaces.flatMap((workspace) => {
      const content = contents.get(workspace._id)
      return content === undefined ? [] : [{ workspace, content }]
    })
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, projectId: string, workspaceId: string): Promise<WorkspaceView> {
    const workspace = await loadOfProject(scope, WORKSPACES, projectId, workspaceId)
    return { workspace, content: await loadContent(scope, workspaceId) }
  }

  /** @throws ApiError resource_missing (project), workspace_limit, edit_conflict, request_validation_failed */
  async create(scope: Scope, projectId: string, request: WorkspaceCreateRequest, actor: Actor): Promise<WorkspaceView> {
    requireContent(request, actor.locale)
    const { owner: project, content: original } = await loadSnapshot(scope, () => loadChangeable(scope, projectId))
    const now = new Date(this.#clock())
    const content: ContentDocument = {
      _id: newId(),
      organization_id: scope.organizationId,
      project_id: projectId,
      decoders_xml: request.decoders_xml ?? original.decoders_xml,
      rules_xml: request.rules_xml ?? original.rules_xml,
      lists: request.lists === undefined ? original.lists : sortedLists(request.lists),
      event_text: request.event_text ?? '',
      source_files: [],
    }
    const workspace = newWorkspace(scope, project, request.name, request, content, subjectOf(actor.principal), now)
    try {
      await scope.commit(opening(scope, { workspace, content }, auditContext(actor), now))
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      await loadChangeable(scope, projectId)
      throw workspaceLimit()
    }
    return { workspace, content }
  }

  /**
   * Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition
   * @throws ApiError resource_missing, precondition_failed, workspace_closed, workspace_limit, edit_conflict, request_validation_failed
   */
  async update(scope: Scope, projectId: string, workspaceId: string, request: WorkspaceUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<WorkspaceView> {
    requirePaths(request, actor)
    requireContent(request, actor.locale)
    const { name, status, decoders_xml, rules_xml, lists, event_text, source_files, ...rest } = request
    const sent: Partial<ContentDocument> = withoutUndefined({
      decoders_xml,
      rules_xml,
      lists: lists === undefined ? undefined : sortedLists(lists),
      event_text,
      source_files: source_files?.map(describeSourceFile),
    })
    const fields: Partial<WorkspaceDocument> = { ...withoutUndefined({ name: name?.trim(), status }), ...rest }
    const change = async (): Promise<WorkspaceView> => {
      const { workspace, content } = await this.get(scope, projectId, workspaceId)
      requireMatch(etagOf(workspace), ifMatch)
      const changed = { ...workspace, ...fields }
      const next = { ...content, ...sent }
      const diff = { ...diffOf(workspace, changed, SHOWN_FIELDS), ...diffOfContent(content, next) }
      if (Object.keys(diff).length === 0) return { workspace, content }
      if (workspace.status === 'closed' && changed.status === 'closed') throw new ApiError('workspace_closed')
      const moves = mayBecome<WorkspaceStatus>(WORKSPACE_TRANSITIONS, workspace.status, changed.status)
      const now = new Date(this.#clock())
      const measured = { content_hash: contentHash({ ...changed, ...next }), content_bytes: contentBytes(next) }
      const set: Fields<WorkspaceDocument> = { ...fields, ...measured, updated_at: now }
      const parts: Fields<ContentDocument> = Object.fromEntries(CONTENT_FIELDS.filter((field) => field in diff).map((field) => [field, next[field]]))
      // The hash covers all parts of the content, so an update of one part requires that the others have not changed.
      const writes = [
        scope.collection(WORKSPACES).updating({ _id: workspaceId, revision: workspace.revision }, { set: set, increment: { revision: 1 } }),
        ...(moves && changed.status === 'closed' ? [scope.collection(PROJECTS).updating({ _id: projectId }, { increment: { workspace_count: -1 } })] : []),
        ...(Object.keys(parts).length === 0 ? [] : [scope.collection(CONTENTS).updating({ _id: workspaceId }, { set: parts })]),
        auditing(scope, auditContext(actor), { action: 'workspace.updated', resource: workspaceResource(changed), projectId, diff }, now),
      ]
      const [updated] = await commitInProject(scope, projectId, [...writes, ...(moves && changed.status === 'open' ? [await reopening(scope, projectId)] : [])])
      return { workspace: updated as WorkspaceDocument, content: next }
    }
    const work = () => retryStale(ATTEMPTS, change)
    return status === 'open' ? this.#mutex.run(projectId, work) : work()
  }

  /**
   * Deletes a workspace with its content. Its versions stay, and its decided reviews, which are final from now on: approvals and refusals of its content count.
   * @throws ApiError resource_missing, project_archived, workspace_in_review, edit_conflict
   */
  async delete(scope: Scope, projectId: string, workspaceId: string, actor: Actor): Promise<void> {
    return retryStale(ATTEMPTS, async () => {
      await loadChangeable(scope, projectId)
      const workspace = await loadOfProject(scope, WORKSPACES, projectId, workspaceId)
      const { status, revision, reviews_revision } = workspace
      const ofWorkspace = { project_id: projectId, workspace_id: workspaceId }
      // A review that is opened meanwhile changes `reviews_revision`.
      if ((await scope.collection(REVIEWS).count({ ...ofWorkspace, status: 'open' })) > 0) throw new ApiError('workspace_in_review')
      const now = new Date(this.#clock())
      await commitInProject(scope, projectId, [
        ...(status === 'open' ? [scope.collection(PROJECTS).updating({ _id: projectId }, { increment: { workspace_count: -1 } })] : []),
        scope.collection(WORKSPACES).deleting({ _id: workspaceId, revision, reviews_revision }),
        scope.collection(CONTENTS).deleting({ _id: workspaceId }),
        scope.collection(REVIEWS).updatingMany({ ...ofWorkspace, settled_at: null }, { set: { settled_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'workspace.deleted', resource: workspaceResource(workspace), projectId, diff: diffOf(workspace, null, SHOWN_FIELDS) }, now),
      ])
    })
  }
}

type Settings = Pick<WorkspaceCreateRequest, 'description' | 'log_format' | 'session_id' | 'include_disk_defaults' | 'include_disk_custom'>

function newWorkspace(scope: Scope, project: ProjectDocument, name: string, settings: Settings, content: ContentDocument, createdBy: string, now: Date): WorkspaceDocument {
  const include = {
    include_disk_defaults: settings.include_disk_defaults ?? project.include_disk_defaults,
    include_disk_custom: settings.include_disk_custom ?? project.include_disk_custom,
  }
  return {
    _id: content._id,
    organization_id: scope.organizationId,
    project_id: project._id,
    name: name.trim(),
    description: settings.description ?? '',
    log_format: settings.log_format ?? project.default_log_format,
    session_id: settings.session_id ?? null,
    ...include,
    content_hash: contentHash({ ...content, ...include }),
    content_bytes: contentBytes(content),
    git_binding_id: null,
    git_repo: null,
    git_branch: null,
    git_commit_sha: null,
    status: 'open',
    reviews_revision: 0,
    created_by: createdBy,
    created_at: now,
    updated_at: now,
    revision: 1,
  }
}

/** Returns the writes that create a workspace. The commit is stale if the project has the maximum number of workspaces. */
function opening(scope: Scope, { workspace, content }: WorkspaceView, context: AuditContext, now: Date): Write[] {
  const { project_id: projectId } = workspace
  const diff = diffOf(null, workspace, SHOWN_FIELDS)
  return [
    scope.collection(PROJECTS).updating({ _id: projectId, ...NOT_ARCHIVED, workspace_count: { lt: WORKSPACES_LIMIT } }, { increment: { workspace_count: 1 } }),
    scope.collection(WORKSPACES).inserting(workspace),
    scope.collection(CONTENTS).inserting(content),
    auditing(scope, context, { action: 'workspace.created', resource: workspaceResource(workspace), projectId, diff }, now),
  ]
}

/** Content that was read from a repository, and where it was read. */
export interface ImportedContent extends PublishedContent, Pick<ContentDocument, 'source_files'> {
  readonly git: Pick<WorkspaceDocument, 'git_binding_id' | 'git_repo' | 'git_branch' | 'git_commit_sha'>
}

/** A workspace after an import, and the writes for the commit of the import. */
export interface PreparedImport {
  readonly view: WorkspaceView
  readonly writes: readonly Write[]
}

/** Prepares a new workspace with imported content. The commit is stale if the project has reached its limit meanwhile. @throws ApiError workspace_limit */
export function openingImport(
  scope: Scope,
  project: ProjectDocument,
  name: string,
  { git, ...imported }: ImportedContent,
  context: AuditContext,
  createdBy: string,
  now: Date,
): PreparedImport {
  if (project.workspace_count >= WORKSPACES_LIMIT) throw workspaceLimit()
  const content: ContentDocument = { _id: newId(), organization_id: scope.organizationId, project_id: project._id, ...withSortedLists(imported), event_text: '' }
  const workspace = { ...newWorkspace(scope, project, name, {}, content, createdBy, now), ...git }
  const view = { workspace, content }
  return { view, writes: opening(scope, view, context, now) }
}

/** Prepares an import into a workspace. The commit is stale if the workspace has changed meanwhile. @throws ApiError workspace_closed */
export function replacingByImport(scope: Scope, { workspace, content }: WorkspaceView, { git, ...imported }: ImportedContent, context: AuditContext, now: Date): PreparedImport {
  if (workspace.status === 'closed') throw new ApiError('workspace_closed')
  const next: ContentDocument = { ...content, ...withSortedLists(imported) }
  const changed: WorkspaceDocument = { ...workspace, ...git, content_hash: contentHash({ ...workspace, ...next }), content_bytes: contentBytes(next), updated_at: now }
  const diff = { ...diffOf(workspace, changed, SHOWN_FIELDS), ...diffOfContent(content, next) }
  const { content_hash, content_bytes, updated_at } = changed
  const { decoders_xml, rules_xml, lists, source_files } = next
  const writes = [
    requiringChangeable(scope, workspace.project_id),
    scope
      .collection(WORKSPACES)
      .updating({ _id: workspace._id, revision: workspace.revision }, { set: { ...git, content_hash, content_bytes, updated_at }, increment: { revision: 1 } }),
    scope.collection(CONTENTS).updating({ _id: workspace._id }, { set: { decoders_xml, rules_xml, lists, source_files } }),
    auditing(scope, context, { action: 'workspace.updated', resource: workspaceResource(changed), projectId: workspace.project_id, diff }, now),
  ]
  return { view: { workspace: { ...changed, revision: workspace.revision + 1 }, content: next }, writes }
}

/** The newest open workspace that was imported through a binding, with its content; null: there is none. @param createdBy its creator; default: anyone */
export async function newestImported(scope: Scope, projectId: string, bindingId: string, createdBy?: string): Promise<WorkspaceView | null> {
  const filter = { project_id: projectId, status: 'open', git_binding_id: bindingId, ...(createdBy === undefined ? {} : { created_by: createdBy }) } as const
  const [workspace] = await scope.collection(WORKSPACES).find(filter, { sort: { created_at: -1, _id: -1 }, limit: 1 })
  return workspace === undefined ? null : { workspace, content: await loadContent(scope, workspace._id) }
}

function withSortedLists<C extends PublishedContent>(content: C): C {
  return { ...content, lists: sortedLists(content.lists) }
}

/** Returns the write of the commit that reopens a workspace. @throws ApiError workspace_limit */
async function reopening(scope: Scope, projectId: string): Promise<Write> {
  if ((await loadChangeable(scope, projectId)).workspace_count >= WORKSPACES_LIMIT) throw workspaceLimit()
  return scope.collection(PROJECTS).updating({ _id: projectId, workspace_count: { lt: WORKSPACES_LIMIT } }, { increment: { workspace_count: 1 } })
}

function workspaceLimit(): ApiError {
  return new ApiError('workspace_limit', { params: { limit: WORKSPACES_LIMIT } })
}

/** Checks that paths are unique. @throws ApiError request_validation_failed */
function requirePaths({ source_files = [] }: WorkspaceUpdateRequest, { locale }: Actor): void {
  const seen = new Set<string>()
  const issues = source_files.flatMap(({ path }, at) => (seen.size < seen.add(path).size ? [] : [issue(`/source_files/${at}/path`, 'duplicate', { uniqueItems: true })]))
  if (issues.length > 0) throw invalidRequest(issues, locale)
}

function withoutUndefined<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { readonly [K in keyof T]?: Exclude<T[K], undefined> }
}
