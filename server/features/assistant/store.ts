/** What an organization has used of the assistant in a month (UTC). */
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'

/** `_id` is organization and month. */
export interface AiUsageDocument extends TenantDocument {
  /** `2026-11`. */
  readonly month: string
  readonly requests: number
  /** Those of them whose tokens are an estimate. */
  readonly estimated_requests: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cached_tokens: number
}

export const AI_USAGE = tenantCollection<AiUsageDocument>('ai_usage', [])
