/** Identities at providers that are linked to accounts. */
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

export interface LinkedIdentityDocument extends TenantDocument {
  readonly provider_id: string
  /** Part of the key: a provider whose issuer changes is another provider, and one for several tenants has several issuers. */
  readonly issuer: string
  readonly subject: string
  readonly user_id: string
  readonly created_at: Date
}

export const LINKED_IDENTITIES = tenantCollection<LinkedIdentityDocument>('linked_identities', [
  { keys: { provider_id: 1, issuer: 1, subject: 1 }, unique: true },
  { keys: { user_id: 1, _id: 1 } },
])
