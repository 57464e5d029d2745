/** Administration of users by platform admins (CONTRACT.md#platform-administration). Audit entries are stored in the instance, and in each organization of the user, whose admins read them. */
import type { Identities } from '../../../core/auth/identities.js'
import type { OrganizationDocument } from '../../../core/auth/organizations.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { ApiError, required } from '../../../core/errors.js'
import { type IfMatch, requireCurrent } from '../../../core/etag.js'
import type { Fields, Filter, Write } from '../../../core/storage/contract.js'
import type { MembershipDocument } from '../../../core/tenancy/memberships.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { AccountNotices } from '../../accounts/index.js'
import { type AuditAction, auditingUserChange, diffOf, platformContext } from '../../../core/audit/service.js'
import type { UserListQuery, UserUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 8

/** A user, and whether the database or the settings make them a platform admin. */
export interface ShownUser {
  readonly user: UserDocument
  readonly isPlatformAdmin: boolean
}

export interface UserDetail extends ShownUser {
  readonly openSessions: number
  /** The oldest first. */
  readonly memberships: readonly { readonly membership: MembershipDocument; readonly organization: OrganizationDocument }[]
}

type Admin = Actor<UserPrincipal>

/** What a platform admin does to a user. */
interface Change {
  readonly action: AuditAction
  readonly set?: Fields<UserDocument>
  /** Writes before that of the user. */
  readonly first?: readonly Write[]
}

export class PlatformUsersService {
  readonly #identities: Identities
  readonly #notices: Pick<AccountNotices, 'telling'>

  constructor(identities: Identities, notices: Pick<AccountNotices, 'telling'>) {
    this.#identities = identities
    this.#notices = notices
  }

  async list({ q, organization_id, is_active, is_platform_admin, has_second_factor, ...page }: UserListQuery): Promise<Page<ShownUser>> {
    const { users } = this.#identities
    const filter: Filter<UserDocument> = {
      ...(await this.#idFilter(organization_id, is_platform_admin)),
      ...(is_active === undefined ? {} : { is_active }),
      ...(has_second_factor === undefined ? {} : { has_second_factor: has_second_factor ? true : { not: true } }),
      ...(q === undefined ? {} : { anyOf: [{ email: { contains: q } }, { display_name: { contains: q } }] }),
    }
    const { items, total } = await users.list(filter, findOptions(page))
    return { items: items.map((user) => this.#shown(user)), total }
  }

  /** @throws ApiError resource_missing */
  async get(userId: string): Promise<UserDetail> {
    const { sessions, memberships, organizations, clock } = this.#identities
    const [user, own] = await Promise.all([this.#user(userId), memberships.ofUser(userId)])
    const [openSessions, found] = await Promise.all([sessions.count(user, new Date(clock())), organizations.byIds(own.map(({ organization_id }) => organization_id))])
    const withOrganization = own.flatMap((membership) => {
      const organization = found.get(membership.organization_id)
      return organization === undefined ? [] : [{ membership, organization }]
    })
    return { ...this.#shown(user), openSessions: user.is_active ? openSessions : 0, memberships: withOrganization }
  }

  /** Deactivates or reactivates a user. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, last_platform_admin, edit_conflict */
  async update(userId: string, { is_active }: UserUpdateRequest, ifMatch: IfMatch, actor: Admin): Promise<UserDetail> {
    await retryStale(ATTEMPTS, async () => {
      const guard = await this.#platformAdminGuard()
      const user = await this.#user(userId)
      requireCurrent(user.revision, ifMatch)
      if (is_active === undefined || is_active === user.is_active) return
      const first = this.#identities.users.isPlatformAdmin(user) && !is_active ? await guard(user) : []
      await this.#change(user, { action: 'user.updated', set: { is_active }, first }, !is_active, actor)
    })
    return this.get(userId)
  }

  /** Ends all sessions of a user. @throws ApiError resource_missing, edit_conflict */
  async signOut(userId: string, actor: Admin): Promise<void> {
    await retryStale(ATTEMPTS, async () => this.#change(await this.#user(userId), { action: 'user.signed_out' }, true, actor))
  }

  /**
   * Removes the second factor of a user who has lost the authenticator and the recovery codes. Ends all sessions of the user. Not that of the caller, whose
   * session may be stolen: that needs a code (`credentials/service.ts`). @throws ApiError own_second_factor, resource_missing, edit_conflict
   */
  async removeSecondFactor(userId: string, actor: Admin): Promise<void> {
    const { secondFactors } = this.#identities
    if (userId === actor.principal.userId) throw new ApiError('own_second_factor')
    await retryStale(ATTEMPTS, async () => {
      const user = await this.#user(userId)
      const factor = required(await secondFactors.enabledOf(userId))
      const first = [secondFactors.removing(factor), ...(await this.#notices.telling(user, 'second_factor_removed_by_admin', actor))]
      await this.#change(user, { action: 'user.second_factor_removed', set: { has_second_factor: false }, first }, true, actor)
    })
  }

  /** Commits a change of a user as it was read. @param endsSessions also those that are being opened at this moment */
  async #change(user: UserDocument, { action, set = {}, first = [] }: Change, endsSessions: boolean, actor: Admin): Promise<void> {
    const { users, sessions, commit, clock } = this.#identities
    const { _id, revision } = user
    const now = new Date(clock())
    const diff = diffOf(user, { ...user, ...set }, ['is_active'])
    await commit(
      [
        ...first,
        users.updating({ _id, revision }, { set: { ...set, updated_at: now }, increment: { revision: 1, ...(endsSessions ? { session_epoch: 1 } : {}) } }),
        ...(endsSessions ? [sessions.closingAllOf(_id)] : []),
        ...(await auditingUserChange(this.#identities, user, platformContext(actor), { action, diff }, now)),
      ],
      { user: _id },
    )
  }

  /** The filters that name users by something that is not stored with them. An organization has at most `MEMBERS_LIMIT` members, and platform admins are few. */
  async #idFilter(organizationId: string | undefined, isPlatformAdmin: boolean | undefined): Promise<Filter<UserDocument>> {
    const { users, memberships } = this.#identities
    const admins = isPlatformAdmin === undefined ? [] : (await users.platformAdmins()).map(({ _id }) => _id)
    if (organizationId === undefined) return isPlatformAdmin === undefined ? {} : { _id: isPlatformAdmin ? { in: admins } : { notIn: admins } }
    const isWanted = new Set(admins)
    const members = await memberships.userIdsOf(organizationId)
    return { _id: { in: isPlatformAdmin === undefined ? members : members.filter((id) => isWanted.has(id) === isPlatformAdmin) } }
  }

  /**
   * Reads the revision of the platform admins. Call it before reading anything else. The returned write belongs to the commit that deactivates a platform
   * admin, and fails it if another one was deactivated meanwhile.
   */
  async #platformAdminGuard(): Promise<(user: UserDocument) => Promise<Write[]>> {
    const { instance, users } = this.#identities
    const state = await instance.read()
    return async ({ _id }) => {
      const others = (await users.activePlatformAdmins()).filter((admin) => admin._id !== _id)
      if (others.length === 0) throw new ApiError('last_platform_admin')
      return state === null ? [] : [instance.changingPlatformAdmins(state)]
    }
  }

  async #user(userId: string): Promise<UserDocument> {
    return required(await this.#identities.users.byId(userId))
  }

  #shown(user: UserDocument): ShownUser {
    return { user, isPlatformAdmin: this.#identities.users.isPlatformAdmin(user) }
  }
}
