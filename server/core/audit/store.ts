/** Stored audit entries. They are never updated. */
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { AuditAction } from './actions.js'

export interface AuditDocument extends TenantDocument {
  readonly project_id: string | null
  readonly actor_type: 'user' | 'api_key' | 'scim_token' | 'system'
  readonly actor_id: string | null
  /** E-mail of the user, name of the key or token, or name of the component of the service. */
  readonly actor_name: string
  readonly action: AuditAction
  readonly resource_type: string
  readonly resource_id: string
  readonly resource_name: string
  /** Values before and after the action, by field. */
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
  /** Whether a platform admin acted with the rights of one; missing: no. */
  readonly acting_as_platform_admin?: boolean
  readonly request_id: string | null
  readonly address: string | null
  readonly created_at: Date
}

export const AUDIT = tenantCollection<AuditDocument>(
  'audit_events',
  [
    { keys: { created_at: -1, _id: -1 } },
    { keys: { project_id: 1, created_at: -1, _id: -1 } },
    { keys: { action: 1, created_at: -1, _id: -1 } },
    { keys: { actor_id: 1, created_at: -1, _id: -1 } },
    { keys: { resource_id: 1, created_at: -1, _id: -1 } },
    { keys: { acting_as_platform_admin: 1, created_at: -1, _id: -1 } },
  ],
  [],
  {
    instanceIndexes: [
      { keys: { created_at: -1, _id: -1 } },
      { keys: { action: 1, created_at: -1, _id: -1 } },
      { keys: { actor_id: 1, created_at: -1, _id: -1 } },
      { keys: { resource_id: 1, created_at: -1, _id: -1 } },
      { keys: { acting_as_platform_admin: 1, created_at: -1, _id: -1 } },
    ],
  },
)
