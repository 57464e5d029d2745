/** API keys. Of the secret only a keyed hash is stored; `public_id`, the part that anyone may see, leads to the key and its organization. */
import type { KeyScope } from '../../tenancy/permissions.js'
import { type TenantDocument, tenantCollection } from '../../storage/contract.js'
import type { Scope, ScopedCollection, Tenancy } from '../../tenancy/scope.js'

export interface ApiKeyDocument extends TenantDocument {
  readonly name: string
  readonly public_id: string
  readonly secret_hash: string
  /** The user who made it, or gave it its secret last: a key that was made with a key has that one's. Null, or missing in older ones: nobody knows. */
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

  /** Of any organization: this is how the organization of a key is found. */
  async byPublicId(publicId: string): Promise<ApiKeyDocument | null> {
    return (await this.#tenancy.locate(API_KEYS, 'public_id', publicId))?.document ?? null
  }

  /** Puts the hash of the same secret in the place of one that another key has made, unless the key has got a new secret meanwhile. */
  async rehash(organizationId: string, keyId: string, { from, to }: { readonly from: string; readonly to: string }, now: Date): Promise<void> {
    await this.of(this.#tenancy.of(organizationId)).update({ _id: keyId, secret_hash: from }, { set: { secret_hash: to, last_used_at: now } })
  }

  /** Notes that the key is in use, unless someone noted it since `before`. */
  async used(organizationId: string, keyId: string, now: Date, before: Date): Promise<void> {
    await this.of(this.#tenancy.of(organizationId)).update({ _id: keyId, anyOf: [{ last_used_at: null }, { last_used_at: { lt: before } }] }, { set: { last_used_at: now } })
  }
}
