/**
 * Which organizations a session reaches, whatever the memberships of its user (CONTRACT.md#identity-policy). Invariants:
 *  1. a session that an organization's provider opened reaches that organization alone, and has no permissions of a platform admin: what a provider says of an
 *     address opens no door to another organization
 *  2. the policy of an organization holds for every request, so that a session which was opened elsewhere does not bypass it
 */
import type { ErrorReason } from '../errors.js'
import { DEFAULT_IDENTITY_POLICY, type IdentityPolicy, type OrganizationDocument } from './organizations.js'
import type { SessionDocument } from './sessions.js'
import type { UserDocument } from './users.js'

type ReachingSession = Pick<SessionDocument, 'user_id' | 'organization_id' | 'provider_id' | 'has_second_factor'>

/** Whether an identity provider opened the session. */
export function isOfProvider({ provider_id = null }: Pick<SessionDocument, 'provider_id'>): boolean {
  return provider_id !== null
}

/** Whether the session is limited to organizations other than this one. */
export function isElsewhere(session: ReachingSession, organizationId: string): boolean {
  return isOfProvider(session) && session.organization_id !== organizationId
}

/** Why the organization's policy refuses a session; null: it does not. @param isPlatformAdmin operators of the instance have no account at the provider */
export function policyRefusal(
  session: ReachingSession,
  { identity_policy = DEFAULT_IDENTITY_POLICY }: Pick<OrganizationDocument, 'identity_policy'>,
  isPlatformAdmin: boolean,
): Extract<ErrorReason, 'sso_required' | 'second_factor_missing'> | null {
  if (isOfProvider(session)) return null
  const { sso_required, break_glass_user_ids, require_two_factor } = identity_policy
  if (sso_required && !isPlatformAdmin && !break_glass_user_ids.includes(session.user_id)) return 'sso_required'
  return require_two_factor && session.has_second_factor !== true ? 'second_factor_missing' : null
}

/** Whether a user can log in with a password, whatever the policy of an organization. */
export function hasPassword({ is_active, password_hash }: Pick<UserDocument, 'is_active' | 'password_hash'>): boolean {
  return is_active && password_hash !== null
}

/** Whether a user can log in with a password although the policy requires a provider. @param isPlatformAdmin operators of the instance are not bound to a provider */
export function entersWithPassword(
  user: Pick<UserDocument, '_id' | 'is_active' | 'password_hash'>,
  { sso_required, break_glass_user_ids }: IdentityPolicy,
  isPlatformAdmin: boolean,
): boolean {
  return hasPassword(user) && (!sso_required || isPlatformAdmin || break_glass_user_ids.includes(user._id))
}
