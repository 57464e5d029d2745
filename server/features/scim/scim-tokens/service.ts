/** Tokens with which an identity provider provisions an organization (SCIM): create, list, revoke. */
import { formatKey, hashKeySecret, newKeySecret, newPublicId, SCIM_TOKEN_PREFIX } from '../../../core/auth/api-keys.js'
import type { Identities } from '../../../core/auth/identities.js'
import { idOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError, required } from '../../../core/errors.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { isStaleWrite, refuseStale, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type ApiKeysService, expiryIssue } from '../../accounts/index.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { ScimTokenCreateRequest, ScimTokenListQuery } from './schema.js'
import { SCIM_TOKENS, type ScimTokenDocument, type ScimTokenStore } from './store.js'

/** Tokens of an organization, expired ones included: it has one or two identity providers, and two tokens of each while one is replaced. */
export const SCIM_TOKENS_LIMIT = 20
/** The role with the fewest permissions. */
const DEFAULT_ROLE: EnterpriseRole = 'read_only'
/** Attempts when members or keys of the organization change concurrently. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20
const AUDITED = ['name', 'default_role', 'expires_at'] as const

export interface ScimTokensParts {
  readonly identities: Pick<Identities, 'secrets' | 'commit' | 'clock'>
  readonly tokens: ScimTokenStore
  readonly keys: Pick<ApiKeysService, 'stillAllowed'>
  readonly quotas: Pick<Quotas, 'creating'>
}

/** A token with its secret, which is not stored. */
export interface RevealedScimToken {
  readonly token: ScimTokenDocument
  readonly secret: string
}

export class ScimTokensService {
  readonly #parts: ScimTokensParts

  constructor(parts: ScimTokensParts) {
    this.#parts = parts
  }

  list(scope: Scope, query: ScimTokenListQuery): Promise<Page<ScimTokenDocument>> {
    return findPage(this.#parts.tokens.of(scope), {}, findOptions(query))
  }

  /** @throws ApiError request_validation_failed, scim_token_limit, edit_conflict, credential_invalid */
  async create(scope: Scope, { name, expires_at, default_role = DEFAULT_ROLE }: ScimTokenCreateRequest, actor: Actor): Promise<RevealedScimToken> {
    const { identities, tokens, keys, quotas } = this.#parts
    const { secrets, clock } = identities
    const expiresAt = expires_at === undefined || expires_at === null ? null : new Date(expires_at)
    const wrong = expiryIssue(expiresAt, actor.principal, new Date(clock()))
    if (wrong !== null) throw invalidRequest([wrong], actor.locale)
    const attempt = async (): Promise<RevealedScimToken> => {
      const now = new Date(clock())
      const parts = { publicId: newPublicId(), secret: newKeySecret() }
      const token: ScimTokenDocument = {
        _id: newId(),
        organization_id: scope.organizationId,
        name: name.trim(),
        public_id: parts.publicId,
        secret_hash: hashKeySecret(secrets.tokenHash, parts, SCIM_TOKEN_PREFIX),
        created_by: idOf(actor.principal),
        default_role,
        expires_at: expiresAt,
        last_used_at: null,
        created_at: now,
        updated_at: now,
        revision: 1,
      }
      const entry = { action: 'scim_token.created', resource: resourceOf(token), diff: diffOf(null, token, AUDITED) } as const
      await quotas.creating(scope, 'scim_tokens', {
        count: () => tokens.of(scope).count({}),
        requireRoom,
        writes: async () => [tokens.of(scope).inserting(token), ...(await keys.stillAllowed(scope, actor.principal, now)), auditing(scope, auditContext(actor), entry, now)],
      })
      return { token, secret: formatKey(parts, SCIM_TOKEN_PREFIX) }
    }
    // A random public id is in use already about once in 10^14 tokens.
    const isStale = (error: unknown): boolean => isStaleWrite(error) || (error instanceof DuplicateKeyError && error.collection === SCIM_TOKENS.name)
    return retryStale(ATTEMPTS, attempt, { pauseMs: PAUSE_MS, isStale })
  }

  /** Revokes the token; every instance refuses it within a second. @throws ApiError resource_missing */
  async revoke(scope: Scope, tokenId: string, actor: Actor): Promise<void> {
    const { identities, tokens } = this.#parts
    const token = required(await tokens.of(scope).findOne({ _id: tokenId }))
    const entry = { action: 'scim_token.revoked', resource: resourceOf(token), diff: diffOf(token, null, AUDITED) } as const
    const writes = [tokens.of(scope).deleting({ _id: tokenId }), auditing(scope, auditContext(actor), entry, new Date(identities.clock()))]
    await refuseStale('resource_missing', () => identities.commit(writes, { scimToken: tokenId }))
  }

  /**
   * The role of members whom a token admits. A token that was revoked meanwhile gives the role with the fewest permissions.
   * @param tokenId null: the newest token
   */
  async defaultRole(scope: Scope, tokenId: string | null): Promise<EnterpriseRole> {
    const found = await this.#parts.tokens.of(scope).findOne(tokenId === null ? {} : { _id: tokenId }, { sort: { created_at: -1, _id: -1 } })
    return found?.default_role ?? DEFAULT_ROLE
  }
}

/** @throws ApiError scim_token_limit */
function requireRoom(there: number): void {
  if (there >= SCIM_TOKENS_LIMIT) throw new ApiError('scim_token_limit', { params: { limit: SCIM_TOKENS_LIMIT } })
}

function resourceOf({ _id, name }: ScimTokenDocument): AuditResource {
  return { type: 'scim_token', id: _id, name }
}
