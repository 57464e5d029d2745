/**
 * Administration of users and organizations by platform admins. Audit entries are stored in the affected organizations, whose admins read them; those about users
 * also in the instance.
 */
import type { Identities } from '../../auth/identities.js'
import { newOrganization, type OrganizationDocument } from '../../auth/organizations.js'
import type { EnterpriseRole } from '../../tenancy/permissions.js'
import type { UserPrincipal } from '../../auth/principal.js'
import type { Throttles } from '../../auth/throttles.js'
import type { UserDocument } from '../../auth/users.js'
import type { Actor } from '../../auth/request-context.js'
import { ApiError } from '../../errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../etag.js'
import type { Filter, Write } from '../../storage/contract.js'
import { newId } from '../../storage/id.js'
import { findOptions, type Page } from '../../tenancy/page.js'
import type { AccountNotices } from '../account-notices/service.js'
import { type AuditResource, auditing, auditingUserChange, diffOf, platformContext } from '../audit/service.js'
import { retryStale } from '../../tenancy/retry-stale.js'
import type { InvitationsService } from '../invitations/service.js'
import type { OrganizationCreateRequest, OrganizationListQuery, OrganizationUpdateRequest, UserListQuery, UserUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 8

/** A user, and whether the database or the settings make them a platform admin. */
export interface ShownUser {
  readonly user: UserDocument
  readonly isPlatformAdmin: boolean
}

/** An organization and the caller's role in it. */
export interface ShownOrganization {
  readonly organization: OrganizationDocument
  readonly role: EnterpriseRole | null
}

type Admin = Actor<UserPrincipal>

export interface PlatformAdminParts {
  readonly identities: Identities
  readonly invitations: Pick<InvitationsService, 'prepare'>
  readonly throttles: Pick<Throttles, 'invitation'>
  readonly notices: Pick<AccountNotices, 'telling'>
}

export class PlatformAdminService {
  readonly #identities: Identities
  readonly #invitations: Pick<InvitationsService, 'prepare'>
  readonly #throttles: Pick<Throttles, 'invitation'>
  readonly #notices: Pick<AccountNotices, 'telling'>

  constructor({ identities, invitations, throttles, notices }: PlatformAdminParts) {
    this.#identities = identities
    this.#invitations = invitations
    this.#throttles = throttles
    this.#notices = notices
  }

  async listUsers(query: UserListQuery): Promise<Page<ShownUser>> {
    const filter: Filter<UserDocument> = {
      ...(query.is_active === undefined ? {} : { is_active: query.is_active }),
      ...(query.q === undefined ? {} : { anyOf: [{ email: { contains: query.q } }, { display_name: { contains: query.q } }] }),
    }
    const { items, total } = await this.#identities.users.list(filter, findOptions(query))
    return { items: items.map((user) => this.#shown(user)), total }
  }

  /** @throws ApiError resource_missing */
  async getUser(userId: string): Promise<ShownUser> {
    return this.#shown(await this.#user(userId))
  }

  /** Deactivates or reactivates a user. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, last_platform_admin, edit_conflict */
  async updateUser(userId: string, { is_active }: UserUpdateRequest, ifMatch: IfMatch, actor: Admin): Promise<ShownUser> {
    const { users, sessions, commit, clock } = this.#identities
    return retryStale(ATTEMPTS, async () => {
      const guard = await this.#platformAdminGuard()
      const user = await this.#user(userId)
      requireMatch(etagOf(user), ifMatch)
      if (is_active === undefined || is_active === user.is_active) return this.#shown(user)
      const now = new Date(clock())
      const first = users.isPlatformAdmin(user) && !is_active ? await guard(user) : []
      await commit(
        [
          ...first,
          users.updating({ _id: userId, revision: user.revision }, { set: { is_active, updated_at: now }, increment: { revision: 1, ...(is_active ? {} : { session_epoch: 1 }) } }),
          ...(is_active ? [] : [sessions.closingAllOf(userId)]),
          ...(await auditingUserChange(this.#identities, user, platformContext(actor), { action: 'user.updated', diff: diffOf(user, { ...user, is_active }, ['is_active']) }, now)),
        ],
        { user: userId },
      )
      return this.getUser(userId)
    })
  }

  /** Removes the second factor of a user who has lost the authenticator and the recovery codes. Ends all sessions of the user. @throws ApiError resource_missing, edit_conflict */
  async removeSecondFactor(userId: string, actor: Admin): Promise<void> {
    const { users, sessions, secondFactors, commit, clock } = this.#identities
    await retryStale(ATTEMPTS, async () => {
      const user = await this.#user(userId)
      const factor = await secondFactors.enabledOf(userId)
      if (factor === null) throw new ApiError('resource_missing')
      const now = new Date(clock())
      await commit(
        [
          secondFactors.removing(factor),
          users.updating({ _id: userId, revision: user.revision }, { set: { updated_at: now }, increment: { revision: 1, session_epoch: 1 } }),
          sessions.closingAllOf(userId),
          ...(await auditingUserChange(this.#identities, user, platformContext(actor), { action: 'user.second_factor_removed' }, now)),
          ...(await this.#notices.telling(user, 'second_factor_removed_by_admin', actor)),
        ],
        { user: userId },
      )
    })
  }

  async listOrganizations(query: OrganizationListQuery, principal: UserPrincipal): Promise<Page<ShownOrganization>> {
    const filter: Filter<OrganizationDocument> = {
      ...(query.is_active === undefined ? {} : { is_active: query.is_active }),
      ...(query.q === undefined ? {} : { anyOf: [{ name: { contains: query.q } }, { slug: { contains: query.q } }] }),
    }
    const { organizations, memberships } = this.#identities
    const [{ items, total }, own] = await Promise.all([organizations.list(filter, findOptions(query)), memberships.ofUser(principal.userId)])
    const roles = new Map(own.map(({ organization_id, role }) => [organization_id, role]))
    return { items: items.map((organization) => ({ organization, role: roles.get(organization._id) ?? null })), total }
  }

  /** @throws ApiError resource_missing */
  async getOrganization(organizationId: string, principal: UserPrincipal): Promise<ShownOrganization> {
    const { organizations, memberships } = this.#identities
    const [organization, membership] = await Promise.all([organizations.byId(organizationId), memberships.of(organizationId, principal.userId)])
    if (organization === null) throw new ApiError('resource_missing')
    return { organization, role: membership?.role ?? null }
  }

  /** Creates an organization and invites its first org_admin. @throws ApiError rate_limited */
  async createOrganization({ name, description, admin_email }: OrganizationCreateRequest, actor: Admin): Promise<ShownOrganization> {
    const { organizations, tenancy, commitAddition, clock } = this.#identities
    // Counted by inviter, because each call creates another organization.
    await this.#throttles.invitation(actor.principal.userId, admin_email)
    const now = new Date(clock())
    const scope = tenancy.of(newId())
    const { writes, post } = this.#invitations.prepare(scope, { email: admin_email, role: 'org_admin' }, actor, now, platformContext(actor))
    const organization = await organizations.withSlug(name, async (slug) => {
      const made = newOrganization(scope.organizationId, slug, name.trim(), description?.trim() ?? '', now)
      const entry = { action: 'organization.created', resource: resourceOf(made), diff: diffOf(null, made, ['name', 'slug', 'description']) } as const
      await commitAddition([organizations.adding(made), auditing(scope, platformContext(actor), entry, now), ...writes])
      return made
    })
    post()
    return { organization, role: null }
  }

  /** Suspends an organization or ends its suspension. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async updateOrganization(organizationId: string, { is_active }: OrganizationUpdateRequest, ifMatch: IfMatch, actor: Admin): Promise<ShownOrganization> {
    const { organizations, tenancy, commit, clock } = this.#identities
    return retryStale(ATTEMPTS, async () => {
      const shown = await this.getOrganization(organizationId, actor.principal)
      const { organization } = shown
      requireMatch(etagOf(organization), ifMatch)
      if (is_active === undefined || is_active === organization.is_active) return shown
      const now = new Date(clock())
      const diff = diffOf(organization, { ...organization, is_active }, ['is_active'])
      await commit(
        [
          organizations.updating({ _id: organizationId, revision: organization.revision }, { set: { is_active, updated_at: now }, increment: { revision: 1 } }),
          auditing(tenancy.of(organizationId), platformContext(actor), { action: 'organization.updated', resource: resourceOf(organization), diff }, now),
        ],
        { organization: organizationId },
      )
      return this.getOrganization(organizationId, actor.principal)
    })
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
    const user = await this.#identities.users.byId(userId)
    if (user === null) throw new ApiError('resource_missing')
    return user
  }

  #shown(user: UserDocument): ShownUser {
    return { user, isPlatformAdmin: this.#identities.users.isPlatformAdmin(user) }
  }
}

function resourceOf({ _id, name }: OrganizationDocument): AuditResource {
  return { type: 'organization', id: _id, name }
}
