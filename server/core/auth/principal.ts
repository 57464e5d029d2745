/** The authenticated caller. */
import type { LocalePreference } from '../i18n/locale.js'
import type { EnterpriseRole, KeyScope, Permission } from '../tenancy/permissions.js'

/** A user with a live session. */
export interface UserPrincipal {
  readonly kind: 'user'
  readonly userId: string
  readonly email: string
  readonly isPlatformAdmin: boolean
  /** The session's jti. */
  readonly sessionId: string
  /** The identity provider that opened the session; null: a password did. */
  readonly providerId: string | null
  /** How the token was sent. Browsers send cookies automatically, so requests with a cookie need the origin check. */
  readonly via: 'bearer' | 'cookie'
  /** The token as received, for `AuthSessionResponse`. Never logged. */
  readonly token: string
  readonly expiresAt: Date
  readonly locale: LocalePreference | null
  /** The organization of the request: from the path, from `X-Org-Id`, else from the session. Null: the user belongs to none. */
  readonly organizationId: string | null
  /** The role in that organization; null for a platform admin who is not a member. */
  readonly role: EnterpriseRole | null
  readonly permissions: ReadonlySet<Permission>
}

/** A program that uses an API key of an organization. */
export interface ApiKeyPrincipal {
  readonly kind: 'api_key'
  readonly keyId: string
  readonly name: string
  /** The user who created the key or rotated it last; null: unknown. */
  readonly ownerId: string | null
  readonly organizationId: string
  /** Null: the key does not expire. */
  readonly expiresAt: Date | null
  readonly scopes: readonly KeyScope[]
  readonly permissions: ReadonlySet<Permission>
}

/** An identity provider that provisions an organization (SCIM). */
export interface ScimPrincipal {
  readonly kind: 'scim_token'
  readonly tokenId: string
  readonly name: string
  readonly organizationId: string
  readonly expiresAt: Date | null
  readonly permissions: ReadonlySet<Permission>
}

/** A caller of the interface. */
export type Principal = UserPrincipal | ApiKeyPrincipal

/** Anyone who is authenticated. */
export type Caller = Principal | ScimPrincipal

/** False for programs. */
export function isPlatformAdmin(principal: Principal): boolean {
  return principal.kind === 'user' && principal.isPlatformAdmin
}

/** Whether the caller is a platform admin in an organization without being a member: such requests do not count against its plan, and its audit trail shows the visit. */
export function isVisitor(principal: Caller): principal is UserPrincipal & { readonly organizationId: string } {
  return principal.kind === 'user' && principal.isPlatformAdmin && principal.role === null && principal.organizationId !== null
}

/** Prefix of subjects of users. */
const USER_SUBJECT = 'user:'

/** The identifier of a caller in limits, logtest sessions and logs. */
export function subjectOf(principal: Caller): string {
  if (principal.kind === 'user') return `${USER_SUBJECT}${principal.userId}`
  return principal.kind === 'api_key' ? `key:${principal.keyId}` : `scim:${principal.tokenId}`
}

/** The user id of a subject that `subjectOf` returned; null: a program. */
export function userIdOfSubject(subject: string): string | null {
  return subject.startsWith(USER_SUBJECT) ? subject.slice(USER_SUBJECT.length) : null
}

/** The id of the user, key or token. */
export function idOf(principal: Caller): string {
  if (principal.kind === 'user') return principal.userId
  return principal.kind === 'api_key' ? principal.keyId : principal.tokenId
}

/** The name shown to others: e-mail of a user, name of a key or token. */
export function nameOf(principal: Caller): string {
  return principal.kind === 'user' ? principal.email : principal.name
}

/** The responsible user: the caller, or the owner of the API key. Null: unknown. */
export function ownerOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : principal.ownerId
}

/** The user who calls; null: a program. */
export function userIdOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : null
}
