/** Tokens for provisioning as the API returns them. */
import { SCIM_TOKEN_PREFIX } from '../../../core/auth/api-keys.js'
import type { ScimTokenRecord } from './schema.js'
import type { ScimTokenDocument } from './store.js'

/** @param baseUrl address of SCIM */
export function presentScimToken(token: ScimTokenDocument, baseUrl: string): ScimTokenRecord {
  return {
    id: token._id,
    organization_id: token.organization_id,
    name: token.name,
    prefix: `${SCIM_TOKEN_PREFIX}${token.public_id}`,
    default_role: token.default_role,
    base_url: baseUrl,
    expires_at: token.expires_at?.toISOString() ?? null,
    last_used_at: token.last_used_at?.toISOString() ?? null,
    created_at: token.created_at.toISOString(),
    updated_at: token.updated_at.toISOString(),
  }
}
