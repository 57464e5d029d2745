/** Stored tokens for provisioning (SCIM). The secret is stored as a keyed hash only. `public_id`, the part that may be shown, identifies the token and its organization. */
import type { FoundScimToken } from '../../../core/auth/authenticate.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { Scope, ScopedCollection, Tenancy } from '../../../core/tenancy/scope.js'

export interface ScimTokenDocument extends TenantDocument {
  readonly name: string
  readonly public_id: string
  readonly secret_hash: string
  /** The user or the API key that created it. */
  readonly created_by: string
  /** Role of the members whom the token admits, unless a mapping of their groups names another. */
  readonly default_role: EnterpriseRole
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const SCIM_TOKENS = tenantCollection<ScimTokenDocument>('scim_tokens', [{ keys: { created_at: -1, _id: -1 } }, { keys: { name: 1, _id: 1 } }], ['public_id'])

/** Precision of `last_used_at`: storing it for every request would cost a write each. */
const LAST_USED_PRECISION_MS = 60_000

export interface ScimTokenStoreParts {
  readonly tenancy: Tenancy
  readonly clock: () => number
  /** Called when `last_used_at` could not be stored; no request waits for that write. */
  readonly onError: (error: unknown) => void
}

export class ScimTokenStore {
  readonly #parts: ScimTokenStoreParts
  readonly #pending = new Map<string, Promise<void>>()

  constructor(parts: ScimTokenStoreParts) {
    this.#parts = parts
  }

  of(scope: Scope): ScopedCollection<ScimTokenDocument> {
    return scope.collection(SCIM_TOKENS)
  }

  /** For `authenticate`: finds a token of any organization, because a caller's organization is known from the token only. */
  async find(publicId: string): Promise<FoundScimToken | null> {
    const found = (await this.#parts.tenancy.locate(SCIM_TOKENS, 'public_id', publicId))?.document
    if (found === undefined) return null
    const { _id, organization_id, name, secret_hash, expires_at, last_used_at } = found
    return { tokenId: _id, organizationId: organization_id, name, secretHash: secret_hash, expiresAt: expires_at, lastUsedAt: last_used_at }
  }

  /**
   * For `authenticate`: stores the time of use in the background, at most once a minute.
   * @param hash the secret's hash with the current hash key, if the stored hash was computed with the previous one; it replaces that. Null: the stored hash is current
   */
  used({ tokenId, organizationId, lastUsedAt, secretHash }: FoundScimToken, hash: string | null): void {
    const { tenancy, clock, onError } = this.#parts
    const now = clock()
    if (this.#pending.has(tokenId)) return
    if (hash === null && lastUsedAt !== null && now - lastUsedAt.getTime() < LAST_USED_PRECISION_MS) return
    const set = { last_used_at: new Date(now), ...(hash === null ? {} : { secret_hash: hash }) }
    const write = this.of(tenancy.of(organizationId)).update({ _id: tokenId, secret_hash: secretHash }, { set })
    const pending = write.then(() => undefined, onError).finally(() => this.#pending.delete(tokenId))
    this.#pending.set(tokenId, pending)
  }

  /** Resolves when all times of use are stored. Call it before the store closes. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values())
  }
}
