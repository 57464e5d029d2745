/**
 * Imports the head of a branch into a workspace. Invariants:
 *  1. content that changed since the workspace's base is merged three ways by rule, decoder, variable and list; with undecided conflicts nothing is changed
 *  2. the files of the head become the base of the workspace, in the commit that changes its content
 *  3. the same head is imported once, also by two instances: the commit matches the binding and the workspace as they were read
 *  4. every import that reached the provider leaves a run, with the code of its failure
 */
import type { AnalysisPool, MergeAnswer, MergeConflict, MergeRequest } from '#workers'
import { NAME_CHARACTERS } from '../../../core/auth/records.js'
import { ApiError } from '../../../core/errors.js'
import type { Locale } from '../../../core/i18n/locale.js'
import type { PublishedContent, SourceFileEntry } from '../../../content/shared/content.js'
import { GIT_BASES, isBaseOf, repositoryFiles } from '../../../content/shared/git-base.js'
import { commitInProject, loadChangeable, loadProject, loadSnapshot } from '../../../content/shared/load.js'
import type { Write } from '../../../core/storage/contract.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope, Unbound } from '../../../core/tenancy/scope.js'
import type { AuditContext } from '../../../core/audit/service.js'
import type { IntegrationsService } from '../integrations/service.js'
import { newestImported, openingImport, replacingByImport, type WorkspacesService, type WorkspaceView } from '../../../content/workspaces/service.js'
import { mergeInPool, requireLimits, requireOneValue } from './compose.js'
import { compareFiles } from './file-changes.js'
import { mergePlaces } from './merge-places.js'
import { openBinding } from './open-binding.js'
import { isBelow, isCovered } from './paths.js'
import { readBase } from './read-base.js'
import { readRepository, type RepositoryContent } from './read-repository.js'
import { newRun, recordingFailure, type RunCause, shownNames } from './runs.js'
import { GIT_BINDINGS, GIT_RUNS, type GitBindingDocument, type GitRunDocument } from './store.js'

/** Attempts of a commit that conflicts with concurrent changes of the workspace. */
const ATTEMPTS = 10
/** Fields of a binding that say what is read. */
const SOURCE_FIELDS = ['integration_id', 'repository', 'branch', 'rules_path', 'decoders_path', 'lists_path'] as const

export interface ImportsParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly workspaces: Pick<WorkspacesService, 'get'>
  readonly pool: Pick<AnalysisPool, 'mergeFiles'>
  readonly clock: () => number
}

/** Who imports. */
export interface ImportCaller {
  readonly scope: Scope
  readonly context: AuditContext
  readonly cause: RunCause
  readonly locale: Locale
  readonly signal: AbortSignal
}

export interface ImportRequest {
  /** Default: the newest open workspace of the binding, else a new one. */
  readonly workspaceId?: string
  /** Creates a workspace with this name. */
  readonly workspaceName?: string
  /** Files and folders to import; the others stay as they are in the base. Default: all. */
  readonly paths?: readonly string[]
  readonly resolutions?: MergeRequest['resolutions']
  /** The head that the caller has seen. */
  readonly commitSha?: string
  /** Only workspaces with this creator; a new one gets a name that says so. Default: all. */
  readonly createdBy?: string
}

export interface ImportOutcome {
  /** Null: an import without a change that no request asked for; it is not stored. */
  readonly run: Unbound<GitRunDocument> | null
  readonly commitSha: string
  readonly isChanged: boolean
  /** Null: the import would create one, and has conflicts. */
  readonly workspace: WorkspaceView | null
  readonly conflicts: readonly MergeConflict[]
  readonly skipped: RepositoryContent['skipped']
}

/** What the head is merged into. */
interface Target {
  /** Null: a new workspace. */
  readonly workspace: WorkspaceView | null
  /** The files on which `ours` is based, and their commit; null: there is none. */
  readonly base: readonly SourceFileEntry[]
  readonly baseSha: string | null
  readonly ours: PublishedContent
}

export class GitImports {
  readonly #parts: ImportsParts

  constructor(parts: ImportsParts) {
    this.#parts = parts
  }

  /**
   * @throws ApiError of the provider; resource_missing, project_archived, workspace_closed, binding_orphaned, head_changed, variable_clash, document_too_large, workspace_limit,
   *   edit_conflict, overloaded, ruleset_stopped
   */
  async import(binding: GitBindingDocument, request: ImportRequest, caller: ImportCaller): Promise<ImportOutcome> {
    const { scope, cause, signal } = caller
    const { integrations, clock } = this.#parts
    const target = await this.#target(scope, binding, request)
    return recordingFailure({ scope, binding, type: 'import', cause, clock, signal }, async () => {
      const { gateway, provider } = await openBinding(integrations, scope, binding)
      const { commitSha } = await gateway.getBranch(binding.repository, binding.branch, signal)
      if (request.commitSha !== undefined && request.commitSha !== commitSha) throw new ApiError('head_changed', { details: { commit_sha: commitSha } })
      const selects = (path: string): boolean => request.paths?.some((folder) => isBelow(path, folder)) ?? true
      const read = { repository: binding.repository, paths: binding, provider }
      const head = await readRepository(gateway, { ...read, commitSha, known: target.base, selects }, signal)
      const readBaseOf = async ({ base, baseSha }: Target) => (baseSha === null ? base : readBase(gateway, { ...read, commitSha: baseSha }, base, signal))
      return retryStale(ATTEMPTS, () => this.#merge(binding, request, head, selects, readBaseOf, caller))
    })
  }

  async #merge(
    before: GitBindingDocument,
    request: ImportRequest,
    head: RepositoryContent,
    selects: (path: string) => boolean,
    readBaseOf: (target: Target) => Promise<readonly SourceFileEntry[]>,
    caller: ImportCaller,
  ): Promise<ImportOutcome> {
    const { scope, cause, context } = caller
    const { pool, clock } = this.#parts
    // Read before the workspace: the commit matches it, so that of two imports the second one sees the workspace of the first.
    const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: before._id })
    if (binding === null || SOURCE_FIELDS.some((field) => binding[field] !== before[field])) throw new ApiError('edit_conflict')
    const project = await loadChangeable(scope, binding.project_id)
    const target = await this.#target(scope, binding, request)
    const { workspace, ours } = target
    const base = await readBaseOf(target)
    const files = [...base.filter(({ path }) => !selects(path)), ...head.files].sort((a, b) => (a.path < b.path ? -1 : 1))
    const { commitSha, skipped } = head
    const answer = { commitSha, skipped, conflicts: [] }
    // Merging again would change nothing but the order and the layout of what the workspace has added.
    if (workspace !== null && isBasedOn(workspace, binding, commitSha, files)) {
      const run = await this.#recordUnchanged(binding, workspace, commitSha, caller)
      return { ...answer, run, isChanged: false, workspace }
    }
    const merged = await mergeInPool(
      pool,
      { base: repositoryFiles(base), ours, theirs: repositoryFiles(files), ...mergePlaces(binding, project.slug, files), resolutions: request.resolutions ?? [] },
      caller,
    )
    requireOneValue(merged)
    const now = new Date(clock())
    const summary = summaryOf(base, files, merged, skipped)
    if (merged.conflicts.length > 0) {
      const run = newRun(binding, 'import', 'conflict', cause, now, { commit_sha: commitSha, workspace_id: workspace?.workspace._id ?? null, diff_summary: summary })
      await scope.collection(GIT_RUNS).insert(run)
      return { ...answer, conflicts: merged.conflicts, run, isChanged: false, workspace }
    }
    requireLimits(merged.content)
    const imported = {
      ...merged.content,
      source_files: files,
      git: { git_binding_id: binding._id, git_repo: binding.repository, git_branch: binding.branch, git_commit_sha: commitSha },
    }
    const { view, writes } =
      workspace === null
        ? openingImport(scope, project, request.workspaceName ?? defaultName(binding, request), imported, context, cause.startedBy, now)
        : replacingByImport(scope, workspace, imported, context, now)
    const run = newRun(binding, 'import', 'succeeded', cause, now, { commit_sha: commitSha, workspace_id: view.workspace._id, diff_summary: summary })
    await scope.commit([synced(scope, binding, commitSha, now), ...writes, scope.collection(GIT_RUNS).inserting(run)])
    return { ...answer, run, isChanged: true, workspace: view }
  }

  /** @returns null: the run is not stored, because no request started it; unchanged imports of schedules and repeated webhooks would fill the history */
  async #recordUnchanged(binding: GitBindingDocument, { workspace }: WorkspaceView, commitSha: string, { scope, cause }: ImportCaller): Promise<Unbound<GitRunDocument> | null> {
    const now = new Date(this.#parts.clock())
    const run =
      cause.trigger === 'request'
        ? newRun(binding, 'import', 'succeeded', cause, now, { commit_sha: commitSha, workspace_id: workspace._id, diff_summary: { no_change: true } })
        : null
    await commitInProject(scope, binding.project_id, [synced(scope, binding, commitSha, now), ...(run === null ? [] : [scope.collection(GIT_RUNS).inserting(run)])])
    return run
  }

  /** @throws ApiError resource_missing, workspace_closed */
  async #target(scope: Scope, binding: GitBindingDocument, { workspaceId, workspaceName, createdBy }: ImportRequest): Promise<Target> {
    const workspace =
      workspaceName !== undefined
        ? null
        : workspaceId !== undefined
          ? await this.#parts.workspaces.get(scope, binding.project_id, workspaceId)
          : await newestImported(scope, binding.project_id, binding._id, createdBy)
    if (workspace === null) return this.#newTarget(scope, binding)
    if (workspace.workspace.status === 'closed') throw new ApiError('workspace_closed')
    return { workspace, ...(await this.#baseOf(scope, binding, workspace)), ours: workspace.content }
  }

  /** The files of its import, or those of a publication since then that it has too. */
  async #baseOf(scope: Scope, binding: GitBindingDocument, view: WorkspaceView): Promise<Pick<Target, 'base' | 'baseSha'>> {
    const { workspace, content } = view
    const { git_commit_sha: importedSha } = workspace
    if (!isOf(view, binding) || importedSha === null) return { base: [], baseSha: null }
    const published = await scope.collection(GIT_BASES).findOne({ _id: binding._id })
    const isPublished = published !== null && isBaseOf(published, { workspace_id: workspace._id, commit_sha: importedSha })
    const [files, baseSha] = isPublished ? [published.files, published.commit_sha] : [content.source_files, importedSha]
    return { base: files.filter(({ path }) => isCovered(path, binding)), baseSha }
  }

  /**
   * A new workspace is a copy of the project if the project's content came from the binding: what was edited since is merged with the head. Otherwise the
   * project's content has no common base with the repository, and the workspace is the head alone.
   */
  async #newTarget(scope: Scope, binding: GitBindingDocument): Promise<Target> {
    const gitBase = await scope.collection(GIT_BASES).findOne({ _id: binding._id })
    const { content } = await loadSnapshot(scope, () => loadProject(scope, binding.project_id))
    if (gitBase !== null) return { workspace: null, base: gitBase.files, baseSha: gitBase.commit_sha, ours: content }
    return { workspace: null, base: [], baseSha: null, ours: { decoders_xml: '', rules_xml: '', lists: binding.lists_path === null ? content.lists : [] } }
  }
}

/** Returns the write that stores what was imported. It matches the last import, so that of two imports at the same time the second one is repeated. */
function synced(scope: Scope, { _id, revision, synced_at }: GitBindingDocument, commitSha: string, now: Date): Write {
  return scope.collection(GIT_BINDINGS).updating({ _id, revision, synced_at }, { set: { synced_commit_sha: commitSha, synced_at: now, updated_at: now } })
}

/** Whether a workspace was imported from the branch of the binding. */
function isOf({ workspace }: WorkspaceView, { _id, repository, branch }: GitBindingDocument): boolean {
  return workspace.git_binding_id === _id && workspace.git_repo === repository && workspace.git_branch === branch
}

/** Whether a workspace has these files of the commit as its base. */
function isBasedOn(view: WorkspaceView, binding: GitBindingDocument, commitSha: string, files: readonly SourceFileEntry[]): boolean {
  const { workspace, content } = view
  const listed = (entries: readonly SourceFileEntry[]): string => JSON.stringify(entries.map(({ path, kind, sha }) => [path, kind, sha]))
  return isOf(view, binding) && workspace.git_commit_sha === commitSha && listed(content.source_files) === listed(files)
}

function defaultName({ repository, branch }: Pick<GitBindingDocument, 'repository' | 'branch'>, { createdBy }: ImportRequest): string {
  return `${createdBy === undefined ? '' : 'Sync: '}${repository}@${branch}`.slice(0, NAME_CHARACTERS).trim()
}

/** Counts and first names of what a run read. */
function summaryOf(
  before: readonly SourceFileEntry[],
  after: readonly SourceFileEntry[],
  { conflicts, changes }: Pick<MergeAnswer, 'conflicts' | 'changes'>,
  skipped: RepositoryContent['skipped'],
): GitRunDocument['diff_summary'] {
  const { added, removed, changed, renamed } = compareFiles(before, after)
  return {
    no_change: false,
    files: { added: shownNames(added), removed: shownNames(removed), changed: shownNames(changed), renamed: shownNames(renamed) },
    kept_edits: shownNames(changes.map(({ kind, name, change }) => ({ kind, name, change }))),
    conflicts: shownNames(conflicts.map(({ kind, name, path }) => ({ kind, name, path }))),
    warnings: shownNames(skipped),
  }
}
