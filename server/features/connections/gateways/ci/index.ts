/** The table of CI providers. A new one is a file beside this one and a line here. Only the gateways that are used are loaded, with their libraries. */
import type { GatewayParts } from '../connection.js'
import type { CiProvider } from '../providers.js'
import type { CiConnection, CiGateway } from './gateway.js'

type Open = (connection: CiConnection, parts: GatewayParts) => CiGateway

const TABLE: Readonly<Record<CiProvider, () => Promise<Open>>> = {
  github_actions: async () => (await import('./github-actions.js')).openGitHubActions,
  gitlab_ci: async () => (await import('./gitlab-ci.js')).openGitLabCi,
  jenkins: async () => (await import('./jenkins.js')).openJenkins,
}

/** Opens a gateway, which calls nothing before a method is called. */
export async function openCi(provider: CiProvider, connection: CiConnection, parts: GatewayParts): Promise<CiGateway> {
  const open = await TABLE[provider]()
  return open(connection, parts)
}
