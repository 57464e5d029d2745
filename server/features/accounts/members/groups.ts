/** Roles that an identity policy derives from the groups of a user. */
import type { GroupMapping, IdentityPolicy } from '../../../core/auth/organizations.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'

export interface MappedRoles {
  /** The role in the organization; null: no mapping of the organization names one of the groups. */
  readonly organization: EnterpriseRole | null
  /** Whether any mapping is for the organization. */
  readonly hasOrganization: boolean
  /** The role in each project that a mapping names; null: no mapping of the project names one of the groups. */
  readonly projects: ReadonlyMap<string, EnterpriseRole | null>
}

/** The first mapping that names one of the groups decides, in the organization and in each project. Roles have no order by which one of two could be chosen. */
export function rolesOfGroups(mappings: readonly GroupMapping[], groups: readonly string[]): MappedRoles {
  const own = new Set(groups)
  const projects = new Map<string, EnterpriseRole | null>()
  let organization: EnterpriseRole | null = null
  let hasOrganization = false
  for (const { group, role, project_id } of mappings) {
    const matched = own.has(group) ? role : null
    if (project_id === undefined) {
      hasOrganization = true
      organization ??= matched
    } else projects.set(project_id, projects.get(project_id) ?? matched)
  }
  return { organization, hasOrganization, projects }
}

/** The role in the organization. @param otherwise if no mapping names a group of the user @returns null: groups do not change the role of the user */
export function assignedRole(
  { break_glass_user_ids }: Pick<IdentityPolicy, 'break_glass_user_ids'>,
  userId: string | null,
  { hasOrganization, organization }: MappedRoles,
  otherwise: EnterpriseRole | null,
): EnterpriseRole | null {
  return !hasOrganization || (userId !== null && break_glass_user_ids.includes(userId)) ? null : (organization ?? otherwise)
}
