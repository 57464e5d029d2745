/**
 * The members of organizations and their roles. A login reads all memberships of a user across organizations, so this is not a tenant collection. Every method
 * takes the organization or the user, and the collection is not accessible otherwise.
 */
import type { EnterpriseRole } from './permissions.js'
import { ApiError } from '../errors.js'
import { type Collection, type Filter, platformCollection, type Storage, type StoredDocument, type Write } from '../storage/contract.js'
import { findPage, type Page, type PageOptions } from './page.js'
import type { Room } from './quotas.js'

export interface MembershipDocument extends StoredDocument {
  readonly organization_id: string
  readonly user_id: string
  readonly role: EnterpriseRole
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const MEMBERSHIPS = platformCollection<MembershipDocument>('memberships', [
  { keys: { organization_id: 1, user_id: 1 }, unique: true },
  { keys: { organization_id: 1, created_at: -1, _id: -1 } },
  { keys: { organization_id: 1, updated_at: -1, _id: -1 } },
  { keys: { organization_id: 1, role: 1, _id: 1 } },
  { keys: { organization_id: 1, role: 1, created_at: -1, _id: -1 } },
  { keys: { organization_id: 1, role: 1, updated_at: -1, _id: -1 } },
  { keys: { user_id: 1, created_at: 1, _id: 1 } },
])

/**
 * Members of an organization, on every plan: a directory of 10,000 users that is provisioned, and a tenth more for people who are not in it, such as the first
 * admin, break-glass users and guests. Lists of all members are read in memory by a few operations (SCIM filters, a group of everybody), within these limits.
 */
export const MEMBERS_LIMIT = 11_000
/** Organizations of a user. Every session view lists all of them. */
export const ORGANIZATIONS_LIMIT = 1000

export class Memberships {
  readonly #documents: Collection<MembershipDocument>

  constructor(storage: Storage) {
    this.#documents = storage.open(MEMBERSHIPS)
  }

  of(organizationId: string, userId: string): Promise<MembershipDocument | null> {
    return this.#documents.findOne({ organization_id: organizationId, user_id: userId })
  }

  /** The number of memberships in all organizations. */
  countAll(): Promise<number> {
    return this.#documents.count({})
  }

  byId(organizationId: string, membershipId: string): Promise<MembershipDocument | null> {
    return this.#documents.findOne({ _id: membershipId, organization_id: organizationId })
  }

  /** Memberships of a user, oldest first. */
  ofUser(userId: string): Promise<MembershipDocument[]> {
    return this.#documents.find({ user_id: userId }, { sort: { created_at: 1, _id: 1 }, limit: ORGANIZATIONS_LIMIT })
  }

  ofOrganization(
    organizationId: string,
    filter: Pick<Filter<MembershipDocument>, 'role' | 'user_id'>,
    options: PageOptions<MembershipDocument>,
  ): Promise<Page<MembershipDocument>> {
    return findPage(this.#documents, { ...filter, organization_id: organizationId }, options)
  }

  /** The existing memberships of these users. */
  ofUsers(organizationId: string, userIds: readonly string[]): Promise<MembershipDocument[]> {
    return userIds.length === 0 ? Promise.resolve([]) : this.#documents.find({ organization_id: organizationId, user_id: { in: userIds } })
  }

  /** Ids of the members of an organization, at most `MEMBERS_LIMIT`, in no defined order. */
  async userIdsOf(organizationId: string): Promise<string[]> {
    return (await this.#documents.find({ organization_id: organizationId }, { limit: MEMBERS_LIMIT })).map(({ user_id }) => user_id)
  }

  /** The next members in the order of user ids, to iterate over all. @param userId the last one of the page before; empty: begin @param roles null: any */
  after(organizationId: string, userId: string, roles: readonly EnterpriseRole[] | null, limit: number): Promise<MembershipDocument[]> {
    const filter = { organization_id: organizationId, user_id: { gt: userId }, ...(roles === null ? {} : { role: { in: roles } }) }
    return this.#documents.find(filter, { sort: { user_id: 1 }, limit })
  }

  /** Ids of the users beyond the first ones: org_admins before others, and those who joined earlier before those who joined later. */
  async beyond(organizationId: string, first: number): Promise<string[]> {
    const all = await this.#documents.find({ organization_id: organizationId }, { sort: { created_at: 1, _id: 1 }, limit: MEMBERS_LIMIT })
    const ranked = [...all.filter(({ role }) => role === 'org_admin'), ...all.filter(({ role }) => role !== 'org_admin')]
    return ranked.slice(first).map(({ user_id }) => user_id)
  }

  admins(organizationId: string): Promise<MembershipDocument[]> {
    return this.#documents.find({ organization_id: organizationId, role: 'org_admin' })
  }

  /** The next admins in the order of membership ids. @param membershipId the last one of the page before; empty: begin */
  adminsAfter(organizationId: string, membershipId: string, limit: number): Promise<MembershipDocument[]> {
    return this.#documents.find({ organization_id: organizationId, role: 'org_admin', _id: { gt: membershipId } }, { sort: { _id: 1 }, limit })
  }

  /** Number of members of an organization. */
  count(organizationId: string): Promise<number> {
    return this.#documents.count({ organization_id: organizationId })
  }

  /** The limit of members, for `Quotas.creating`, which then throws ApiError member_limit. */
  room(organizationId: string): Room {
    const requireRoom = (there: number): void => {
      if (there >= MEMBERS_LIMIT) throw new ApiError('member_limit', { params: { limit: MEMBERS_LIMIT } })
    }
    return { count: () => this.count(organizationId), requireRoom, allowedUpTo: MEMBERS_LIMIT }
  }

  /** Checks the limit before a user joins another organization. @throws ApiError organization_limit */
  async requireRoomFor(userId: string): Promise<void> {
    if ((await this.#documents.count({ user_id: userId })) >= ORGANIZATIONS_LIMIT) throw new ApiError('organization_limit', { params: { limit: ORGANIZATIONS_LIMIT } })
  }

  /** @throws DuplicateKeyError on `organization_id, user_id`, by the commit */
  adding(membership: MembershipDocument): Write {
    return this.#documents.inserting(membership)
  }

  /** The commit fails if the membership has changed since it was read. */
  changingRole({ _id, organization_id, revision }: MembershipDocument, role: EnterpriseRole, now: Date): Write {
    return this.#documents.updating({ _id, organization_id, revision }, { set: { role, updated_at: now }, increment: { revision: 1 } })
  }

  /** For a commit that increments the `members_revision` of the organization, which serializes changes of roles and removals. */
  changingRoles(organizationId: string, memberships: readonly MembershipDocument[], role: EnterpriseRole, now: Date): Write {
    const filter = { _id: { in: memberships.map(({ _id }) => _id) }, organization_id: organizationId }
    return this.#documents.updatingMany(filter, { set: { role, updated_at: now }, increment: { revision: 1 } })
  }

  /** The commit fails if the membership has changed since it was read. */
  removing({ _id, organization_id, revision }: MembershipDocument): Write {
    return this.#documents.deleting({ _id, organization_id, revision })
  }
}

/** The document of a new membership. */
export function newMembership(id: string, organizationId: string, userId: string, role: EnterpriseRole, now: Date): MembershipDocument {
  return { _id: id, organization_id: organizationId, user_id: userId, role, created_at: now, updated_at: now, revision: 1 }
}
