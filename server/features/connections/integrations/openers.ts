/** Creates the gateway of an integration from the tables of providers. */
import type { AnalysisPool } from '#workers'
import { openCi } from '../gateways/ci/index.js'
import type { GatewayParts } from '../gateways/connection.js'
import { openGit } from '../gateways/git/index.js'
import { answerReader } from '../../../core/egress/reader.js'
import type { Limits } from '../../../core/limits/limits.js'
import type { GatewayOpeners } from './service.js'

export interface OpenerParts extends Pick<GatewayParts, 'http' | 'clock'> {
  readonly pool: Pick<AnalysisPool, 'read'>
  readonly limits: Pick<Limits, 'acquire' | 'paceBody'>
}

export function gatewayOpeners(parts: OpenerParts): GatewayOpeners {
  return {
    git: (provider, connection, organizationId) => openGit(provider, connection, partsOf(parts, organizationId)),
    ci: (provider, connection, organizationId) => openCi(provider, connection, partsOf(parts, organizationId)),
  }
}

/** The parts of an organization: its share of the threads, and its limit of bytes. */
function partsOf({ http, clock, pool, limits }: OpenerParts, organization: string): GatewayParts {
  const send: GatewayParts['http']['send'] = async (request) => {
    const permit = limits.acquire('provider_bytes', { organization }, 0)
    try {
      const onBytes = (bytes: number): number => {
        permit.grow(bytes)
        return limits.paceBody({ organization }, bytes)
      }
      return await http.send({ ...request, onBytes })
    } finally {
      permit.release()
    }
  }
  return { http: { send }, clock, reader: answerReader(pool, limits, organization) }
}
