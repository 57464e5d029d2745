/**
 * Plans a publication without writing anything: reads the head of the branch, merges the project's content into its files by rule, and says what that changes.
 * Invariants:
 *  1. items that only the branch changed since the base stay as they are; what both changed differently is a conflict, and nothing is written
 *  2. the gate evaluates the files after the merge, because those are what the SIEM loads
 */
import type { AnalysisPool, MergeAnswer, MergeRequest } from '#workers'
import { ApiError } from '../../../core/errors.js'
import type { GitBranch } from '../gateways/git/gateway.js'
import { okOf } from '../../../core/pool-outcome.js'
import type { SourceFileEntry } from '../../../content/shared/content.js'
import { type BaseOrigin, GIT_BASES, originOfProject, repositoryFiles } from '../../../content/shared/git-base.js'
import { loadProject, loadSnapshot } from '../../../content/shared/load.js'
import type { MeasureCaller } from '../../../content/shared/measure.js'
import type { ProjectDocument } from '../../../content/shared/project.js'
import { mergePlaces, type OpenBinding, readBase, readRepository, type RepositoryContent, shownPath } from '../git-bindings/service.js'
import type { FilesComparison, ImpactService } from '../../../content/impact/service.js'
import type { IntegrationsService } from '../integrations/service.js'
import { lostAlertsOf, type QualityGateResult, type QualityGateService } from '../../../content/quality-gate/service.js'
import { fileSetOf, sourceFiles, unfiledLists } from './file-sets.js'

export interface PlanParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly impacts: Pick<ImpactService, 'compareFiles'>
  readonly gate: Pick<QualityGateService, 'evaluate'>
  readonly pool: Pick<AnalysisPool, 'mergeFiles'>
}

export interface Plan extends OpenBinding {
  readonly project: ProjectDocument
  /** Head of the bound branch. */
  readonly head: GitBranch
  /** The content of the head. */
  readonly theirs: RepositoryContent
  readonly merged: MergeAnswer
  /** Null: there are conflicts. */
  readonly compared: FilesComparison | null
  readonly gate: QualityGateResult | null
  /** The base of the binding if the merged files are committed. */
  readonly baseFiles: readonly SourceFileEntry[]
  readonly baseOrigin: BaseOrigin | null
}

/** @throws ApiError of the provider, overloaded, edit_conflict, internal_error */
export async function planPublication(parts: PlanParts, opened: OpenBinding, caller: MeasureCaller): Promise<Plan> {
  const { binding, provider, gateway } = opened
  const { scope, signal } = caller
  const { owner: project, content: ours } = await loadSnapshot(scope, () => loadProject(scope, binding.project_id))
  const base = await scope.collection(GIT_BASES).findOne({ _id: binding._id })
  const baseOrigin = await originOfProject(scope, project, binding._id)
  const head = await gateway.getBranch(binding.repository, binding.branch, signal)
  const read = { repository: binding.repository, paths: binding, provider }
  const theirs = await readRepository(gateway, { ...read, commitSha: head.commitSha, known: base?.files ?? [] }, signal)
  const baseFiles = base === null ? [] : repositoryFiles(await readBase(gateway, { ...read, commitSha: base.commit_sha }, base.files, signal))
  const places = mergePlaces(binding, project.slug, theirs.files)
  const headFiles = repositoryFiles(theirs.files)
  const merge = async (request: Pick<MergeRequest, 'base' | 'theirs'>): Promise<MergeAnswer> =>
    okOf(await parts.pool.mergeFiles({ ...request, ours, ...places, resolutions: [] }, { organization: scope.organizationId, signal }), signal)
  const merged = await merge({ base: baseFiles, theirs: headFiles })
  requireFree(merged, theirs)
  if (merged.conflicts.length > 0) return { ...opened, project, head, theirs, merged, compared: null, gate: null, baseFiles: [], baseOrigin }
  const unfiled = unfiledLists(merged, places.lists)
  const before = fileSetOf(headFiles, places.lists, unfiled, project)
  const after = fileSetOf(merged.files, places.lists, unfiled, project)
  const compared = await parts.impacts.compareFiles(project._id, before, after, caller)
  const { result } = await parts.gate.evaluate({
    scope,
    project: compared.project,
    contentHash: project.content_hash,
    files: after,
    measured: compared.after,
    lost: lostAlertsOf(compared.before, compared.after, compared.behaviour),
  })
  // Only what the project has is part of the new base (`git-base.ts`): with the merged files on both other sides, every difference is taken from the project.
  const { files } = await merge({ base: merged.files, theirs: merged.files })
  return { ...opened, project, head, theirs, merged, compared, gate: result, baseFiles: sourceFiles(files, theirs.files), baseOrigin }
}

/** A file that was not read, a link for example, must not be replaced. @throws ApiError git_path_occupied */
function requireFree({ changedPaths }: MergeAnswer, { skipped }: RepositoryContent): void {
  const taken = new Set(skipped.map(({ path }) => path))
  const path = changedPaths.find((changed) => taken.has(shownPath(changed)))
  if (path !== undefined) throw new ApiError('git_path_occupied', { params: { path }, details: { path } })
}
