/** Stored integrations: connections to forges, CI systems and chats. */
import type { IntegrationKind, Provider } from '../gateways/providers.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

/** Forms of credentials. `none`: the integration has none. */
export const CREDENTIAL_KINDS = ['none', 'token', 'password', 'app', 'webhook'] as const
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

export interface IntegrationDocument extends TenantDocument {
  readonly name: string
  readonly kind: IntegrationKind
  readonly provider: Provider
  readonly settings: IntegrationSettings
  /** Sealed JSON of the credentials, bound to organization and integration; null: none. */
  readonly credentials: string | null
  readonly credentials_kind: CredentialKind
  /** When the credentials were last sent; null: there are none. */
  readonly credentials_set_at: Date | null
  /** False: nothing is posted. Integrations of other kinds are always active. */
  readonly is_active: boolean
  /** Messaging: why the service stopped posting; null: it posts, or a caller stopped it. */
  readonly disabled_reason: 'gone' | 'failing' | null
  readonly disabled_at: Date | null
  /** Messaging: since when all posts have failed; null: the last one succeeded. */
  readonly failing_since: Date | null
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

/** Fields that the provider does not have are null, `events` is empty then. */
export interface IntegrationSettings {
  /** Without a trailing slash; null: the provider's public service. */
  readonly base_url: string | null
  readonly organization: string | null
  /** CI: the project in which runs start unless the request names one. */
  readonly project: string | null
  /** CI: the workflow (GitHub) that starts unless the request names one. */
  readonly workflow: string | null
  /** Messaging: names of the domain events that are posted. */
  readonly events: readonly string[]
  /** Messaging: language of the posts. */
  readonly locale: 'pt-BR' | 'en-US'
}

export const INTEGRATIONS = tenantCollection<IntegrationDocument>('integrations', [
  { keys: { created_at: -1, _id: -1 } },
  { keys: { name: 1, _id: 1 } },
  { keys: { kind: 1, created_at: -1, _id: -1 } },
  { keys: { kind: 1, name: 1, _id: 1 } },
])
