/** Who calls, once the credential is checked. */
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
  /** How it was presented; a cookie is sent by browsers on their own, hence the origin check. */
  readonly via: 'bearer' | 'cookie'
  /** The token as it came, for `AuthSessionResponse`. Never logged. */
  readonly token: string
  readonly expiresAt: Date
  readonly locale: LocalePreference | null
  /** The organization of this request: of the path, of `X-Org-Id`, else of the session. Null: the user belongs to none. */
  readonly organizationId: string | null
  /** In that organization; null for a platform admin who is no member of it. */
  readonly role: EnterpriseRole | null
  readonly permissions: ReadonlySet<Permission>
}

/** A program with an API key of one organization. */
export interface ApiKeyPrincipal {
  readonly kind: 'api_key'
  readonly keyId: string
  readonly name: string
  /** The user who made it, or gave it its secret last; null: nobody knows. */
  readonly ownerId: string | null
  readonly organizationId: string
  /** Null: the key does not expire. */
  readonly expiresAt: Date | null
  readonly scopes: readonly KeyScope[]
  readonly permissions: ReadonlySet<Permission>
}

export type Principal = UserPrincipal | ApiKeyPrincipal

/** Programs are none. */
export function isPlatformAdmin(principal: Principal): boolean {
  return principal.kind === 'user' && principal.isPlatformAdmin
}

/** How subjects of users begin. */
const USER_SUBJECT = 'user:'

/** Names a caller for limits, sessions of logtests, and logs. */
export function subjectOf(principal: Principal): string {
  return principal.kind === 'user' ? `${USER_SUBJECT}${principal.userId}` : `key:${principal.keyId}`
}

/** The user whom a subject names, as `subjectOf` made it; null: a program. */
export function userIdOfSubject(subject: string): string | null {
  return subject.startsWith(USER_SUBJECT) ? subject.slice(USER_SUBJECT.length) : null
}

/** Identifier of the user or of the key. */
export function idOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.keyId
}

/** As others see who did something: the e-mail of a user, the name of a key. */
export function nameOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.email : principal.name
}

/** The user who answers for what is done: who acts, or whose key does. Null: nobody knows. */
export function ownerOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : principal.ownerId
}

/** The user who acts; null: a program does. */
export function userIdOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : null
}
