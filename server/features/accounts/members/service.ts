/** Members of organizations: created, admitted by a provider, given roles, removed. `changes.ts` and `admission.ts` have the invariants. */
import type { Identities } from '../../../core/auth/identities.js'
import { isPlatformAdmin } from '../../../core/auth/principal.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import { newUserDocument, USERS } from '../../../core/auth/users.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError } from '../../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../../core/etag.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { newMembership } from '../../../core/tenancy/memberships.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { ApiKeysService } from '../api-keys/service.js'
import type { DomainsService } from '../domains/service.js'
import { type AuditContext, auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { type Admission, type AdmissionOptions, Admissions, type Admitted } from './admission.js'
import { type Member, MemberChanges, NOTHING, resourceOf, withUser } from './changes.js'
import { GroupRoles, type GroupsOfUsers, type PreviewedRoles } from './group-roles.js'
import type { MemberCreateRequest, MemberListQuery, MemberUpdateRequest } from './schema.js'

export type { Admission, AdmissionOutcome, Admitted } from './admission.js'
export type { Member } from './changes.js'
export type { GroupsOfUsers } from './group-roles.js'

/** Returns further writes for the commit that creates a member. */
export type Alongside = (member: Member, now: Date) => readonly Write[]

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
  readonly #changes: MemberChanges
  readonly #groupRoles: GroupRoles
  readonly #admissions: Admissions

  constructor({ identities, ...parts }: MembersParts) {
    this.#identities = identities
    this.#parts = parts
    this.#changes = new MemberChanges(identities, parts.keys)
    this.#groupRoles = new GroupRoles(identities, this.#changes)
    this.#admissions = new Admissions({ identities, changes: this.#changes, quotas: parts.quotas, domains: parts.domains })
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
    return this.#changes.withUser(await this.#changes.membership(organizationId, memberId))
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
  admit(scope: Scope, admission: Admission, options: AdmissionOptions): Promise<Admitted> {
    return this.#admissions.admit(scope, admission, options)
  }

  /** Updates the role. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, last_admin, policy_locks_out, edit_conflict */
  async changeRole(scope: Scope, memberId: string, { role }: MemberUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<Member> {
    await this.#changes.commit(scope.organizationId, async (organization) => {
      const membership = await this.#changes.membership(scope.organizationId, memberId)
      requireMatch(etagOf(membership), ifMatch)
      return role === undefined ? NOTHING : this.#changes.changingRole(scope, organization, membership, role, auditContext(actor))
    })
    return this.get(scope, memberId)
  }

  /** Updates the role of a user. @throws ApiError resource_missing, last_admin, policy_locks_out, edit_conflict */
  assignRole(scope: Scope, userId: string, role: EnterpriseRole, context: AuditContext): Promise<void> {
    return this.#changes.commit(scope.organizationId, async (organization) =>
      this.#changes.changingRole(scope, organization, await this.#changes.membershipOf(scope.organizationId, userId), role, context),
    )
  }

  /**
   * Assigns the roles that the identity policy derives from the groups of a user, in the organization and in the projects that a mapping names; roles in other
   * projects do not change. The role of a break-glass user, of the last org_admin, and any role in an organization without mappings for it remain.
   * @param otherwise role in the organization if no mapping names a group of the user; null: it does not change
   * @throws ApiError resource_missing, edit_conflict
   */
  applyGroups(scope: Scope, userId: string, groups: readonly string[], otherwise: EnterpriseRole | null, context: AuditContext): Promise<void> {
    const users = new Map([[userId, { groups, otherwise }]])
    const read = async () => {
      await this.#changes.membershipOf(scope.organizationId, userId)
      return { users, writes: [], guards: [] }
    }
    return this.followGroups(scope, [userId], read, context)
  }

  /**
   * As `applyGroups`, for many users, whose groups may change meanwhile. Users who are no members are left out.
   * @param read returns the groups of some of the users, and further writes for their commit; called again if the commit conflicts
   * @throws ApiError edit_conflict
   */
  followGroups(scope: Scope, userIds: readonly string[], read: (userIds: readonly string[]) => Promise<GroupsOfUsers>, context: AuditContext): Promise<void> {
    return this.#groupRoles.follow(scope, userIds, read, context)
  }

  /**
   * The roles that `applyGroups` would assign. @param userId null: a new member @param current role of the member before
   * @throws ApiError resource_missing
   */
  previewGroups(scope: Scope, userId: string | null, current: EnterpriseRole, groups: readonly string[], otherwise: EnterpriseRole | null): Promise<PreviewedRoles> {
    return this.#groupRoles.preview(scope, userId, current, groups, otherwise)
  }

  /** Removes a member. Ends the user's sessions in this organization, removes roles in its projects, and revokes API keys if the key policy says so. The user and other memberships remain. @throws ApiError resource_missing, last_admin, policy_locks_out, edit_conflict */
  remove(scope: Scope, memberId: string, actor: Actor): Promise<void> {
    return this.#changes.commit(scope.organizationId, async (organization) => {
      const membership = await this.#changes.membership(scope.organizationId, memberId)
      const plan = await this.#changes.removing(scope, organization, membership, auditContext(actor))
      const following = this.#parts.onRemoving?.(scope, membership.user_id, new Date(this.#identities.clock())) ?? []
      return { ...plan, writes: [...plan.writes, ...following] }
    })
  }

  /** As `remove`, for a user. @param alongside further writes for the same commit @throws ApiError resource_missing, last_admin, policy_locks_out, edit_conflict */
  expel(scope: Scope, userId: string, context: AuditContext, alongside: () => readonly Write[] | Promise<readonly Write[]> = () => []): Promise<void> {
    return this.#changes.commit(scope.organizationId, async (organization) => {
      const plan = await this.#changes.removing(scope, organization, await this.#changes.membershipOf(scope.organizationId, userId), context)
      return { ...plan, writes: [...plan.writes, ...(await alongside())] }
    })
  }

  /**
   * Executes writes that are valid only while the user is a member: a concurrent removal happens entirely before or after them.
   * @param plan returns the writes, and is called again if members changed meanwhile; no writes: nothing to do
   * @throws ApiError resource_missing if the user is not a member, edit_conflict
   */
  whileMember(scope: Scope, userId: string, plan: (member: Member) => Promise<readonly Write[]>): Promise<void> {
    return this.#changes.whileMember(scope, userId, plan)
  }
}
