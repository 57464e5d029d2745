/** The table of CI providers. A new one is a file beside this one and a line here. */
import type { GatewayParts } from '../connection.js'
import type { CiProvider } from '../providers.js'
import type { CiConnection, CiGateway } from './gateway.js'
import { openGitHubActions } from './github-actions.js'
import { openGitLabCi } from './gitlab-ci.js'
import { openJenkins } from './jenkins.js'

const TABLE: Readonly<Record<CiProvider, (connection: CiConnection, parts: GatewayParts) => CiGateway>> = {
  github_actions: openGitHubActions,
  gitlab_ci: openGitLabCi,
  jenkins: openJenkins,
}

/** Opens a gateway, which calls nothing before a method is called. */
export function openCi(provider: CiProvider, connection: CiConnection, parts: GatewayParts): CiGateway {
  return TABLE[provider](connection, parts)
}
