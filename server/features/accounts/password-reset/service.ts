/** Password resets. Neither the content nor the time of an answer reveals whether an account exists. */
import type { Identities } from '../../../core/auth/identities.js'
import { hashToken, newToken } from '../../../core/auth/one-time-tokens.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import type { UserDocument } from '../../../core/auth/users.js'
import type { RequestContext } from '../../../core/auth/request-context.js'
import type { Config } from '../../../core/config.js'
import { ApiError } from '../../../core/errors.js'
import { refuseStale } from '../../../core/tenancy/retry-stale.js'
import { composePasswordReset, mailLocale } from '../../../core/mail/compose.js'
import type { MailDelivery } from '../../../core/mail/delivery.js'
import type { Mail } from '../../../core/mail/gateway.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Write } from '../../../core/storage/contract.js'
import type { AccountNotices } from '../account-notices/service.js'
import { type AuditContext, auditingUser, personContext } from '../../../core/audit/service.js'
import type { PasswordResetConfirmation } from './schema.js'
import type { PasswordResetDocument, PasswordResetStore } from './store.js'

export interface PasswordResetParts {
  readonly identities: Identities
  readonly resets: PasswordResetStore
  readonly throttles: Throttles
  readonly notices: Pick<AccountNotices, 'telling'>
  readonly mail: Pick<MailDelivery, 'post'>
  readonly config: Pick<Config, 'passwordResetTtlSeconds'>
  readonly address: Pick<PublicAddress, 'pages'>
}

export class PasswordResetService {
  readonly #parts: PasswordResetParts

  constructor(parts: PasswordResetParts) {
    this.#parts = parts
  }

  /** Requests a reset. All work that depends on the user happens after the answer, so that its time reveals nothing. */
  async request(email: string, requestContext: RequestContext): Promise<void> {
    if (await this.#parts.throttles.reset(email, requestContext.address)) {
      // Copies the needed fields, so that the request is not kept in memory while the mail waits.
      const { requestId, address, locale } = requestContext
      this.#parts.mail.post('password_reset', () => this.#makeMail(email, { requestId, address, locale }))
    }
  }

  /** Sets the password and ends all sessions of the user. @throws ApiError reset_token_invalid, limit_reached */
  async confirm({ token, new_password }: PasswordResetConfirmation, requestContext: RequestContext): Promise<void> {
    const { identities, resets, throttles, notices } = this.#parts
    const { users, sessions, passwords, commit, clock } = identities
    const { reset, user } = await this.#located(token)
    const password_hash = await passwords.hash(new_password, { address: requestContext.address })
    const now = new Date(clock())
    await refuseStale('reset_token_invalid', async () =>
      commit(
        [
          resets.using(reset._id),
          users.updating({ _id: user._id, is_active: true }, { set: { password_hash, updated_at: now }, increment: { session_epoch: 1, revision: 1 } }),
          resets.discardingAllOf(user._id),
          sessions.closingAllOf(user._id),
          ...(await this.#audit('user.password_reset', user, requestContext, now)),
          ...(await notices.telling(user, 'password_reset', requestContext)),
        ],
        { user: user._id },
      ),
    )
    await throttles.passwordReset(user.email, requestContext.address)
  }

  /** Returns the e-mail address of the user of a token. @throws ApiError reset_token_invalid */
  async emailOf(token: string): Promise<string> {
    return (await this.#located(token)).user.email
  }

  async #located(token: string): Promise<{ readonly reset: PasswordResetDocument; readonly user: UserDocument }> {
    const { users, clock } = this.#parts.identities
    const reset = await this.#find(token)
    const user = reset === null || reset.expires_at.getTime() <= clock() ? null : await users.byId(reset.user_id)
    if (reset === null || user === null || !user.is_active) throw new ApiError('reset_token_invalid')
    return { reset, user }
  }

  async #find(token: string): Promise<PasswordResetDocument | null> {
    const { identities, resets } = this.#parts
    for (const key of readingKeys(identities.secrets, 'tokenHash')) {
      const found = await resets.byHash(hashToken(key, 'password-reset', token))
      if (found !== null) return found
    }
    return null
  }

  async #makeMail(email: string, requestContext: RequestContext): Promise<Mail | null> {
    const { identities, resets, config, address } = this.#parts
    const user = await identities.users.byEmail(email)
    if (user === null || !user.is_active) return null
    const token = newToken()
    const now = new Date(identities.clock())
    const expiresAt = new Date(now.getTime() + config.passwordResetTtlSeconds * 1000)
    const reset = { _id: hashToken(identities.secrets.tokenHash, 'password-reset', token), user_id: user._id, created_at: now, expires_at: expiresAt }
    await identities.commitAddition([resets.adding(reset), ...(await this.#audit('user.password_reset_requested', user, requestContext, now))])
    // Sent to the spelling of the account, because another spelling of the address may be another mailbox.
    return composePasswordReset({ to: user.email, locale: mailLocale(user.locale, requestContext.locale), token, expiresAt, baseUrl: address.pages })
  }

  /** Returns an audit entry for each organization of the user. The caller of a request is not authenticated, so its entries have no user as the actor. */
  #audit(action: 'user.password_reset' | 'user.password_reset_requested', user: UserDocument, requestContext: RequestContext, now: Date): Promise<Write[]> {
    const { requestId, address } = requestContext
    const context: AuditContext = action === 'user.password_reset' ? personContext(user, requestContext) : { actor: { kind: 'system', name: 'anonymous' }, requestId, address }
    return auditingUser(this.#parts.identities, user, context, action, now)
  }
}
