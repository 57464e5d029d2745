/** Identity providers as the API and the audit trail show them. */
import type { AuditResource } from '../../../core/audit/service.js'
import type { IdentityProviderRecord } from './schema.js'
import type { IdentityProviderDocument } from './store.js'

/** @param redirectUri the one to register at the provider */
export function presentProvider(provider: IdentityProviderDocument, redirectUri: string): IdentityProviderRecord {
  return {
    id: provider._id,
    organization_id: provider.organization_id,
    name: provider.name,
    kind: provider.kind,
    issuer: provider.issuer,
    client_id: provider.client_id,
    has_client_secret: provider.client_secret !== null,
    client_secret_set_at: provider.client_secret_set_at?.toISOString() ?? null,
    discovery_url: provider.discovery_url,
    scopes: [...provider.scopes],
    default_role: provider.default_role,
    domains: [...provider.domains],
    trust_email: provider.trust_email,
    email_claim: provider.email_claim,
    groups_claim: provider.groups_claim,
    required_claims: provider.required_claims.map(({ claim, values }) => ({ claim, values: [...values] })),
    tenant_ids: [...provider.tenant_ids],
    redirect_uri: redirectUri,
    created_at: provider.created_at.toISOString(),
    updated_at: provider.updated_at.toISOString(),
  }
}

export function resourceOf({ _id, name }: Pick<IdentityProviderDocument, '_id' | 'name'>): AuditResource {
  return { type: 'identity_provider', id: _id, name }
}
