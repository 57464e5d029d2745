/** Gateways in memory in place of all providers, for tests of a service. */
import type { CiGateway } from '../../../server/features/connections/gateways/ci/gateway.js'
import type { GatewayOpeners } from '../../../server/features/connections/integrations/service.js'
import { MemoryGit } from './memory-git.js'

export function memoryOpeners(git: MemoryGit = new MemoryGit(), ci: CiGateway | null = null): GatewayOpeners {
  return {
    git: () => git,
    ci() {
      if (ci === null) throw new TypeError('this test has no CI system')
      return ci
    },
  }
}
