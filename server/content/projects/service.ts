/**
 * Projects of an organization: create, list, get, update, archive, delete. Invariants:
 *  1. the commit of every change contains its audit entry
 *  2. an archived project, and what belongs to it, does not change (CONTRACT.md#the-end-of-projects-and-workspaces): every commit that changes something of a project requires that it is not archived
 *     (`shared/load.ts`), and conflicts with the commit that archives it
 *  3. an archived project does not count against the plan. To be changed again it has to be admitted like a new one
 *  4. a project is deleted from the archive: it is gone with the answer, and so is everything that is read through it. A job deletes what it had afterwards,
 *     except its versions and audit entries
 *  5. `ARCHIVED_COUNTS` has the counts of the archived projects, and of what that job has not deleted yet
 */
import { slugOf } from '../../core/auth/organizations.js'
import type { Actor } from '../../core/auth/request-context.js'
import { subjectOf } from '../../core/auth/principal.js'
import { ApiError } from '../../core/errors.js'
import { type IfMatch, requireCurrent } from '../../core/etag.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import { type ContentDocument, CONTENTS, contentBytes, contentHash, describeLists, describeXml, type PublishedContent, sortedLists } from '../shared/content.js'
import { requireContent } from '../shared/content-limits.js'
import { DEFAULT_POLICY } from '../shared/gate-policy.js'
import { loadChangeable, loadContent, loadContents, loadOfProject, loadProject } from '../shared/load.js'
import { ARCHIVED_COUNTS, type ArchivedCountsDocument, DELETED_PROJECTS, NOT_ARCHIVED, type ProjectDocument, PROJECTS, PROJECTS_LIMIT } from '../shared/project.js'
import { PROJECT_MEMBERS } from '../shared/project-roles.js'
import { REVIEWS } from '../shared/review.js'
import { VERSIONS } from '../shared/version.js'
import type { JobQueue } from '../../core/jobs/queue.js'
import type { Fields, Write } from '../../core/storage/contract.js'
import { DuplicateKeyError } from '../../core/storage/errors.js'
import { newId } from '../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../core/tenancy/page.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import { isStaleWrite, retryStale, type Retrying } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../core/audit/service.js'
import { templateContent } from '../templates/service.js'
import { PROJECT_CLEARING } from './clear.js'
import type { ProjectCreateRequest, ProjectListQuery, ProjectUpdateRequest } from './schema.js'

/** Attempts to find a free slug: first the one of the name, then with eight random characters. */
const SLUG_ATTEMPTS = 5
/** Attempts of a change that conflicts with concurrent changes of the project. */
const ATTEMPTS = 10

/** Attempts to archive a project, which conflict with every new case. It must succeed while cases are written continuously. */
const ARCHIVE_ATTEMPTS = 24
/** With a duplicate key, another commit has stored the first counts of the archive. */
const ARCHIVING: Retrying = { pauseMs: 20, isStale: (error) => isStaleWrite(error) || (error instanceof DuplicateKeyError && error.collection === ARCHIVED_COUNTS.name) }

/** A project and its content. */
export interface ProjectView {
  readonly project: ProjectDocument
  readonly content: ContentDocument
}

export { presentProject } from './present.js'
export { ProjectRecord } from './schema.js'

const SHOWN_FIELDS = ['name', 'description', 'default_log_format', 'include_disk_defaults', 'include_disk_custom', 'active_baseline_id'] as const

export interface ProjectsParts {
  readonly quotas: Pick<Quotas, 'creating'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  /** Returns the writes by which other resources lose a project that is deleted. @throws ApiError to refuse it */
  readonly onDeleting: (scope: Scope, projectId: string) => Promise<readonly Write[]>
  readonly clock: () => number
}

export class ProjectsService {
  readonly #parts: ProjectsParts

  constructor(parts: ProjectsParts) {
    this.#parts = parts
  }

  async list(scope: Scope, { search, archived, ...query }: ProjectListQuery): Promise<Page<ProjectDocument>> {
    const filter = { is_archived: archived ? true : null, ...(search === undefined ? {} : { name: { contains: search } }) } as const
    return findPage(scope.collection(PROJECTS), filter, findOptions(query))
  }

  /** Lists projects with their contents. Omits a project whose content is missing. */
  async views(scope: Scope, projects: readonly ProjectDocument[]): Promise<readonly ProjectView[]> {
    const ids = projects.map(({ _id }) => _id)
    const contents = await loadContents(scope, ids)
    return projects.flatMap((project) => {
      const content = contents.get(project._id)
      return content === undefined ? [] : [{ project, content }]
    })
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, projectId: string): Promise<ProjectView> {
    const project = await loadProject(scope, projectId)
    return { project, content: await loadContent(scope, projectId) }
  }

  /** @throws ApiError project_limit, plan_quota_exceeded, edit_conflict, resource_missing (baseline or template), request_validation_failed */
  async create(scope: Scope, request: ProjectCreateRequest, actor: Actor): Promise<ProjectView> {
    const { template_id, active_baseline_id = null } = request
    const beside = (['decoders_xml', 'rules_xml'] as const).find((field) => request[field] !== undefined)
    if (template_id !== undefined && beside !== undefined) throw invalidRequest([issue('/template_id', 'either', { not_beside: beside }, { other: beside })], actor.locale)
    requireContent(request, actor.locale)
    const template = template_id === undefined ? { decoders_xml: '', rules_xml: '' } : templateContent(template_id)
    if (template === null) throw new ApiError('resource_missing')
    // A new project has no versions.
    if (active_baseline_id !== null) throw new ApiError('resource_missing')
    const now = new Date(this.#parts.clock())
    const content: ContentDocument = {
      _id: newId(),
      organization_id: scope.organizationId,
      project_id: '',
      decoders_xml: request.decoders_xml ?? template.decoders_xml,
      rules_xml: request.rules_xml ?? template.rules_xml,
      lists: sortedLists(request.lists ?? []),
      event_text: '',
      source_files: [],
    }
    const include = { include_disk_defaults: request.include_disk_defaults ?? true, include_disk_custom: request.include_disk_custom ?? true }
    for (let attempt = 1; ; attempt++) {
      const slug = slugOf(request.name, 'project')
      const project: ProjectDocument = {
        _id: content._id,
        organization_id: scope.organizationId,
        slug: attempt === 1 ? slug : `${slug}-${newId().slice(0, 8)}`,
        name: request.name.trim(),
        description: request.description ?? '',
        default_log_format: request.default_log_format ?? 'auto',
        ...include,
        active_baseline_id: null,
        active_baseline_name: '',
        quality_gate: DEFAULT_POLICY,
        case_count: 0,
        case_bytes: 0,
        cases_revision: 0,
        decisions_revision: 0,
        workspace_count: 0,
        version_count: 0,
        latest_version_id: null,
        content_hash: contentHash({ ...content, ...include }),
        content_bytes: contentBytes(content),
        created_by: subjectOf(actor.principal),
        created_at: now,
        updated_at: now,
        revision: 1,
      }
      const own = { ...content, project_id: project._id }
      try {
        const writes = [
          scope.collection(PROJECTS).inserting(project),
          scope.collection(CONTENTS).inserting(own),
          auditing(
            scope,
            auditContext(actor),
            { action: 'project.created', resource: projectResource(project), projectId: project._id, diff: diffOf(null, project, SHOWN_FIELDS) },
            now,
          ),
        ]
        await this.#parts.quotas.creating(scope, 'projects', { count: () => countActive(scope), requireRoom: () => requireRoom(scope), writes: async () => writes })
        return { project, content: own }
      } catch (error) {
        if (!(error instanceof DuplicateKeyError && error.collection === PROJECTS.name && error.fields.includes('slug')) || attempt === SLUG_ATTEMPTS) throw error
      }
    }
  }

  /** Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict, request_validation_failed */
  async update(scope: Scope, projectId: string, request: ProjectUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ProjectView> {
    requireContent(request, actor.locale)
    // A concurrent update came first. With `If-Match` the next attempt fails; without it, the fields of both updates are kept.
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      const content = await loadContent(scope, projectId)
      requireCurrent(project.revision, ifMatch)
      const { decoders_xml = content.decoders_xml, rules_xml = content.rules_xml, lists, active_baseline_id, name, ...rest } = request
      const fields: Fields<ProjectDocument> = {
        ...rest,
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(active_baseline_id === undefined ? {} : await baselineFields(scope, projectId, active_baseline_id)),
      }
      const changed = { ...project, ...fields }
      const own = { decoders_xml, rules_xml, lists: lists === undefined ? content.lists : sortedLists(lists) }
      const diffOfContent = diffOfPublished(content, own)
      const diff = { ...diffOf(project, changed, SHOWN_FIELDS), ...diffOfContent }
      if (Object.keys(diff).length === 0) return { project, content }
      const now = new Date(this.#parts.clock())
      const next = { ...content, ...own }
      const measured = { content_hash: contentHash({ ...changed, ...next }), content_bytes: contentBytes(next) }
      // The hash covers all parts of the content, so an update of one part requires that the others have not changed.
      const [updated] = await scope.commit([
        scope.collection(PROJECTS).updating({ _id: projectId, revision: project.revision }, { set: { ...fields, ...measured, updated_at: now }, increment: { revision: 1 } }),
        // Unchanged parts may be megabytes, so they are not written.
        ...(Object.keys(diffOfContent).length === 0 ? [] : [scope.collection(CONTENTS).updating({ _id: projectId }, { set: own })]),
        auditing(scope, auditContext(actor), { action: 'project.updated', resource: projectResource(changed), projectId, diff }, now),
      ])
      return { project: updated as ProjectDocument, content: next }
    })
  }

  /** Makes a project read-only and gives back its place in the plan. Archiving an archived project changes nothing. @throws ApiError resource_missing, edit_conflict */
  async archive(scope: Scope, projectId: string, actor: Actor): Promise<ProjectView> {
    const attempt = async (): Promise<void> => {
      const project = await loadProject(scope, projectId)
      if (project.is_archived !== true) await scope.commit(await archiving(scope, project, true, actor, new Date(this.#parts.clock())))
    }
    await retryStale(ARCHIVE_ATTEMPTS, attempt, ARCHIVING)
    return this.get(scope, projectId)
  }

  /** Admits an archived project to the plan again. A project that is not archived does not change. @throws ApiError resource_missing, plan_quota_exceeded, edit_conflict */
  async unarchive(scope: Scope, projectId: string, actor: Actor): Promise<ProjectView> {
    await retryStale(ATTEMPTS, async () => {
      const project = await loadProject(scope, projectId)
      if (project.is_archived !== true) return
      const writes = await archiving(scope, project, false, actor, new Date(this.#parts.clock()))
      await this.#parts.quotas.creating(scope, 'projects', { count: () => countActive(scope), writes: async () => writes })
    })
    return this.get(scope, projectId)
  }

  /** Deletes an archived project with everything but its versions and audit entries. @throws ApiError resource_missing, project_not_archived, project_busy, edit_conflict */
  async delete(scope: Scope, projectId: string, actor: Actor): Promise<void> {
    const { jobs, onDeleting, clock } = this.#parts
    await retryStale(ATTEMPTS, async () => {
      const project = await loadProject(scope, projectId)
      if (project.is_archived !== true) throw new ApiError('project_not_archived')
      const now = new Date(clock())
      await scope.commit([
        scope.collection(PROJECTS).deleting({ _id: projectId, revision: project.revision, is_archived: true }),
        // Roles give access, also to what outlasts the project.
        scope
          .collection(PROJECT_MEMBERS)
          .deletingMany({ project_id: projectId }),
        ...(await onDeleting(scope, projectId)),
        scope.collection(DELETED_PROJECTS).inserting({ _id: projectId, name: project.name, deleted_at: now }),
        jobs.enqueuing(scope, { kind: PROJECT_CLEARING, subject: projectId }),
        auditing(scope, auditContext(actor), { action: 'project.deleted', resource: projectResource(project), projectId, diff: diffOf(project, null, SHOWN_FIELDS) }, now),
      ])
    })
  }
}

/** Returns the writes that archive a project, or end that. */
async function archiving(scope: Scope, { _id, name, revision, case_count, workspace_count }: ProjectDocument, isArchived: boolean, actor: Actor, now: Date): Promise<Write[]> {
  const fields: Fields<ProjectDocument> = isArchived ? { is_archived: true, archived_at: now } : { is_archived: null, archived_at: null }
  const action = isArchived ? 'project.archived' : 'project.unarchived'
  return [
    // The counts change without the revision.
    scope
      .collection(PROJECTS)
      .updating({ _id, revision, case_count, workspace_count }, { set: { ...fields, updated_at: now }, increment: { revision: 1 } }),
    await countingArchived(scope, isArchived ? { case_count, workspace_count } : { case_count: 0 - case_count, workspace_count: 0 - workspace_count }),
    // Neither a decision nor a new review is possible meanwhile. The records do not show it, so that their revision stays.
    scope
      .collection(REVIEWS)
      .updatingMany({ project_id: _id, status: 'open' }, { set: { is_archived: isArchived ? true : null } }),
    auditing(scope, auditContext(actor), { action, resource: projectResource({ _id, name }), projectId: _id }, now),
  ]
}

/** Returns the write that adds to the counts of the archive. */
async function countingArchived(scope: Scope, added: Pick<ArchivedCountsDocument, 'case_count' | 'workspace_count'>): Promise<Write> {
  const counts = scope.collection(ARCHIVED_COUNTS)
  const own = { _id: scope.organizationId }
  return (await counts.findOne(own)) === null ? counts.inserting({ ...own, ...added }) : counts.updating(own, { increment: added })
}

/** The projects that count against the plan. */
export function countActive(scope: Scope): Promise<number> {
  return scope.collection(PROJECTS).count(NOT_ARCHIVED)
}

/** Returns the fields for a baseline, which must be a version of this project. @throws ApiError resource_missing */
async function baselineFields(scope: Scope, projectId: string, versionId: string | null): Promise<Pick<ProjectDocument, 'active_baseline_id' | 'active_baseline_name'>> {
  if (versionId === null) return { active_baseline_id: null, active_baseline_name: '' }
  const { name } = await loadOfProject(scope, VERSIONS, projectId, versionId)
  return { active_baseline_id: versionId, active_baseline_name: name }
}

/** @throws ApiError project_limit */
async function requireRoom(scope: Scope): Promise<void> {
  if ((await scope.collection(PROJECTS).count({})) >= PROJECTS_LIMIT) throw new ApiError('project_limit', { params: { limit: PROJECTS_LIMIT } })
}

/** Returns the project as the object of an audit entry. */
export function projectResource({ _id, name }: Pick<ProjectDocument, '_id' | 'name'>): AuditResource {
  return { type: 'project', id: _id, name }
}

/** Returns the changes of XML and lists by hash and size. */
function diffOfPublished(before: PublishedContent, after: PublishedContent): ReturnType<typeof diffOf> {
  const shown = ({ decoders_xml, rules_xml, lists }: PublishedContent) => ({
    decoders_xml: describeXml(decoders_xml),
    rules_xml: describeXml(rules_xml),
    lists: describeLists(lists),
  })
  return diffOf(shown(before), shown(after), ['decoders_xml', 'rules_xml', 'lists'])
}
