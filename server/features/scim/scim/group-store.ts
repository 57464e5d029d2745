/**
 * Stored groups of SCIM and their members. A member is a document of its own, so that a change of one member of a large group costs as much as one of a small
 * group. Invariants:
 *  1. a commit that adds or removes members changes the revision and the count of their group
 *  2. every member is an existing user: a commit that adds members fails if a user was deleted since it checked them
 */
import { type TenantDocument, tenantCollection, type Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { StoredFields } from '../protocol/store-query.js'

export interface ScimGroupDocument extends TenantDocument {
  readonly display_name: string
  /** `foldCase(display_name)`; unique in the organization. */
  readonly display_key: string
  readonly external_id: string | null
  readonly member_count: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const SCIM_GROUPS = tenantCollection<ScimGroupDocument>('scim_groups', [
  { keys: { _id: 1 } },
  { keys: { display_key: 1 }, unique: true },
  { keys: { external_id: 1, _id: 1 } },
  { keys: { created_at: 1, _id: 1 } },
  { keys: { updated_at: 1, _id: 1 } },
])

/** Fields of attributes, for `planQuery`. */
export const GROUP_FIELDS: StoredFields = {
  displayName: { field: 'display_key', isAssigned: true },
  externalId: { field: 'external_id' },
  'meta.created': { field: 'created_at', isAssigned: true },
  'meta.lastModified': { field: 'updated_at', isAssigned: true },
}

export interface ScimGroupMemberDocument extends TenantDocument {
  readonly group_id: string
  readonly user_id: string
  /** Name of the user, as `members.display` shows it. */
  readonly display: string
}

export const SCIM_GROUP_MEMBERS = tenantCollection<ScimGroupMemberDocument>('scim_group_members', [
  { keys: { group_id: 1, user_id: 1 }, unique: true },
  { keys: { user_id: 1, group_id: 1 } },
])

/** One document for each organization: the number of deleted users, which commits that depend on existing users must find unchanged. */
export interface ScimStateDocument extends TenantDocument {
  readonly users_deleted: number
}

export const SCIM_STATES = tenantCollection<ScimStateDocument>('scim_states', [])

/** Ids in one condition of a query. */
export const IDS_IN_QUERY = 1000

/** The ids in parts that fit into one condition. */
export function inParts(ids: Iterable<string>): string[][] {
  const all = [...ids]
  return Array.from({ length: Math.ceil(all.length / IDS_IN_QUERY) }, (_, part) => all.slice(part * IDS_IN_QUERY, (part + 1) * IDS_IN_QUERY))
}

export function stateOf(scope: Scope): Promise<ScimStateDocument | null> {
  return scope.collection(SCIM_STATES).findOne({ _id: stateId(scope) })
}

/**
 * The write of a commit that depends on existing users, or deletes some: it fails if users were deleted since `before` was read.
 * @param deleted number of users that the commit deletes
 */
export function countingDeleted(scope: Scope, before: ScimStateDocument | null, deleted: number): Write {
  const states = scope.collection(SCIM_STATES)
  if (before === null) return states.inserting({ _id: stateId(scope), users_deleted: deleted })
  return states.updating({ _id: before._id, users_deleted: before.users_deleted }, { set: { users_deleted: before.users_deleted + deleted } })
}

/** Whether a commit failed because another one stored the first state. */
export function isStateTaken(error: unknown): boolean {
  return error instanceof DuplicateKeyError && error.collection === SCIM_STATES.name
}

export function addingMember(scope: Scope, groupId: string, userId: string, display: string): Write {
  return scope.collection(SCIM_GROUP_MEMBERS).inserting({ _id: newId(), group_id: groupId, user_id: userId, display })
}

/** Members of groups by their users. @param userIds null: all of them */
export async function membersOf(scope: Scope, groupIds: readonly string[], userIds: ReadonlySet<string> | null): Promise<ScimGroupMemberDocument[]> {
  const members = scope.collection(SCIM_GROUP_MEMBERS)
  if (groupIds.length === 0) return []
  const parts = userIds === null ? [null] : inParts(userIds)
  const found = await Promise.all(
    inParts(groupIds).flatMap((group_id) =>
      parts.map((user_id) => members.find({ group_id: { in: group_id }, ...(user_id === null ? {} : { user_id: { in: user_id } }) }, { sort: { group_id: 1, user_id: 1 } })),
    ),
  )
  return found.flat()
}

const stateId = ({ organizationId }: Scope): string => organizationId
