/**
 * The state of a repository that a project's content includes: the base of a three-way merge, one for each binding. Invariants:
 *  1. an item of the base is one that the project's content had when the base was set. Publishing to Git therefore sets it to the files of the created commit
 *     in which each item is as the project has it: an item that only the branch has, or has newer, is not part of the base, otherwise the next publication
 *     would remove or revert it
 *  2. publishing a version of a workspace that was imported from the binding sets it to the workspace's commit and files, in the commit that changes the
 *     project's content
 *  3. restoring a version and editing the project keep it: the difference from it is what the next publication to Git changes
 *  4. a publication by review stores the base that the merge of the review makes current. Setting the base in any other way deletes it
 *  5. a workspace whose version was published to Git has that base too. Its next version keeps it: with the workspace's own base, which is older, the next
 *     publication would take what the workspace published for a change of somebody else, and would not take it back
 */
import type { RepositoryFile } from '#workers'
import { type TenantDocument, tenantCollection, type Write } from '../../core/storage/contract.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { SourceFileEntry } from './content.js'
import type { ProjectDocument } from './project.js'
import { VERSIONS, type VersionDocument } from './version.js'

/** Its id is the binding's. */
export interface GitBaseDocument extends TenantDocument {
  readonly project_id: string
  readonly commit_sha: string
  readonly files: readonly SourceFileEntry[]
  /** Null: the project's content was not that of an imported workspace. */
  readonly origin: BaseOrigin | null
  readonly updated_at: Date
}

/** The workspace whose content has the items of the base, as long as it is based on the same import. */
export interface BaseOrigin {
  readonly workspace_id: string
  /** The commit of the import. */
  readonly commit_sha: string
}

const INDEXES = [{ keys: { project_id: 1 } }] as const

export const GIT_BASES = tenantCollection<GitBaseDocument>('git_bases', INDEXES)
/** Bases of open reviews. */
export const GIT_REVIEW_BASES = tenantCollection<GitBaseDocument>('git_review_bases', INDEXES)

/** A base without its organization and time. */
export interface NewGitBase {
  readonly bindingId: string
  readonly projectId: string
  readonly commitSha: string
  readonly files: readonly SourceFileEntry[]
  readonly origin: BaseOrigin | null
}

/** Returns the workspace of a version; null: it was not imported from the binding. */
export function originOf({ source_workspace_id, git_binding_id, git_commit_sha }: VersionDocument, bindingId: string): BaseOrigin | null {
  // Both are missing in versions older than bindings.
  if (git_binding_id !== bindingId || source_workspace_id === null || git_commit_sha == null) return null
  return { workspace_id: source_workspace_id, commit_sha: git_commit_sha }
}

/** Returns the workspace whose content the project has; null: the project was edited since, or has another content. */
export async function originOfProject(scope: Scope, { active_baseline_id, content_hash }: ProjectDocument, bindingId: string): Promise<BaseOrigin | null> {
  const version = active_baseline_id === null ? null : await scope.collection(VERSIONS).findOne({ _id: active_baseline_id })
  return version === null || version.content_hash !== content_hash ? null : originOf(version, bindingId)
}

/** Whether the content of that workspace has the items of a base. */
export function isBaseOf(base: Pick<GitBaseDocument, 'origin'> | null, origin: BaseOrigin | null): boolean {
  return base?.origin != null && base.origin.workspace_id === origin?.workspace_id && base.origin.commit_sha === origin.commit_sha
}

/** Returns the writes by which a published version sets the base of its binding. A base that its workspace has already stays (invariant 5). */
export async function settingBaseOfVersion(scope: Scope, version: VersionDocument, files: readonly SourceFileEntry[], now: Date): Promise<Write[]> {
  const { git_binding_id: bindingId, git_commit_sha: commitSha, project_id: projectId } = version
  if (bindingId == null || commitSha == null) return []
  const origin = originOf(version, bindingId)
  const [base, reviewBase] = await Promise.all([scope.collection(GIT_BASES).findOne({ _id: bindingId }), scope.collection(GIT_REVIEW_BASES).findOne({ _id: bindingId })])
  if (!isBaseOf(base, origin)) return settingBase(scope, { bindingId, projectId, commitSha, files, origin }, now)
  return reviewBase === null || isBaseOf(reviewBase, origin) ? [] : [forgettingReviewBase(scope, bindingId)]
}

/** Returns the writes that set the base of a binding. */
export function settingBase(scope: Scope, base: NewGitBase, now: Date): Write[] {
  return [...replacing(scope, GIT_BASES, base, now), forgettingReviewBase(scope, base.bindingId)]
}

/** Returns the writes that set the base of an open review. */
export function settingReviewBase(scope: Scope, base: NewGitBase, now: Date): Write[] {
  return replacing(scope, GIT_REVIEW_BASES, base, now)
}

/** Returns the write that deletes the base of a review. */
export function forgettingReviewBase(scope: Scope, bindingId: string): Write {
  return scope.collection(GIT_REVIEW_BASES).deleting({ _id: bindingId }, { optional: true })
}

/** Returns the writes that delete all bases of a binding, which is deleted or reads something else from now on. */
export function forgettingBases(scope: Scope, bindingId: string): Write[] {
  return [scope.collection(GIT_BASES).deleting({ _id: bindingId }, { optional: true }), forgettingReviewBase(scope, bindingId)]
}

function replacing(scope: Scope, collection: typeof GIT_BASES, { bindingId, projectId, commitSha, files, origin }: NewGitBase, now: Date): Write[] {
  const bases = scope.collection(collection)
  return [bases.deleting({ _id: bindingId }, { optional: true }), bases.inserting({ _id: bindingId, project_id: projectId, commit_sha: commitSha, files, origin, updated_at: now })]
}

/** Returns the files of a base as a merge takes them. */
export function repositoryFiles(files: readonly SourceFileEntry[]): RepositoryFile[] {
  return files.map(({ path, kind, xml }) => ({ path, kind, content: xml }))
}
