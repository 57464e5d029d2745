/** Stored users of SCIM. Their id is that of the account, so that it remains when a user is deactivated and admitted again. */
import type { ScimObject } from '../protocol/resource.js'
import { valuesOf } from '../protocol/resource.js'
import type { StoredFields } from '../protocol/store-query.js'
import { foldCase } from '../protocol/text-order.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

export interface ScimUserDocument extends TenantDocument {
  /** The account; `id` of the resource. */
  readonly user_id: string
  /** `foldCase(userName)`; unique in the organization. */
  readonly user_name: string
  readonly external_id: string | null
  /** `foldCase(displayName)`; null: unassigned. */
  readonly display_name: string | null
  /** `foldCase` of each `emails.value`. */
  readonly emails: readonly string[]
  /** Whether the user is a member of the organization. */
  readonly active: boolean
  /** Whether a client has written the resource. Other members are shown as well, so that a client can adopt them. */
  readonly is_provisioned: boolean
  /** The attributes that clients write, as JSON: names of attributes (`$ref`, URNs) are no valid names of fields. */
  readonly resource: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const SCIM_USERS = tenantCollection<ScimUserDocument>('scim_users', [
  { keys: { user_id: 1 }, unique: true },
  { keys: { user_id: 1, _id: 1 } },
  { keys: { user_name: 1 }, unique: true },
  { keys: { user_name: 1, _id: 1 } },
  { keys: { external_id: 1, user_id: 1, _id: 1 } },
  { keys: { emails: 1, user_id: 1, _id: 1 } },
  { keys: { display_name: 1, user_id: 1, _id: 1 } },
  { keys: { active: 1, user_id: 1, _id: 1 } },
  { keys: { created_at: 1, _id: 1 } },
  { keys: { updated_at: 1, _id: 1 } },
])

/** Fields of attributes, for `planQuery`. */
export const USER_FIELDS: StoredFields = {
  id: { field: 'user_id', isAssigned: true },
  userName: { field: 'user_name', isAssigned: true },
  externalId: { field: 'external_id' },
  displayName: { field: 'display_name' },
  'emails.value': { field: 'emails' },
  active: { field: 'active' },
  'meta.created': { field: 'created_at', isAssigned: true },
  'meta.lastModified': { field: 'updated_at', isAssigned: true },
}

/** What clients do not write, and what has a field of its own. */
const NOT_STORED = new Set(['schemas', 'id', 'meta', 'groups', 'active'])

/** The fields of a document that follow from a resource. */
export function fieldsOf(resource: ScimObject): Pick<ScimUserDocument, 'user_name' | 'external_id' | 'display_name' | 'emails' | 'resource'> {
  const { userName, externalId, displayName, emails } = resource
  const addresses = valuesOf(emails).flatMap((email) => {
    const { value } = email as ScimObject
    return typeof value === 'string' ? [foldCase(value)] : []
  })
  return {
    user_name: foldCase(String(userName)),
    external_id: typeof externalId === 'string' ? externalId : null,
    display_name: typeof displayName === 'string' ? foldCase(displayName) : null,
    emails: [...new Set(addresses)],
    resource: JSON.stringify(Object.fromEntries(Object.entries(resource).filter(([name]) => !NOT_STORED.has(name)))),
  }
}
