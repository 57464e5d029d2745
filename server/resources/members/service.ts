/**
 * Members of organizations: created, admitted by a provider, given roles, removed. Invariants:
 *  1. role changes and removals of an organization are serialized, so that an org_admin always remains, and one who can log in with a password while the
 *     identity policy requires a provider
 *  2. a break-glass user who is no org_admin any more leaves the policy in the same commit
 *  3. nobody becomes a member by the word of a provider alone: an account that is no member joins only if the organization has proven its domain
 *  4. who was removed stays out: a login lets nobody in again, but provisioning and an invitation do
 */
import type { Identities } from '../../auth/identities.js'
import { DEFAULT_IDENTITY_POLICY, type IdentityPolicy, type OrganizationDocument } from '../../auth/organizations.js'
import { isPlatformAdmin } from '../../auth/principal.js'
import { entersWithPassword } from '../../auth/session-reach.js'
import type { Throttles } from '../../auth/throttles.js'
import { type NewUser, newUserDocument, type UserDocument, USERS } from '../../auth/users.js'
import type { Actor } from '../../auth/request-context.js'
import { ApiError } from '../../errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../etag.js'
import { PROJECT_MEMBERS, type ProjectMemberDocument } from '../../projects/project-roles.js'
import type { Write } from '../../storage/contract.js'
import { DuplicateKeyError } from '../../storage/errors.js'
import { newId } from '../../storage/id.js'
import { MEMBERSHIPS, type MembershipDocument, newMembership } from '../../tenancy/memberships.js'
import { findOptions, type Page } from '../../tenancy/page.js'
import type { EnterpriseRole } from '../../tenancy/permissions.js'
import type { Quotas } from '../../tenancy/quotas.js'
import { isStaleWrite, retryStale } from '../../tenancy/retry-stale.js'
import type { Scope, ScopedCollection } from '../../tenancy/scope.js'
import type { ApiKeysService } from '../api-keys/service.js'
import type { DomainsService } from '../domains/service.js'
import { type AuditContext, type AuditResource, auditContext, auditing, diffOf } from '../audit/service.js'
import { assignedRole, rolesOfGroups } from './groups.js'
import type { MemberCreateRequest, MemberListQuery, MemberUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes of members. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20

/** A membership with its user. */
export interface Member {
  readonly membership: MembershipDocument
  readonly user: UserDocument
}

/** Returns further writes for the commit that creates a member. */
export type Alongside = (member: Member, now: Date) => readonly Write[]

/** A person whom an identity provider vouches for, or provisions. */
export interface Admission {
  readonly email: string
  readonly displayName: string
  /** Role of a new member. That of an existing member does not change. */
  readonly role: EnterpriseRole
}

/** How a person was admitted: was a member before, joined with an existing account, or joined with a new account. */
export type AdmissionOutcome = 'member' | 'joined' | 'created'

export interface Admitted extends Member {
  readonly outcome: AdmissionOutcome
}

export interface AdmissionOptions {
  /** The context of the audit entries: the person, or the token that provisions. */
  readonly contextOf: (user: UserDocument) => AuditContext
  /** Whether a person who was removed stays out. Default: the admission lets them in again. */
  readonly refusesFormer?: boolean
  /** Returns further writes for the same commit; may be called again after a conflict. What it throws refuses the admission. */
  readonly alongside?: (admitted: Admitted, now: Date) => readonly Write[] | Promise<readonly Write[]>
}

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

/** The writes of a change of members. */
interface Plan {
  readonly writes: readonly Write[]
  /** The identity policy to store; absent: it does not change. */
  readonly policy?: IdentityPolicy
  /** The user whose sessions are closed, also those that requests use in another organization. */
  readonly sessionsOf?: string
}

const NOTHING: Plan = { writes: [] }

export interface MembersParts {
  readonly identities: Identities
  readonly throttles: Pick<Throttles, 'member'>
  readonly quotas: Pick<Quotas, 'creating' | 'requireRoom'>
  readonly keys: Pick<ApiKeysService, 'leaving'>
  readonly domains: Pick<DomainsService, 'hasProven'>
  /** Returns further writes for the commit of `remove`. */
  readonly onRemoving?: (scope: Scope, userId: string, now: Date) => readonly Write[]
}

export class MembersService {
  readonly #identities: Identities
  readonly #parts: Omit<MembersParts, 'identities'>

  constructor({ identities, ...parts }: MembersParts) {
    this.#identities = identities
    this.#parts = parts
  }

  async list({ organizationId }: Scope, query: MemberListQuery): Promise<Page<Member>> {
    const { memberships, users } = this.#identities
    const { role, user_id } = query
    const filter = { ...(role === undefined ? {} : { role }), ...(user_id === undefined ? {} : { user_id }) }
    const { items, total } = await memberships.ofOrganization(organizationId, filter, findOptions(query))
    const people = await users.byIds(items.map((membership) => membership.user_id))
    return { items: items.flatMap((membership) => withUser(membership, people.get(membership.user_id))), total }
  }

  /** @throws ApiError resource_missing */
  async get({ organizationId }: Scope, memberId: string): Promise<Member> {
    return this.#withUser(await this.#membership(organizationId, memberId))
  }

  /** Names of the users who are members, by user id. */
  async namesOf({ organizationId }: Scope, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { memberships, users } = this.#identities
    const found = await memberships.ofUsers(organizationId, userIds)
    return new Map([...(await users.byIds(found.map(({ user_id }) => user_id)))].map(([id, { display_name }]) => [id, display_name]))
  }

  /**
   * Creates a user as a member. @param alongside returns further writes about the new member, for the same commit
   * @throws ApiError email_taken, member_exists, member_limit, plan_quota_exceeded, rate_limited, limit_reached
   */
  async create(scope: Scope, { email, display_name, password, role }: MemberCreateRequest, actor: Actor, alongside: Alongside = () => []): Promise<Member> {
    const { users, memberships, passwords, clock } = this.#identities
    const room = memberships.room(scope.organizationId)
    const existing = await users.byEmail(email)
    if (existing !== null) throw new ApiError((await memberships.of(scope.organizationId, existing._id)) === null ? 'email_taken' : 'member_exists')
    if (users.isReserved(email) && !isPlatformAdmin(actor.principal)) throw new ApiError('email_taken')
    await this.#parts.quotas.requireRoom(scope, 'members', room)
    await this.#parts.throttles.member(scope.organizationId)
    const password_hash = await passwords.hash(password, { organization: scope.organizationId })
    const now = new Date(clock())
    const newUser = { _id: newId(), email, display_name: display_name.trim(), password_hash, default_organization_id: scope.organizationId }
    const user = newUserDocument(newUser, now)
    const membership = newMembership(newId(), scope.organizationId, user._id, role, now)
    const context = auditContext(actor)
    try {
      const writes = [
        users.adding(newUser, now),
        memberships.adding(membership),
        auditing(scope, context, { action: 'user.created', resource: { type: 'user', id: user._id, name: user.email }, diff: diffOf(null, user, ['email', 'display_name']) }, now),
        auditing(scope, context, { action: 'member.added', resource: resourceOf(membership, user.email), diff: diffOf(null, membership, ['user_id', 'role']) }, now),
        ...alongside({ membership, user }, now),
      ]
      await this.#parts.quotas.creating(scope, 'members', { ...room, writes: async () => writes })
    } catch (error) {
      if (error instanceof DuplicateKeyError && error.collection === USERS.name) throw new ApiError('email_taken')
      throw error
    }
    return { membership, user }
  }

  /**
   * Makes a person a member without a password: with the account that has the e-mail, or with a new account. An account that is not a member yet joins only if
   * the organization has proven the domain of its e-mail, because nobody else may speak for the account. An account without a password that is a member nowhere is
   * nobody's: it was created for a person who has been removed since, and joins as a new one would.
   * @throws ApiError domain_unproven, former_member, email_taken (reserved), user_inactive, member_limit, organization_limit, plan_quota_exceeded, edit_conflict, and what `alongside` throws
   */
  admit(scope: Scope, admission: Admission, { contextOf, refusesFormer = false, alongside = () => [] }: AdmissionOptions): Promise<Admitted> {
    const { users, memberships, formerMembers } = this.#identities
    return retryStale(
      ATTEMPTS,
      async () => {
        const user = await users.byEmail(admission.email)
        if (user === null) return this.#admitNew(scope, admission, contextOf, alongside)
        if (!user.is_active) throw new ApiError('user_inactive')
        if ((await memberships.of(scope.organizationId, user._id)) === null) {
          if (refusesFormer && (await formerMembers.has(scope.organizationId, user._id))) throw new ApiError('former_member')
          return this.#admitAccount(scope, user, admission.role, contextOf, alongside)
        }
        let admitted: Admitted | null = null
        await this.whileMember(scope, user._id, async (member) => {
          admitted = { ...member, outcome: 'member' }
          return alongside(admitted, new Date(this.#identities.clock()))
        })
        return admitted!
      },
      { pauseMs: PAUSE_MS, isStale: hasChanged },
    )
  }

  /** Updates the role. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, last_admin, policy_locks_out, edit_conflict */
  async changeRole(scope: Scope, memberId: string, { role }: MemberUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<Member> {
    await this.#commitPlan(scope.organizationId, async (organization) => {
      const membership = await this.#membership(scope.organizationId, memberId)
      requireMatch(etagOf(membership), ifMatch)
      return role === undefined ? NOTHING : this.#changingRole(scope, organization, membership, role, auditContext(actor))
    })
    return this.get(scope, memberId)
  }

  /** Updates the role of a user. @throws ApiError resource_missing, last_admin, policy_locks_out, edit_conflict */
  assignRole(scope: Scope, userId: string, role: EnterpriseRole, context: AuditContext): Promise<void> {
    return this.#commitPlan(scope.organizationId, async (organization) =>
      this.#changingRole(scope, organization, await this.#membershipOf(scope.organizationId, userId), role, context),
    )
  }

  /**
   * Assigns the roles that the identity policy derives from the groups of a user, in the organization and in the projects that a mapping names; roles in other
   * projects do not change. The role of a break-glass user, of the last org_admin, and any role in an organization without mappings for it remain.
   * @param otherwise role in the organization if no mapping names a group of the user; null: it does not change
   * @throws ApiError resource_missing, edit_conflict
   */
  applyGroups(scope: Scope, userId: string, groups: readonly string[], otherwise: EnterpriseRole | null, context: AuditContext): Promise<void> {
    return this.followGroups(scope, userId, async () => ({ groups, otherwise, writes: [] }), context)
  }

  /**
   * As `applyGroups`, for groups that may change meanwhile.
   * @param read returns the groups, and further writes for a commit that changes roles; called again if that commit conflicts. Null: nothing to do
   * @throws ApiError resource_missing, edit_conflict
   */
  followGroups(scope: Scope, userId: string, read: () => Promise<GroupsOfUser | null>, context: AuditContext): Promise<void> {
    return this.#commitPlan(scope.organizationId, async (organization) => {
      const user = await read()
      if (user === null) return NOTHING
      const policy = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
      const membership = await this.#membershipOf(scope.organizationId, userId)
      const mapped = rolesOfGroups(policy.group_mappings, user.groups)
      const role = assignedRole(policy, userId, mapped, user.otherwise)
      const plan = role === null ? NOTHING : await this.#changingRoleOrKeeping(scope, organization, membership, role, context)
      const writes = [...plan.writes, ...(await this.#changingProjectRoles(scope, await this.#withUser(membership), mapped.projects, context))]
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
  async previewGroups(scope: Scope, userId: string | null, current: EnterpriseRole, groups: readonly string[], otherwise: EnterpriseRole | null): Promise<PreviewedRoles> {
    const { organizations, memberships } = this.#identities
    const organization = await organizations.byId(scope.organizationId)
    if (organization === null) throw new ApiError('resource_missing')
    const policy = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
    const mapped = rolesOfGroups(policy.group_mappings, groups)
    const projects = [...mapped.projects].flatMap(([project_id, role]) => (role === null ? [] : [{ project_id, role }]))
    const role = assignedRole(policy, userId, mapped, otherwise)
    if (role === null || role === current) return { role: current, projects }
    const membership = userId === null ? null : await memberships.of(scope.organizationId, userId)
    const isFree = membership?.role !== 'org_admin' || (await unlessLocked(this.#requireOtherAdmin(organization, membership).then(() => true))) === true
    return { role: isFree ? role : current, projects }
  }

  /** Removes a member. Ends the user's sessions in this organization, removes roles in its projects, and revokes API keys if the key policy says so. The user and other memberships remain. @throws ApiError resource_missing, last_admin, policy_locks_out, edit_conflict */
  remove(scope: Scope, memberId: string, actor: Actor): Promise<void> {
    return this.#commitPlan(scope.organizationId, async (organization) => {
      const membership = await this.#membership(scope.organizationId, memberId)
      const plan = await this.#removing(scope, organization, membership, auditContext(actor))
      const following = this.#parts.onRemoving?.(scope, membership.user_id, new Date(this.#identities.clock())) ?? []
      return { ...plan, writes: [...plan.writes, ...following] }
    })
  }

  /** As `remove`, for a user. @param alongside further writes for the same commit @throws ApiError resource_missing, last_admin, policy_locks_out, edit_conflict */
  expel(scope: Scope, userId: string, context: AuditContext, alongside: () => readonly Write[] | Promise<readonly Write[]> = () => []): Promise<void> {
    return this.#commitPlan(scope.organizationId, async (organization) => {
      const plan = await this.#removing(scope, organization, await this.#membershipOf(scope.organizationId, userId), context)
      return { ...plan, writes: [...plan.writes, ...(await alongside())] }
    })
  }

  /**
   * Executes writes that are valid only while the user is a member: a concurrent removal happens entirely before or after them.
   * @param plan returns the writes, and is called again if members changed meanwhile; no writes: nothing to do
   * @throws ApiError resource_missing if the user is not a member, edit_conflict
   */
  whileMember(scope: Scope, userId: string, plan: (member: Member) => Promise<readonly Write[]>): Promise<void> {
    return this.#commitPlan(scope.organizationId, async () => {
      return { writes: await plan(await this.#withUser(await this.#membershipOf(scope.organizationId, userId))) }
    })
  }

  /** Commits the writes of `plan`, and calls it again if members changed since it read them. No writes: nothing to do. */
  #commitPlan(organizationId: string, plan: (organization: OrganizationDocument) => Promise<Plan>): Promise<void> {
    const { organizations, commit, clock } = this.#identities
    const change = async (): Promise<void> => {
      const organization = await organizations.byId(organizationId)
      if (organization === null) throw new ApiError('resource_missing')
      const { writes, policy, sessionsOf } = await plan(organization)
      if (writes.length === 0) return
      const { members_revision } = organization
      const update = policy === undefined ? {} : { set: { identity_policy: policy, updated_at: new Date(clock()) } }
      const inTurn = organizations.updating(
        { _id: organizationId, members_revision },
        { ...update, increment: { members_revision: 1, ...(policy === undefined ? {} : { revision: 1 }) } },
      )
      await commit([inTurn, ...writes], { organization: organizationId }, ...(sessionsOf === undefined ? [] : [{ user: sessionsOf }]))
    }
    return retryStale(ATTEMPTS, change, { pauseMs: PAUSE_MS })
  }

  /** A deactivated admin does not count, because they cannot act. @throws ApiError last_admin, policy_locks_out */
  async #requireOtherAdmin(organization: OrganizationDocument, { _id }: MembershipDocument): Promise<void> {
    const { memberships, users } = this.#identities
    const others = (await memberships.admins(organization._id)).filter((other) => other._id !== _id)
    const people = [...(await users.byIds(others.map(({ user_id }) => user_id))).values()]
    if (!people.some(({ is_active }) => is_active)) throw new ApiError('last_admin')
    const policy = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
    if (policy.sso_required && !people.some((user) => entersWithPassword(user, policy, users.isPlatformAdmin(user)))) throw new ApiError('policy_locks_out')
  }

  /** The part of a plan about an org_admin who is none any more. @throws ApiError last_admin, policy_locks_out */
  async #steppingDown(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, context: AuditContext, now: Date): Promise<Plan> {
    await this.#requireOtherAdmin(organization, membership)
    const before = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
    if (!before.break_glass_user_ids.includes(membership.user_id)) return NOTHING
    const policy = { ...before, break_glass_user_ids: before.break_glass_user_ids.filter((id) => id !== membership.user_id) }
    const resource = { type: 'organization', id: organization._id, name: organization.name }
    const diff = diffOf(before, policy, ['break_glass_user_ids'])
    return { writes: [auditing(scope, context, { action: 'identity_policy.updated', resource, diff }, now)], policy }
  }

  async #changingRole(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, role: EnterpriseRole, context: AuditContext): Promise<Plan> {
    const { memberships, clock } = this.#identities
    if (membership.role === role) return NOTHING
    const now = new Date(clock())
    const plan = membership.role === 'org_admin' ? await this.#steppingDown(scope, organization, membership, context, now) : NOTHING
    const { user } = await this.#withUser(membership)
    const diff = diffOf(membership, { ...membership, role }, ['role'])
    const writes = [
      memberships.changingRole(membership, role, now),
      auditing(scope, context, { action: 'member.updated', resource: resourceOf(membership, user.email), diff }, now),
    ]
    return { ...plan, writes: [...plan.writes, ...writes] }
  }

  /** As `#changingRole`; an admin who must remain keeps the role, which the audit says. */
  async #changingRoleOrKeeping(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, role: EnterpriseRole, context: AuditContext): Promise<Plan> {
    try {
      return await this.#changingRole(scope, organization, membership, role, context)
    } catch (error) {
      if (!(error instanceof ApiError) || (error.reason !== 'last_admin' && error.reason !== 'policy_locks_out')) throw error
      const { user } = await this.#withUser(membership)
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

  async #removing(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, context: AuditContext): Promise<Plan> {
    const { memberships, formerMembers, sessions, clock } = this.#identities
    const now = new Date(clock())
    const plan = membership.role === 'org_admin' ? await this.#steppingDown(scope, organization, membership, context, now) : NOTHING
    const { user } = await this.#withUser(membership)
    const writes = [
      memberships.removing(membership),
      ...formerMembers.adding(scope.organizationId, membership.user_id, now),
      sessions.closingIn(scope.organizationId, membership.user_id),
      scope.collection(PROJECT_MEMBERS).deletingMany({ user_id: membership.user_id }),
      auditing(scope, context, { action: 'member.removed', resource: resourceOf(membership, user.email), diff: diffOf(membership, null, ['user_id', 'role']) }, now),
      ...(await this.#parts.keys.leaving(scope, user, context, now)),
    ]
    return { ...plan, writes: [...plan.writes, ...writes], sessionsOf: membership.user_id }
  }

  async #admitNew(
    scope: Scope,
    { email, displayName, role }: Admission,
    contextOf: AdmissionOptions['contextOf'],
    alongside: Exclude<AdmissionOptions['alongside'], undefined>,
  ): Promise<Admitted> {
    const { users, clock } = this.#identities
    if (users.isReserved(email)) throw new ApiError('email_taken')
    const now = new Date(clock())
    const newUser: NewUser = { _id: newId(), email, display_name: displayName.trim(), password_hash: null, default_organization_id: scope.organizationId }
    const user = newUserDocument(newUser, now)
    const membership = newMembership(newId(), scope.organizationId, user._id, role, now)
    const admitted: Admitted = { membership, user, outcome: 'created' }
    const entry = { action: 'user.created', resource: { type: 'user', id: user._id, name: user.email }, diff: diffOf(null, user, ['email', 'display_name']) } as const
    await this.#join(scope, admitted, contextOf(user), [users.adding(newUser, now), auditing(scope, contextOf(user), entry, now), ...(await alongside(admitted, now))], now)
    return admitted
  }

  async #admitAccount(
    scope: Scope,
    user: UserDocument,
    role: EnterpriseRole,
    contextOf: AdmissionOptions['contextOf'],
    alongside: Exclude<AdmissionOptions['alongside'], undefined>,
  ): Promise<Admitted> {
    const { users, memberships, clock } = this.#identities
    const { _id, email, memberships_revision, default_organization_id } = user
    const isUnclaimed = user.password_hash === null && (await memberships.ofUser(_id)).length === 0
    if (!isUnclaimed && !(await this.#parts.domains.hasProven(scope, email))) throw new ApiError('domain_unproven')
    await memberships.requireRoomFor(_id)
    const now = new Date(clock())
    const membership = newMembership(newId(), scope.organizationId, _id, role, now)
    const admitted: Admitted = { membership, user, outcome: 'joined' }
    const joining = users.updating(
      { _id, memberships_revision, ...(isUnclaimed ? { password_hash: null } : {}) },
      { set: { default_organization_id: default_organization_id ?? scope.organizationId }, increment: { memberships_revision: 1 } },
    )
    await this.#join(scope, admitted, contextOf(user), [joining, ...(await alongside(admitted, now))], now)
    return admitted
  }

  /** Commits a new membership, unless a limit of members is reached. */
  async #join(scope: Scope, { membership, user }: Member, context: AuditContext, writes: readonly Write[], now: Date): Promise<void> {
    const { memberships, formerMembers } = this.#identities
    const entry = { action: 'member.added', resource: resourceOf(membership, user.email), diff: diffOf(null, membership, ['user_id', 'role']) } as const
    const again = formerMembers.forgetting(scope.organizationId, membership.user_id)
    const all = [memberships.adding(membership), again, auditing(scope, context, entry, now), ...writes]
    await this.#parts.quotas.creating(scope, 'members', { ...memberships.room(scope.organizationId), writes: async () => all })
  }

  /** @throws ApiError resource_missing */
  async #membershipOf(organizationId: string, userId: string): Promise<MembershipDocument> {
    const membership = await this.#identities.memberships.of(organizationId, userId)
    if (membership === null) throw new ApiError('resource_missing')
    return membership
  }

  async #membership(organizationId: string, memberId: string): Promise<MembershipDocument> {
    const membership = await this.#identities.memberships.byId(organizationId, memberId)
    if (membership === null) throw new ApiError('resource_missing')
    return membership
  }

  async #withUser(membership: MembershipDocument): Promise<Member> {
    const [member] = withUser(membership, (await this.#identities.users.byId(membership.user_id)) ?? undefined)
    if (member === undefined) throw new ApiError('resource_missing')
    return member
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

/** Whether an account or a membership appeared, or changed, since it was read. */
function hasChanged(error: unknown): boolean {
  return isStaleWrite(error) || (error instanceof DuplicateKeyError && (error.collection === USERS.name || error.collection === MEMBERSHIPS.name))
}

/** The write that turns one role in a project into another. Null: no role; one of the two is none. */
function projectRoleWrite(stored: ScopedCollection<ProjectMemberDocument>, before: ProjectMemberDocument | null, after: ProjectMemberDocument | null): Write {
  if (before === null) return stored.inserting(after!)
  if (after === null) return stored.deleting({ _id: before._id, revision: before.revision })
  return stored.updating({ _id: before._id, revision: before.revision }, { set: { role: after.role, updated_at: after.updated_at }, increment: { revision: 1 } })
}

function withUser(membership: MembershipDocument, user: UserDocument | undefined): Member[] {
  return user === undefined ? [] : [{ membership, user }]
}

function resourceOf({ _id }: MembershipDocument, email: string): AuditResource {
  return { type: 'member', id: _id, name: email }
}
