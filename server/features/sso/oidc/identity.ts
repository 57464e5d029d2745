/** Reads who a person is from checked claims, and whether the provider's settings admit them: the tenant by `requireTenant`, required claims by `identityOf`. */
import type { OidcConnection, ProvenIdentity } from './gateway.js'
import { OidcError } from './oidc-error.js'

export type Claims = Readonly<Record<string, unknown>>

/** OpenID Connect Core 1.0, 2: a subject has at most 255 characters. */
const SUBJECT_CHARACTERS = 255
/** RFC 5321: a longer one cannot be delivered to. */
const EMAIL_CHARACTERS = 254
const NAME_CHARACTERS = 256
/** Groups that are read. Providers send at most some hundred; a mapping names at most 500. */
const GROUPS_LIMIT = 2000
const GROUP_CHARACTERS = 256

/** Whether userinfo is needed: the token does not have what the settings read. */
export function lacksClaims({ emailClaim, groupsClaim, requiredClaims }: OidcConnection, token: Claims): boolean {
  const isMissing = (claim: string): boolean => token[claim] === undefined
  return emailOf(emailClaim, token) === null || (groupsClaim !== null && isMissing(groupsClaim)) || requiredClaims.some(({ claim }) => isMissing(claim))
}

/** @param userinfo of the same subject; null: it was not asked @throws OidcError claim_refused, token_invalid */
export function identityOf(connection: OidcConnection, token: Claims, userinfo: Claims | null): ProvenIdentity {
  const claims: Claims = { ...userinfo, ...token }
  const { iss, sub } = token as { readonly iss: string; readonly sub: string }
  if (sub.length === 0 || sub.length > SUBJECT_CHARACTERS) throw new OidcError('token_invalid', { check: 'claims', claim: 'sub' })
  for (const { claim, values } of connection.requiredClaims) {
    if (!textsOf(claims[claim]).some((value) => values.includes(value))) throw new OidcError('claim_refused', { claim })
  }
  // Address and confirmation belong together: neither is taken from one answer for the address of another.
  const source = emailOf(connection.emailClaim, token) === null ? (userinfo ?? {}) : token
  const email = emailOf(connection.emailClaim, source)
  return {
    issuer: iss,
    subject: sub,
    email,
    emailVerified: email === null || (connection.emailClaim !== 'email' && source.email !== email) ? null : flagOf(source.email_verified),
    name: nameOf(claims),
    groups: connection.groupsClaim === null || claims[connection.groupsClaim] === undefined ? null : groupsOf(claims[connection.groupsClaim]),
    claims,
  }
}

/** The tenant of a token, in lower case; null: it names none. */
export function tenantOf({ tid }: Claims): string | null {
  return typeof tid === 'string' ? tid.toLowerCase() : null
}

/** @throws OidcError tenant_refused */
export function requireTenant({ tenantIds }: OidcConnection, token: Claims): void {
  if (tenantIds.length > 0 && !tenantIds.includes(tenantOf(token) ?? '')) throw new OidcError('tenant_refused')
}

function emailOf(claim: string, claims: Claims): string | null {
  const value = claims[claim]
  return typeof value === 'string' && value.length <= EMAIL_CHARACTERS && /^[^\s@]+@[^\s@]+$/.test(value) ? value : null
}

/** Some providers send booleans as texts. */
function flagOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

function nameOf({ name, given_name, family_name, preferred_username }: Claims): string | null {
  const full = [given_name, family_name].filter((part) => typeof part === 'string').join(' ')
  const found = [name, full, preferred_username].find((text): text is string => typeof text === 'string' && text.trim() !== '')
  return found === undefined ? null : found.trim().slice(0, NAME_CHARACTERS)
}

function groupsOf(value: unknown): readonly string[] {
  return textsOf(value)
    .filter((group) => group.length <= GROUP_CHARACTERS)
    .slice(0, GROUPS_LIMIT)
}

/** A claim with one value or several, as texts. */
function textsOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return all.flatMap((entry) => (typeof entry === 'string' ? [entry] : typeof entry === 'number' || typeof entry === 'boolean' ? [String(entry)] : []))
}
