/** The tables of permissions by role and by scope of API keys (CONTRACT.md#roles, #api-keys). */

const PERMISSIONS = [
  'project:view',
  'feedback:create',
  'analysis:run',
  'case:run',
  'project:create',
  'project:edit',
  'case:edit',
  'workspace:create',
  'review:create',
  'version:create',
  'review:comment',
  'review:approve',
  'version:publish',
  'project:delete',
  'audit:view',
  'feedback:view',
  'integration:manage',
  'member:manage',
  'identity_provider:manage',
  'webhook:manage',
  'api_key:manage',
  'billing:manage',
] as const

export type Permission = (typeof PERMISSIONS)[number]

const READ_ONLY = ['project:view', 'feedback:create'] as const satisfies readonly Permission[]
const RUNNING = [...READ_ONLY, 'analysis:run', 'case:run', 'review:comment'] as const satisfies readonly Permission[]
const AUTHORING = ['project:create', 'project:edit', 'case:edit', 'workspace:create', 'review:create', 'version:create'] as const satisfies readonly Permission[]
const JUDGING = ['review:approve', 'audit:view', 'feedback:view'] as const satisfies readonly Permission[]

/** From most to fewest permissions. */
export const ROLE_PERMISSIONS = {
  org_admin: PERMISSIONS,
  security_content_lead: [...RUNNING, ...AUTHORING, ...JUDGING, 'version:publish', 'project:delete', 'integration:manage'],
  reviewer: [...RUNNING, ...JUDGING],
  engineer: [...RUNNING, ...AUTHORING],
  read_only: READ_ONLY,
} as const satisfies Record<string, readonly Permission[]>

export type EnterpriseRole = keyof typeof ROLE_PERMISSIONS

export const ENTERPRISE_ROLES = Object.keys(ROLE_PERMISSIONS) as readonly EnterpriseRole[]

/** A write scope includes the read scope. */
export const SCOPE_PERMISSIONS = {
  'analysis:run': ['analysis:run'],
  'projects:read': ['project:view'],
  'projects:write': ['project:view', 'project:create', 'project:edit', 'workspace:create'],
  'cases:write': ['project:view', 'case:edit'],
  'cases:run': ['case:run'],
  'reviews:write': ['project:view', 'review:create', 'review:comment'],
  'versions:write': ['project:view', 'version:create', 'version:publish'],
  'audit:read': ['audit:view'],
  'integrations:manage': ['integration:manage'],
  'admin:*': PERMISSIONS,
} as const satisfies Record<string, readonly Permission[]>

export type KeyScope = keyof typeof SCOPE_PERMISSIONS

export const KEY_SCOPES = Object.keys(SCOPE_PERMISSIONS) as readonly KeyScope[]

const OF_ROLE = new Map<EnterpriseRole, ReadonlySet<Permission>>(ENTERPRISE_ROLES.map((role) => [role, new Set<Permission>(ROLE_PERMISSIONS[role])]))
const ALL: ReadonlySet<Permission> = new Set(PERMISSIONS)

/** Permissions of a member with that role. A platform admin has all of them in every organization. */
export function permissionsOfRole(role: EnterpriseRole | null, isPlatformAdmin: boolean): ReadonlySet<Permission> {
  if (isPlatformAdmin) return ALL
  return role === null ? new Set() : OF_ROLE.get(role)!
}

/** Roles that have a permission. */
export function rolesWith(permission: Permission): readonly EnterpriseRole[] {
  return ENTERPRISE_ROLES.filter((role) => OF_ROLE.get(role)!.has(permission))
}

/** Permissions of a key with these scopes. */
export function permissionsOfScopes(scopes: readonly KeyScope[]): ReadonlySet<Permission> {
  return new Set(scopes.flatMap((scope): readonly Permission[] => SCOPE_PERMISSIONS[scope]))
}
