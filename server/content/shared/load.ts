/** Reads projects and their documents. A document of another project is treated as missing. */
import { ApiError, required } from '../../core/errors.js'
import type { StoredDocument, TenantCollection, TenantDocument, Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import { findPage, type Page, type PageOptions } from '../../core/tenancy/page.js'
import type { Scope, ScopedCollection } from '../../core/tenancy/scope.js'
import { type ContentDocument, CONTENTS, contentHash, type StoredContent } from './content.js'
import { DELETED_PROJECTS, NOT_ARCHIVED, type ProjectDocument, PROJECTS } from './project.js'
import { type VersionDocument, VERSIONS } from './version.js'

/** @throws ApiError resource_missing */
export async function loadProject(scope: Scope, projectId: string): Promise<ProjectDocument> {
  return required(await scope.collection(PROJECTS).findOne({ _id: projectId }))
}

/** Returns a project that is going to be changed, or something that belongs to it. @throws ApiError resource_missing, project_archived */
export async function loadChangeable(scope: Scope, projectId: string): Promise<ProjectDocument> {
  const project = await loadProject(scope, projectId)
  if (project.is_archived === true) throw new ApiError('project_archived')
  return project
}

/** Whether a project is archived. A deleted one was. */
export async function isArchived(scope: Scope, projectId: string): Promise<boolean> {
  const project = await scope.collection(PROJECTS).findOne({ _id: projectId })
  return project === null || project.is_archived === true
}

/** Requires that a project exists, or existed: its versions and audit entries outlast it. @throws ApiError resource_missing */
export async function requireEverKnown(scope: Scope, projectId: string): Promise<void> {
  if ((await scope.collection(PROJECTS).findOne({ _id: projectId })) !== null) return
  if ((await scope.collection(DELETED_PROJECTS).findOne({ _id: projectId })) === null) throw new ApiError('resource_missing')
}

/** Returns the write by which a commit fails if the project was archived or deleted. It conflicts with commits that do either. */
export function requiringChangeable(scope: Scope, projectId: string): Write {
  return scope.collection(PROJECTS).updating({ _id: projectId, ...NOT_ARCHIVED }, { increment: { changes_revision: 1 } })
}

/**
 * Commits a change of what belongs to a project, unless the project was archived or deleted. @returns the result of `Scope.commit` for these writes
 * @throws ApiError resource_missing, project_archived, and the errors of `Scope.commit`
 */
export async function commitInProject(scope: Scope, projectId: string, writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
  try {
    return (await scope.commit([requiringChangeable(scope, projectId), ...writes])).slice(1)
  } catch (error) {
    if (error instanceof StaleWriteError && error.index === 0) await loadChangeable(scope, projectId)
    throw error
  }
}

/**
 * Returns a document of a project: a case, workspace, review or version. The documents of a deleted project are deleted by a job afterwards, so they prove nothing.
 * @param require what has to be known of the project @throws ApiError resource_missing, also if it belongs to another project
 */
export async function loadOfProject<T extends TenantDocument & { readonly project_id: string }>(
  scope: Scope,
  collection: TenantCollection<T>,
  projectId: string,
  id: string,
  require: RequireProject = loadProject,
): Promise<T> {
  const filter = { _id: id } as Parameters<ReturnType<typeof scope.collection<T>>['findOne']>[0]
  const [document] = await Promise.all([scope.collection(collection).findOne(filter), require(scope, projectId)])
  if (document === null || document.project_id !== projectId) throw new ApiError('resource_missing')
  return document
}

/** What has to be known of a project whose documents are read. @throws ApiError resource_missing */
type RequireProject = (scope: Scope, projectId: string) => Promise<unknown>

/** Returns a page of a project's documents. @param require what has to be known of the project @throws ApiError resource_missing */
export async function loadPageOfProject<T extends TenantDocument & { readonly project_id: string }>(
  scope: Scope,
  collection: TenantCollection<T>,
  projectId: string,
  filter: Parameters<ScopedCollection<T>['find']>[0],
  options: PageOptions<T>,
  require: RequireProject = loadProject,
): Promise<Page<T>> {
  const [page] = await Promise.all([findPage(scope.collection(collection), { ...filter, project_id: projectId }, options), require(scope, projectId)])
  return page
}

/** Returns the content of a project, workspace or version. @throws ApiError resource_missing if the owner was deleted meanwhile */
export async function loadContent(scope: Scope, ownerId: string): Promise<ContentDocument> {
  const content = required(await scope.collection(CONTENTS).findOne({ _id: ownerId }))
  return withLists(content)
}

function withLists(content: StoredContent): ContentDocument {
  return { ...content, lists: content.lists ?? [] }
}

/** Attempts to read an owner and its content while both are changed. */
const SNAPSHOT_ATTEMPTS = 10

/** Returns an owner and its content that match: the owner has the hash of the content. @param load reads the owner @throws ApiError resource_missing, edit_conflict */
export async function loadSnapshot<
  T extends { readonly _id: string; readonly content_hash: string; readonly include_disk_defaults: boolean; readonly include_disk_custom: boolean },
>(scope: Scope, load: () => Promise<T>): Promise<{ readonly owner: T; readonly content: ContentDocument }> {
  for (let attempt = 1; attempt <= SNAPSHOT_ATTEMPTS; attempt++) {
    const owner = await load()
    const content = await loadContent(scope, owner._id)
    if (contentHash({ ...content, include_disk_defaults: owner.include_disk_defaults, include_disk_custom: owner.include_disk_custom }) === owner.content_hash)
      return { owner, content }
  }
  throw new ApiError('edit_conflict')
}

/** Returns the contents of several owners, by identifier of the owner. Missing ones are omitted. */
export async function loadContents(scope: Scope, ownerIds: readonly string[]): Promise<ReadonlyMap<string, ContentDocument>> {
  const found = ownerIds.length === 0 ? [] : await scope.collection(CONTENTS).find({ _id: { in: ownerIds } })
  return new Map(found.map((content) => [content._id, withLists(content)]))
}

/** Returns the latest versions of a project, the newest first. @param limit maximum number */
export function recentVersions(scope: Scope, projectId: string, limit: number): Promise<VersionDocument[]> {
  return scope.collection(VERSIONS).find({ project_id: projectId }, { sort: { created_at: -1, _id: -1 }, limit })
}
