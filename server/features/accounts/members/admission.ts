/**
 * Admission of people without a password: by an identity provider, or by provisioning. Invariants:
 *  1. nobody becomes a member by the word of a provider alone: an account that is no member joins only if the organization has proven its domain
 *  2. who was removed stays out: a login lets nobody in again, but provisioning and an invitation do
 */
import type { Identities } from '../../../core/auth/identities.js'
import { type NewUser, newUserDocument, type UserDocument, USERS } from '../../../core/auth/users.js'
import { ApiError } from '../../../core/errors.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { MEMBERSHIPS, newMembership } from '../../../core/tenancy/memberships.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { isStaleWrite, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { DomainsService } from '../domains/service.js'
import { ATTEMPTS, type Member, type MemberChanges, PAUSE_MS, resourceOf } from './changes.js'

/** A person whom an identity provider vouches for, or provisions. */
export interface Admission {
  readonly email: string
  readonly displayName: string
  /** Role of a new member. That of an existing member does not change. */
  readonly role: EnterpriseRole
}

/** How a person was admitted: was a member before, joined with an existing account, or joined with a new account. */
export type AdmissionOutcome = 'member' | 'joined' | 'created'

export interface Admitted extends Member {
  readonly outcome: AdmissionOutcome
}

export interface AdmissionOptions {
  /** The context of the audit entries: the person, or the token that provisions. */
  readonly contextOf: (user: UserDocument) => AuditContext
  /** Whether a person who was removed stays out. Default: the admission lets them in again. */
  readonly refusesFormer?: boolean
  /** Returns further writes for the same commit; may be called again after a conflict. What it throws refuses the admission. */
  readonly alongside?: (admitted: Admitted, now: Date) => readonly Write[] | Promise<readonly Write[]>
}

export interface AdmissionsParts {
  readonly identities: Identities
  readonly changes: MemberChanges
  readonly quotas: Pick<Quotas, 'creating'>
  readonly domains: Pick<DomainsService, 'hasProven'>
}

export class Admissions {
  readonly #identities: Identities
  readonly #parts: Omit<AdmissionsParts, 'identities'>

  constructor({ identities, ...parts }: AdmissionsParts) {
    this.#identities = identities
    this.#parts = parts
  }

  /**
   * Makes a person a member without a password: with the account that has the e-mail, or with a new account. An account that is not a member yet joins only if
   * the organization has proven the domain of its e-mail, because nobody else may speak for the account. An account without a password that is a member nowhere is
   * nobody's: it was created for a person who has been removed since, and joins as a new one would.
   * @throws ApiError domain_unproven, former_member, email_taken (reserved), user_inactive, member_limit, organization_limit, plan_quota_exceeded, edit_conflict, and what `alongside` throws
   */
  admit(scope: Scope, admission: Admission, { contextOf, refusesFormer = false, alongside = () => [] }: AdmissionOptions): Promise<Admitted> {
    const { users, memberships, formerMembers } = this.#identities
    return retryStale(
      ATTEMPTS,
      async () => {
        const user = await users.byEmail(admission.email)
        if (user === null) return this.#admitNew(scope, admission, contextOf, alongside)
        if (!user.is_active) throw new ApiError('user_inactive')
        if ((await memberships.of(scope.organizationId, user._id)) === null) {
          if (refusesFormer && (await formerMembers.has(scope.organizationId, user._id))) throw new ApiError('former_member')
          return this.#admitAccount(scope, user, admission.role, contextOf, alongside)
        }
        let admitted: Admitted | null = null
        await this.#parts.changes.whileMember(scope, user._id, async (member) => {
          admitted = { ...member, outcome: 'member' }
          return alongside(admitted, new Date(this.#identities.clock()))
        })
        return admitted!
      },
      { pauseMs: PAUSE_MS, isStale: hasChanged },
    )
  }

  async #admitNew(
    scope: Scope,
    { email, displayName, role }: Admission,
    contextOf: AdmissionOptions['contextOf'],
    alongside: Exclude<AdmissionOptions['alongside'], undefined>,
  ): Promise<Admitted> {
    const { users, clock } = this.#identities
    if (users.isReserved(email)) throw new ApiError('email_taken')
    const now = new Date(clock())
    const newUser: NewUser = { _id: newId(), email, display_name: displayName.trim(), password_hash: null, default_organization_id: scope.organizationId }
    const user = newUserDocument(newUser, now)
    const membership = newMembership(newId(), scope.organizationId, user._id, role, now)
    const admitted: Admitted = { membership, user, outcome: 'created' }
    const entry = { action: 'user.created', resource: { type: 'user', id: user._id, name: user.email }, diff: diffOf(null, user, ['email', 'display_name']) } as const
    await this.#join(scope, admitted, contextOf(user), [users.adding(newUser, now), auditing(scope, contextOf(user), entry, now), ...(await alongside(admitted, now))], now)
    return admitted
  }

  async #admitAccount(
    scope: Scope,
    user: UserDocument,
    role: EnterpriseRole,
    contextOf: AdmissionOptions['contextOf'],
    alongside: Exclude<AdmissionOptions['alongside'], undefined>,
  ): Promise<Admitted> {
    const { users, memberships, clock } = this.#identities
    const { _id, email, memberships_revision, default_organization_id } = user
    const isUnclaimed = user.password_hash === null && (await memberships.ofUser(_id)).length === 0
    if (!isUnclaimed && !(await this.#parts.domains.hasProven(scope, email))) throw new ApiError('domain_unproven')
    await memberships.requireRoomFor(_id)
    const now = new Date(clock())
    const membership = newMembership(newId(), scope.organizationId, _id, role, now)
    const admitted: Admitted = { membership, user, outcome: 'joined' }
    const joining = users.updating(
      { _id, memberships_revision, ...(isUnclaimed ? { password_hash: null } : {}) },
      { set: { default_organization_id: default_organization_id ?? scope.organizationId }, increment: { memberships_revision: 1 } },
    )
    await this.#join(scope, admitted, contextOf(user), [joining, ...(await alongside(admitted, now))], now)
    return admitted
  }

  /** Commits a new membership, unless a limit of members is reached. */
  async #join(scope: Scope, { membership, user }: Member, context: AuditContext, writes: readonly Write[], now: Date): Promise<void> {
    const { memberships, formerMembers } = this.#identities
    const entry = { action: 'member.added', resource: resourceOf(membership, user.email), diff: diffOf(null, membership, ['user_id', 'role']) } as const
    const again = formerMembers.forgetting(scope.organizationId, membership.user_id)
    const all = [memberships.adding(membership), again, auditing(scope, context, entry, now), ...writes]
    await this.#parts.quotas.creating(scope, 'members', { ...memberships.room(scope.organizationId), writes: async () => all })
  }
}

/** Whether an account or a membership appeared, or changed, since it was read. */
function hasChanged(error: unknown): boolean {
  return isStaleWrite(error) || (error instanceof DuplicateKeyError && (error.collection === USERS.name || error.collection === MEMBERSHIPS.name))
}
