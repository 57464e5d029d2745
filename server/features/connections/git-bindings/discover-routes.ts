/** What can be learned about a repository without importing it. */
import { defineRoute, permission, type Route } from '../../../core/http/route.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { presentLists } from '../../../content/shared/fields.js'
import { type BundleParts, discoverBranch, readBundle } from './bundle.js'
import { callerOf, READ_TIMEOUT_MS } from './caller.js'
import { type DiscoverParts, discover } from './discover.js'
import { GitBindingValidationResult, GitBranchRequest, GitBundleAnswer, GitDiscoverAnswer, GitStructureAnswer, IntegrationParams, SHOWN_FOLDERS } from './discover-schema.js'
import { PROVIDER_ERRORS } from './import-routes.js'
import { presentRun } from './present.js'
import { SHOWN_SKIPPED } from './read-repository.js'
import { BINDING_EXAMPLE, COLLECTION, ITEM, TAG } from './routes.js'
import { BindingParams, GitBindingCreateRequest, OrganizationParams } from './schema.js'
import { checkedFields, type GitBindingsService } from './service.js'
import { type ValidateParts, validateBinding } from './validate.js'

const MANAGE = permission('integration:manage')
const INTEGRATION = '/platform/organizations/{organization_id}/integrations/{integration_id}'
const INTEGRATIONS_TAG = 'Integrations'
/** Reading holds the files of a repository in memory, like an import. */
const READING = { access: MANAGE, load: 'repository', timeoutMs: READ_TIMEOUT_MS } as const
const BRANCH_EXAMPLES = { main: { repository: 'example/detections', branch: 'main' } } as const

export function gitDiscoverRoutes(bindings: GitBindingsService, parts: DiscoverParts & BundleParts & ValidateParts): readonly Route[] {
  return [
    defineRoute({
      id: 'git-bindings.validate',
      method: 'POST',
      path: `${COLLECTION}/validate`,
      tag: TAG,
      summary: 'Check a Git binding before it is created',
      description:
        'Checks integration, branch, paths, files and publish_strategy against the repository. What the provider refuses is in `errors`, with the reason as `code`. Nothing is stored.',
      ...READING,
      params: OrganizationParams,
      body: { as: 'json', schema: GitBindingCreateRequest },
      bodyExamples: { review: BINDING_EXAMPLE },
      responses: { 200: { description: 'The findings.', schema: GitBindingValidationResult } },
      errors: ['resource_missing'],
      handle: async (request) => ({ body: await validateBinding(parts, request.body, request) }),
    }),
    defineRoute({
      id: 'git-bindings.discover',
      method: 'POST',
      path: `${ITEM}/discover`,
      tag: TAG,
      summary: 'Look at the repository of a Git binding',
      description:
        'Reads the head of the branch, stores the numbers of files, rules and decoders, and names files that are new, removed or renamed since the last import. No content is changed.',
      ...READING,
      params: BindingParams,
      responses: { 200: { description: 'The content of the repository.', schema: GitDiscoverAnswer } },
      errors: [...PROVIDER_ERRORS, 'edit_conflict'],
      handle: async (request) => {
        const binding = await bindings.changeable(request.scope, request.params.binding_id)
        const { run, commitSha, counts, files, warnings } = await discover(parts, binding, callerOf(request))
        return {
          body: {
            commit_sha: commitSha,
            counts,
            files: files.map(({ path, kind, sha, rule_ids, decoder_names }) => ({ path, kind, sha, rule_count: rule_ids.length, decoder_count: decoder_names.length })),
            warnings: warnings.slice(0, SHOWN_SKIPPED),
            run: presentRun({ ...run, organization_id: request.scope.organizationId }),
          },
        }
      },
    }),
    defineRoute({
      id: 'integrations.discover',
      method: 'POST',
      path: `${INTEGRATION}/discover`,
      tag: INTEGRATIONS_TAG,
      summary: 'Find the content of a repository',
      description:
        'Reads the XML files of a branch, and suggests the paths of a binding: the folders that have most rules and decoders by content, and the folder named `lists`. A repository with more than 2,000 XML files is refused. Nothing is stored.',
      ...READING,
      params: IntegrationParams,
      body: { as: 'json', schema: GitBranchRequest },
      bodyExamples: BRANCH_EXAMPLES,
      responses: { 200: { description: 'The structure of the repository.', schema: GitStructureAnswer } },
      errors: [...PROVIDER_ERRORS, 'integration_kind_wrong'],
      handle: async (request) => {
        const wanted = checkedBranch(request.body, request.locale)
        const { commitSha, suggested, counts, folders, skipped } = await discoverBranch(parts, request.params.integration_id, wanted, request)
        return { body: { commit_sha: commitSha, ...suggested, counts, folders: folders.slice(0, SHOWN_FOLDERS), warnings: skipped.slice(0, SHOWN_SKIPPED) } }
      },
    }),
    defineRoute({
      id: 'integrations.import',
      method: 'POST',
      path: `${INTEGRATION}/sync-import`,
      tag: INTEGRATIONS_TAG,
      summary: 'Read rules and decoders from a branch',
      description: 'Answers the content of a branch as one bundle, from the paths that `discover` suggests. Nothing is stored.',
      ...READING,
      params: IntegrationParams,
      body: { as: 'json', schema: GitBranchRequest },
      bodyExamples: BRANCH_EXAMPLES,
      responses: { 200: { description: 'The content of the branch.', schema: GitBundleAnswer } },
      errors: [...PROVIDER_ERRORS, 'integration_kind_wrong', 'variable_clash', 'document_too_large', 'ruleset_stopped', 'overloaded'],
      handle: async (request) => {
        const wanted = checkedBranch(request.body, request.locale)
        const { commitSha, paths, content, files, skipped } = await readBundle(parts, request.params.integration_id, wanted, request)
        const { decoders_xml, rules_xml, lists } = content
        return {
          body: { commit_sha: commitSha, ...paths, decoders_xml, rules_xml, lists: presentLists(lists), source_files: files, warnings: skipped.slice(0, SHOWN_SKIPPED) },
        }
      },
    }),
  ]
}

/** @throws ApiError request_validation_failed */
function checkedBranch(request: GitBranchRequest, locale: Locale): GitBranchRequest {
  return { ...request, ...checkedFields(request, locale) }
}
