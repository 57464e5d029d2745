/** Roles of users in projects. A role adds permissions inside the project and never removes any (CONTRACT.md#roles). */
import { type EnterpriseRole, type Permission, permissionsOfRole } from '../../core/tenancy/permissions.js'
import type { Principal } from '../../core/auth/principal.js'
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { Scope, Tenancy } from '../../core/tenancy/scope.js'

export interface ProjectMemberDocument extends TenantDocument {
  readonly project_id: string
  readonly user_id: string
  readonly role: EnterpriseRole
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const PROJECT_MEMBERS = tenantCollection<ProjectMemberDocument>('project_members', [
  { keys: { project_id: 1, user_id: 1 }, unique: true },
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { user_id: 1 } },
])

export function projectRole(scope: Scope, projectId: string, userId: string): Promise<ProjectMemberDocument | null> {
  return scope.collection(PROJECT_MEMBERS).findOne({ project_id: projectId, user_id: userId })
}

/** Returns the permissions of a user's project role, for `authorize`; null: no role. Called only if the role in the organization is not enough. */
export async function projectPermissions(tenancy: Pick<Tenancy, 'of'>, organizationId: string, projectId: string, userId: string): Promise<ReadonlySet<Permission> | null> {
  const membership = await projectRole(tenancy.of(organizationId), projectId, userId)
  return membership === null ? null : permissionsOfRole(membership.role, false)
}

/** Whether a caller has a permission in a project that the route does not require. @param scope of the caller's organization */
export async function mayInProject(scope: Scope, principal: Principal, projectId: string, permission: Permission): Promise<boolean> {
  if (principal.permissions.has(permission)) return true
  if (principal.kind !== 'user') return false
  const membership = await projectRole(scope, projectId, principal.userId)
  return membership !== null && permissionsOfRole(membership.role, false).has(permission)
}
