/** Reads projects and what belongs to them; what isn't there, or belongs to another project, is missing. */
import { ApiError } from '../errors.js'
import type { TenantCollection, TenantDocument } from '../storage/contract.js'
import type { Scope } from '../tenancy/scope.js'
import { type ContentDocument, CONTENTS } from './content.js'
import { type ProjectDocument, PROJECTS } from './project.js'

/** @throws ApiError resource_missing */
export async function loadProject(scope: Scope, projectId: string): Promise<ProjectDocument> {
  const project = await scope.collection(PROJECTS).findOne({ _id: projectId })
  if (project === null) throw new ApiError('resource_missing')
  return project
}

/** A document of a project: a case, a workspace, a review, a version. @throws ApiError resource_missing, also when it is one of another project */
export async function loadOfProject<T extends TenantDocument & { readonly project_id: string }>(
  scope: Scope,
  collection: TenantCollection<T>,
  projectId: string,
  id: string,
): Promise<T> {
  const document = await scope.collection(collection).findOne({ _id: id } as Parameters<ReturnType<typeof scope.collection<T>>['findOne']>[0])
  if (document === null || document.project_id !== projectId) throw new ApiError('resource_missing')
  return document
}

/** Of a project, a workspace or a version that was just read. @throws ApiError resource_missing when it went meanwhile */
export async function loadContent(scope: Scope, ownerId: string): Promise<ContentDocument> {
  const content = await scope.collection(CONTENTS).findOne({ _id: ownerId })
  if (content === null) throw new ApiError('resource_missing')
  return content
}

/** Of several owners, by identifier; those that are there. */
export async function loadContents(scope: Scope, ownerIds: readonly string[]): Promise<ReadonlyMap<string, ContentDocument>> {
  const found = ownerIds.length === 0 ? [] : await scope.collection(CONTENTS).find({ _id: { $in: ownerIds } })
  return new Map(found.map((content) => [content._id, content]))
}
