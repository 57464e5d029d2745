/**
 * Members as users of SCIM. A person who becomes a member without provisioning (by invitation, by a login, as the first administrator) has no stored user yet:
 * the user is stored when a client looks for it. Invariants:
 *  1. a list shows all members
 *  2. a stored user is active if and only if it is a member; a removal deactivates it in the same commit, and a later look activates a member who returned
 */
import { LRUCache } from 'lru-cache'
import type { Identities } from '../../../core/auth/identities.js'
import type { UserDocument } from '../../../core/auth/users.js'
import type { Filter } from '../protocol/filter/filter.js'
import { pathText } from '../protocol/attribute-path.js'
import { foldCase } from '../protocol/text-order.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { KeyedMutex } from '../../../core/tenancy/keyed-mutex.js'
import { quotaOf } from '../../../core/tenancy/quota-warnings.js'
import { isStaleWrite, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { resourceOfMember } from './user-present.js'
import { fieldsOf, SCIM_USERS, type ScimUserDocument } from './user-store.js'

/** Members that one commit stores. */
const BATCH = 200
/** Attempts of a commit that conflicts with concurrent requests. */
const ATTEMPTS = 24
const PAUSE_MS = 20

/** Organizations that are cached; another one costs two counts. */
const COMPLETE_LIMIT = 1000

/** Texts by which a filter looks for single users. */
export interface Sought {
  readonly emails: readonly string[]
  readonly ids: readonly string[]
}

export class MembersSync {
  readonly #identities: Pick<Identities, 'users' | 'memberships' | 'organizations' | 'clock'>
  /** One look at a time for each organization: others of this instance would store the same members. */
  readonly #mutex = new KeyedMutex()
  /** The revisions of the members at which all were stored, by organization, so that a page of a large list does not count all members. */
  readonly #complete = new LRUCache<string, string>({ max: COMPLETE_LIMIT })

  constructor(identities: Pick<Identities, 'users' | 'memberships' | 'organizations' | 'clock'>) {
    this.#identities = identities
  }

  /** Writes of the commit that removes a member otherwise than by SCIM. */
  removing(scope: Scope, userId: string, now: Date): readonly Write[] {
    return [scope.collection(SCIM_USERS).updatingMany({ user_id: userId, active: true }, { set: { active: false, updated_at: now }, increment: { revision: 1 } })]
  }

  /** Stores the members who have no active user. */
  async all(scope: Scope): Promise<void> {
    const { memberships } = this.#identities
    const { organizationId } = scope
    if (await this.#isComplete(scope)) return
    await this.#mutex.run(organizationId, async () => {
      if (await this.#isComplete(scope)) return
      for (let last = ''; ; ) {
        const page = await memberships.after(organizationId, last, null, BATCH)
        if (page.length === 0) return
        last = page[page.length - 1].user_id
        await this.#store(
          scope,
          page.map(({ user_id }) => user_id),
        )
      }
    })
  }

  /** Stores the members whom a filter looks for by e-mail or id. */
  async sought(scope: Scope, { emails, ids }: Sought): Promise<void> {
    const { users, memberships } = this.#identities
    const found = (await Promise.all(emails.map((email) => users.byEmail(email)))).flatMap((user) => (user === null ? [] : [user._id]))
    const members = await memberships.ofUsers(scope.organizationId, [...new Set([...found, ...ids])])
    await this.#store(
      scope,
      members.map(({ user_id }) => user_id),
    )
  }

  async #isComplete(scope: Scope): Promise<boolean> {
    const { memberships, organizations } = this.#identities
    const { organizationId } = scope
    const [organization, quota] = await Promise.all([organizations.byId(organizationId), quotaOf(scope, 'members')])
    // A removal changes the one, an admission the other.
    const revisions = `${organization?.members_revision} ${quota?.revision}`
    if (this.#complete.get(organizationId) === revisions) return true
    const [members, active] = await Promise.all([memberships.count(organizationId), scope.collection(SCIM_USERS).count({ active: true })])
    if (members === active) this.#complete.set(organizationId, revisions)
    return members === active
  }

  /** @param userIds of members */
  async #store(scope: Scope, userIds: readonly string[]): Promise<void> {
    if (userIds.length === 0) return
    const { users: people, memberships, organizations, clock } = this.#identities
    const users = scope.collection(SCIM_USERS)
    const attempt = async (): Promise<void> => {
      const stored = new Map((await users.find({ user_id: { in: userIds } })).map((user) => [user.user_id, user]))
      const missing = userIds.filter((id) => stored.get(id)?.active !== true)
      if (missing.length === 0) return
      const organization = await organizations.byId(scope.organizationId)
      if (organization === null) return
      const [accounts, members] = await Promise.all([people.byIds(missing), memberships.ofUsers(scope.organizationId, missing)])
      const names = members.flatMap(({ user_id }) => accounts.get(user_id)?.email ?? []).map(foldCase)
      const taken = new Set((await users.find({ user_name: { in: names } })).map(({ user_name }) => user_name))
      const now = new Date(clock())
      const writes = members.flatMap(({ user_id }) => writesFor(scope, stored.get(user_id), accounts.get(user_id), taken, now))
      if (writes.length === 0) return
      const { _id, members_revision } = organization
      // A concurrent removal of one of these members happens entirely before or after this commit.
      await scope.commit([organizations.updating({ _id, members_revision }, { increment: { members_revision: 1 } }), ...writes])
    }
    await retryStale(ATTEMPTS, attempt, { pauseMs: PAUSE_MS, isStale: hasChanged })
  }
}

/** @param taken names that stored users have */
function writesFor(scope: Scope, stored: ScimUserDocument | undefined, account: UserDocument | undefined, taken: ReadonlySet<string>, now: Date): readonly Write[] {
  const users = scope.collection(SCIM_USERS)
  if (account === undefined) return []
  if (stored !== undefined) return [users.updating({ _id: stored._id, revision: stored.revision }, { set: { active: true, updated_at: now }, increment: { revision: 1 } })]
  const member = resourceOfMember(account)
  // A client may have given the e-mail to another user as the name.
  const fields = fieldsOf(taken.has(foldCase(account.email)) ? { ...member, userName: account._id } : member)
  return [users.inserting({ _id: newId(), user_id: account._id, ...fields, active: true, is_provisioned: false, created_at: now, updated_at: now, revision: 1 })]
}

function hasChanged(error: unknown): boolean {
  return isStaleWrite(error) || (error instanceof DuplicateKeyError && error.collection === SCIM_USERS.name)
}

const NOBODY: Sought = { emails: [], ids: [] }

/** The users that a filter looks for; null: it may match any member. A member who is not stored has no `externalId`. */
export function soughtBy(filter: Filter | null): Sought | null {
  if (filter === null) return null
  if (filter.kind === 'and') return filter.filters.map(soughtBy).find((one) => one !== null) ?? null
  if (filter.kind === 'element') return soughtBy(filter.filter)
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return null
  switch (pathText(filter.path)) {
    case 'userName':
    case 'emails.value':
      return { ...NOBODY, emails: [filter.value] }
    case 'id':
      return { ...NOBODY, ids: [filter.value] }
    case 'externalId':
      return NOBODY
    default:
      return null
  }
}
