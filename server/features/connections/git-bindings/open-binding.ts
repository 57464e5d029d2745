/** Opens the gateway of a binding. */
import { ApiError } from '../../../core/errors.js'
import type { GitGateway } from '../gateways/git/gateway.js'
import type { GitProvider } from '../gateways/providers.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { IntegrationsService } from '../integrations/service.js'
import type { GitBindingDocument } from './store.js'

export interface OpenBinding {
  readonly binding: GitBindingDocument
  readonly gateway: GitGateway
  readonly provider: GitProvider
}

/** @throws ApiError binding_orphaned, credentials_unreadable */
export async function openBinding(integrations: Pick<IntegrationsService, 'openGit'>, scope: Scope, binding: GitBindingDocument): Promise<OpenBinding> {
  if (binding.integration_id === null) throw new ApiError('binding_orphaned')
  const { integration, gateway } = await integrations.openGit(scope, binding.integration_id).catch((error: unknown) => {
    // It was deleted while the binding was created.
    throw error instanceof ApiError && error.reason === 'resource_missing' ? new ApiError('binding_orphaned') : error
  })
  return { binding, gateway, provider: integration.provider as GitProvider }
}
