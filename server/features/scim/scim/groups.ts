/**
 * Groups of SCIM: created, listed, changed, deleted (CONTRACT.md#groups-of-scim). Invariants:
 *  1. no two groups of an organization have the same name, in any letter case: Entra ID and Okta look groups up by name
 *  2. concurrent changes of one group all take effect, or are refused by their `If-Match`
 *  3. a change reads the members that it names, and no others
 *  4. users whose groups or group names change are marked in the same commit, so that their roles follow (`scim-roles.ts`)
 */
import type { Identities } from '../../../core/auth/identities.js'
import type { ScimPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError, required } from '../../../core/errors.js'
import { type IfMatch, requireMatch } from '../../../core/etag.js'
import { ScimError } from '../protocol/errors.js'
import { membersOfFilter, membersOfPatch, type NamedMembers, requiredMembers } from '../protocol/members.js'
import { applyPatch, type PatchOperation } from '../protocol/patch.js'
import { wantsAttribute } from '../protocol/projection.js'
import type { Query, ResourcePage } from '../protocol/query.js'
import { readResource, replaceResource } from '../protocol/read-resource.js'
import { GROUP_TYPE } from '../protocol/resource-types.js'
import type { ScimObject } from '../protocol/resource.js'
import { foldCase } from '../protocol/text-order.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newOrderedId } from '../../../core/storage/id.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { isStaleWrite, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { MEMBER_TYPE, presentGroup, presentGroupOfUser } from './group-present.js'
import {
  addingMember,
  countingDeleted,
  GROUP_FIELDS,
  inParts,
  isStateTaken,
  membersOf,
  SCIM_GROUP_MEMBERS,
  SCIM_GROUPS,
  type ScimGroupDocument,
  type ScimGroupMemberDocument,
  stateOf,
} from './group-store.js'
import type { ScimResources } from './resource-routes.js'
import { candidatesOf, listStored, type StoredResources } from './stored-list.js'
import { SCIM_USERS } from './user-store.js'

/** Groups of an organization. Companies push some hundred; a query that the store cannot evaluate reads all of them. */
export const GROUPS_LIMIT = 2000
/** Members in all groups of one answer: about 10 MB. */
export const ANSWER_MEMBERS_LIMIT = 50_000
/** Attempts of a change that conflicts with concurrent changes. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20
/** Identifiers of members that an audit entry names. */
const AUDITED_MEMBERS = 100

type ScimActor = Actor<ScimPrincipal>

/** The operations on users that groups need. */
export interface GroupUsers {
  /** Names of the users that exist, by id. */
  displaysOf(scope: Scope, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** What follows from changed memberships. */
export interface OnMembersChanged {
  /** Writes for the commit of the change. */
  marking(scope: Scope, userIds: readonly string[], now: Date, actor: ScimActor): Promise<readonly Write[]>
  /** Called after the commit. */
  changed(scope: Scope, userIds: readonly string[], actor: ScimActor): Promise<void>
}

export interface ScimGroupsParts {
  readonly users: GroupUsers
  readonly roles: OnMembersChanged
  readonly quotas: Pick<Quotas, 'creating'>
  readonly identities: Pick<Identities, 'clock'>
  /** Address of SCIM, without a slash at the end. */
  readonly base: () => string
}

/** The client's part of a group. */
interface GroupFields {
  readonly display_name: string
  readonly display_key: string
  readonly external_id: string | null
}

/** A change of members, by user ids. */
interface MembersChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export class ScimGroups implements ScimResources {
  readonly #parts: ScimGroupsParts

  constructor(parts: ScimGroupsParts) {
    this.#parts = parts
  }

  /** @param withMembers false: without `members` @throws ApiError resource_missing */
  async get(scope: Scope, groupId: string, withMembers: boolean): Promise<ScimObject> {
    return this.#present(scope, await this.#group(scope, groupId), withMembers)
  }

  /** A page of complete groups; without `members` if the query does not ask for them. @throws ScimError tooMany */
  list(scope: Scope, query: Query): Promise<ResourcePage> {
    return listStored(query, this.#stored(scope, query))
  }

  /** Candidates of a search in all resources. @throws ScimError tooMany */
  async candidates(scope: Scope, query: Query): Promise<readonly ScimObject[]> {
    const stored = this.#stored(scope, query)
    const found = await candidatesOf(query, stored)
    return wantsAttribute(query.projection, 'members') ? stored.shown(found) : stored.compared(found)
  }

  #stored(scope: Scope, query: Query): StoredResources<ScimGroupDocument> {
    const required = requiredMembers(query.filter)
    // The order may depend on any member.
    const named = query.sort?.path.attribute.name === 'members' ? null : membersOfFilter(query.filter)
    return {
      collection: scope.collection(SCIM_GROUPS),
      fields: GROUP_FIELDS,
      idOf: ({ _id }) => _id,
      narrow: async (filter) => (required === null || '_id' in filter ? filter : { ...filter, _id: { in: await this.#groupsWith(scope, required) } }),
      compared: (groups) => this.#presentWith(scope, groups, named),
      shown: (groups) => this.#presentAll(scope, groups, wantsAttribute(query.projection, 'members')),
    }
  }

  /** @throws ScimError invalidSyntax, invalidValue, ApiError scim_group_exists, scim_group_limit, edit_conflict */
  async create(scope: Scope, body: unknown, actor: ScimActor): Promise<ScimObject> {
    const { quotas, identities, roles } = this.#parts
    const resource = readResource(GROUP_TYPE, body)
    const fields = fieldsOf(resource)
    const added = requireUsers(resource)
    const now = new Date(identities.clock())
    const created: ScimGroupDocument = {
      _id: newOrderedId(now.getTime()),
      organization_id: scope.organizationId,
      ...fields,
      member_count: added.length,
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    await this.#unlessTaken(() =>
      quotas.creating(scope, 'scim_groups', {
        count: () => scope.collection(SCIM_GROUPS).count({}),
        requireRoom,
        writes: async () => [
          scope.collection(SCIM_GROUPS).inserting(created),
          ...(await this.#memberWrites(scope, created._id, { added, removed: [] })),
          ...(await roles.marking(scope, added, now, actor)),
          this.#audit(scope, null, created, { added, removed: [] }, actor, now),
        ],
      }),
    )
    await roles.changed(scope, added, actor)
    return this.#present(scope, created, true)
  }

  /** PUT: members that the body omits are removed. @throws as `patch` */
  replace(scope: Scope, groupId: string, body: unknown, ifMatch: IfMatch, actor: ScimActor): Promise<ScimGroupDocument> {
    return this.#change(scope, groupId, null, (current) => replaceResource(GROUP_TYPE, current, body).resource, ifMatch, actor)
  }

  /**
   * @param ifMatch ETags of which one must match; null: no condition
   * @returns the tag of the new version
   * @throws ScimError, ApiError resource_missing, precondition_failed, scim_group_exists, edit_conflict
   */
  async patch(scope: Scope, groupId: string, operations: readonly PatchOperation[], ifMatch: IfMatch, actor: ScimActor): Promise<string> {
    const { revision } = await this.#change(scope, groupId, membersOfPatch(operations), (current) => applyPatch(GROUP_TYPE, current, operations).resource, ifMatch, actor)
    return String(revision)
  }

  /** Deletes a group; its members lose the roles that it gave. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async delete(scope: Scope, groupId: string, ifMatch: IfMatch, actor: ScimActor): Promise<void> {
    const { identities, roles } = this.#parts
    const removed = await retryStale(
      ATTEMPTS,
      async () => {
        const group = await this.#group(scope, groupId)
        requireMatch(String(group.revision), ifMatch)
        const users = (await membersOf(scope, [groupId], null)).map(({ user_id }) => user_id)
        const now = new Date(identities.clock())
        await scope.commit([
          scope.collection(SCIM_GROUPS).deleting({ _id: groupId, revision: group.revision }),
          scope.collection(SCIM_GROUP_MEMBERS).deletingMany({ group_id: groupId }),
          ...(await roles.marking(scope, users, now, actor)),
          this.#audit(scope, group, null, { added: [], removed: users }, actor, now),
        ])
        return users
      },
      { pauseMs: PAUSE_MS },
    )
    await roles.changed(scope, removed, actor)
  }

  /** Groups of users, as `groups` of their resources, in the order of names. @throws ScimError tooMany */
  async groupsOf(scope: Scope, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly ScimObject[]>> {
    const base = this.#parts.base()
    const members = (
      await Promise.all(inParts(userIds).map((part) => scope.collection(SCIM_GROUP_MEMBERS).find({ user_id: { in: part } }, { limit: ANSWER_MEMBERS_LIMIT + 1 })))
    ).flat()
    if (members.length > ANSWER_MEMBERS_LIMIT) throw new ScimError('members_too_many', { limit: ANSWER_MEMBERS_LIMIT })
    const groups = new Map((await this.#byIds(scope, new Set(members.map(({ group_id }) => group_id)))).map((group) => [group._id, group]))
    const found = new Map<string, ScimGroupDocument[]>()
    for (const { user_id, group_id } of members) {
      const group = groups.get(group_id)
      if (group !== undefined) found.set(user_id, [...(found.get(user_id) ?? []), group])
    }
    const byName = (a: ScimGroupDocument, b: ScimGroupDocument): number => (a.display_key < b.display_key ? -1 : 1)
    return new Map([...found].map(([userId, own]) => [userId, own.sort(byName).map((group) => presentGroupOfUser(group, base))]))
  }

  /** Names of the groups of each of these users, for `MembersService.applyGroups`. */
  async namesOf(scope: Scope, userIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const members = (await Promise.all(inParts(userIds).map((part) => scope.collection(SCIM_GROUP_MEMBERS).find({ user_id: { in: part } })))).flat()
    const names = new Map((await this.#byIds(scope, new Set(members.map(({ group_id }) => group_id)))).map(({ _id, display_name }) => [_id, display_name]))
    const found = new Map<string, string[]>(userIds.map((userId) => [userId, []]))
    for (const { user_id, group_id } of members) if (names.has(group_id)) found.get(user_id)!.push(names.get(group_id)!)
    return found
  }

  /** Ids of the members of each group. */
  async *everyMembership(scope: Scope): AsyncGenerator<readonly string[], void, undefined> {
    for (const { _id } of await scope.collection(SCIM_GROUPS).find({}, { sort: { _id: 1 } })) yield (await membersOf(scope, [_id], null)).map(({ user_id }) => user_id)
  }

  /** Whether the organization has any group. */
  async hasAny(scope: Scope): Promise<boolean> {
    return (await scope.collection(SCIM_GROUPS).findOne({})) !== null
  }

  /** Whether groups of SCIM give the roles of a user, so that a login does not: the organization has groups, and the user is provisioned. */
  async decideFor(scope: Scope, userId: string): Promise<boolean> {
    return (await this.hasAny(scope)) && (await scope.collection(SCIM_USERS).findOne({ user_id: userId, is_provisioned: true })) !== null
  }

  /** Writes of the commit that deletes a user: the user leaves all groups. The commit is refused if another user is deleted at once. */
  async forgetting(scope: Scope, userId: string, now: Date): Promise<readonly Write[]> {
    const before = await stateOf(scope)
    const members = await scope.collection(SCIM_GROUP_MEMBERS).find({ user_id: userId })
    return [
      countingDeleted(scope, before, 1),
      scope.collection(SCIM_GROUP_MEMBERS).deletingMany({ user_id: userId }),
      ...inParts(members.map(({ group_id }) => group_id)).map((part) =>
        scope.collection(SCIM_GROUPS).updatingMany({ _id: { in: part } }, { set: { updated_at: now }, increment: { revision: 1, member_count: -1 } }),
      ),
    ]
  }

  /** Writes of the commit that renames a user. */
  renaming(scope: Scope, userId: string, display: string): readonly Write[] {
    return [scope.collection(SCIM_GROUP_MEMBERS).updatingMany({ user_id: userId }, { set: { display } })]
  }

  /** @param named the members that `change` may add or remove; null: any @param change returns the changed resource from one with these members */
  async #change(scope: Scope, groupId: string, named: NamedMembers, change: (current: ScimObject) => ScimObject, ifMatch: IfMatch, actor: ScimActor): Promise<ScimGroupDocument> {
    const { identities, roles, base } = this.#parts
    let affected: readonly string[] = []
    const changed = await retryStale(
      ATTEMPTS,
      async () => {
        const group = await this.#group(scope, groupId)
        requireMatch(String(group.revision), ifMatch)
        const known = named?.size === 0 ? [] : await membersOf(scope, [groupId], named)
        const resource = change(presentGroup(group, known, base()))
        const fields = fieldsOf(resource)
        const before = new Set(known.map(({ user_id }) => user_id))
        const after = new Set(requireUsers(resource))
        const members = { added: [...after].filter((id) => !before.has(id)), removed: [...before].filter((id) => !after.has(id)) }
        const isRenamed = fields.display_name !== group.display_name
        const now = new Date(identities.clock())
        const member_count = group.member_count + members.added.length - members.removed.length
        requireFits(member_count)
        const updated: ScimGroupDocument = { ...group, ...fields, member_count, updated_at: now, revision: group.revision + 1 }
        const diff = diffOf(group, updated, ['display_name', 'external_id'])
        affected = isRenamed ? await this.#everyMember(scope, groupId, members) : [...members.added, ...members.removed]
        if (Object.keys(diff).length === 0 && members.added.length === 0 && members.removed.length === 0) return group
        await scope.commit([
          scope
            .collection(SCIM_GROUPS)
            .updating(
              { _id: groupId, revision: group.revision },
              { set: { ...changedFields(group, fields), updated_at: now }, increment: { revision: 1, member_count: member_count - group.member_count } },
            ),
          ...(await this.#memberWrites(scope, groupId, members)),
          ...(await roles.marking(scope, affected, now, actor)),
          this.#audit(scope, group, updated, members, actor, now),
        ])
        return updated
      },
      { pauseMs: PAUSE_MS, isStale: hasChanged },
    ).catch(refuseTaken)
    await roles.changed(scope, affected, actor)
    return changed
  }

  async #unlessTaken(create: () => Promise<unknown>): Promise<void> {
    await retryStale(ATTEMPTS, create, { pauseMs: PAUSE_MS, isStale: hasChanged }).catch(refuseTaken)
  }

  /** @throws ScimError invalidValue when an added member is no user */
  async #memberWrites(scope: Scope, groupId: string, { added, removed }: MembersChange): Promise<Write[]> {
    const writes = inParts(removed).map((part) => scope.collection(SCIM_GROUP_MEMBERS).deletingMany({ group_id: groupId, user_id: { in: part } }))
    if (added.length === 0) return writes
    const state = await stateOf(scope)
    const displays = await this.#parts.users.displaysOf(scope, added)
    const missing = added.find((id) => !displays.has(id))
    if (missing !== undefined) throw new ScimError('member_unknown', { member: missing.slice(0, MEMBER_SHOWN) })
    return [...writes, countingDeleted(scope, state, 0), ...added.map((id) => addingMember(scope, groupId, id, displays.get(id)!))]
  }

  async #everyMember(scope: Scope, groupId: string, { added }: MembersChange): Promise<readonly string[]> {
    return [...new Set([...(await membersOf(scope, [groupId], null)).map(({ user_id }) => user_id), ...added])]
  }

  #audit(scope: Scope, before: ScimGroupDocument | null, after: ScimGroupDocument | null, { added, removed }: MembersChange, actor: ScimActor, now: Date): Write {
    const action = before === null ? 'scim_group.created' : after === null ? 'scim_group.deleted' : 'scim_group.updated'
    const group = (after ?? before)!
    const diff = {
      ...diffOf(before, after, ['display_name', 'external_id', 'member_count']),
      ...(added.length === 0 ? {} : { members_added: { before: null, after: added.slice(0, AUDITED_MEMBERS) } }),
      ...(removed.length === 0 ? {} : { members_removed: { before: removed.slice(0, AUDITED_MEMBERS), after: null } }),
    }
    return auditing(scope, auditContext(actor), { action, resource: { type: 'scim_group', id: group._id, name: group.display_name }, diff }, now)
  }

  /** Ids of the groups that have one of these members. */
  async #groupsWith(scope: Scope, userIds: ReadonlySet<string>): Promise<string[]> {
    const found = await Promise.all(inParts(userIds).map((part) => scope.collection(SCIM_GROUP_MEMBERS).find({ user_id: { in: part } })))
    return [...new Set(found.flat().map(({ group_id }) => group_id))]
  }

  async #membersBy(scope: Scope, groups: readonly ScimGroupDocument[], named: NamedMembers): Promise<ReadonlyMap<string, readonly ScimGroupMemberDocument[]>> {
    if (named === null) requireAnswerable(groups)
    const found = named?.size === 0 ? [] : await membersOf(scope, idsOf(groups), named)
    const byGroup = new Map<string, ScimGroupMemberDocument[]>(groups.map(({ _id }) => [_id, []]))
    for (const member of found) byGroup.get(member.group_id)?.push(member)
    return byGroup
  }

  async #present(scope: Scope, group: ScimGroupDocument, withMembers: boolean): Promise<ScimObject> {
    return (await this.#presentAll(scope, [group], withMembers))[0]
  }

  async #presentAll(scope: Scope, groups: readonly ScimGroupDocument[], withMembers: boolean): Promise<ScimObject[]> {
    return withMembers ? this.#presentWith(scope, groups, null) : groups.map((group) => presentGroup(group, null, this.#parts.base()))
  }

  async #presentWith(scope: Scope, groups: readonly ScimGroupDocument[], named: NamedMembers): Promise<ScimObject[]> {
    const members = await this.#membersBy(scope, groups, named)
    return groups.map((group) => presentGroup(group, members.get(group._id) ?? [], this.#parts.base()))
  }

  async #byIds(scope: Scope, ids: ReadonlySet<string>): Promise<ScimGroupDocument[]> {
    return (await Promise.all(inParts(ids).map((part) => scope.collection(SCIM_GROUPS).find({ _id: { in: part } })))).flat()
  }

  /** @throws ApiError resource_missing */
  async #group(scope: Scope, groupId: string): Promise<ScimGroupDocument> {
    return required(await scope.collection(SCIM_GROUPS).findOne({ _id: groupId }))
  }
}

/** Characters of an identifier that an error repeats. */
const MEMBER_SHOWN = 200
/** `maxValues` of `members`. */
const MEMBERS_LIMIT = GROUP_TYPE.schema.attributes.find(({ name }) => name === 'members')!.maxValues

const idsOf = (groups: readonly ScimGroupDocument[]): string[] => groups.map(({ _id }) => _id)

function fieldsOf(resource: ScimObject): GroupFields {
  const name = String(resource.displayName)
  return { display_name: name, display_key: foldCase(name), external_id: typeof resource.externalId === 'string' ? resource.externalId : null }
}

/** Unchanged fields are not written: an index is not touched by a change of members. */
function changedFields(group: ScimGroupDocument, fields: GroupFields): Partial<GroupFields> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => group[name as keyof GroupFields] !== value))
}

/** The ids of a group's members. @throws ScimError invalidValue for a member that is said to be no user */
function requireUsers(resource: ScimObject): readonly string[] {
  const members = (resource.members ?? []) as readonly ScimObject[]
  for (const { type } of members) if (type !== undefined && foldCase(String(type)) !== foldCase(MEMBER_TYPE)) throw new ScimError('member_type_wrong', {})
  return [...new Set(members.map(({ value }) => String(value)))]
}

/** @throws ScimError invalidValue */
function requireFits(members: number): void {
  if (members > MEMBERS_LIMIT) throw new ScimError('values_too_many', { attribute: 'members', limit: MEMBERS_LIMIT })
}

/** @throws ScimError tooMany */
function requireAnswerable(groups: readonly ScimGroupDocument[]): void {
  if (groups.reduce((sum, { member_count }) => sum + member_count, 0) > ANSWER_MEMBERS_LIMIT) throw new ScimError('members_too_many', { limit: ANSWER_MEMBERS_LIMIT })
}

/** @throws ApiError scim_group_limit */
function requireRoom(there: number): void {
  if (there >= GROUPS_LIMIT) throw new ApiError('scim_group_limit', { params: { limit: GROUPS_LIMIT } })
}

/** Whether the group, its members or the users changed since they were read. */
function hasChanged(error: unknown): boolean {
  return isStaleWrite(error) || isStateTaken(error) || (error instanceof DuplicateKeyError && error.collection === SCIM_GROUP_MEMBERS.name)
}

/** @throws ApiError scim_group_exists, or the error itself */
function refuseTaken(error: unknown): never {
  throw error instanceof DuplicateKeyError && error.collection === SCIM_GROUPS.name ? new ApiError('scim_group_exists') : error
}
