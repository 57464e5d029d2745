/**
 * Who belongs to which organization, with which role. A login asks for all of a user's, whatever the organization, so they are no tenant collection;
 * every method here names the organization or the user that it is about, and there is no other way to them.
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

/** Members of an organization, whatever its plan. */
export const MEMBERS_LIMIT = 10_000
/** Organizations of a user: all of them are shown with every session. */
export const ORGANIZATIONS_LIMIT = 1000

export class Memberships {
  readonly #documents: Collection<MembershipDocument>

  constructor(storage: Storage) {
    this.#documents = storage.open(MEMBERSHIPS)
  }

  of(organizationId: string, userId: string): Promise<MembershipDocument | null> {
    return this.#documents.findOne({ organization_id: organizationId, user_id: userId })
  }

  byId(organizationId: string, membershipId: string): Promise<MembershipDocument | null> {
    return this.#documents.findOne({ _id: membershipId, organization_id: organizationId })
  }

  /** The oldest first. */
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

  /** Of these users; those who are members. */
  ofUsers(organizationId: string, userIds: readonly string[]): Promise<MembershipDocument[]> {
    return userIds.length === 0 ? Promise.resolve([]) : this.#documents.find({ organization_id: organizationId, user_id: { in: userIds } })
  }

  /** The next members by user id, for walks over all of them. @param userId of the one before; empty: from the first on @param roles null: any */
  after(organizationId: string, userId: string, roles: readonly EnterpriseRole[] | null, limit: number): Promise<MembershipDocument[]> {
    const filter = { organization_id: organizationId, user_id: { gt: userId }, ...(roles === null ? {} : { role: { in: roles } }) }
    return this.#documents.find(filter, { sort: { user_id: 1 }, limit })
  }

  admins(organizationId: string): Promise<MembershipDocument[]> {
    return this.#documents.find({ organization_id: organizationId, role: 'org_admin' })
  }

  /** Members of an organization. */
  count(organizationId: string): Promise<number> {
    return this.#documents.count({ organization_id: organizationId })
  }

  /** For `Quotas.creating` of a member, which throws ApiError member_limit then. */
  room(organizationId: string): Room {
    const requireRoom = (there: number): void => {
      if (there >= MEMBERS_LIMIT) throw new ApiError('member_limit', { params: { limit: MEMBERS_LIMIT } })
    }
    return { count: () => this.count(organizationId), requireRoom }
  }

  /** Before a user joins one more. @throws ApiError organization_limit */
  async requireRoomFor(userId: string): Promise<void> {
    if ((await this.#documents.count({ user_id: userId })) >= ORGANIZATIONS_LIMIT) throw new ApiError('organization_limit', { params: { limit: ORGANIZATIONS_LIMIT } })
  }

  /** @throws DuplicateKeyError of `organization_id, user_id`, by the commit */
  adding(membership: MembershipDocument): Write {
    return this.#documents.inserting(membership)
  }

  /** Refused when the membership is another one by then. */
  changingRole({ _id, organization_id, revision }: MembershipDocument, role: EnterpriseRole, now: Date): Write {
    return this.#documents.updating({ _id, organization_id, revision }, { set: { role, updated_at: now }, increment: { revision: 1 } })
  }

  /** Refused when the membership is another one by then. */
  removing({ _id, organization_id, revision }: MembershipDocument): Write {
    return this.#documents.deleting({ _id, organization_id, revision })
  }
}

/** A membership as stored, for one that is new. */
export function newMembership(id: string, organizationId: string, userId: string, role: EnterpriseRole, now: Date): MembershipDocument {
  return { _id: id, organization_id: organizationId, user_id: userId, role, created_at: now, updated_at: now, revision: 1 }
}
