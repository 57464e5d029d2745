/**
 * Resolves a credential to a principal: checks that the session or key is live, whose it is, and for which organization the request is
 * (CONTRACT.md#authentication, #api-keys, #sessions).
 */
import { hash } from 'node:crypto'
import { ApiError } from '../errors.js'
import type { Memberships } from '../tenancy/memberships.js'
import { hashesMatch, hashKeySecret, parseKey, SCIM_TOKEN_PREFIX } from './api-keys.js'
import type { Authenticate, Credential, RequestedOrganization } from './credentials.js'
import type { IdentityCache, Reading } from './identity-cache.js'
import { type OrganizationDocument, type Organizations, suspended } from './organizations.js'
import { type EnterpriseRole, type KeyScope, permissionsOfRole, permissionsOfScopes } from '../tenancy/permissions.js'
import { type IncludesSso, isElsewhere, isOfProvider, policyInForce, policyRefusal } from './session-reach.js'
import { isLive, type SessionDocument, type Sessions } from './sessions.js'
import type { AccessTokens } from './tokens.js'
import type { UserDocument, Users } from './users.js'

/** Longer than any id. A longer value matches nothing and would only fill the cache. */
const ID_CHARACTERS = 64
const CREDENTIAL_CHARACTERS = 4096

/** An API key as stored. */
export interface FoundKey {
  readonly keyId: string
  readonly organizationId: string
  readonly name: string
  /** As in `ApiKeyPrincipal`. */
  readonly ownerId: string | null
  readonly scopes: readonly KeyScope[]
  readonly secretHash: string
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
}

/** A token of SCIM as stored. */
export interface FoundScimToken extends Pick<FoundKey, 'organizationId' | 'name' | 'secretHash' | 'expiresAt' | 'lastUsedAt'> {
  readonly tokenId: string
}

export interface AuthenticateParts {
  readonly cache: IdentityCache
  readonly tokens: AccessTokens
  readonly sessions: Pick<Sessions, 'byId'>
  readonly users: Pick<Users, 'byId' | 'isPlatformAdmin'>
  readonly organizations: Pick<Organizations, 'byId'>
  readonly memberships: Pick<Memberships, 'of' | 'ofUser'>
  /** Finds a key by its public id; null: there is none. */
  readonly findKey: (publicId: string) => Promise<FoundKey | null>
  /**
   * Called when a key is used, for a busy key every few seconds. Not awaited.
   * @param hash of the secret under the current hash key, when the stored hash was created with the previous one; else null
   */
  readonly keyUsed: (key: FoundKey, hash: string | null) => void
  /** As `findKey` and `keyUsed`, for tokens of SCIM. */
  readonly findScimToken: (publicId: string) => Promise<FoundScimToken | null>
  readonly scimTokenUsed: (token: FoundScimToken, hash: string | null) => void
  readonly includesSso: IncludesSso
  /** The current hash key, then previous ones whose hashes are still accepted. */
  readonly tokenHashKeys: readonly Buffer[]
  readonly clock?: () => number
}

/** An organization and the user's role in it. */
interface OrganizationAccess {
  readonly organization: OrganizationDocument
  readonly role: EnterpriseRole | null
}

export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  const { cache, tokens, sessions, users, organizations, memberships, findKey, keyUsed, findScimToken, scimTokenUsed, includesSso, tokenHashKeys, clock = Date.now } = parts

  return (credential, requested) => {
    const secret = credential.kind === 'api_key' ? credential.key : credential.token
    if (secret.length > CREDENTIAL_CHARACTERS) return Promise.reject(new ApiError('credential_invalid'))
    // An impossible id is replaced by one that can't exist, so the checks below refuse both alike.
    const bound = { path: bounded(requested.path), header: bounded(requested.header), evenSuspended: requested.evenSuspended === true, isAccount: requested.isAccount === true }
    // The credential may be long; its hash keeps cache keys short.
    const form = credential.kind === 'token' ? credential.via : credential.kind
    const key = `${form}\n${hash('sha256', secret, 'base64')}\n${bound.path ?? ''}\n${bound.header ?? ''}\n${bound.evenSuspended}\n${bound.isAccount}`
    return cache.find(key, () => {
      if (credential.kind === 'api_key') return readKey(credential.key, bound)
      return credential.kind === 'scim_token' ? readScimToken(credential.token, bound) : readUser(credential, bound)
    })
  }

  async function readKey(key: string, { path, header }: RequestedOrganization): Promise<Reading> {
    const parts = parseKey(key)
    const found = parts === null ? null : await findKey(parts.publicId)
    if (parts === null || found === null) throw new ApiError('credential_invalid')
    const hashes = tokenHashKeys.map((hashKey) => hashKeySecret(hashKey, parts))
    const matching = hashes.findIndex((own) => hashesMatch(found.secretHash, own))
    if (matching < 0) throw new ApiError('credential_invalid')
    const { keyId, organizationId, name, ownerId, scopes, expiresAt } = found
    if (expiresAt !== null && expiresAt.getTime() <= clock()) throw new ApiError('credential_invalid')
    await requireOwn(organizationId, { path, header })
    keyUsed(found, matching === 0 ? null : hashes[0])
    const principal = { kind: 'api_key', keyId, name, ownerId, organizationId, expiresAt, scopes, permissions: permissionsOfScopes(scopes) } as const
    return { principal, expiresAt: expiresAt?.getTime() ?? null }
  }

  async function readScimToken(token: string, requested: RequestedOrganization): Promise<Reading> {
    const parts = parseKey(token, SCIM_TOKEN_PREFIX)
    const found = parts === null ? null : await findScimToken(parts.publicId)
    if (parts === null || found === null) throw new ApiError('credential_invalid')
    const hashes = tokenHashKeys.map((hashKey) => hashKeySecret(hashKey, parts, SCIM_TOKEN_PREFIX))
    const matching = hashes.findIndex((own) => hashesMatch(found.secretHash, own))
    if (matching < 0) throw new ApiError('credential_invalid')
    const { tokenId, organizationId, name, expiresAt } = found
    if (expiresAt !== null && expiresAt.getTime() <= clock()) throw new ApiError('credential_invalid')
    await requireOwn(organizationId, requested)
    scimTokenUsed(found, matching === 0 ? null : hashes[0])
    return { principal: { kind: 'scim_token', tokenId, name, organizationId, expiresAt, permissions: new Set() }, expiresAt: expiresAt?.getTime() ?? null }
  }

  /** Checks that a key's organization is the one that the request names. */
  async function requireOwn(organizationId: string, { path, header }: RequestedOrganization): Promise<void> {
    const organization = await organizations.byId(organizationId)
    if (organization === null) throw new ApiError('credential_invalid')
    if (header !== null && header !== organizationId) throw new ApiError('organization_not_yours')
    if (path !== null && path !== organizationId) throw new ApiError('resource_missing')
    if (!organization.is_active) throw suspended(organization)
  }

  async function readUser({ token, via }: Extract<Credential, { kind: 'token' }>, requested: RequestedOrganization): Promise<Reading> {
    const claims = tokens.verify(token)
    if (claims === null) throw new ApiError('credential_invalid')
    const [session, user] = await Promise.all([sessions.byId(claims.sessionId), users.byId(claims.userId)])
    if (session === null || user === null || !isLive(session, user, clock())) throw new ApiError('credential_invalid')
    const isPlatformAdmin = users.isPlatformAdmin(user) && !isOfProvider(session)
    const access = await chooseOrganization(user, isPlatformAdmin, session, requested)
    if (access !== null && !access.organization.is_active && !isPlatformAdmin && requested.evenSuspended !== true) throw suspended(access.organization)
    const refusal = access === null || requested.isAccount === true ? null : policyRefusal(session, await policyInForce(access.organization, includesSso), isPlatformAdmin)
    if (refusal !== null) throw new ApiError(refusal)
    const role = access?.role ?? null
    const principal = {
      kind: 'user',
      userId: user._id,
      email: user.email,
      isPlatformAdmin,
      sessionId: session._id,
      providerId: session.provider_id ?? null,
      via,
      token,
      expiresAt: session.expires_at,
      locale: user.locale,
      organizationId: access?.organization._id ?? null,
      role,
      permissions: permissionsOfRole(role, isPlatformAdmin),
    } as const
    return { principal, expiresAt: session.expires_at.getTime() }
  }

  async function chooseOrganization(
    user: UserDocument,
    isPlatformAdmin: boolean,
    session: SessionDocument,
    { path, header }: RequestedOrganization,
  ): Promise<OrganizationAccess | null> {
    const own = session.organization_id
    const accessTo = async (organizationId: string): Promise<OrganizationAccess | null> =>
      isElsewhere(session, organizationId) ? null : accessOf(user, isPlatformAdmin, organizationId)
    const byHeader = header === null ? null : await accessTo(header)
    if (header !== null && byHeader === null) throw new ApiError('organization_not_yours')
    const byPath = path === null ? null : path === header ? byHeader : await accessTo(path)
    if (path !== null && byPath === null) throw new ApiError('resource_missing')
    if (byPath !== null || byHeader !== null) return byPath ?? byHeader
    if (own !== null) {
      // A user who was removed from the session's organization has to log in again. Continuing in another organization could write data to the wrong one.
      const access = await accessTo(own)
      if (access === null) throw new ApiError('credential_invalid')
      return access
    }
    const all = await memberships.ofUser(user._id)
    const first = all.find(({ organization_id }) => organization_id === user.default_organization_id) ?? all[0]
    return first === undefined ? null : accessTo(first.organization_id)
  }

  async function accessOf(user: UserDocument, isPlatformAdmin: boolean, organizationId: string): Promise<OrganizationAccess | null> {
    const [organization, membership] = await Promise.all([organizations.byId(organizationId), memberships.of(organizationId, user._id)])
    if (organization === null || (membership === null && !isPlatformAdmin)) return null
    return { organization, role: membership?.role ?? null }
  }
}

function bounded(id: string | null): string | null {
  return id !== null && (id.length > ID_CHARACTERS || /\s/.test(id)) ? '-' : id
}
