/**
 * Which of its user's organizations a session reaches (CONTRACT.md#identity-policy). Invariants:
 *  1. a session that an organization's provider opened reaches only that organization, and has no permissions of a platform admin: a provider's statement about an
 *     e-mail address gives no access to another organization
 *  2. the policy of an organization applies to every request, so that a session that was opened elsewhere does not bypass it
 *  3. with a plan without single sign-on `sso_required` has no effect: the provider cannot sign users in, and a plan must not lock an organization out
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

/** Whether the plan of an organization includes single sign-on. */
export type IncludesSso = (organizationId: string) => boolean | Promise<boolean>

/** The policy of an organization that is in force now. The plan is read only if the policy depends on it. */
export async function policyInForce(
  { _id, identity_policy = DEFAULT_IDENTITY_POLICY }: Pick<OrganizationDocument, '_id' | 'identity_policy'>,
  includesSso: IncludesSso,
): Promise<IdentityPolicy> {
  return identity_policy.sso_required && !(await includesSso(_id)) ? { ...identity_policy, sso_required: false } : identity_policy
}

/** Why a policy in force refuses a session; null: it does not. @param isPlatformAdmin operators of the instance have no account at the provider */
export function policyRefusal(
  session: ReachingSession,
  { sso_required, break_glass_user_ids, require_two_factor }: IdentityPolicy,
  isPlatformAdmin: boolean,
): Extract<ErrorReason, 'sso_required' | 'second_factor_missing'> | null {
  if (isOfProvider(session)) return null
  if (sso_required && !isPlatformAdmin && !break_glass_user_ids.includes(session.user_id)) return 'sso_required'
  return require_two_factor && session.has_second_factor !== true ? 'second_factor_missing' : null
}

/** Whether a user can log in with a password. Policies of organizations are checked elsewhere. */
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
