/** What an integration can read without a binding: the structure of a repository, and its content as one bundle. Nothing is stored. */
import type { AnalysisPool } from '#workers'
import { ProviderError } from '../../../core/egress/provider-error.js'
import type { PublishedContent } from '../../../content/shared/content.js'
import type { IntegrationsService } from '../integrations/service.js'
import { composeContent } from './compose.js'
import { type Detected, detectContent } from './detect.js'
import type { ImportCaller } from './import.js'
import { readRepository, type RepositoryContent } from './read-repository.js'
import type { RepositoryPaths } from './store.js'

export interface BundleParts {
  readonly integrations: Pick<IntegrationsService, 'openGit'>
  readonly pool: Pick<AnalysisPool, 'mergeFiles'>
}

/** The branch of a repository. */
export interface BranchOf {
  readonly repository: string
  readonly branch: string
}

export interface Bundle extends RepositoryContent {
  readonly paths: RepositoryPaths
  readonly content: PublishedContent
}

type Caller = Pick<ImportCaller, 'scope' | 'locale' | 'signal'>

/** @throws ApiError of the provider; resource_missing, integration_kind_wrong, credentials_unreadable */
export async function discoverBranch(
  { integrations }: Pick<BundleParts, 'integrations'>,
  integrationId: string,
  { repository, branch }: BranchOf,
  { scope, signal }: Pick<Caller, 'scope' | 'signal'>,
): Promise<Detected & { readonly commitSha: string }> {
  const { integration, gateway } = await integrations.openGit(scope, integrationId)
  const { commitSha } = await gateway.getBranch(repository, branch, signal)
  return { commitSha, ...(await detectContent(gateway, { repository, commitSha, provider: integration.provider }, signal)) }
}

/** @throws ApiError as `discoverBranch`; provider_not_found without content; variable_clash, document_too_large, ruleset_stopped, overloaded */
export async function readBundle({ integrations, pool }: BundleParts, integrationId: string, { repository, branch }: BranchOf, caller: Caller): Promise<Bundle> {
  const { integration, gateway } = await integrations.openGit(caller.scope, integrationId)
  const { provider } = integration
  const { commitSha } = await gateway.getBranch(repository, branch, caller.signal)
  const { suggested, files: known } = await detectContent(gateway, { repository, commitSha, provider }, caller.signal)
  const rules_path = suggested.rules_path ?? suggested.decoders_path
  if (rules_path === null) throw new ProviderError('not_found', { provider, details: { what: 'rules or decoders' } })
  const paths = { rules_path, decoders_path: suggested.decoders_path ?? rules_path, lists_path: suggested.lists_path }
  const read = await readRepository(gateway, { repository, commitSha, paths, provider, known }, caller.signal)
  return { ...read, paths, content: await composeContent(pool, read.files, paths, [], caller) }
}
