/**
 * The password and the second factor of the caller. Invariants:
 *  1. a change needs the password or a code in the same request: a stolen session alone changes nothing
 *  2. a session of an identity provider changes nothing: a provider must not take over an account that may reach other organizations
 *  3. a change of the password, of the second factor, or its end, ends all other sessions, and every challenge of a login
 */
import type { Identities } from '../../../core/auth/identities.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { NewSecret, SecondFactorDocument, UsedCode } from '../../../core/auth/second-factors.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { ApiError, type ErrorReason } from '../../../core/errors.js'
import { isConflict, refuseStale } from '../../../core/tenancy/retry-stale.js'
import type { Fields, Write } from '../../../core/storage/contract.js'
import type { AccountService } from '../account/service.js'
import type { AccountNotices } from '../account-notices/service.js'
import { auditContext, auditingUser } from '../../../core/audit/service.js'
import type { PasswordChangeRequest } from './schema.js'

type Owner = Actor<UserPrincipal>

export interface CredentialsParts {
  readonly identities: Identities
  readonly accounts: Pick<AccountService, 'authenticateUser' | 'useCode'>
  readonly throttles: Pick<Throttles, 'loggedIn'>
  readonly notices: Pick<AccountNotices, 'telling'>
  /** The write that invalidates mailed tokens with which the user could set a password. */
  readonly discardResets: (userId: string) => Write
}

/** The second factor as its user sees it. */
export interface ShownSecondFactor {
  /** Null: none is enabled. */
  readonly enabledAt: Date | null
  readonly recoveryCodesLeft: number
}

export class CredentialsService {
  readonly #parts: CredentialsParts

  constructor(parts: CredentialsParts) {
    this.#parts = parts
  }

  /** @throws ApiError password_session_required, password_wrong, login_throttled, account_throttled, address_throttled, edit_conflict, limit_reached */
  async changePassword(actor: Owner, { current_password, new_password }: PasswordChangeRequest): Promise<void> {
    const user = await this.#confirmPassword(actor, current_password)
    const password_hash = await this.#parts.identities.passwords.hash(new_password, { address: actor.address })
    await this.#change(actor, user, 'password_changed', [this.#parts.discardResets(user._id)], { set: { password_hash } })
  }

  async secondFactor({ userId }: UserPrincipal): Promise<ShownSecondFactor> {
    const factor = await this.#parts.identities.secondFactors.enabledOf(userId)
    return { enabledAt: factor?.enabled_at ?? null, recoveryCodesLeft: factor?.recovery_hashes.length ?? 0 }
  }

  /** Creates a secret, which counts once it is confirmed. @throws ApiError second_factor_enabled, and as `changePassword` */
  async begin(actor: Owner, password: string): Promise<NewSecret> {
    const { identities, throttles } = this.#parts
    const { secondFactors, commitAddition } = identities
    const user = await this.#confirmPassword(actor, password)
    if ((await secondFactors.enabledOf(user._id)) !== null) throw new ApiError('second_factor_enabled')
    const begun = await secondFactors.beginning(user._id, user.email)
    await refuseStale('edit_conflict', () => commitAddition([begun.write]), isConflict)
    await throttles.loggedIn(user.email, actor.address)
    return begun
  }

  /** Enables the second factor; this session counts as one with it. @returns the recovery codes @throws ApiError second_factor_absent, and as `remove` */
  async confirm(actor: Owner, code: string): Promise<readonly string[]> {
    const { secondFactors } = this.#parts.identities
    const user = await this.#owner(actor)
    const { used } = await this.#useCode(actor, user, await secondFactors.pendingOf(user._id), code)
    const { codes, write } = secondFactors.enabling(used)
    await this.#change(actor, user, 'second_factor_enabled', [write], { hasSecondFactor: true })
    return codes
  }

  /** Replaces the recovery codes. @throws as `remove` */
  async renewRecoveryCodes(actor: Owner, code: string): Promise<readonly string[]> {
    const { identities, throttles, notices } = this.#parts
    const user = await this.#owner(actor)
    const { used } = await this.#useCode(actor, user, await identities.secondFactors.enabledOf(user._id), code)
    const { codes, write } = identities.secondFactors.renewing(used)
    const entries = await auditingUser(identities, user, auditContext(actor), 'user.recovery_codes_created', new Date(identities.clock()))
    const told = await notices.telling(user, 'recovery_codes_created', actor)
    await refuseStale('edit_conflict', () => identities.commitAddition([write, ...entries, ...told]), isConflict)
    await throttles.loggedIn(user.email, actor.address)
    return codes
  }

  /** @throws ApiError password_session_required, second_factor_absent, code_wrong, login_throttled, second_factor_throttled, address_throttled, edit_conflict */
  async remove(actor: Owner, code: string): Promise<void> {
    const { secondFactors } = this.#parts.identities
    const user = await this.#owner(actor)
    const { factor } = await this.#useCode(actor, user, await secondFactors.enabledOf(user._id), code)
    await this.#change(actor, user, 'second_factor_removed', [secondFactors.removing(factor)], { hasSecondFactor: false })
  }

  /** Stores a change and ends the user's other sessions. */
  async #change(
    actor: Owner,
    user: UserDocument,
    change: 'password_changed' | 'second_factor_enabled' | 'second_factor_removed',
    writes: readonly Write[],
    { set = {}, hasSecondFactor }: { readonly set?: Fields<UserDocument>; readonly hasSecondFactor?: boolean },
  ): Promise<void> {
    const { identities, throttles, notices } = this.#parts
    const { users, sessions, clock, commit } = identities
    const { _id, session_epoch } = user
    const now = new Date(clock())
    const entries = [...(await auditingUser(identities, user, auditContext(actor), `user.${change}`, now)), ...(await notices.telling(user, change, actor))]
    const unchanged = { _id, session_epoch, is_active: true }
    await refuseStale('edit_conflict', () =>
      commit(
        [
          ...writes,
          users.updating(unchanged, {
            set: { ...set, ...(hasSecondFactor === undefined ? {} : { has_second_factor: hasSecondFactor }), updated_at: now },
            increment: { session_epoch: 1, revision: 1 },
          }),
          ...sessions.keepingOnly(actor.principal.sessionId, user, hasSecondFactor),
          ...entries,
        ],
        { user: _id },
      ),
    )
    await throttles.loggedIn(user.email, actor.address)
  }

  /** @throws ApiError password_session_required */
  async #owner({ principal }: Owner): Promise<UserDocument> {
    if (principal.providerId !== null) throw new ApiError('password_session_required')
    const user = await this.#parts.identities.users.byId(principal.userId)
    if (user === null) throw new ApiError('credential_invalid')
    return user
  }

  async #confirmPassword(actor: Owner, password: string): Promise<UserDocument> {
    const { email } = await this.#owner(actor)
    return replacing('login_failed', 'password_wrong', () => this.#parts.accounts.authenticateUser(email, password, actor))
  }

  async #useCode(actor: Owner, user: UserDocument, factor: SecondFactorDocument | null, code: string): Promise<{ readonly factor: SecondFactorDocument; readonly used: UsedCode }> {
    if (factor === null) throw new ApiError('second_factor_absent')
    return { factor, used: await replacing('second_factor_wrong', 'code_wrong', () => this.#parts.accounts.useCode(user, factor, code, actor)) }
  }
}

/** Replaces a refusal outside of the throttle, which counts it by its reason. */
async function replacing<T>(reason: ErrorReason, by: ErrorReason, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    throw error instanceof ApiError && error.reason === reason ? new ApiError(by) : error
  }
}
