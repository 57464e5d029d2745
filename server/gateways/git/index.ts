/** The table of Git providers. A new one is a file beside this one and a line here. */
import { type GatewayParts, type ProviderConnection, withConnections } from '../connection.js'
import type { GitProvider } from '../providers.js'
import type { GitCapabilities, GitGateway, GitWebhooks } from './gateway.js'
import { GITEA_CAPABILITIES, openGitea } from './gitea.js'
import { giteaWebhooks } from './gitea-webhooks.js'
import { GITHUB_CAPABILITIES, openGitHub } from './github.js'
import { githubWebhooks } from './github-webhooks.js'
import { GIT_CAPABILITIES, openPlainGit } from './git.js'
import { GITLAB_CAPABILITIES, openGitLab } from './gitlab.js'
import { gitlabWebhooks } from './gitlab-webhooks.js'

/** What a provider's file exports. */
export interface GitProviderEntry {
  readonly capabilities: GitCapabilities
  /** Null: the provider sends none. */
  readonly webhooks: GitWebhooks | null
  open(connection: ProviderConnection, parts: GatewayParts): GitGateway
}

const TABLE: Readonly<Record<GitProvider, GitProviderEntry>> = {
  github: { capabilities: GITHUB_CAPABILITIES, webhooks: githubWebhooks, open: openGitHub },
  gitlab: { capabilities: GITLAB_CAPABILITIES, webhooks: gitlabWebhooks, open: openGitLab },
  gitea: { capabilities: GITEA_CAPABILITIES, webhooks: giteaWebhooks, open: openGitea },
  git: { capabilities: GIT_CAPABILITIES, webhooks: null, open: openPlainGit },
}

/** What a provider can do. */
export function capabilitiesOf(provider: GitProvider): GitCapabilities {
  return TABLE[provider].capabilities
}

/** Opens a gateway, which calls nothing before a method is called. */
export function openGit(provider: GitProvider, connection: ProviderConnection, parts: GatewayParts): GitGateway {
  return TABLE[provider].open(connection, withConnections(parts))
}

/** Returns how deliveries of a provider's webhooks are read; null: it sends none. */
export function webhooksOf(provider: GitProvider): GitWebhooks | null {
  return TABLE[provider].webhooks
}
