/** Repositories and branches that an integration can see. The provider's list is read whole, because it has other pages; the caller gets one page of it. */
import type { GitBranch, GitRepository } from '../gateways/git/gateway.js'
import type { Page } from '../../../core/tenancy/page.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { BranchListQuery, RepositoryListQuery } from './schema.js'
import type { IntegrationsService } from './service.js'

type Openers = Pick<IntegrationsService, 'openGit'>

/** @throws ApiError resource_missing, integration_kind_wrong, credentials_unreadable, and those of the provider */
export async function listRepositories(integrations: Openers, scope: Scope, id: string, query: RepositoryListQuery, signal: AbortSignal): Promise<Page<GitRepository>> {
  const { gateway } = await integrations.openGit(scope, id)
  return pageOf(await gateway.listRepositories(signal), query)
}

/** @throws ApiError resource_missing, integration_kind_wrong, credentials_unreadable, and those of the provider */
export async function listBranches(integrations: Openers, scope: Scope, id: string, query: BranchListQuery, signal: AbortSignal): Promise<Page<GitBranch>> {
  const { gateway } = await integrations.openGit(scope, id)
  return pageOf(await gateway.listBranches(query.repository, signal), query)
}

function pageOf<T>(all: readonly T[], { limit, offset }: RepositoryListQuery): Page<T> {
  return { items: all.slice(offset, offset + limit), total: all.length }
}
