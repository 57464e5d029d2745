/**
 * Changes of roles and removals, one after the other in an organization. Invariants:
 *  1. an org_admin always remains, and one who can log in with a password while the identity policy requires a provider
 *  2. a break-glass user who is no org_admin any more leaves the policy in the same commit
 */
import type { Identities } from '../../../core/auth/identities.js'
import { DEFAULT_IDENTITY_POLICY, type IdentityPolicy, type OrganizationDocument } from '../../../core/auth/organizations.js'
import { entersWithPassword } from '../../../core/auth/session-reach.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { ApiError, required } from '../../../core/errors.js'
import { PROJECT_MEMBERS } from '../../../content/shared/project-roles.js'
import type { Write } from '../../../core/storage/contract.js'
import { KeyedMutex } from '../../../core/tenancy/keyed-mutex.js'
import type { MembershipDocument } from '../../../core/tenancy/memberships.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { ApiKeysService } from '../api-keys/service.js'
import { type AuditContext, type AuditResource, auditing, diffOf } from '../../../core/audit/service.js'

/** Attempts of a change that conflicts with concurrent changes of members. One of the concurrent changes always succeeds. */
export const ATTEMPTS = 24
export const PAUSE_MS = 20
/** Admins that one query reads in search of another one. */
const ADMINS_AT_ONCE = 200

/** A membership with its user. */
export interface Member {
  readonly membership: MembershipDocument
  readonly user: UserDocument
}

/** The writes of a change of members. */
export interface Plan {
  readonly writes: readonly Write[]
  /** The identity policy to store; absent: it does not change. */
  readonly policy?: IdentityPolicy
  /** No member loses a permission, so that no cached identity is invalidated. */
  readonly isHarmless?: boolean
  /** The user whose sessions are closed, also those that requests use in another organization. */
  readonly sessionsOf?: string
}

/** A change that is made already. */
export const NOTHING: Plan = { writes: [] }

export class MemberChanges {
  readonly #identities: Identities
  readonly #keys: Pick<ApiKeysService, 'leaving'>
  /** Serializes changes by organization, so that only other instances conflict: a conflict costs a pause and the whole change. */
  readonly #mutex = new KeyedMutex()

  constructor(identities: Identities, keys: Pick<ApiKeysService, 'leaving'>) {
    this.#identities = identities
    this.#keys = keys
  }

  /** Commits the writes of `plan`, and calls it again if members changed since it read them. No writes: nothing to do. `plan` must not call this method. */
  commit(organizationId: string, plan: (organization: OrganizationDocument) => Promise<Plan>): Promise<void> {
    const { organizations, commit, commitAddition, clock } = this.#identities
    const change = async (): Promise<void> => {
      const organization = required(await organizations.byId(organizationId))
      const { writes, policy, isHarmless = false, sessionsOf } = await plan(organization)
      if (writes.length === 0) return
      const { members_revision } = organization
      const update = policy === undefined ? {} : { set: { identity_policy: policy, updated_at: new Date(clock()) } }
      const inTurn = organizations.updating(
        { _id: organizationId, members_revision },
        { ...update, increment: { members_revision: 1, ...(policy === undefined ? {} : { revision: 1 }) } },
      )
      if (isHarmless) await commitAddition([inTurn, ...writes])
      else await commit([inTurn, ...writes], { organization: organizationId }, ...(sessionsOf === undefined ? [] : [{ user: sessionsOf }]))
    }
    return this.#mutex.run(organizationId, () => retryStale(ATTEMPTS, change, { pauseMs: PAUSE_MS }))
  }

  /**
   * Executes writes that are valid only while the user is a member: a concurrent removal happens entirely before or after them.
   * @param plan returns the writes, and is called again if members changed meanwhile; no writes: nothing to do
   * @throws ApiError resource_missing if the user is not a member, edit_conflict
   */
  whileMember(scope: Scope, userId: string, plan: (member: Member) => Promise<readonly Write[]>): Promise<void> {
    return this.commit(scope.organizationId, async () => {
      return { writes: await plan(await this.withUser(await this.membershipOf(scope.organizationId, userId))) }
    })
  }

  /** @throws ApiError last_admin, policy_locks_out */
  async changingRole(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, role: EnterpriseRole, context: AuditContext): Promise<Plan> {
    const { memberships, clock } = this.#identities
    if (membership.role === role) return NOTHING
    const now = new Date(clock())
    const plan = membership.role === 'org_admin' ? await this.#steppingDown(scope, organization, membership, context, now) : NOTHING
    const writes = [memberships.changingRole(membership, role, now), this.auditingRole(scope, await this.withUser(membership), role, context, now)]
    return { ...plan, writes: [...plan.writes, ...writes] }
  }

  /** The audit entry of a changed role. */
  auditingRole(scope: Scope, { membership, user }: Member, role: EnterpriseRole, context: AuditContext, now: Date): Write {
    const diff = diffOf(membership, { ...membership, role }, ['role'])
    return auditing(scope, context, { action: 'member.updated', resource: resourceOf(membership, user.email), diff }, now)
  }

  /** @throws ApiError last_admin, policy_locks_out */
  async removing(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, context: AuditContext): Promise<Plan> {
    const { memberships, formerMembers, sessions, clock } = this.#identities
    const now = new Date(clock())
    const plan = membership.role === 'org_admin' ? await this.#steppingDown(scope, organization, membership, context, now) : NOTHING
    const { user } = await this.withUser(membership)
    const writes = [
      memberships.removing(membership),
      ...formerMembers.adding(scope.organizationId, membership.user_id, now),
      sessions.closingIn(scope.organizationId, membership.user_id),
      scope.collection(PROJECT_MEMBERS).deletingMany({ user_id: membership.user_id }),
      auditing(scope, context, { action: 'member.removed', resource: resourceOf(membership, user.email), diff: diffOf(membership, null, ['user_id', 'role']) }, now),
      ...(await this.#keys.leaving(scope, user, context, now)),
    ]
    return { ...plan, writes: [...plan.writes, ...writes], sessionsOf: membership.user_id }
  }

  /**
   * A deactivated admin does not count, because they cannot act.
   * @param leaving memberships of other admins who leave in the same commit
   * @throws ApiError last_admin, policy_locks_out
   */
  async requireOtherAdmin(organization: OrganizationDocument, { _id }: MembershipDocument, leaving: ReadonlySet<string> = new Set()): Promise<void> {
    const { memberships, users } = this.#identities
    const policy = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
    let isThere = false
    // A group of thousands may have the role: the first page nearly always has another admin.
    for (let last = ''; ; ) {
      const page = await memberships.adminsAfter(organization._id, last, ADMINS_AT_ONCE)
      const others = page.filter((other) => other._id !== _id && !leaving.has(other._id))
      const active = [...(await users.byIds(others.map(({ user_id }) => user_id))).values()].filter(({ is_active }) => is_active)
      if (active.length > 0 && !policy.sso_required) return
      if (active.some((user) => entersWithPassword(user, policy, users.isPlatformAdmin(user)))) return
      isThere ||= active.length > 0
      if (page.length < ADMINS_AT_ONCE) throw new ApiError(isThere ? 'policy_locks_out' : 'last_admin')
      last = page[page.length - 1]._id
    }
  }

  /** @throws ApiError resource_missing */
  async membershipOf(organizationId: string, userId: string): Promise<MembershipDocument> {
    return required(await this.#identities.memberships.of(organizationId, userId))
  }

  /** @throws ApiError resource_missing */
  async membership(organizationId: string, memberId: string): Promise<MembershipDocument> {
    return required(await this.#identities.memberships.byId(organizationId, memberId))
  }

  /** @throws ApiError resource_missing if the user was deleted */
  async withUser(membership: MembershipDocument): Promise<Member> {
    const [member] = withUser(membership, (await this.#identities.users.byId(membership.user_id)) ?? undefined)
    if (member === undefined) throw new ApiError('resource_missing')
    return member
  }

  /** The part of a plan about an org_admin who is none any more. @throws ApiError last_admin, policy_locks_out */
  async #steppingDown(scope: Scope, organization: OrganizationDocument, membership: MembershipDocument, context: AuditContext, now: Date): Promise<Plan> {
    await this.requireOtherAdmin(organization, membership)
    const before = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
    if (!before.break_glass_user_ids.includes(membership.user_id)) return NOTHING
    const policy = { ...before, break_glass_user_ids: before.break_glass_user_ids.filter((id) => id !== membership.user_id) }
    const resource = { type: 'organization', id: organization._id, name: organization.name }
    const diff = diffOf(before, policy, ['break_glass_user_ids'])
    return { writes: [auditing(scope, context, { action: 'identity_policy.updated', resource, diff }, now)], policy }
  }
}

/** The member as a list, which is empty if the user was deleted. */
export function withUser(membership: MembershipDocument, user: UserDocument | undefined): Member[] {
  return user === undefined ? [] : [{ membership, user }]
}

/** A member in the audit. */
export function resourceOf({ _id }: MembershipDocument, email: string): AuditResource {
  return { type: 'member', id: _id, name: email }
}
