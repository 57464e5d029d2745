/** The configuration of the assistant as the API shows it: nothing of the key. */
import type { Static } from 'typebox'
import type { AuditResource } from '../../../core/audit/service.js'
import type { AiConfigRecord } from './schema.js'
import { AI_CONFIG_ID, type AiConfigDocument } from './store.js'

/** Characters that are shown of an address after its scheme, at each end. */
const SHOWN = 4

export const AI_CONFIG_RESOURCE: AuditResource = { type: 'ai_config', id: AI_CONFIG_ID, name: 'assistant' }

export function presentAiConfig(config: AiConfigDocument): Static<typeof AiConfigRecord> {
  const { enabled, base_url, api_key, api_key_set_at, model, embedding_model, max_context_docs, updated_by, updated_at } = config
  return {
    enabled,
    base_url,
    has_api_key: api_key !== null,
    api_key_set_at: api_key_set_at?.toISOString() ?? null,
    model,
    embedding_model,
    max_context_docs,
    updated_by,
    updated_at: updated_at?.toISOString() ?? null,
  }
}

/** Returns an address for members: its scheme and its ends, so that it can be recognized and not called. Empty: there is no provider. */
export function maskAddress(address: string | null): string {
  if (address === null) return ''
  const [scheme, rest] = address.split('://', 2)
  const isLong = rest.length > 3 * SHOWN
  return `${scheme}://${isLong ? rest.slice(0, SHOWN) : ''}***${isLong ? rest.slice(-SHOWN) : ''}`
}
