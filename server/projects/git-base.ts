/**
 * The state of a repository that a project's content includes: the base of a three-way merge, one for each binding. Invariants:
 *  1. an item of the base is one that the project's content had when the base was set. Publishing to Git therefore sets it to the files of the created commit
 *     in which each item is as the project has it: an item that only the branch has, or has newer, is not part of the base, otherwise the next publication
 *     would remove or revert it
 *  2. publishing a version of a workspace that was imported from the binding sets it to the workspace's commit and files, in the commit that changes the
 *     project's content
 *  3. restoring a version and editing the project keep it: the difference from it is what the next publication to Git changes
 *  4. a publication by review stores the base that the merge of the review makes current. Setting the base in any other way deletes it
 */
import type { RepositoryFile } from '#workers'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import type { Scope } from '../tenancy/scope.js'
import type { SourceFileEntry } from './content.js'

/** Its id is the binding's. */
export interface GitBaseDocument extends TenantDocument {
  readonly project_id: string
  readonly commit_sha: string
  readonly files: readonly SourceFileEntry[]
  readonly updated_at: Date
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

function replacing(scope: Scope, collection: typeof GIT_BASES, { bindingId, projectId, commitSha, files }: NewGitBase, now: Date): Write[] {
  const bases = scope.collection(collection)
  return [bases.deleting({ _id: bindingId }, { optional: true }), bases.inserting({ _id: bindingId, project_id: projectId, commit_sha: commitSha, files, updated_at: now })]
}

/** Returns the files of a base as a merge takes them. */
export function repositoryFiles(files: readonly SourceFileEntry[]): RepositoryFile[] {
  return files.map(({ path, kind, xml }) => ({ path, kind, content: xml }))
}
