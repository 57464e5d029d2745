/** API keys as the API returns them. */
import type { Static } from 'typebox'
import { KEY_PREFIX } from '../../../core/auth/api-keys.js'
import type { ApiKeyRecord } from './schema.js'
import type { ShownKey } from './service.js'

export function presentApiKey({ key, owner }: ShownKey): Static<typeof ApiKeyRecord> {
  return {
    id: key._id,
    organization_id: key.organization_id,
    name: key.name,
    prefix: `${KEY_PREFIX}${key.public_id}`,
    scopes: [...key.scopes],
    owner: owner === null ? null : { user_id: owner.userId, email: owner.email, display_name: owner.displayName, is_member: owner.isMember },
    expires_at: key.expires_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
    created_at: key.created_at.toISOString(),
    updated_at: key.updated_at.toISOString(),
  }
}
