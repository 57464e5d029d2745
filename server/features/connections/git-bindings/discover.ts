import { refuseStale } from '../../../core/tenancy/retry-stale.js'
import type { SourceFileEntry } from '../../../content/shared/content.js'
import { GIT_BASES } from '../../../content/shared/git-base.js'
import { commitInProject } from '../../../content/shared/load.js'
import type { Scope, Unbound } from '../../../core/tenancy/scope.js'
import { auditing, diffOf } from '../../../core/audit/service.js'
import type { IntegrationsService } from '../integrations/service.js'
import { newestImported } from '../../../content/workspaces/service.js'
import { countFiles } from './detect.js'
import { compareFiles } from './file-changes.js'
import type { ImportCaller } from './import.js'
import { openBinding } from './open-binding.js'
import { bindingResource } from './present.js'
import { byPath, readRepository, type SkipReason } from './read-repository.js'
import { newRun, recordingFailure, shownNames } from './runs.js'
import { GIT_BINDINGS, GIT_RUNS, type DiscoveredCounts, type GitBindingDocument, type GitRunDocument } from './store.js'

export const CHANGE_WARNINGS = ['file_new', 'file_removed', 'file_renamed'] as const

/** Something that a person should look at. */
export interface DiscoverWarning {
  readonly code: (typeof CHANGE_WARNINGS)[number] | SkipReason
  readonly path: string
  /** The former path of a renamed file; null for others. */
  readonly from: string | null
}

export interface Discovery {
  readonly run: Unbound<GitRunDocument>
  readonly commitSha: string
  readonly counts: DiscoveredCounts
  readonly files: readonly SourceFileEntry[]
  readonly warnings: readonly DiscoverWarning[]
}

export interface DiscoverParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly clock: () => number
}

/** @throws ApiError of the provider; project_archived, binding_orphaned, edit_conflict */
export function discover({ integrations, clock }: DiscoverParts, binding: GitBindingDocument, { scope, cause, context, signal }: ImportCaller): Promise<Discovery> {
  return recordingFailure({ scope, binding, type: 'discover', cause, clock, signal }, async () => {
    const { gateway, provider } = await openBinding(integrations, scope, binding)
    const { repository, branch } = binding
    const { commitSha } = await gateway.getBranch(repository, branch, signal)
    const before = await lastImported(scope, binding)
    const { files, skipped } = await readRepository(gateway, { repository, commitSha, paths: binding, provider, known: before ?? [] }, signal)
    const counts = countFiles(files, files.filter(({ kind }) => kind === 'lists').length)
    const warnings = [...skipped.map(({ code, path }) => ({ code, path, from: null })), ...(before === null ? [] : changeWarnings(before, files))].sort(byPath)
    const now = new Date(clock())
    const run = newRun(binding, 'discover', 'succeeded', cause, now, { commit_sha: commitSha, diff_summary: { counts, warnings: shownNames(warnings) } })
    const entry = {
      action: 'git_binding.discovered',
      resource: bindingResource(binding),
      projectId: binding.project_id,
      diff: diffOf({ discovered: binding.discovered }, { discovered: counts }, ['discovered']),
    } as const
    // The binding was changed or deleted meanwhile, and the numbers may be those of other paths.
    await refuseStale('edit_conflict', () =>
      commitInProject(scope, binding.project_id, [
        scope.collection(GIT_BINDINGS).updating({ _id: binding._id, revision: binding.revision }, { set: { discovered: counts, updated_at: now } }),
        scope.collection(GIT_RUNS).inserting(run),
        auditing(scope, context, entry, now),
      ]),
    )
    return { run, commitSha, counts, files, warnings }
  })
}

/** The files of the newest import, else those of the project's content; null: neither came from the binding. */
async function lastImported(scope: Scope, { _id, project_id }: GitBindingDocument): Promise<readonly SourceFileEntry[] | null> {
  const imported = await newestImported(scope, project_id, _id)
  if (imported !== null) return imported.content.source_files
  return (await scope.collection(GIT_BASES).findOne({ _id }))?.files ?? null
}

function changeWarnings(before: readonly SourceFileEntry[], after: readonly SourceFileEntry[]): DiscoverWarning[] {
  const { added, removed, renamed } = compareFiles(before, after)
  return [
    ...added.map((path) => ({ code: 'file_new' as const, path, from: null })),
    ...removed.map((path) => ({ code: 'file_removed' as const, path, from: null })),
    ...renamed.map(({ from, to }) => ({ code: 'file_renamed' as const, path: to, from })),
  ]
}
