/** API keys of an organization: create, list, rotate, revoke; and the look-up that `authenticate` uses. */
import { formatKey, hashKeySecret, newKeySecret, newPublicId } from '../../../core/auth/api-keys.js'
import type { FoundKey } from '../../../core/auth/authenticate.js'
import type { Identities } from '../../../core/auth/identities.js'
import { DEFAULT_KEY_POLICY, type KeyPolicy, type OrganizationDocument } from '../../../core/auth/organizations.js'
import { type ApiKeyPrincipal, ownerOf, type Principal } from '../../../core/auth/principal.js'
import type { UserDocument } from '../../../core/auth/users.js'
import type { Actor, RequestContext } from '../../../core/auth/request-context.js'
import { ApiError, required } from '../../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../../core/etag.js'
import type { Notices } from '../../../core/events/notices.js'
import type { Outbox } from '../../../core/events/outbox.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { isStaleWrite, refuseStale, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditContext, type AuditResource, auditContext, auditing, diffOf, personContext } from '../../../core/audit/service.js'
import type { ApiKeyCreateRequest, ApiKeyListQuery, KeyPolicyUpdateRequest } from './schema.js'
import { API_KEYS, type ApiKeyDocument, type ApiKeyStore } from './store.js'

/** Precision of `last_used_at`: storing it for every request would cost a write each. */
const LAST_USED_PRECISION_MS = 60_000
/** Most keys of an organization, expired ones included. */
export const API_KEYS_LIMIT = 1000
/** ISO 8601 timestamps have years of four digits. */
const YEAR_LIMIT = 9999
/** Attempts when members or keys of the organization change concurrently. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20

export interface ApiKeysParts {
  readonly identities: Identities
  readonly keys: ApiKeyStore
  readonly outbox: Pick<Outbox, 'emitting'>
  readonly notices: Pick<Notices, 'notifying'>
  readonly quotas: Pick<Quotas, 'creating'>
  /** Called when `last_used_at` could not be stored; no request waits for that write. */
  readonly onError: (error: unknown) => void
}

/** The user who created or last rotated a key. */
export interface KeyOwner {
  readonly userId: string
  readonly email: string
  readonly displayName: string
  readonly isMember: boolean
}

export interface ShownKey {
  readonly key: ApiKeyDocument
  /** Null: not known. */
  readonly owner: KeyOwner | null
}

/** A key with its secret, which is not stored. */
export interface RevealedKey extends ShownKey {
  readonly secret: string
}

/** Who creates a key. */
interface KeyCreator {
  readonly owner: string | null
  readonly context: AuditContext
  /** Writes by which the commit fails if the creator may not any more. */
  readonly conditions: (now: Date) => Promise<readonly Write[]>
}

export interface ShownPolicy {
  readonly policy: KeyPolicy
  readonly etag: string
}

export class ApiKeysService {
  readonly #parts: ApiKeysParts
  /** Pending writes of `last_used_at`, by key id. */
  readonly #pendingUses = new Map<string, Promise<void>>()

  constructor(parts: ApiKeysParts) {
    this.#parts = parts
  }

  /** Number of the keys of an organization. */
  count(scope: Scope): Promise<number> {
    return this.#parts.keys.of(scope).count({})
  }

  async list(scope: Scope, { owner_is_member, ...query }: ApiKeyListQuery): Promise<Page<ShownKey>> {
    const keys = this.#parts.keys.of(scope)
    const owners = owner_is_member === undefined ? null : await this.#owners(scope, owner_is_member)
    if (owners?.length === 0) return { items: [], total: 0 }
    const filter = owners === null ? {} : { owner_id: { in: owners } }
    const { items, total } = await findPage(keys, filter, findOptions(query))
    return { items: await this.#shown(scope, items), total }
  }

  /** @throws ApiError api_key_limit, edit_conflict, request_validation_failed, credential_invalid */
  async create(scope: Scope, request: ApiKeyCreateRequest, actor: Actor): Promise<RevealedKey> {
    const { principal } = actor
    const wrong = expiryIssue(expiryOf(request), principal, new Date(this.#parts.identities.clock()))
    if (wrong !== null) throw invalidRequest([wrong], actor.locale)
    return this.#create(scope, request, { owner: ownerOf(principal), context: auditContext(actor), conditions: (now) => this.stillAllowed(scope, principal, now) })
  }

  /** Creates a key for a user who has just become the first administrator. @throws ApiError api_key_limit, edit_conflict */
  createFor(scope: Scope, user: Pick<UserDocument, '_id' | 'email'>, request: ApiKeyCreateRequest, context: RequestContext): Promise<RevealedKey> {
    return this.#create(scope, request, { owner: user._id, context: personContext(user, context), conditions: async () => [] })
  }

  async #create(scope: Scope, request: ApiKeyCreateRequest, { owner, context, conditions }: KeyCreator): Promise<RevealedKey> {
    const { identities, keys, outbox, quotas } = this.#parts
    const { secrets, clock } = identities
    const { name, scopes } = request
    const count = () => keys.of(scope).count({})
    const attempt = async (): Promise<RevealedKey> => {
      const now = new Date(clock())
      const parts = { publicId: newPublicId(), secret: newKeySecret() }
      const key: ApiKeyDocument = {
        _id: newId(),
        organization_id: scope.organizationId,
        name: name.trim(),
        public_id: parts.publicId,
        secret_hash: hashKeySecret(secrets.tokenHash, parts),
        owner_id: owner,
        scopes,
        expires_at: expiryOf(request),
        last_used_at: null,
        created_at: now,
        updated_at: now,
        revision: 1,
      }
      const payload = { id: key._id, name: key.name, scopes: [...scopes], expires_at: key.expires_at?.toISOString() ?? null }
      const entry = { action: 'api_key.created', resource: resourceOf(key), diff: diffOf(null, key, ['name', 'scopes', 'expires_at']) } as const
      const writes = async () => [
        keys.of(scope).inserting(key),
        ...(await conditions(now)),
        auditing(scope, context, entry, now),
        ...(await outbox.emitting(scope, { name: 'api_key.created', payload })),
      ]
      await quotas.creating(scope, 'api_keys', { count, requireRoom, writes })
      return this.#revealed(scope, key, formatKey(parts))
    }
    // A random public id is already in use about once in 10^14 keys.
    const isStale = (error: unknown): boolean => isStaleWrite(error) || (error instanceof DuplicateKeyError && error.collection === API_KEYS.name)
    return retryStale(ATTEMPTS, attempt, { pauseMs: PAUSE_MS, isStale })
  }

  /** Replaces the secret; the old one becomes invalid at once. @throws ApiError resource_missing, key_outlives_caller, edit_conflict, credential_invalid */
  async rotate(scope: Scope, keyId: string, actor: Actor): Promise<RevealedKey> {
    const { identities, keys } = this.#parts
    const { principal } = actor
    const { secrets, commit, clock } = identities
    const key = await this.#key(scope, keyId)
    if (outlives(key.expires_at, principal)) throw new ApiError('key_outlives_caller')
    const now = new Date(clock())
    const parts = { publicId: key.public_id, secret: newKeySecret() }
    const change = { secret_hash: hashKeySecret(secrets.tokenHash, parts), owner_id: ownerOf(principal), updated_at: now }
    const attempt = async (): Promise<void> => {
      // A key that rotates itself is checked by the update of its own document.
      const conditions = principal.kind === 'api_key' && principal.keyId === keyId ? [] : await this.stillAllowed(scope, principal, now)
      await commit(
        [
          keys.of(scope).updating({ _id: keyId, revision: key.revision }, { set: change, increment: { revision: 1 } }),
          ...conditions,
          auditing(scope, auditContext(actor), { action: 'api_key.rotated', resource: resourceOf(key) }, now),
        ],
        { key: keyId },
      )
    }
    try {
      // A concurrent rotation of this key must be refused, not repeated: only the other conditions are read again.
      await retryStale(ATTEMPTS, attempt, { pauseMs: PAUSE_MS, isStale: (error) => error instanceof StaleWriteError && error.index > 0 })
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      // A concurrent request rotated or revoked the key, so the new secret is invalid and must not be returned.
      await this.#key(scope, keyId)
      throw new ApiError('edit_conflict')
    }
    return this.#revealed(scope, { ...key, ...change, revision: key.revision + 1 }, formatKey(parts))
  }

  /** Revokes the key; every instance refuses it within a second. @throws ApiError resource_missing */
  async revoke(scope: Scope, keyId: string, actor: Actor): Promise<void> {
    const { identities, keys } = this.#parts
    const key = await this.#key(scope, keyId)
    const now = new Date(identities.clock())
    await refuseStale('resource_missing', async () =>
      identities.commit([keys.of(scope).deleting({ _id: keyId }), ...(await this.#revoking(scope, [key], auditContext(actor), now))], { key: keyId }),
    )
  }

  /** @throws ApiError resource_missing */
  async policy({ organizationId }: Scope): Promise<ShownPolicy> {
    const organization = required(await this.#parts.identities.organizations.byId(organizationId))
    return { policy: policyOf(organization), etag: etagOf(organization) }
  }

  /**
   * Changes the policy. `end_keys_of_former_members` revokes the existing keys of former members.
   * @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict
   */
  async updatePolicy(scope: Scope, { end_keys_of_former_members }: KeyPolicyUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ShownPolicy> {
    const { identities, keys } = this.#parts
    const { organizations, commit, clock } = identities
    const _id = scope.organizationId
    return retryStale(
      ATTEMPTS,
      async () => {
        const organization = required(await organizations.byId(_id))
        requireMatch(etagOf(organization), ifMatch)
        const before = policyOf(organization)
        const policy: KeyPolicy = { end_keys_of_former_members: end_keys_of_former_members ?? before.end_keys_of_former_members }
        const diff = diffOf(before, policy, ['end_keys_of_former_members'])
        if (Object.keys(diff).length === 0) return { policy, etag: etagOf(organization) }
        const now = new Date(clock())
        const former = policy.end_keys_of_former_members ? await this.#formerOwners(scope) : []
        const ended = former.length === 0 ? [] : await keys.of(scope).find({ owner_id: { in: former } })
        const { revision, members_revision, name } = organization
        // The condition on `members_revision` conflicts with concurrent removals of members and creations of keys.
        await commit(
          [
            organizations.updating({ _id, revision, members_revision }, { set: { key_policy: policy, updated_at: now }, increment: { revision: 1, members_revision: 1 } }),
            ...ended.map((key) => keys.of(scope).deleting({ _id: key._id })),
            auditing(scope, auditContext(actor), { action: 'key_policy.updated', resource: { type: 'organization', id: _id, name }, diff }, now),
            ...(await this.#revoking(scope, ended, auditContext(actor), now)),
          ],
          { organization: _id },
        )
        return { policy, etag: etagOf({ revision: revision + 1 }) }
      },
      { pauseMs: PAUSE_MS },
    )
  }

  /**
   * The writes about API keys for the commit that removes a member: revocations if the policy says so, and a notice to the admins if any key still worked.
   * The commit matches the organization's `members_revision`, as every commit that creates a key does: the keys of the member are looked up before.
   */
  async leaving(scope: Scope, { _id, email, email_key, is_platform_admin }: UserDocument, context: AuditContext, now: Date): Promise<Write[]> {
    const { identities, keys, notices } = this.#parts
    const { organizations, users } = identities
    const organization = await organizations.byId(scope.organizationId)
    const own = await keys.of(scope).find({ owner_id: _id })
    const live = own.filter(({ expires_at }) => expires_at === null || expires_at > now)
    const isEnded = organization !== null && policyOf(organization).end_keys_of_former_members && !users.isPlatformAdmin({ email_key, is_platform_admin })
    const notice = {
      params: { member: email, count: live.length },
      recipients: { role: 'org_admin' },
      link: `/platform/organizations/${scope.organizationId}/api-keys?owner_is_member=false`,
    } as const
    return [
      ...(isEnded ? own.map((key) => keys.of(scope).deleting({ _id: key._id })) : []),
      ...(isEnded ? await this.#revoking(scope, own, context, now) : []),
      ...(live.length === 0 ? [] : notices.notifying(scope, { kind: isEnded ? 'api_key.owner_left_revoked' : 'api_key.owner_left', ...notice })),
    ]
  }

  /** For `authenticate`: finds a key of any organization. */
  async find(publicId: string): Promise<FoundKey | null> {
    const key = await this.#parts.keys.byPublicId(publicId)
    if (key === null) return null
    const { _id, organization_id, name, owner_id = null, scopes, secret_hash, expires_at, last_used_at } = key
    return { keyId: _id, organizationId: organization_id, name, ownerId: owner_id, scopes, secretHash: secret_hash, expiresAt: expires_at, lastUsedAt: last_used_at }
  }

  /**
   * For `authenticate`: stores the time of use in the background, at most once a minute.
   * @param hash the secret's hash with the current hash key, if the stored hash was computed with the previous one; it replaces that. Null: the stored hash is current
   */
  used({ keyId, organizationId, lastUsedAt, secretHash }: FoundKey, hash: string | null): void {
    const { keys, identities } = this.#parts
    const now = identities.clock()
    if (this.#pendingUses.has(keyId)) return
    if (hash === null && lastUsedAt !== null && now - lastUsedAt.getTime() < LAST_USED_PRECISION_MS) return
    const write =
      hash === null
        ? keys.used(organizationId, keyId, new Date(now), new Date(now - LAST_USED_PRECISION_MS))
        : keys.rehash(organizationId, keyId, { from: secretHash, to: hash }, new Date(now))
    const pending = write.catch(this.#parts.onError).finally(() => this.#pendingUses.delete(keyId))
    this.#pendingUses.set(keyId, pending)
  }

  /** Resolves when all times of use are stored. Call it before the store closes. */
  async settled(): Promise<void> {
    await Promise.all(this.#pendingUses.values())
  }

  /** Audit entries and events of revoked keys; the caller deletes the keys. */
  async #revoking(scope: Scope, keys: readonly ApiKeyDocument[], context: AuditContext, now: Date): Promise<Write[]> {
    const entries = keys.map((key) => ({ action: 'api_key.revoked', resource: resourceOf(key), diff: diffOf(key, null, ['name', 'scopes', 'expires_at']) }) as const)
    const events = keys.map(({ _id, name }) => ({ name: 'api_key.revoked', payload: { id: _id, name } }) as const)
    return [...entries.map((entry) => auditing(scope, context, entry, now)), ...(await this.#parts.outbox.emitting(scope, ...events))]
  }

  /**
   * Writes that fail the commit if the caller is removed from the organization, or its key revoked, at the same time. The caller was authenticated from a
   * cache that may be 750 ms old. @throws ApiError credential_invalid
   */
  async stillAllowed(scope: Scope, principal: Principal, now: Date): Promise<Write[]> {
    const { identities, keys } = this.#parts
    const { organizations, memberships } = identities
    if (principal.kind === 'user' && principal.isPlatformAdmin) return []
    const organization = await organizations.byId(scope.organizationId)
    if (organization === null) throw new ApiError('credential_invalid')
    const { _id, members_revision } = organization
    const bumpRevision = organizations.updating({ _id, members_revision }, { increment: { members_revision: 1 } })
    if (principal.kind === 'user') {
      if ((await memberships.of(_id, principal.userId)) === null) throw new ApiError('credential_invalid')
      return [bumpRevision]
    }
    if ((await keys.of(scope).findOne({ _id: principal.keyId })) === null) throw new ApiError('credential_invalid')
    return [keys.of(scope).updating({ _id: principal.keyId }, { set: { last_used_at: now } }), bumpRevision]
  }

  /** Ids of key owners who are members, or of those who are not. */
  async #owners(scope: Scope, areMembers: boolean): Promise<readonly string[]> {
    const owners = ownersOf(await this.#parts.keys.of(scope).find({}))
    const members = await this.#members(scope, owners)
    return owners.filter((owner) => members.has(owner) === areMembers)
  }

  /** Ids of key owners who are neither members nor platform admins. */
  async #formerOwners(scope: Scope): Promise<readonly string[]> {
    const { users } = this.#parts.identities
    const others = await this.#owners(scope, false)
    const people = await users.byIds(others)
    return others.filter((owner) => {
      const user = people.get(owner)
      return user === undefined || !users.isPlatformAdmin(user)
    })
  }

  async #members(scope: Scope, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#parts.identities.memberships.ofUsers(scope.organizationId, userIds)).map(({ user_id }) => user_id))
  }

  async #shown(scope: Scope, keys: readonly ApiKeyDocument[]): Promise<ShownKey[]> {
    const owners = ownersOf(keys)
    const [people, members] = await Promise.all([this.#parts.identities.users.byIds(owners), this.#members(scope, owners)])
    return keys.map((key) => {
      const user = people.get(key.owner_id ?? '')
      return { key, owner: user === undefined ? null : { userId: user._id, email: user.email, displayName: user.display_name, isMember: members.has(user._id) } }
    })
  }

  async #revealed(scope: Scope, key: ApiKeyDocument, secret: string): Promise<RevealedKey> {
    const [shown] = await this.#shown(scope, [key])
    return { ...shown, secret }
  }

  async #key(scope: Scope, keyId: string): Promise<ApiKeyDocument> {
    return required(await this.#parts.keys.of(scope).findOne({ _id: keyId }))
  }
}

/** @throws ApiError api_key_limit */
function requireRoom(there: number): void {
  if (there >= API_KEYS_LIMIT) throw new ApiError('api_key_limit', { params: { limit: API_KEYS_LIMIT } })
}

function expiryOf({ expires_at }: Pick<ApiKeyCreateRequest, 'expires_at'>): Date | null {
  return expires_at === undefined || expires_at === null ? null : new Date(expires_at)
}

function policyOf({ key_policy = DEFAULT_KEY_POLICY }: OrganizationDocument): KeyPolicy {
  return key_policy
}

function ownersOf(keys: readonly ApiKeyDocument[]): string[] {
  return [...new Set(keys.flatMap(({ owner_id = null }) => (owner_id === null ? [] : [owner_id])))]
}

/** Returns what is wrong with `expires_at` of a new key or token; null: nothing. */
export function expiryIssue(expiresAt: Date | null, principal: Principal, now: Date): FieldIssue | null {
  const path = '/expires_at'
  const expected = { type: 'string', format: 'date-time' } as const
  if (expiresAt !== null && !isWritable(expiresAt)) return issue(path, 'invalid', expected)
  if (expiresAt !== null && expiresAt <= now) return issue(path, 'past', { ...expected, later_than: now.toISOString() })
  if (!outlives(expiresAt, principal)) return null
  const limit = (principal as ApiKeyPrincipal).expiresAt!.toISOString()
  return issue(path, 'outlives', { ...expected, at_most: limit }, { limit })
}

/** Whether a key would expire later than the caller's key. @param expiresAt null: never */
function outlives(expiresAt: Date | null, principal: Principal): boolean {
  if (principal.kind !== 'api_key' || principal.expiresAt === null) return false
  return expiresAt === null || expiresAt > principal.expiresAt
}

/** Whether the date can be serialized. An offset can move it outside the years of four digits, and every list with the key would then fail. */
function isWritable(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 0 && year <= YEAR_LIMIT
}

function resourceOf({ _id, name }: ApiKeyDocument): AuditResource {
  return { type: 'api_key', id: _id, name }
}
