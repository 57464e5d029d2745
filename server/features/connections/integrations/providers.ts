/** The table of what each provider needs: fields of `settings`, and forms of `credentials`. Validation and the interface document are derived from it. */
import type { Provider } from '../gateways/providers.js'
import type { CredentialKind, IntegrationSettings } from './store.js'

export type SettingName = keyof IntegrationSettings

export interface ProviderFields {
  readonly settings: { readonly [K in SettingName]?: 'required' | 'optional' }
  /** Accepted forms of credentials. */
  readonly credentials: readonly CredentialKind[]
}

const MESSAGING = { settings: { events: 'required', locale: 'optional' }, credentials: ['webhook'] } as const

export const PROVIDER_FIELDS: Readonly<Record<Provider, ProviderFields>> = {
  github: { settings: { base_url: 'optional', organization: 'optional' }, credentials: ['token', 'app'] },
  gitlab: { settings: { base_url: 'optional', organization: 'optional' }, credentials: ['token'] },
  gitea: { settings: { base_url: 'required', organization: 'optional' }, credentials: ['token', 'password'] },
  git: { settings: { base_url: 'required', organization: 'optional' }, credentials: ['none', 'token', 'password'] },
  github_actions: {
    settings: { base_url: 'optional', organization: 'optional', project: 'optional', workflow: 'optional' },
    credentials: ['token', 'app'],
  },
  gitlab_ci: { settings: { base_url: 'optional', organization: 'optional', project: 'optional' }, credentials: ['token'] },
  jenkins: { settings: { base_url: 'required', organization: 'optional', project: 'optional' }, credentials: ['password'] },
  slack: MESSAGING,
  mattermost: MESSAGING,
  microsoft_teams: MESSAGING,
}

/** Fields of each form of credentials; all of them are required. */
export const CREDENTIAL_FIELDS = {
  none: [],
  token: ['token'],
  password: ['username', 'password'],
  app: ['app_id', 'private_key', 'installation_id'],
  webhook: ['webhook_url'],
} as const satisfies Readonly<Record<CredentialKind, readonly string[]>>

/** A table of the interface document: what each provider takes. */
export function describeProviders(): string {
  const rows = Object.entries(PROVIDER_FIELDS).map(([provider, { settings, credentials }]) => {
    const fields = Object.entries(settings).map(([name, need]) => (need === 'required' ? `\`${name}\` (required)` : `\`${name}\``))
    const forms = credentials.map((kind) => (kind === 'none' ? 'none' : CREDENTIAL_FIELDS[kind].map((field) => `\`${field}\``).join(' + ')))
    return `| \`${provider}\` | ${fields.join(', ')} | ${forms.join(', or ')} |`
  })
  return ['| provider | settings | credentials |', '|---|---|---|', ...rows].join('\n')
}
