/**
 * Which account logs in: the one that is linked to the identity, else the one with its e-mail, else a new one. Invariants:
 *  1. an identity is linked once, to the account with a verified e-mail at that time; later the subject alone decides, and a changed e-mail changes nothing
 *  2. an account that is no member is linked only if the organization has proven the domain of its e-mail; so is the account of a platform admin in any case
 *  3. who was removed from the organization stays out until an invitation or provisioning lets them in again
 *  4. a preview takes the same decision and changes nothing
 */
import type { Identities } from '../../../core/auth/identities.js'
import { NAME_CHARACTERS } from '../../../core/auth/records.js'
import type { RequestContext } from '../../../core/auth/request-context.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { isEmailAddress, normalizeEmail } from '#basics'
import { ApiError } from '../../../core/errors.js'
import type { ProvenIdentity } from '../oidc/gateway.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditContext, auditing, personContext } from '../../../core/audit/service.js'
import type { DomainsService } from '../../accounts/index.js'
import type { IdentityProviderDocument } from '../identity-providers/service.js'
import type { AdmissionOutcome, Admitted, MembersService } from '../../accounts/index.js'
import { LINKED_IDENTITIES } from './store.js'

/** Attempts when logins of one person are concurrent: the second one finds the link of the first. */
const ATTEMPTS = 5

/** A provider with the scope of its organization. */
export interface ScopedProvider {
  readonly scope: Scope
  readonly provider: IdentityProviderDocument
}

/** What a login would do: `linked` is an account that has logged in before; the others log in for the first time. */
export type SsoOutcome = 'linked' | AdmissionOutcome

export interface AdmissionParts {
  readonly identities: Pick<Identities, 'users' | 'memberships' | 'formerMembers' | 'clock'>
  readonly members: Pick<MembersService, 'admit'>
  readonly domains: Pick<DomainsService, 'hasProven'>
}

export class SsoAdmission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /**
   * Finds or creates the account of an identity, as a member of the organization.
   * @throws ApiError sso_email_missing, sso_email_unverified, domain_unproven, former_member, user_inactive, email_taken (reserved), member_limit, organization_limit,
   *   plan_quota_exceeded, edit_conflict
   */
  admit(place: ScopedProvider, identity: ProvenIdentity, requestContext: RequestContext): Promise<UserDocument> {
    const isStale = (error: unknown): boolean => error instanceof DuplicateKeyError && error.collection === LINKED_IDENTITIES.name
    return retryStale(ATTEMPTS, () => this.#admit(place, identity, requestContext), { isStale })
  }

  /** What `admit` would do now. @throws ApiError as `admit` */
  async preview({ scope, provider }: ScopedProvider, identity: ProvenIdentity): Promise<{ readonly outcome: SsoOutcome; readonly user: UserDocument | null }> {
    const { users, memberships } = this.#parts.identities
    const linked = await this.#linked({ scope, provider }, identity)
    const user = linked ?? (await users.byEmail(provenEmail(provider, identity)))
    if (user === null) {
      if (users.isReserved(provenEmail(provider, identity))) throw new ApiError('email_taken')
      return { outcome: 'created', user }
    }
    if (!user.is_active) throw new ApiError('user_inactive')
    const isMember = (await memberships.of(scope.organizationId, user._id)) !== null
    if (!isMember) await this.#requireAdmissible(scope, user)
    if (linked !== null) return { outcome: isMember ? 'linked' : 'joined', user }
    await this.#requireOwn(scope, user)
    return { outcome: isMember ? 'member' : 'joined', user }
  }

  async #admit(place: ScopedProvider, identity: ProvenIdentity, requestContext: RequestContext): Promise<UserDocument> {
    const { scope, provider } = place
    const { users, memberships } = this.#parts.identities
    const contextOf = (user: UserDocument): AuditContext => personContext(user, requestContext)
    const linked = await this.#linked(place, identity)
    if (linked !== null) {
      if (!linked.is_active) throw new ApiError('user_inactive')
      if ((await memberships.of(scope.organizationId, linked._id)) !== null) return linked
    }
    const email = linked?.email ?? provenEmail(provider, identity)
    const account = linked ?? (await users.byEmail(email))
    if (account !== null && linked === null) await this.#requireOwn(scope, account)
    const admission = { email, displayName: displayName(identity.name, email), role: provider.default_role }
    const linking = ({ user }: Admitted, now: Date) => {
      // An account that appeared since was not checked.
      if (account === null && users.isPlatformAdmin(user)) throw new ApiError('domain_unproven')
      const { issuer, subject } = identity
      const diff = { identity_provider: { before: null, after: provider.name }, subject: { before: null, after: subject } }
      const resource = { type: 'user', id: user._id, name: user.email }
      return [
        scope.collection(LINKED_IDENTITIES).inserting({ _id: newId(), provider_id: provider._id, issuer, subject, user_id: user._id, created_at: now }),
        auditing(scope, contextOf(user), { action: 'identity.linked', resource, diff }, now),
      ]
    }
    const admitted = await this.#parts.members.admit(scope, admission, { contextOf, refusesFormer: true, ...(linked === null ? { alongside: linking } : {}) })
    return admitted.user
  }

  async #linked({ scope, provider }: ScopedProvider, { issuer, subject }: ProvenIdentity): Promise<UserDocument | null> {
    const link = await scope.collection(LINKED_IDENTITIES).findOne({ provider_id: provider._id, issuer, subject })
    return link === null ? null : this.#parts.identities.users.byId(link.user_id)
  }

  /** A platform admin may be a member of any organization, whose administrators must not log in as them. @throws ApiError domain_unproven */
  async #requireOwn(scope: Scope, user: UserDocument): Promise<void> {
    if (this.#parts.identities.users.isPlatformAdmin(user) && !(await this.#parts.domains.hasProven(scope, user.email))) throw new ApiError('domain_unproven')
  }

  /** @throws ApiError former_member, domain_unproven */
  async #requireAdmissible(scope: Scope, user: UserDocument): Promise<void> {
    if (await this.#parts.identities.formerMembers.has(scope.organizationId, user._id)) throw new ApiError('former_member')
    if (!(await this.#parts.domains.hasProven(scope, user.email))) throw new ApiError('domain_unproven')
  }
}

/** The e-mail that decides which account an identity is. @throws ApiError sso_email_missing, sso_email_unverified */
function provenEmail({ trust_email }: IdentityProviderDocument, { email, emailVerified }: ProvenIdentity): string {
  // Another spelling of an address may be another mailbox at the provider, although it is the same address here.
  if (email === null || !isEmailAddress(email) || normalizeEmail(email) !== email) throw new ApiError('sso_email_missing')
  // `trust_email` is for a provider that sends no `email_verified`. If the provider sends one, that value counts.
  if (emailVerified === false || (emailVerified === null && !trust_email)) throw new ApiError('sso_email_unverified')
  return email
}

/** A name in one line; without one, the e-mail up to its domain. */
function displayName(name: string | null, email: string): string {
  const line = [...(name ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()].slice(0, NAME_CHARACTERS).join('').trim()
  return line === '' ? email.slice(0, email.lastIndexOf('@')).slice(0, NAME_CHARACTERS) : line
}
