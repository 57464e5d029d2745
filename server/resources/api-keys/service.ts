/** API keys of an organization: made, shown once, given a new secret, revoked; and what `authenticate` asks of them. */
import { formatKey, hashKeySecret, newKeySecret, newPublicId } from '../../auth/api-keys.js'
import type { FoundKey } from '../../auth/authenticate.js'
import type { Identities } from '../../auth/identities.js'
import { ownerOf } from '../../auth/principal.js'
import type { Actor } from '../../auth/visit.js'
import { ApiError } from '../../errors.js'
import type { Outbox } from '../../events/outbox.js'
import { issue } from '../../http/validation/issue.js'
import { invalidRequest } from '../../http/validation/refuse.js'
import { DuplicateKeyError, StaleWriteError } from '../../storage/errors.js'
import { newId } from '../../storage/id.js'
import { findOptions, findPage, type Page } from '../../tenancy/page.js'
import type { Quotas } from '../../tenancy/quotas.js'
import type { Scope } from '../../tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../audit/service.js'
import type { ApiKeyCreateRequest, ApiKeyListQuery } from './schema.js'
import { API_KEYS, type ApiKeyDocument, type ApiKeyStore } from './store.js'

/** `last_used_at` is right to that, and the seconds for which a key that is known is not read again. */
const USE_NOTED_EVERY_MS = 60_000
/** Keys of an organization, expired ones included. */
export const API_KEYS_LIMIT = 1000
/** Timestamps have years of four digits. */
const YEAR_LIMIT = 9999
/** A public id that is taken happens once in 10^14 keys. */
const ATTEMPTS = 3

export interface ApiKeysParts {
  readonly identities: Identities
  readonly keys: ApiKeyStore
  readonly outbox: Pick<Outbox, 'emitting'>
  readonly quotas: Pick<Quotas, 'creating'>
  /** Told when a use could not be noted; nobody waits for that. */
  readonly onError: (error: unknown) => void
}

/** A key with its secret, which is nowhere else. */
export interface RevealedKey {
  readonly key: ApiKeyDocument
  readonly secret: string
}

export class ApiKeysService {
  readonly #parts: ApiKeysParts
  /** Keys whose use is being noted. */
  readonly #noting = new Map<string, Promise<void>>()

  constructor(parts: ApiKeysParts) {
    this.#parts = parts
  }

  async list(scope: Scope, query: ApiKeyListQuery): Promise<Page<ApiKeyDocument>> {
    const keys = this.#parts.keys.of(scope)
    return findPage(keys, {}, findOptions(query))
  }

  /** @throws ApiError api_key_limit, edit_conflict, request_validation_failed */
  async create(scope: Scope, { name, scopes, expires_at }: ApiKeyCreateRequest, actor: Actor): Promise<RevealedKey> {
    const { identities, keys, outbox, quotas } = this.#parts
    const { secrets, clock } = identities
    const count = () => keys.of(scope).count({})
    const expiresAt = expires_at === undefined || expires_at === null ? null : new Date(expires_at)
    if (expiresAt !== null && !isWritable(expiresAt)) throw invalidRequest([issue('/expires_at', 'invalid', { type: 'string', format: 'date-time' })], actor.locale)
    for (let attempt = 1; ; attempt++) {
      const now = new Date(clock())
      const parts = { publicId: newPublicId(), secret: newKeySecret() }
      const key: ApiKeyDocument = {
        _id: newId(),
        organization_id: scope.organizationId,
        name: name.trim(),
        public_id: parts.publicId,
        secret_hash: hashKeySecret(secrets.tokenHash, parts),
        owner_id: ownerOf(actor.principal),
        scopes,
        expires_at: expiresAt,
        last_used_at: null,
        created_at: now,
        updated_at: now,
        revision: 1,
      }
      const payload = { id: key._id, name: key.name, scopes: [...scopes], expires_at: key.expires_at?.toISOString() ?? null }
      const entry = { action: 'api_key.created', resource: resourceOf(key), diff: diffOf(null, key, ['name', 'scopes', 'expires_at']) } as const
      try {
        const writes = async () => [
          keys.of(scope).inserting(key),
          auditing(scope, auditContext(actor), entry, now),
          ...(await outbox.emitting(scope, { name: 'api_key.created', payload })),
        ]
        await quotas.creating(scope, 'api_keys', { count, requireRoom, writes })
        return { key, secret: formatKey(parts) }
      } catch (error) {
        if (!(error instanceof DuplicateKeyError && error.collection === API_KEYS.name) || attempt === ATTEMPTS) throw error
      }
    }
  }

  /** The old secret is worth nothing from then on. @throws ApiError resource_missing, edit_conflict */
  async rotate(scope: Scope, keyId: string, actor: Actor): Promise<RevealedKey> {
    const { identities, keys } = this.#parts
    const { secrets, commit, clock } = identities
    const key = await this.#key(scope, keyId)
    const now = new Date(clock())
    const parts = { publicId: key.public_id, secret: newKeySecret() }
    const change = { secret_hash: hashKeySecret(secrets.tokenHash, parts), owner_id: ownerOf(actor.principal), updated_at: now }
    try {
      await commit(
        [
          keys.of(scope).updating({ _id: keyId, revision: key.revision }, { $set: change, $inc: { revision: 1 } }),
          auditing(scope, auditContext(actor), { action: 'api_key.rotated', resource: resourceOf(key) }, now),
        ],
        { key: keyId },
      )
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      // Someone rotated or revoked it meanwhile; a secret that is worth nothing must not be handed out.
      await this.#key(scope, keyId)
      throw new ApiError('edit_conflict')
    }
    return { key: { ...key, ...change, revision: key.revision + 1 }, secret: formatKey(parts) }
  }

  /** At once, everywhere within a second. @throws ApiError resource_missing */
  async revoke(scope: Scope, keyId: string, actor: Actor): Promise<void> {
    const { identities, keys, outbox } = this.#parts
    const key = await this.#key(scope, keyId)
    const now = new Date(identities.clock())
    const entry = { action: 'api_key.revoked', resource: resourceOf(key), diff: diffOf(key, null, ['name', 'scopes', 'expires_at']) } as const
    try {
      await identities.commit(
        [
          keys.of(scope).deleting({ _id: keyId }),
          auditing(scope, auditContext(actor), entry, now),
          ...(await outbox.emitting(scope, { name: 'api_key.revoked', payload: { id: keyId, name: key.name } })),
        ],
        { key: keyId },
      )
    } catch (error) {
      if (error instanceof StaleWriteError) throw new ApiError('resource_missing')
      throw error
    }
  }

  /** For `authenticate`. */
  async find(publicId: string): Promise<FoundKey | null> {
    const key = await this.#parts.keys.byPublicId(publicId)
    if (key === null) return null
    const { _id, organization_id, name, owner_id = null, scopes, secret_hash, expires_at, last_used_at } = key
    return { keyId: _id, organizationId: organization_id, name, ownerId: owner_id, scopes, secretHash: secret_hash, expiresAt: expires_at, lastUsedAt: last_used_at }
  }

  /**
   * For `authenticate`: notes the use, at most once a minute, and without anyone waiting.
   * @param hash of the secret with today's key, where the stored one is of the key before: it takes that one's place
   */
  used({ keyId, organizationId, lastUsedAt, secretHash }: FoundKey, hash: string | null): void {
    const { keys, identities } = this.#parts
    const now = identities.clock()
    if (this.#noting.has(keyId)) return
    if (hash === null && lastUsedAt !== null && now - lastUsedAt.getTime() < USE_NOTED_EVERY_MS) return
    const noted =
      hash === null
        ? keys.used(organizationId, keyId, new Date(now), new Date(now - USE_NOTED_EVERY_MS))
        : keys.rehash(organizationId, keyId, { from: secretHash, to: hash }, new Date(now))
    const noting = noted.catch(this.#parts.onError).finally(() => this.#noting.delete(keyId))
    this.#noting.set(keyId, noting)
  }

  /** Resolves when no use is being noted: before the store closes. */
  async settled(): Promise<void> {
    await Promise.all(this.#noting.values())
  }

  async #key(scope: Scope, keyId: string): Promise<ApiKeyDocument> {
    const key = await this.#parts.keys.of(scope).findOne({ _id: keyId })
    if (key === null) throw new ApiError('resource_missing')
    return key
  }
}

/** @throws ApiError api_key_limit */
function requireRoom(there: number): void {
  if (there >= API_KEYS_LIMIT) throw new ApiError('api_key_limit', { params: { limit: API_KEYS_LIMIT } })
}

/** An offset may lead out of the years that a timestamp can be written in, and nobody could read the list of keys then. */
function isWritable(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 0 && year <= YEAR_LIMIT
}

function resourceOf({ _id, name }: ApiKeyDocument): AuditResource {
  return { type: 'api_key', id: _id, name }
}
