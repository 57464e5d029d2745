/** Identity providers of organizations, and the domains that they list. */
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { RequiredClaim } from '../oidc/gateway.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

export interface IdentityProviderDocument extends TenantDocument {
  readonly name: string
  readonly kind: 'oidc'
  readonly issuer: string
  readonly client_id: string
  /** Sealed, bound to organization and provider; null: a public client. */
  readonly client_secret: string | null
  /** When the secret was last sent; null: there is none. */
  readonly client_secret_set_at: Date | null
  /** Null: that of the issuer. */
  readonly discovery_url: string | null
  readonly scopes: readonly string[]
  /** Role of new members, unless a group mapping decides another one. */
  readonly default_role: EnterpriseRole
  /** In the form of `domainOf`. Each has a document in `IDENTITY_PROVIDER_DOMAINS`. */
  readonly domains: readonly string[]
  /** Whether e-mails of this provider count as verified although it does not say so. */
  readonly trust_email: boolean
  readonly email_claim: string
  /** Null: groups are not read. */
  readonly groups_claim: string | null
  readonly required_claims: readonly RequiredClaim[]
  /** Entra ID with several tenants: those whose users may log in. */
  readonly tenant_ids: readonly string[]
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

/** The id is a locator: the login of a provider is a public route, before an organization is known. */
export const IDENTITY_PROVIDERS = tenantCollection<IdentityProviderDocument>(
  'identity_providers',
  [{ keys: { created_at: -1, _id: -1 } }, { keys: { name: 1, _id: 1 } }, { keys: { issuer: 1, _id: 1 } }],
  ['_id'],
)

/** A domain that a provider lists. Its id is the domain, so that the insert of a second listing fails, from the same organization or another. */
export interface IdentityProviderDomainDocument extends TenantDocument {
  readonly provider_id: string
}

export const IDENTITY_PROVIDER_DOMAINS = tenantCollection<IdentityProviderDomainDocument>('identity_provider_domains', [{ keys: { provider_id: 1, _id: 1 } }], ['_id'])
