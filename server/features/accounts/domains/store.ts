/** Domains that organizations claim, and which organization has proven each. */
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

export interface DomainDocument extends TenantDocument {
  /** Lower-case ASCII form. */
  readonly domain: string
  /** Random part of the TXT record. */
  readonly token: string
  /** Null: not proven. */
  readonly verified_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const DOMAINS = tenantCollection<DomainDocument>('domains', [{ keys: { domain: 1 }, unique: true }, { keys: { created_at: -1, _id: -1 } }, { keys: { domain: 1, _id: 1 } }])

/** A proven domain. Its id is the domain, so the insert of a second proof fails, from the same organization or another. */
export interface DomainProofDocument extends TenantDocument {
  /** As the id, which is no locator. */
  readonly domain: string
  readonly claim_id: string
}

export const DOMAIN_PROOFS = tenantCollection<DomainProofDocument>('domain_proofs', [], ['domain'])
