/** The table of Git providers. A new one is a file beside this one and a line here. Only the gateways that are used are loaded, with their libraries. */
import { type GatewayParts, type ProviderConnection, withConnections } from '../connection.js'
import type { GitProvider } from '../providers.js'
import { GIT_CAPABILITIES } from './capabilities.js'
import type { GitCapabilities, GitGateway, GitWebhooks } from './gateway.js'
import { giteaWebhooks } from './gitea-webhooks.js'
import { githubWebhooks } from './github-webhooks.js'
import { gitlabWebhooks } from './gitlab-webhooks.js'

type Open = (connection: ProviderConnection, parts: GatewayParts) => GitGateway

/** What a provider's files export. */
interface GitProviderEntry {
  /** Null: the provider sends none. */
  readonly webhooks: GitWebhooks | null
  load(): Promise<Open>
}

const TABLE: Readonly<Record<GitProvider, GitProviderEntry>> = {
  github: { webhooks: githubWebhooks, load: async () => (await import('./github.js')).openGitHub },
  gitlab: { webhooks: gitlabWebhooks, load: async () => (await import('./gitlab.js')).openGitLab },
  gitea: { webhooks: giteaWebhooks, load: async () => (await import('./gitea.js')).openGitea },
  git: { webhooks: null, load: async () => (await import('./git.js')).openPlainGit },
}

/** What a provider can do. */
export function capabilitiesOf(provider: GitProvider): GitCapabilities {
  return GIT_CAPABILITIES[provider]
}

/** Opens a gateway, which calls nothing before a method is called. */
export async function openGit(provider: GitProvider, connection: ProviderConnection, parts: GatewayParts): Promise<GitGateway> {
  const open = await TABLE[provider].load()
  return open(connection, withConnections(parts))
}

/** Returns how deliveries of a provider's webhooks are read; null: it sends none. */
export function webhooksOf(provider: GitProvider): GitWebhooks | null {
  return TABLE[provider].webhooks
}
