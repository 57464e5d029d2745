/** Imports, commits and rollbacks of a binding. */
import Type from 'typebox'
import type { ErrorReason } from '../../../core/errors.js'
import { permission, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { presentWorkspace } from '../../../content/workspaces/service.js'
import { callerOf, READ_TIMEOUT_MS } from './caller.js'
import type { GitImports, ImportOutcome, ImportRequest } from './import.js'
import { CommitListQuery, GitCommitRecord, GitImportAnswer, GitProjectBindingImportRequest, GitRollbackAnswer, GitRollbackRequest } from './import-schema.js'
import { normalizePath } from './paths.js'
import { presentCommit, presentRun } from './present.js'
import { SHOWN_SKIPPED } from './read-repository.js'
import { type RollbackParts, rollBack } from './rollback.js'
import { ITEM, TAG } from './routes.js'
import { BindingParams } from './schema.js'
import { openBinding } from './open-binding.js'
import type { GitBindingsService } from './service.js'

const defineRoute = routesOf(TAG)

/** Failures of every call of a provider. */
export const PROVIDER_ERRORS = [
  'resource_missing',
  'binding_orphaned',
  'credentials_unreadable',
  'target_refused',
  'provider_credentials_refused',
  'provider_scope_missing',
  'provider_not_found',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_redirect_refused',
  'provider_too_large',
  'provider_unsupported',
  'provider_refused',
] as const satisfies readonly ErrorReason[]
const IMPORT_ERRORS = [
  ...PROVIDER_ERRORS,
  'workspace_limit',
  'variable_clash',
  'document_too_large',
  'ruleset_stopped',
  'edit_conflict',
  'overloaded',
] as const satisfies readonly ErrorReason[]
const MANAGE = permission('integration:manage')

export function gitImportRoutes(bindings: GitBindingsService, imports: GitImports, parts: RollbackParts): readonly Route[] {
  return [
    defineRoute({
      id: 'git-bindings.import',
      method: 'POST',
      path: `${ITEM}/import`,
      summary: 'Import the head of the branch into a workspace',
      description:
        'Reads the files of the branch into a workspace. What the workspace changed since its last import is merged by rule, decoder, variable and list. If both sides changed an item differently, the answer has `status` `conflict` and the texts, and nothing is changed: send `resolutions` with the `commit_sha` of that answer to decide. A new workspace has the content of the repository; if the project was published from the binding before, its later edits are merged in.',
      access: MANAGE,
      load: 'repository',
      timeoutMs: READ_TIMEOUT_MS,
      params: BindingParams,
      body: { as: 'json', schema: GitProjectBindingImportRequest },
      bodyExamples: {
        all: {},
        new: { workspace_name: 'From Git' },
        some: { paths: ['rules/vpn.xml'] },
        decided: { resolutions: [{ kind: 'rule', name: '100100', take: 'theirs' }], commit_sha: '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12' },
      },
      responses: { 200: { description: 'The result.', schema: GitImportAnswer } },
      errors: [...IMPORT_ERRORS, 'workspace_closed', 'head_changed'],
      handle: async (request) => {
        const wanted = importRequestOf(request.body, request.locale)
        const binding = await bindings.changeable(request.scope, request.params.binding_id)
        return { body: presentImport(await imports.import(binding, wanted, callerOf(request)), request.scope.organizationId) }
      },
    }),
    defineRoute({
      id: 'git-bindings.list-commits',
      method: 'GET',
      path: `${ITEM}/commits`,
      summary: 'List commits of the bound branch',
      description: 'Lists the newest commits of the branch, the newest first, as the provider has them now.',
      access: SESSION,
      // Plain Git may have to fetch the files with the commits.
      load: 'repository',
      timeoutMs: READ_TIMEOUT_MS,
      params: BindingParams,
      query: CommitListQuery,
      responses: { 200: { description: 'The commits.', schema: Type.Array(GitCommitRecord) } },
      errors: PROVIDER_ERRORS,
      handle: async ({ scope, params, query, signal }) => {
        const { binding, gateway } = await openBinding(parts.integrations, scope, await bindings.get(scope, params.binding_id))
        return { body: (await gateway.listCommits(binding.repository, binding.branch, query.limit, signal)).map(presentCommit) }
      },
    }),
    defineRoute({
      id: 'git-bindings.rollback',
      method: 'POST',
      path: `${ITEM}/rollback`,
      summary: 'Restore an earlier commit in a new workspace',
      description:
        'Creates a workspace with the content of the commit. It is based on the head of the branch: once its version is published, a publication to Git reverts the commits since then. The commit may also be the head of a pull request, so that a review can approve its content. Nothing is changed in the repository yet.',
      access: MANAGE,
      load: 'repository',
      timeoutMs: READ_TIMEOUT_MS,
      params: BindingParams,
      body: { as: 'json', schema: GitRollbackRequest },
      bodyExamples: { restore: { commit_sha: '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12', workspace_name: 'Before the gateway change' } },
      responses: { 200: { description: 'The workspace.', schema: GitRollbackAnswer } },
      errors: IMPORT_ERRORS,
      handle: async (request) => {
        const { commit_sha, workspace_name } = request.body
        const binding = await bindings.changeable(request.scope, request.params.binding_id)
        const { run, workspace, headSha, skipped } = await rollBack(parts, binding, commit_sha, workspace_name, callerOf(request))
        const { organizationId: organization_id } = request.scope
        return {
          body: {
            commit_sha,
            head_sha: headSha,
            workspace: presentWorkspace(workspace.workspace, workspace.content),
            warnings: skipped.slice(0, SHOWN_SKIPPED),
            run: presentRun({ ...run, organization_id }),
          },
        }
      },
    }),
  ]
}

/** @throws ApiError request_validation_failed */
function importRequestOf({ workspace_id, workspace_name, paths, resolutions, commit_sha }: GitProjectBindingImportRequest, locale: Locale): ImportRequest {
  const normalized = paths?.map(normalizePath)
  const issues = (normalized ?? []).flatMap((path, at) => (path === null ? [issue(`/paths/${at}`, 'invalid', { type: 'string', format: { words: 'relative_path' } })] : []))
  if (workspace_id !== undefined && workspace_name !== undefined) issues.push(issue('/workspace_name', 'either', null, { other: 'workspace_id' }))
  if (issues.length > 0) throw invalidRequest(issues, locale)
  return {
    ...(workspace_id === undefined ? {} : { workspaceId: workspace_id }),
    ...(workspace_name === undefined ? {} : { workspaceName: workspace_name }),
    ...(normalized === undefined ? {} : { paths: normalized as string[] }),
    ...(resolutions === undefined ? {} : { resolutions }),
    ...(commit_sha === undefined ? {} : { commitSha: commit_sha }),
  }
}

function presentImport({ run, commitSha, isChanged, workspace, conflicts, skipped }: ImportOutcome, organization_id: string) {
  if (run === null) throw new TypeError('an import by a request is stored')
  return {
    status: conflicts.length > 0 ? ('conflict' as const) : ('succeeded' as const),
    no_change: !isChanged && conflicts.length === 0,
    commit_sha: commitSha,
    workspace: workspace === null ? null : presentWorkspace(workspace.workspace, workspace.content),
    conflicts,
    warnings: skipped.slice(0, SHOWN_SKIPPED),
    run: presentRun({ ...run, organization_id }),
  }
}
