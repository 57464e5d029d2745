/**
 * Roles that follow the groups of a user, by the group mappings of the identity policy. Invariant: the role of a break-glass user, of the last org_admin, and any
 * role in an organization without mappings for it remain. A mapping of a deleted project has no effect.
 */
import type { Identities } from '../../../core/auth/identities.js'
import { DEFAULT_IDENTITY_POLICY, type GroupMapping, type IdentityPolicy, type OrganizationDocument } from '../../../core/auth/organizations.js'
import { ApiError, required } from '../../../core/errors.js'
import { PROJECTS } from '../../../content/shared/project.js'
import { PROJECT_MEMBERS, type ProjectMemberDocument } from '../../../content/shared/project-roles.js'
import type { Write } from '../../../core/storage/contract.js'
import { newId } from '../../../core/storage/id.js'
import type { MembershipDocument } from '../../../core/tenancy/memberships.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { Scope, ScopedCollection } from '../../../core/tenancy/scope.js'
import { type AuditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { type Member, type MemberChanges, resourceOf, withUser } from './changes.js'
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
}

/** The groups of some users. */
export interface GroupsOfUsers {
  /** By user id. Users who are no members have no roles. */
  readonly users: ReadonlyMap<string, GroupsOfUser>
  /** Further writes for the commit, which are made even if no role changes. */
  readonly writes: readonly Write[]
  /** Further writes for a commit that changes roles. */
  readonly guards: readonly Write[]
}

/** Writes of one commit that changes roles, about: other changes of members wait for it. */
const WRITES_TOGETHER = 1000
/** Users of one commit that changes roles. */
const USERS_TOGETHER = 100

/** A member whose roles differ from those of the groups. */
interface DueMember {
  readonly member: Member
  /** Null: the role in the organization remains. */
  readonly role: EnterpriseRole | null
  /** Roles in projects that change. Null: no role. */
  readonly projects: readonly (readonly [projectId: string, before: ProjectMemberDocument | null, role: EnterpriseRole | null])[]
}

export class GroupRoles {
  readonly #identities: Identities
  readonly #changes: MemberChanges

  constructor(identities: Identities, changes: MemberChanges) {
    this.#identities = identities
    this.#changes = changes
  }

  /**
   * Assigns roles to many users, in few commits.
   * @param read returns the groups of the users of one commit, in which they may change meanwhile; called again if the commit conflicts
   * @throws ApiError edit_conflict
   */
  async follow(scope: Scope, userIds: readonly string[], read: (userIds: readonly string[]) => Promise<GroupsOfUsers>, context: AuditContext): Promise<void> {
    const { group_mappings } = policyOf(await this.#identities.organizations.byId(scope.organizationId))
    const projects = projectsOf(group_mappings).length
    const together = Math.max(1, Math.min(USERS_TOGETHER, Math.floor(WRITES_TOGETHER / (2 * (projects + 1)))))
    for (let begin = 0; begin < userIds.length; begin += together) {
      const part = userIds.slice(begin, begin + together)
      await this.#followTogether(scope, () => read(part), context)
    }
  }

  #followTogether(scope: Scope, read: () => Promise<GroupsOfUsers>, context: AuditContext): Promise<void> {
    return this.#changes.commit(scope.organizationId, async (organization) => {
      const { users, writes, guards } = await read()
      const due = await this.#due(scope, policyOf(organization), users)
      return due.length === 0 ? { writes, isHarmless: true } : { writes: [...(await this.#changing(scope, organization, due, context)), ...writes, ...guards] }
    })
  }

  async #due(scope: Scope, policy: IdentityPolicy, groups: ReadonlyMap<string, GroupsOfUser>): Promise<DueMember[]> {
    const userIds = [...groups.keys()]
    const projectIds = userIds.length === 0 ? [] : await existing(scope, projectsOf(policy.group_mappings))
    const [members, found] = await Promise.all([
      this.#identities.memberships.ofUsers(scope.organizationId, userIds),
      projectIds.length === 0 ? [] : scope.collection(PROJECT_MEMBERS).find({ user_id: { in: userIds }, project_id: { in: projectIds } }),
    ])
    const projectRoles = new Map(found.map((one) => [`${one.user_id} ${one.project_id}`, one]))
    const due = members.flatMap((membership) => {
      const { user_id } = membership
      const own = groups.get(user_id)!
      const mapped = rolesOfGroups(policy.group_mappings, own.groups)
      const assigned = assignedRole(policy, user_id, mapped, own.otherwise)
      const role = assigned === membership.role ? null : assigned
      const projects = [...mapped.projects]
        .map(([projectId, one]) => [projectId, projectRoles.get(`${user_id} ${projectId}`) ?? null, one] as const)
        .filter(([projectId, before, one]) => (before?.role ?? null) !== one && projectIds.includes(projectId))
      return role === null && projects.length === 0 ? [] : [{ membership, role, projects }]
    })
    const people = await this.#identities.users.byIds(due.map(({ membership }) => membership.user_id))
    return due.flatMap(({ membership, ...roles }) => withUser(membership, people.get(membership.user_id)).map((member) => ({ member, ...roles })))
  }

  async #changing(scope: Scope, organization: OrganizationDocument, due: readonly DueMember[], context: AuditContext): Promise<readonly Write[]> {
    const now = new Date(this.#identities.clock())
    const changed = new Map<EnterpriseRole, MembershipDocument[]>()
    const leaving = new Set<string>()
    const audits: Write[] = []
    for (const { member, role } of due) {
      if (role === null) continue
      const { membership } = member
      const refusal = membership.role === 'org_admin' ? await this.#refusal(organization, membership, leaving) : null
      audits.push(refusal === null ? this.#changes.auditingRole(scope, member, role, context, now) : auditingKept(scope, member, role, refusal, context, now))
      if (refusal !== null) continue
      changed.set(role, [...(changed.get(role) ?? []), membership])
      if (membership.role === 'org_admin') leaving.add(membership._id)
    }
    const projects = due.flatMap((one) => projectWrites(scope, one, context, now))
    // The store inserts consecutive documents of a collection together.
    return [
      ...[...changed].map(([role, memberships]) => this.#identities.memberships.changingRoles(scope.organizationId, memberships, role, now)),
      ...projects.map(({ change }) => change),
      ...audits,
      ...projects.map(({ audit }) => audit),
    ]
  }

  /** Why an admin has to remain one; null: another remains. @param leaving other admins of the same commit */
  async #refusal(organization: OrganizationDocument, membership: MembershipDocument, leaving: ReadonlySet<string>): Promise<ApiError | null> {
    try {
      await this.#changes.requireOtherAdmin(organization, membership, leaving)
      return null
    } catch (error) {
      if (error instanceof ApiError && (error.reason === 'last_admin' || error.reason === 'policy_locks_out')) return error
      throw error
    }
  }

  /**
   * The roles that `applyGroups` would assign. @param userId null: a new member @param current role of the member before
   * @throws ApiError resource_missing
   */
  async preview(scope: Scope, userId: string | null, current: EnterpriseRole, groups: readonly string[], otherwise: EnterpriseRole | null): Promise<PreviewedRoles> {
    const { organizations, memberships } = this.#identities
    const organization = required(await organizations.byId(scope.organizationId))
    const policy = policyOf(organization)
    const mapped = rolesOfGroups(policy.group_mappings, groups)
    const known = await existing(scope, [...mapped.projects.keys()])
    const projects = [...mapped.projects].flatMap(([project_id, role]) => (role === null || !known.includes(project_id) ? [] : [{ project_id, role }]))
    const role = assignedRole(policy, userId, mapped, otherwise)
    if (role === null || role === current) return { role: current, projects }
    const membership = userId === null ? null : await memberships.of(scope.organizationId, userId)
    const isFree = membership?.role !== 'org_admin' || (await this.#refusal(organization, membership, new Set())) === null
    return { role: isFree ? role : current, projects }
  }
}

function policyOf(organization: OrganizationDocument | null): IdentityPolicy {
  return organization?.identity_policy ?? DEFAULT_IDENTITY_POLICY
}

/** Those of the projects that are not deleted. */
async function existing(scope: Scope, projectIds: readonly string[]): Promise<string[]> {
  return projectIds.length === 0 ? [] : (await scope.collection(PROJECTS).find({ _id: { in: projectIds } })).map(({ _id }) => _id)
}

/** The projects that mappings name. */
function projectsOf(mappings: readonly GroupMapping[]): string[] {
  return [...new Set(mappings.flatMap(({ project_id }) => project_id ?? []))]
}

/** The audit entry about an admin who keeps the role. */
function auditingKept(scope: Scope, { membership, user }: Member, role: EnterpriseRole, { reason }: ApiError, context: AuditContext, now: Date): Write {
  const diff = { role: { before: membership.role, after: membership.role }, role_of_groups: { before: null, after: role }, reason: { before: null, after: reason } }
  return auditing(scope, context, { action: 'member.role_kept', resource: resourceOf(membership, user.email), diff }, now)
}

/** The writes of the roles in projects, and their audit entries. */
function projectWrites(scope: Scope, { member, projects }: DueMember, context: AuditContext, now: Date): { readonly change: Write; readonly audit: Write }[] {
  const { user_id } = member.membership
  return projects.map(([project_id, before, role]) => {
    const made = { _id: newId(), organization_id: scope.organizationId, project_id, user_id, created_at: now, revision: 1 }
    const after: ProjectMemberDocument | null = role === null ? null : { ...(before ?? made), role, updated_at: now }
    const action = before === null ? 'project.member_added' : after === null ? 'project.member_removed' : 'project.member_updated'
    const resource = { type: 'project_member', id: (before ?? made)._id, name: member.user.email }
    const entry = { action, resource, projectId: project_id, diff: diffOf(before, after, ['user_id', 'role']) } as const
    return { change: projectRoleWrite(scope.collection(PROJECT_MEMBERS), before, after), audit: auditing(scope, context, entry, now) }
  })
}

/** The write that turns one role in a project into another. Null: no role; one of the two is none. */
function projectRoleWrite(stored: ScopedCollection<ProjectMemberDocument>, before: ProjectMemberDocument | null, after: ProjectMemberDocument | null): Write {
  if (before === null) return stored.inserting(after!)
  if (after === null) return stored.deleting({ _id: before._id, revision: before.revision })
  return stored.updating({ _id: before._id, revision: before.revision }, { set: { role: after.role, updated_at: after.updated_at }, increment: { revision: 1 } })
}
