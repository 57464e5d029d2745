/**
 * Roles that follow the groups of a user, by the group mappings of the identity policy. Invariant: the role of a break-glass user, of the last org_admin, and any
 * role in an organization without mappings for it remain.
 */
import type { Identities } from '../../auth/identities.js'
import { DEFAULT_IDENTITY_POLICY, type OrganizationDocument } from '../../auth/organizations.js'
import { ApiError } from '../../errors.js'
import { PROJECT_MEMBERS, type ProjectMemberDocument } from '../../projects/project-roles.js'
import type { Write } from '../../storage/contract.js'
import { newId } from '../../storage/id.js'
import type { MembershipDocument } from '../../tenancy/memberships.js'
import type { EnterpriseRole } from '../../tenancy/permissions.js'
import type { Scope, ScopedCollection } from '../../tenancy/scope.js'
import { type AuditContext, auditing, diffOf } from '../audit/service.js'
import { type Member, type MemberChanges, NOTHING, type Plan, resourceOf } from './changes.js'
import { assignedRole, rolesOfGroups } from './groups.js'

/** Roles of a member after a change of the groups. */
export interface PreviewedRoles {
  readonly role: EnterpriseRole
  readonly projects: readonly { readonly project_id: string; readonly role: EnterpriseRole }[]
}

/** The groups of a user, for roles. */
export interface GroupsOfUser {
  readonly groups: readonly string[]
  /** Role in the organization if no mapping names one of the groups; null: it does not change. */
  readonly otherwise: EnterpriseRole | null
  readonly writes: readonly Write[]
}

export class GroupRoles {
  readonly #identities: Identities
  readonly #changes: MemberChanges

  constructor(identities: Identities, changes: MemberChanges) {
    this.#identities = identities
    this.#changes = changes
  }

  /**
   * As `applyGroups`, for groups that may change meanwhile.
   * @param read returns the groups, and further writes for a commit that changes roles; called again if that commit conflicts. Null: nothing to do
   * @throws ApiError resource_missing, edit_conflict
   */
  follow(scope: Scope, userId: string, read: () => Promise<GroupsOfUser | null>, context: AuditContext): Promise<void> {
    return this.#changes.commit(scope.organizationId, async (organization) => {
      const user = await read()
      if (user === null) return NOTHING
      const policy = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
      const membership = await this.#changes.membershipOf(scope.organizationId, userId)
      const mapped = rolesOfGroups(policy.group_mappings, user.groups)
      const role = assignedRole(policy, userId, mapped, user.otherwise)
      const plan = role === null ? NOTHING : await this.#changingRoleOrKeeping(scope, organization, membership, role, context)
      const writes = [...plan.writes, ...(await this.#changingProjectRoles(scope, await this.#changes.withUser(membership), mapped.projects, context))]
      return writes.length === 0 ? NOTHING : { ...plan, writes: [...writes, ...user.writes] }
    })
  }

  /** The users whose roles `applyGroups` would not change, or who are no members. Their groups were read before this call. */
  async settledBy(scope: Scope, groups: ReadonlyMap<string, Omit<GroupsOfUser, 'writes'>>): Promise<ReadonlySet<string>> {
    const { organizations, memberships } = this.#identities
    const userIds = [...groups.keys()]
    const policy = (await organizations.byId(scope.organizationId))?.identity_policy ?? DEFAULT_IDENTITY_POLICY
    const { group_mappings } = policy
    if (group_mappings.length === 0) return new Set(userIds)
    const projects = [...new Set(group_mappings.flatMap(({ project_id }) => project_id ?? []))]
    const found = projects.length === 0 ? [] : await scope.collection(PROJECT_MEMBERS).find({ user_id: { in: userIds }, project_id: { in: projects } })
    const projectRoles = new Map(found.map(({ user_id, project_id, role }) => [`${user_id} ${project_id}`, role]))
    const roles = new Map((await memberships.ofUsers(scope.organizationId, userIds)).map(({ user_id, role }) => [user_id, role]))
    const isSettled = (userId: string): boolean => {
      const role = roles.get(userId)
      if (role === undefined) return true
      const own = groups.get(userId)!
      const mapped = rolesOfGroups(group_mappings, own.groups)
      const wanted = assignedRole(policy, userId, mapped, own.otherwise)
      return (wanted === null || wanted === role) && [...mapped.projects].every(([projectId, one]) => (projectRoles.get(`${userId} ${projectId}`) ?? null) === one)
    }
    return new Set(userIds.filter(isSettled))
  }

  /**
   * The roles that `applyGroups` would assign. @param userId null: a new member @param current role of the member before
   * @throws ApiError resource_missing
   */
  async preview(scope: Scope, userId: string | null, current: EnterpriseRole, groups: readonly string[], otherwise: EnterpriseRole | null): Promise<PreviewedRoles> {
    const { organizations, memberships } = this.#identities
    const organization = await organizations.byId(scope.organizationId)
    if (organization === null) throw new ApiError('resource_missing')
    const policy = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
    const mapped = rolesOfGroups(policy.group_mappings, groups)
    const projects = [...mapped.projects].flatMap(([project_id, role]) => (role === null ? [] : [{ project_id, role }]))
    const role = assignedRole(policy, userId, mapped, otherwise)
    if (role === null || role === current) return { role: current, projects }
    const membership = userId === null ? null : await memberships.of(scope.organizationId, userId)
    const isFree = membership?.role !== 'org_admin' || (await unlessLocked(this.#changes.requireOtherAdmin(organization, membership).then(() => true))) === true
    return { role: isFree ? role : current, projects }
  }

  /** As `#changingRole`; an admin who must remain keeps the role, which the audit says. */
  async #changingRoleOrKeeping(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, role: EnterpriseRole, context: AuditContext): Promise<Plan> {
    try {
      return await this.#changes.changingRole(scope, organization, membership, role, context)
    } catch (error) {
      if (!(error instanceof ApiError) || (error.reason !== 'last_admin' && error.reason !== 'policy_locks_out')) throw error
      const { user } = await this.#changes.withUser(membership)
      const diff = { role: { before: membership.role, after: membership.role }, role_of_groups: { before: null, after: role }, reason: { before: null, after: error.reason } }
      const entry = { action: 'member.role_kept', resource: resourceOf(membership, user.email), diff } as const
      return { writes: [auditing(scope, context, entry, new Date(this.#identities.clock()))] }
    }
  }

  async #changingProjectRoles(
    scope: Scope,
    { membership: { user_id }, user: { email } }: Member,
    wanted: ReadonlyMap<string, EnterpriseRole | null>,
    context: AuditContext,
  ): Promise<Write[]> {
    const stored = scope.collection(PROJECT_MEMBERS)
    const now = new Date(this.#identities.clock())
    const found = wanted.size === 0 ? [] : await stored.find({ user_id, project_id: { in: [...wanted.keys()] } })
    const existing = new Map(found.map((role) => [role.project_id, role]))
    return [...wanted].flatMap(([project_id, role]) => {
      const before = existing.get(project_id) ?? null
      if ((before?.role ?? null) === role) return []
      const made = { _id: newId(), organization_id: scope.organizationId, project_id, user_id, created_at: now, revision: 1 }
      const after: ProjectMemberDocument | null = role === null ? null : { ...(before ?? made), role, updated_at: now }
      const action = before === null ? 'project.member_added' : after === null ? 'project.member_removed' : 'project.member_updated'
      const resource = { type: 'project_member', id: (before ?? made)._id, name: email }
      const entry = { action, resource, projectId: project_id, diff: diffOf(before, after, ['user_id', 'role']) } as const
      return [projectRoleWrite(stored, before, after), auditing(scope, context, entry, now)]
    })
  }
}

/** Null: the change would take the last admin away. */
async function unlessLocked<T>(change: Promise<T>): Promise<T | null> {
  try {
    return await change
  } catch (error) {
    if (error instanceof ApiError && (error.reason === 'last_admin' || error.reason === 'policy_locks_out')) return null
    throw error
  }
}

/** The write that turns one role in a project into another. Null: no role; one of the two is none. */
function projectRoleWrite(stored: ScopedCollection<ProjectMemberDocument>, before: ProjectMemberDocument | null, after: ProjectMemberDocument | null): Write {
  if (before === null) return stored.inserting(after!)
  if (after === null) return stored.deleting({ _id: before._id, revision: before.revision })
  return stored.updating({ _id: before._id, revision: before.revision }, { set: { role: after.role, updated_at: after.updated_at }, increment: { revision: 1 } })
}
