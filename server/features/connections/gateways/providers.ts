/** The table of external providers: kinds of integrations and their providers. */
export const PROVIDERS = {
  git: ['github', 'gitlab', 'gitea', 'git'],
  ci: ['github_actions', 'gitlab_ci', 'jenkins'],
  messaging: ['slack', 'mattermost', 'microsoft_teams'],
} as const

export type IntegrationKind = keyof typeof PROVIDERS
export const INTEGRATION_KINDS = Object.keys(PROVIDERS) as readonly IntegrationKind[]

export type ProviderOf<K extends IntegrationKind> = (typeof PROVIDERS)[K][number]
export type GitProvider = ProviderOf<'git'>
export type CiProvider = ProviderOf<'ci'>
export type MessagingProvider = ProviderOf<'messaging'>
export type Provider = ProviderOf<IntegrationKind>
