/**
 * Finds the identity provider for an e-mail address (CONTRACT.md#single-sign-on). The answer depends on the domain of the address alone, and no account is
 * looked up, so neither the answer nor its time tells whether an account exists. Requests are limited for each IP address: nobody lists the companies that use the
 * service by trying domains.
 */
import type { RequestContext } from '../../../core/auth/request-context.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { IdentityProvidersService } from '../identity-providers/service.js'
import type { SsoDiscoveryResponse } from './discovery-schema.js'

/** The domain has no provider, or that of an organization that is suspended or whose plan has no single sign-on. */
const NONE: SsoDiscoveryResponse = { provider_id: null, name: null, kind: null, login_url: null }

export interface DiscoveryParts {
  readonly providers: Pick<IdentityProvidersService, 'forDomain'>
  readonly throttles: Pick<Throttles, 'discovery'>
  readonly address: Pick<PublicAddress, 'api'>
}

/** @throws ApiError rate_limited */
export async function discoverProvider({ providers, throttles, address }: DiscoveryParts, email: string, context: Pick<RequestContext, 'address'>): Promise<SsoDiscoveryResponse> {
  await throttles.discovery(context.address)
  const found = await providers.forDomain(email)
  if (found === null) return NONE
  const { _id, name, kind } = found.provider
  return { provider_id: _id, name, kind, login_url: `${address.api}/sso/oidc/${encodeURIComponent(_id)}/login` }
}
