/** Stored API keys. The secret is stored as a keyed hash only. `public_id`, the part that may be shown, identifies the key and its organization. */
import type { KeyScope } from '../../../core/tenancy/permissions.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import type { Scope, ScopedCollection, Tenancy } from '../../../core/tenancy/scope.js'

export interface ApiKeyDocument extends TenantDocument {
  readonly name: string
  readonly public_id: string
  readonly secret_hash: string
  /** The user who created or last rotated the key. A key created with another key has the same owner. Null, or missing in older documents: not known. */
  readonly owner_id?: string | null
  readonly scopes: readonly KeyScope[]
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const API_KEYS = tenantCollection<ApiKeyDocument>(
  'api_keys',
  [
    { keys: { created_at: -1, _id: -1 } },
    { keys: { updated_at: -1, _id: -1 } },
    { keys: { expires_at: -1, _id: -1 } },
    { keys: { last_used_at: -1, _id: -1 } },
    { keys: { name: 1, _id: 1 } },
  ],
  ['public_id'],
)

export class ApiKeyStore {
  readonly #tenancy: Tenancy

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy
  }

  of(scope: Scope): ScopedCollection<ApiKeyDocument> {
    return scope.collection(API_KEYS)
  }

  /** Finds a key of any organization, because a caller's organization is known from the key only. */
  async byPublicId(publicId: string): Promise<ApiKeyDocument | null> {
    return (await this.#tenancy.locate(API_KEYS, 'public_id', publicId))?.document ?? null
  }

  /** Replaces the hash by one of the same secret with another hash key, unless the secret was rotated meanwhile. */
  async rehash(organizationId: string, keyId: string, { from, to }: { readonly from: string; readonly to: string }, now: Date): Promise<void> {
    await this.of(this.#tenancy.of(organizationId)).update({ _id: keyId, secret_hash: from }, { set: { secret_hash: to, last_used_at: now } })
  }

  /** Stores the time of use, unless one later than `before` is stored. */
  async used(organizationId: string, keyId: string, now: Date, before: Date): Promise<void> {
    await this.of(this.#tenancy.of(organizationId)).update({ _id: keyId, anyOf: [{ last_used_at: null }, { last_used_at: { lt: before } }] }, { set: { last_used_at: now } })
  }
}
