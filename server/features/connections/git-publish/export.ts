/**
 * Commits rules and decoders to a branch without a binding. The caller names the content explicitly, so where the branch has an item otherwise, the caller's
 * replaces it; what only the branch has stays.
 */
import type { MergeAnswer, MergeRequest } from '#workers'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError } from '../../../core/errors.js'
import type { GitGateway } from '../gateways/git/gateway.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import { okOf } from '../../../core/pool-outcome.js'
import { requireContent } from '../../../content/shared/content-limits.js'
import { repositoryFiles } from '../../../content/shared/git-base.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { readRepository, type RepositoryContent } from '../git-bindings/service.js'
import { fileChanges } from './file-sets.js'
import { COMMIT_MS } from './lease.js'
import type { PlanParts } from './plan.js'
import { presentConflicts } from './present.js'
import type { SyncExportRequest, SyncExportResponse } from './schema.js'
import type { Static } from 'typebox'

/** Attempts when the branch moves between reading and committing. */
const ATTEMPTS = 3
/** All XML of the repository is looked at; the elements of a file decide whether it has rules or decoders. */
const WHOLE = { rules_path: '', decoders_path: '', lists_path: null } as const
/** Files for items that no file has. */
const NEW_FILES = { rules: 'detection_content_rules.xml', decoders: 'detection_content_decoders.xml' } as const

export interface ExportParts extends Pick<PlanParts, 'integrations' | 'pool'> {
  readonly clock: () => number
}

/** The caller, and the signal that stops reading. */
type ExportActor = Actor & { readonly signal: AbortSignal }

export class GitExportService {
  readonly #parts: ExportParts

  constructor(parts: ExportParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing, integration_kind_wrong, request_validation_failed, git_conflicts, overloaded, and those of the provider */
  async export(scope: Scope, integrationId: string, request: SyncExportRequest, actor: ExportActor): Promise<Static<typeof SyncExportResponse>> {
    const { integration, gateway } = await this.#parts.integrations.openGit(scope, integrationId)
    requireContent(request, actor.locale)
    const { repository, branch } = request
    for (let attempt = 1; ; attempt++) {
      const { commitSha } = await gateway.getBranch(repository, branch, actor.signal)
      const theirs = await readRepository(gateway, { repository, commitSha, paths: WHOLE, provider: integration.provider }, actor.signal)
      const merged = await this.#merge(scope, theirs, request, actor)
      const files = [...merged.changedPaths]
      if (files.length === 0) return { no_change: true, commit_sha: null, commit_url: null, head_sha: commitSha, files }
      const changes = fileChanges(theirs.files, merged.files, files)
      const commit = await commitUnlessMoved(gateway, repository, { branch, parentSha: commitSha, createsBranch: false, message: request.commit_message, changes })
      if (commit === null) {
        if (attempt < ATTEMPTS) continue
        throw new ProviderError('head_moved', { provider: integration.provider })
      }
      const diff = diffOf({ commit_sha: null as string | null, branch: null as string | null }, { commit_sha: commit.sha, branch: `${repository}@${branch}` }, [
        'commit_sha',
        'branch',
      ])
      const resource = { type: 'integration', id: integrationId, name: integration.name }
      await scope.commit([auditing(scope, auditContext(actor), { action: 'integration.exported', resource, diff }, new Date(this.#parts.clock()))])
      return { no_change: false, commit_sha: commit.sha, commit_url: commit.url, head_sha: commitSha, files }
    }
  }

  /** @throws ApiError request_validation_failed, git_conflicts */
  async #merge(scope: Scope, theirs: RepositoryContent, { decoders_xml, rules_xml }: SyncExportRequest, { locale, signal }: ExportActor): Promise<MergeAnswer> {
    const newItems = { rules: newFile(theirs, 'rules'), decoders: newFile(theirs, 'decoders'), listsFolder: null }
    const request: Omit<MergeRequest, 'resolutions'> = { base: [], ours: { decoders_xml, rules_xml, lists: [] }, theirs: repositoryFiles(theirs.files), newItems, lists: null }
    const merge = async (resolutions: MergeRequest['resolutions']): Promise<MergeAnswer> =>
      okOf(await this.#parts.pool.mergeFiles({ ...request, resolutions }, { organization: scope.organizationId, signal }), signal)
    const first = await merge([])
    // A text without items would be written as a new file, beside the files that have its rules already.
    const whole = [...first.conflicts, ...first.changes].flatMap(({ kind, name }) => (kind === 'file' ? [name] : []))
    if (whole.length > 0)
      throw invalidRequest(
        whole.map((name) => noContent(name === newItems.decoders ? 'decoders' : 'rules')),
        locale,
      )
    if (first.conflicts.length === 0) return first
    const merged = await merge(first.conflicts.map(({ kind, name }) => ({ kind, name, take: 'ours' })))
    // An item in a file that cannot be read cannot be replaced.
    if (merged.conflicts.length > 0) throw new ApiError('git_conflicts', { details: presentConflicts(merged.conflicts) })
    return merged
  }
}

function noContent(kind: 'rules' | 'decoders'): FieldIssue {
  return issue(`/${kind}_xml`, 'invalid', { type: 'string', format: { words: kind === 'rules' ? 'rules_xml' : 'decoders_xml' } })
}

/** Null: the branch has moved. */
async function commitUnlessMoved(gateway: GitGateway, repository: string, commit: Parameters<GitGateway['commit']>[1]) {
  try {
    return await gateway.commit(repository, commit, AbortSignal.timeout(COMMIT_MS))
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'head_moved') return null
    throw error
  }
}

/** Returns the file for new items: in the folder that has most files of their kind. */
function newFile({ files }: RepositoryContent, kind: 'rules' | 'decoders'): string {
  const counts = new Map<string, number>()
  for (const { path, kind: own } of files) {
    if (own !== kind) continue
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return `${most?.[0] ?? ''}${NEW_FILES[kind]}`
}
