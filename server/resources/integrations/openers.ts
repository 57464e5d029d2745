/** Creates the gateway of an integration from the tables of providers. */
import type { GatewayParts } from '../../gateways/connection.js'
import { ProviderError } from '../../gateways/provider-error.js'
import type { GatewayOpeners } from './service.js'

export function gatewayOpeners(_parts: GatewayParts): GatewayOpeners {
  return {
    git(provider) {
      throw new ProviderError('unsupported', { provider })
    },
    ci(provider) {
      throw new ProviderError('unsupported', { provider })
    },
  }
}
