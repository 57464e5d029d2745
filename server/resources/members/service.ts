/** Members of organizations. Role changes and removals of an organization are serialized, so that one org_admin always remains. */
import type { Identities } from '../../auth/identities.js'
import { isPlatformAdmin } from '../../auth/principal.js'
import type { Throttles } from '../../auth/throttles.js'
import { newUserDocument, type UserDocument, USERS } from '../../auth/users.js'
import type { Actor } from '../../auth/request-context.js'
import { ApiError } from '../../errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../etag.js'
import { PROJECT_MEMBERS } from '../../projects/project-roles.js'
import type { Write } from '../../storage/contract.js'
import { DuplicateKeyError } from '../../storage/errors.js'
import { newId } from '../../storage/id.js'
import { type MembershipDocument, newMembership } from '../../tenancy/memberships.js'
import { findOptions, type Page } from '../../tenancy/page.js'
import type { Quotas } from '../../tenancy/quotas.js'
import { retryStale } from '../../tenancy/retry-stale.js'
import type { Scope } from '../../tenancy/scope.js'
import type { ApiKeysService } from '../api-keys/service.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../audit/service.js'
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

/** The writes of a change of members. */
interface Plan {
  readonly writes: readonly Write[]
  /** The user whose sessions are closed, also those that requests use in another organization. */
  readonly sessionsOf?: string
}

export interface MembersParts {
  readonly identities: Identities
  readonly throttles: Pick<Throttles, 'member'>
  readonly quotas: Pick<Quotas, 'creating' | 'requireRoom'>
  readonly keys: Pick<ApiKeysService, 'leaving'>
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

  /** Updates the role. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, last_admin, edit_conflict */
  async changeRole(scope: Scope, memberId: string, { role }: MemberUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<Member> {
    const { memberships, clock } = this.#identities
    await this.#commitPlan(scope.organizationId, async () => {
      const membership = await this.#membership(scope.organizationId, memberId)
      requireMatch(etagOf(membership), ifMatch)
      if (role === undefined || membership.role === role) return { writes: [] }
      if (membership.role === 'org_admin') await this.#requireOtherAdmin(membership)
      const now = new Date(clock())
      const { user } = await this.#withUser(membership)
      const diff = diffOf(membership, { ...membership, role }, ['role'])
      const writes = [
        memberships.changingRole(membership, role, now),
        auditing(scope, auditContext(actor), { action: 'member.updated', resource: resourceOf(membership, user.email), diff }, now),
      ]
      return { writes }
    })
    return this.get(scope, memberId)
  }

  /** Removes a member. Ends the user's sessions in this organization, removes roles in its projects, and revokes API keys if the key policy says so. The user and other memberships remain. @throws ApiError resource_missing, last_admin, edit_conflict */
  async remove(scope: Scope, memberId: string, actor: Actor): Promise<void> {
    const { memberships, sessions, clock } = this.#identities
    await this.#commitPlan(scope.organizationId, async () => {
      const membership = await this.#membership(scope.organizationId, memberId)
      if (membership.role === 'org_admin') await this.#requireOtherAdmin(membership)
      const now = new Date(clock())
      const { user } = await this.#withUser(membership)
      const writes = [
        memberships.removing(membership),
        sessions.closingIn(scope.organizationId, membership.user_id),
        scope.collection(PROJECT_MEMBERS).deletingMany({ user_id: membership.user_id }),
        auditing(scope, auditContext(actor), { action: 'member.removed', resource: resourceOf(membership, user.email), diff: diffOf(membership, null, ['user_id', 'role']) }, now),
        ...(await this.#parts.keys.leaving(scope, user, actor, now)),
      ]
      return { writes, sessionsOf: membership.user_id }
    })
  }

  /**
   * Executes writes that are valid only while the user is a member: a concurrent removal happens entirely before or after them.
   * @param plan returns the writes, and is called again if members changed meanwhile; no writes: nothing to do
   * @throws ApiError resource_missing if the user is not a member, edit_conflict
   */
  whileMember(scope: Scope, userId: string, plan: (member: Member) => Promise<readonly Write[]>): Promise<void> {
    return this.#commitPlan(scope.organizationId, async () => {
      const membership = await this.#identities.memberships.of(scope.organizationId, userId)
      if (membership === null) throw new ApiError('resource_missing')
      return { writes: await plan(await this.#withUser(membership)) }
    })
  }

  /** Commits the writes of `plan`, and calls it again if members changed since it read them. No writes: nothing to do. */
  #commitPlan(organizationId: string, plan: () => Promise<Plan>): Promise<void> {
    const { organizations, commit } = this.#identities
    const change = async (): Promise<void> => {
      const organization = await organizations.byId(organizationId)
      if (organization === null) throw new ApiError('resource_missing')
      const { writes, sessionsOf } = await plan()
      if (writes.length === 0) return
      const { members_revision } = organization
      const inTurn = organizations.updating({ _id: organizationId, members_revision }, { increment: { members_revision: 1 } })
      await commit([inTurn, ...writes], { organization: organizationId }, ...(sessionsOf === undefined ? [] : [{ user: sessionsOf }]))
    }
    return retryStale(ATTEMPTS, change, { pauseMs: PAUSE_MS })
  }

  /** A deactivated admin does not count, because they cannot act. @throws ApiError last_admin */
  async #requireOtherAdmin({ _id, organization_id }: MembershipDocument): Promise<void> {
    const { memberships, users } = this.#identities
    const others = (await memberships.admins(organization_id)).filter((other) => other._id !== _id)
    const people = await users.byIds(others.map(({ user_id }) => user_id))
    if (![...people.values()].some(({ is_active }) => is_active)) throw new ApiError('last_admin')
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

function withUser(membership: MembershipDocument, user: UserDocument | undefined): Member[] {
  return user === undefined ? [] : [{ membership, user }]
}

function resourceOf({ _id }: MembershipDocument, email: string): AuditResource {
  return { type: 'member', id: _id, name: email }
}
