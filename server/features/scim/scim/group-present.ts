/** Groups as resources of SCIM. */
import { weakEtag } from '../protocol/etag.js'
import { GROUP_TYPE } from '../protocol/resource-types.js'
import type { ScimObject } from '../protocol/resource.js'
import type { ScimGroupDocument, ScimGroupMemberDocument } from './group-store.js'

/** `type` of a member: groups have no groups as members. */
export const MEMBER_TYPE = 'User'

/** The resource. @param members to show; null: none @param base address of SCIM */
export function presentGroup(group: ScimGroupDocument, members: readonly Pick<ScimGroupMemberDocument, 'user_id' | 'display'>[] | null, base: string): ScimObject {
  const { _id, display_name, external_id, created_at, updated_at, revision } = group
  return {
    schemas: [GROUP_TYPE.schema.id],
    id: _id,
    ...(external_id === null ? {} : { externalId: external_id }),
    displayName: display_name,
    ...(members === null || members.length === 0 ? {} : { members: members.map(({ user_id, display }) => presentMember(user_id, display, base)) }),
    meta: {
      resourceType: GROUP_TYPE.name,
      created: created_at.toISOString(),
      lastModified: updated_at.toISOString(),
      location: `${base}${GROUP_TYPE.endpoint}/${_id}`,
      version: weakEtag(String(revision)),
    },
  }
}

function presentMember(value: string, display: string, base: string): ScimObject {
  return { value, $ref: `${base}/Users/${value}`, display, type: MEMBER_TYPE }
}

/** An element of a user's `groups`. */
export function presentGroupOfUser({ _id, display_name }: ScimGroupDocument, base: string): ScimObject {
  return { value: _id, $ref: `${base}${GROUP_TYPE.endpoint}/${_id}`, display: display_name, type: 'direct' }
}
