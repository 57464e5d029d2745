/** Roles in projects as the API returns them. */
import { versionTag } from '../../../core/etag.js'
import type { ProjectMemberDocument } from '../../../content/shared/project-roles.js'
import type { Member } from '../members/service.js'
import type { ProjectMemberRecord } from './schema.js'

/** A role in a project and its user. */
export interface ProjectMember extends Member {
  readonly role: ProjectMemberDocument
}

/** The ETag covers the organization role too, because the record contains it. `If-Match` of an update compares only the role in the project. */
export function projectMemberEtag({ role, membership }: ProjectMember): string {
  return versionTag(role.revision, membership.revision)
}

export function presentProjectMember({ role, membership, user }: ProjectMember): ProjectMemberRecord {
  return {
    id: role._id,
    project_id: role.project_id,
    user_id: role.user_id,
    email: user.email,
    display_name: user.display_name,
    role: role.role,
    organization_role: membership.role,
    created_at: role.created_at.toISOString(),
    updated_at: role.updated_at.toISOString(),
  }
}
