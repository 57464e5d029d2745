/** Creates the gateway of an integration from the tables of providers. */
import { openCi } from '../../gateways/ci/index.js'
import type { GatewayParts } from '../../gateways/connection.js'
import { openGit } from '../../gateways/git/index.js'
import type { GatewayOpeners } from './service.js'

export function gatewayOpeners(parts: GatewayParts): GatewayOpeners {
  return {
    git: (provider, connection) => openGit(provider, connection, parts),
    ci: (provider, connection) => openCi(provider, connection, parts),
  }
}
