/**
 * Users of SCIM: created, listed, changed, deactivated, deleted (CONTRACT.md#scim). Invariants:
 *  1. no two users of an organization have the same `userName` in any letter case, or the same account
 *  2. concurrent changes of one user all take effect, or are refused by their `If-Match`
 *  3. a deactivated or deleted user is no member: the same commit removes the membership and ends the sessions
 *  4. an account changes only if it belongs to this organization alone; its e-mail only within domains that the organization has proven
 */
import { emailKeyOf, normalizeEmail } from '#basics'
import type { Identities } from '../../../core/auth/identities.js'
import type { ScimPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import { USERS } from '../../../core/auth/users.js'
import { ApiError, required } from '../../../core/errors.js'
import { type IfMatch, requireCurrent } from '../../../core/etag.js'
import { ScimError } from '../protocol/errors.js'
import { applyPatch, type PatchOperation } from '../protocol/patch.js'
import { wantsAttribute } from '../protocol/projection.js'
import type { Query, ResourcePage } from '../protocol/query.js'
import { type ChangedResource, readResource, replaceResource } from '../protocol/read-resource.js'
import { USER_TYPE } from '../protocol/resource-types.js'
import type { ScimObject } from '../protocol/resource.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { isStaleWrite, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditContext, auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { DomainsService } from '../../accounts/index.js'
import type { Admitted, MembersService } from '../../accounts/index.js'
import type { ScimTokensService } from '../scim-tokens/service.js'
import { isStateTaken } from './group-store.js'
import { type MembersSync, soughtBy } from './members-sync.js'
import type { ScimResources } from './resource-routes.js'
import { candidatesOf, listStored, type StoredResources } from './stored-list.js'
import { displayNameOf, emailOf, presentUser } from './user-present.js'
import { fieldsOf, SCIM_USERS, type ScimUserDocument, USER_FIELDS } from './user-store.js'

/** Deactivated users of an organization. Directories deactivate people who leave and seldom delete them; active users are limited by the members. */
export const INACTIVE_LIMIT = 20_000
/** Attempts of a change that conflicts with concurrent changes. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20
const AUDITED = ['user_name', 'external_id', 'display_name', 'emails', 'active'] as const

/** The operations on groups that users need. */
export interface UserGroups {
  /** Values of `groups`, by user. */
  groupsOf(scope: Scope, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly ScimObject[]>>
  /** Writes of the commit that deletes a user. */
  forgetting(scope: Scope, userId: string, now: Date): Promise<readonly Write[]>
  /** Writes of the commit that renames a user. */
  renaming(scope: Scope, userId: string, display: string): readonly Write[]
  /** Writes of the commit that admits a user, whose roles follow the groups. */
  admitting(scope: Scope, userId: string, now: Date): readonly Write[]
  /** Called after that commit. */
  admitted(scope: Scope, userId: string, actor: ScimActor): Promise<void>
}

export interface ScimUsersParts {
  readonly identities: Pick<Identities, 'users' | 'memberships' | 'commit' | 'clock'>
  readonly members: Pick<MembersService, 'admit' | 'expel'>
  readonly sync: MembersSync
  readonly domains: Pick<DomainsService, 'hasProven'>
  readonly tokens: Pick<ScimTokensService, 'defaultRole'>
  readonly throttles: Pick<Throttles, 'provisioned'>
  readonly groups: UserGroups
  /** Discards the tokens with which the password of an account could be reset. */
  readonly discardResets: (userId: string) => Write
  /** Address of SCIM, without a slash at the end. */
  readonly base: () => string
}

export type ScimActor = Actor<ScimPrincipal>

/** The user was changed by another request since it was read. */
class UserChanged extends Error {}

export class ScimUsers implements ScimResources {
  readonly #parts: ScimUsersParts

  constructor(parts: ScimUsersParts) {
    this.#parts = parts
  }

  /** Always with `groups`, on which the version depends. @throws ApiError resource_missing */
  async get(scope: Scope, userId: string): Promise<ScimObject> {
    return (await this.#presentAll(scope, [await this.#user(scope, userId)], true))[0]
  }

  /** A page of complete users; without `groups` if the response does not depend on them. @throws ScimError tooMany */
  async list(scope: Scope, query: Query): Promise<ResourcePage> {
    const { sync } = this.#parts
    const sought = soughtBy(query.filter)
    await (sought === null ? sync.all(scope) : sync.sought(scope, sought))
    return listStored(query, this.#stored(scope, query))
  }

  /**
   * Creates a user with the account of its e-mail, or a new account. A member who was not provisioned is adopted.
   * @throws ScimError, ApiError scim_user_exists, scim_user_limit, domain_unproven, email_taken, user_inactive, member_limit, rate_limited, edit_conflict
   */
  async create(scope: Scope, body: unknown, actor: ScimActor): Promise<ScimObject> {
    const { identities, members, tokens, throttles, groups } = this.#parts
    const resource = readResource(USER_TYPE, body)
    const email = emailOf(resource)
    if (email === null) throw new ScimError('email_missing', {})
    const users = scope.collection(SCIM_USERS)
    const fields = fieldsOf(resource)
    const [inactive, named, account, role] = await Promise.all([
      users.count({ active: false }),
      users.findOne({ user_name: fields.user_name }),
      identities.users.byEmail(email),
      tokens.defaultRole(scope, actor.principal.tokenId),
    ])
    if (inactive >= INACTIVE_LIMIT) throw new ApiError('scim_user_limit', { params: { limit: INACTIVE_LIMIT } })
    if (named?.is_provisioned === true) throw new ApiError('scim_user_exists')
    if (account === null) await throttles.provisioned(scope.organizationId)
    const context = auditContext(actor)
    let created: ScimUserDocument | null = null
    let isFollowing = false
    const alongside = async ({ user, outcome }: Admitted, now: Date): Promise<readonly Write[]> => {
      const stored = outcome === 'created' ? null : await users.findOne({ user_id: user._id })
      if (stored?.is_provisioned === true) throw new ApiError('scim_user_exists')
      const written = { ...fields, active: true, is_provisioned: true, updated_at: now }
      created =
        stored === null
          ? { _id: newId(), organization_id: scope.organizationId, user_id: user._id, ...written, created_at: now, revision: 1 }
          : { ...stored, ...written, revision: stored.revision + 1 }
      // Who was neither a member nor a user is in no group, and has no role in a project.
      isFollowing = outcome === 'member' || stored !== null
      return [
        stored === null ? users.inserting(created) : users.updating({ _id: stored._id, revision: stored.revision }, { set: written, increment: { revision: 1 } }),
        ...(isFollowing ? groups.admitting(scope, user._id, now) : []),
        this.#audit(scope, null, created, context, now),
      ]
    }
    await refusingTaken(members.admit(scope, { email, displayName: displayNameOf(resource, email), role }, { contextOf: () => context, alongside }))
    const { user_id } = created!
    if (isFollowing) await groups.admitted(scope, user_id, actor)
    // An inactive user has an account, and so the same identifier when it is activated.
    if (resource.active === false) await this.#deactivate(scope, user_id, context)
    return isFollowing || resource.active === false ? this.get(scope, user_id) : presentUser(created!, [], this.#parts.base())
  }

  /** PUT: attributes that the body omits are removed; `active` remains as it is. @throws as `patch` */
  replace(scope: Scope, userId: string, body: unknown, ifMatch: IfMatch, actor: ScimActor): Promise<void> {
    return this.#change(scope, userId, (current) => replaceResource(USER_TYPE, current, body), ifMatch, actor)
  }

  /**
   * @param ifMatch ETags of which one must match; null: no condition
   * @returns null: the version depends on the groups as well, which a change does not read
   * @throws ScimError, ApiError resource_missing, precondition_failed, scim_user_exists, account_email_refused, last_admin, policy_locks_out, edit_conflict, and as `create`
   */
  async patch(scope: Scope, userId: string, operations: readonly PatchOperation[], ifMatch: IfMatch, actor: ScimActor): Promise<null> {
    await this.#change(scope, userId, (current) => applyPatch(USER_TYPE, current, operations), ifMatch, actor)
    return null
  }

  /** Removes the user from the organization and from its groups. The account remains. @throws ApiError resource_missing, precondition_failed, last_admin, policy_locks_out, edit_conflict */
  async delete(scope: Scope, userId: string, ifMatch: IfMatch, actor: ScimActor): Promise<void> {
    const { groups } = this.#parts
    const context = auditContext(actor)
    await this.#retrying(async () => {
      const user = await this.#user(scope, userId)
      requireCurrent(user.revision, ifMatch)
      const writes = async (now: Date): Promise<readonly Write[]> => [
        scope.collection(SCIM_USERS).deleting({ _id: user._id, revision: user.revision }),
        ...(await groups.forgetting(scope, userId, now)),
        this.#audit(scope, user, null, context, now),
      ]
      if (user.active) await this.#expel(scope, user, context, writes)
      else await scope.commit(await writes(this.#now()))
    })
  }

  /** Names of the users that exist, by id. */
  async displaysOf(scope: Scope, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { sync } = this.#parts
    await sync.sought(scope, { emails: [], ids: userIds })
    const found = await scope.collection(SCIM_USERS).find({ user_id: { in: userIds } })
    return new Map(found.map((user) => [user.user_id, displayOf(JSON.parse(user.resource) as ScimObject)]))
  }

  /** Candidates of a search in all resources. @throws ScimError tooMany */
  async candidates(scope: Scope, query: Query): Promise<readonly ScimObject[]> {
    await this.#parts.sync.all(scope)
    const stored = this.#stored(scope, query)
    const found = await candidatesOf(query, stored)
    return showsGroups(query) ? stored.shown(found) : stored.compared(found)
  }

  #stored(scope: Scope, query: Query): StoredResources<ScimUserDocument> {
    return {
      collection: scope.collection(SCIM_USERS),
      fields: USER_FIELDS,
      idOf: ({ user_id }) => user_id,
      compared: (users) => this.#presentAll(scope, users, namesGroups(query)),
      shown: (users) => this.#presentAll(scope, users, showsGroups(query)),
    }
  }

  async #change(scope: Scope, userId: string, change: (current: ScimObject) => ChangedResource, ifMatch: IfMatch, actor: ScimActor): Promise<void> {
    const { groups, base } = this.#parts
    const context = auditContext(actor)
    let isAdmitted = false
    await this.#retrying(async () => {
      const before = await this.#user(scope, userId)
      requireCurrent(before.revision, ifMatch)
      const { resource, isChanged } = change(presentUser(before, [], base()))
      const active = typeof resource.active === 'boolean' ? resource.active : before.active
      const fields = fieldsOf(resource)
      if (!isChanged && before.is_provisioned) return
      if (fields.user_name !== before.user_name && (await scope.collection(SCIM_USERS).findOne({ user_name: fields.user_name })) !== null) throw new ApiError('scim_user_exists')
      if (active === before.active && fields.resource === before.resource && before.is_provisioned) return
      const written = { ...fields, active, is_provisioned: true }
      const writes = (now: Date): readonly Write[] => [
        scope.collection(SCIM_USERS).updating({ _id: before._id, revision: before.revision }, { set: { ...written, updated_at: now }, increment: { revision: 1 } }),
        ...groups.renaming(scope, userId, displayOf(resource)),
        this.#audit(scope, before, { ...before, ...written }, context, now),
      ]
      isAdmitted = active && !before.active
      if (isAdmitted) return this.#readmit(scope, before, actor, (now) => [...writes(now), ...groups.admitting(scope, userId, now)])
      if (!active && before.active) return this.#expel(scope, before, context, async (now) => writes(now))
      const now = this.#now()
      const account = active ? await this.#accountWrites(scope, before, resource, context, now) : []
      if (account.length === 0) await scope.commit(writes(now))
      else await this.#parts.identities.commit([...writes(now), ...account], { user: userId })
    })
    if (isAdmitted) await groups.admitted(scope, userId, actor)
  }

  async #deactivate(scope: Scope, userId: string, context: AuditContext): Promise<void> {
    await this.#retrying(async () => {
      const user = await this.#user(scope, userId)
      if (!user.active) return
      await this.#expel(scope, user, context, async (now) => [
        scope.collection(SCIM_USERS).updating({ _id: user._id, revision: user.revision }, { set: { active: false, updated_at: now }, increment: { revision: 1 } }),
        this.#audit(scope, user, { ...user, active: false }, context, now),
      ])
    })
  }

  /** Removes the membership, with these writes in the same commit. @throws UserChanged when the user was changed meanwhile */
  #expel(scope: Scope, user: ScimUserDocument, context: AuditContext, writes: (now: Date) => Promise<readonly Write[]>): Promise<void> {
    return this.#parts.members.expel(scope, user.user_id, context, async () => {
      await this.#requireUnchanged(scope, user)
      return writes(this.#now())
    })
  }

  /** Makes the account a member again, with these writes in the same commit. @throws UserChanged when the user was changed meanwhile */
  async #readmit(scope: Scope, user: ScimUserDocument, actor: ScimActor, writes: (now: Date) => readonly Write[]): Promise<void> {
    const { identities, members, tokens } = this.#parts
    const account = required(await identities.users.byId(user.user_id))
    const admission = { email: account.email, displayName: account.display_name, role: await tokens.defaultRole(scope, actor.principal.tokenId) }
    await members.admit(scope, admission, {
      contextOf: () => auditContext(actor),
      alongside: async (admitted, now) => {
        if (admitted.user._id !== user.user_id) throw new UserChanged()
        await this.#requireUnchanged(scope, user)
        return writes(now)
      },
    })
  }

  /**
   * The writes about the account: its name and its e-mail follow the user if the account belongs to this organization alone.
   * @throws ApiError account_email_refused, email_taken
   */
  async #accountWrites(scope: Scope, before: ScimUserDocument, after: ScimObject, context: AuditContext, now: Date): Promise<readonly Write[]> {
    const { identities, domains, discardResets } = this.#parts
    const { users, memberships } = identities
    const account = await users.byId(before.user_id)
    if (account === null) return []
    const former = JSON.parse(before.resource) as ScimObject
    const email = emailOf(after)
    const isMoved = email !== null && email !== emailOf(former) && emailKeyOf(email) !== account.email_key
    const name = displayNameOf(after, email ?? account.email)
    const isRenamed = name !== displayNameOf(former, account.email) && name !== account.display_name
    if (!isMoved && !isRenamed) return []
    const isAlone = (await memberships.ofUser(account._id)).every(({ organization_id }) => organization_id === scope.organizationId)
    const isOwn = isAlone && !users.isPlatformAdmin(account) && (account.password_hash === null || (await domains.hasProven(scope, account.email)))
    if (isMoved && (!isOwn || users.isReserved(email) || !(await domains.hasProven(scope, email)))) throw new ApiError('account_email_refused')
    if (!isOwn) return []
    const changed = { ...(isMoved ? { email: normalizeEmail(email), email_key: emailKeyOf(email) } : {}), ...(isRenamed ? { display_name: name } : {}) }
    const resource = { type: 'user', id: account._id, name: account.email }
    const diff = diffOf(account, { ...account, ...changed }, ['email', 'display_name'])
    const { _id, revision, memberships_revision } = account
    return [
      users.updating({ _id, revision, memberships_revision }, { set: { ...changed, updated_at: now }, increment: { revision: 1 } }),
      ...(isMoved ? [discardResets(_id)] : []),
      auditing(scope, context, { action: 'user.updated', resource, diff }, now),
    ]
  }

  /** @throws UserChanged */
  async #requireUnchanged(scope: Scope, { _id, revision }: ScimUserDocument): Promise<void> {
    if ((await scope.collection(SCIM_USERS).findOne({ _id, revision })) === null) throw new UserChanged()
  }

  /** @throws ApiError resource_missing */
  async #user(scope: Scope, userId: string): Promise<ScimUserDocument> {
    const users = scope.collection(SCIM_USERS)
    const stored = await users.findOne({ user_id: userId })
    if (stored?.active === true) return stored
    await this.#parts.sync.sought(scope, { emails: [], ids: [userId] })
    return required(await users.findOne({ user_id: userId }))
  }

  async #presentAll(scope: Scope, users: readonly ScimUserDocument[], withGroups: boolean): Promise<readonly ScimObject[]> {
    const groups = withGroups ? await this.#groupsOf(scope, users) : null
    const base = this.#parts.base()
    return users.map((user) => presentUser(user, groups?.get(user.user_id) ?? [], base))
  }

  #groupsOf(scope: Scope, users: readonly ScimUserDocument[]): Promise<ReadonlyMap<string, readonly ScimObject[]>> {
    return this.#parts.groups.groupsOf(
      scope,
      users.map(({ user_id }) => user_id),
    )
  }

  #retrying(change: () => Promise<void>): Promise<void> {
    return refusingTaken(retryStale(ATTEMPTS, change, { pauseMs: PAUSE_MS, isStale: (error) => isStaleWrite(error) || isStateTaken(error) || error instanceof UserChanged }))
  }

  #audit(scope: Scope, before: ScimUserDocument | null, after: ScimUserDocument | null, context: AuditContext, now: Date): Write {
    const { user_id, user_name } = (after ?? before)!
    const action = before === null ? 'scim_user.created' : after === null ? 'scim_user.deleted' : 'scim_user.updated'
    return auditing(scope, context, { action, resource: { type: 'scim_user', id: user_id, name: user_name }, diff: diffOf(before, after, AUDITED) }, now)
  }

  #now(): Date {
    return new Date(this.#parts.identities.clock())
  }
}

/** Converts a violated unique index to a refusal. @throws ApiError scim_user_exists, email_taken */
async function refusingTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof DuplicateKeyError && error.collection === SCIM_USERS.name) throw new ApiError('scim_user_exists')
    if (error instanceof DuplicateKeyError && error.collection === USERS.name) throw new ApiError('email_taken')
    throw error
  }
}

/** Whether the filter or the order of a query may depend on the groups: by `groups`, or by `meta.version`. */
function namesGroups({ filter, sort }: Query): boolean {
  return /"name":"(?:groups|version)"/.test(JSON.stringify({ filter, path: sort?.path ?? null }))
}

/** Whether a response depends on the groups: by `groups`, or by `meta.version`. */
function showsGroups({ projection }: Query): boolean {
  return wantsAttribute(projection, 'groups') || wantsAttribute(projection, 'meta')
}

/** Name of a user for people. */
function displayOf({ displayName, userName }: ScimObject): string {
  return String(displayName ?? userName)
}
