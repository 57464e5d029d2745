/** Domains as the API returns them. */
import type { DomainRecord } from './schema.js'
import type { DomainDocument } from './store.js'

/** Prefix of the TXT record's text, by which people recognize it among others. */
const TEXT_PREFIX = 'detection-content-verification='

/** The text of the TXT record that proves a claim. */
export function recordText({ token }: Pick<DomainDocument, 'token'>): string {
  return `${TEXT_PREFIX}${token}`
}

export function presentDomain(claim: DomainDocument): DomainRecord {
  return {
    id: claim._id,
    organization_id: claim.organization_id,
    domain: claim.domain,
    status: claim.verified_at === null ? 'pending' : 'verified',
    txt_record: { name: claim.domain, value: recordText(claim) },
    verified_at: claim.verified_at?.toISOString() ?? null,
    created_at: claim.created_at.toISOString(),
    updated_at: claim.updated_at.toISOString(),
  }
}
