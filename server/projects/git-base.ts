/**
 * The state of a repository that a project's content includes: the base of a three-way merge, one for each binding. Invariants:
 *  1. publishing to Git sets it to the commit that was created, with the files as they are there
 *  2. publishing a version of a workspace that was imported from the binding sets it to the workspace's commit and files, in the commit that changes the
 *     project's content
 *  3. restoring a version and editing the project keep it: the difference from it is what the next publication to Git changes
 */
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { SourceFileEntry } from './content.js'

/** Its id is the binding's. */
export interface GitBaseDocument extends TenantDocument {
  readonly project_id: string
  readonly commit_sha: string
  readonly files: readonly SourceFileEntry[]
  readonly updated_at: Date
}

export const GIT_BASES = tenantCollection<GitBaseDocument>('git_bases', [{ keys: { project_id: 1 } }])
