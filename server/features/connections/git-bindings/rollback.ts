/**
 * Restores the content of an earlier commit in a new workspace. The base of the workspace is the head of the branch, not the restored commit: publishing the
 * workspace's version makes that base the one of the project (`shared/git-base.ts`), and what is then published to Git is the difference from it, which
 * reverts the commits in between. With the restored commit as base there would be no difference, and the merge would keep what the branch has.
 */
import type { AnalysisPool } from '#workers'
import { loadChangeable, loadContent } from '../../../content/shared/load.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Unbound } from '../../../core/tenancy/scope.js'
import type { IntegrationsService } from '../integrations/service.js'
import { newestImported, openingImport, type WorkspaceView } from '../../../content/workspaces/service.js'
import { composeContent } from './compose.js'
import type { ImportCaller } from './import.js'
import { openBinding } from './open-binding.js'
import { readRepository, type RepositoryContent } from './read-repository.js'
import { newRun, recordingFailure, shownNames } from './runs.js'
import { GIT_RUNS, type GitBindingDocument, type GitRunDocument } from './store.js'

/** Attempts of a commit that conflicts with other new workspaces of the project. */
const ATTEMPTS = 10

export interface RollbackParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly pool: Pick<AnalysisPool, 'mergeFiles'>
  readonly clock: () => number
}

export interface Rollback {
  readonly run: Unbound<GitRunDocument>
  readonly workspace: WorkspaceView
  /** Head of the branch. */
  readonly headSha: string
  readonly skipped: RepositoryContent['skipped']
}

/** @throws ApiError of the provider; binding_orphaned, variable_clash, document_too_large, workspace_limit, edit_conflict, overloaded, ruleset_stopped */
export function rollBack(parts: RollbackParts, binding: GitBindingDocument, commitSha: string, workspaceName: string, caller: ImportCaller): Promise<Rollback> {
  const { integrations, pool, clock } = parts
  const { scope, cause, context, signal } = caller
  return recordingFailure({ scope, binding, type: 'rollback', cause, clock, signal }, async () => {
    const { gateway, provider } = await openBinding(integrations, scope, binding)
    const { repository, branch, project_id: projectId } = binding
    const { commitSha: headSha } = await gateway.getBranch(repository, branch, signal)
    const imported = await newestImported(scope, projectId, binding._id)
    const read = { repository, paths: binding, provider }
    const head = await readRepository(gateway, { ...read, commitSha: headSha, known: imported?.content.source_files ?? [] }, signal)
    const earlier = await readRepository(gateway, { ...read, commitSha, known: head.files }, signal)
    return retryStale(ATTEMPTS, async () => {
      const project = await loadChangeable(scope, projectId)
      // Lists that the binding does not read stay as the project has them.
      const lists = binding.lists_path === null ? (await loadContent(scope, projectId)).lists : []
      const content = await composeContent(pool, earlier.files, binding, lists, caller)
      const now = new Date(clock())
      const git = { git_binding_id: binding._id, git_repo: repository, git_branch: branch, git_commit_sha: headSha }
      const { view, writes } = openingImport(scope, project, workspaceName, { ...content, source_files: head.files, git }, context, cause.startedBy, now)
      const run = newRun(binding, 'rollback', 'succeeded', cause, now, {
        commit_sha: commitSha,
        workspace_id: view.workspace._id,
        diff_summary: { head_sha: headSha, warnings: shownNames(earlier.skipped) },
      })
      await scope.commit([...writes, scope.collection(GIT_RUNS).inserting(run)])
      return { run, workspace: view, headSha, skipped: earlier.skipped }
    })
  })
}
