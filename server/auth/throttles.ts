/**
 * How often something may be tried. Every attempt counts, whether or not it succeeds, except where a rule counts failures only. These stay on when
 * rate limits are switched off: they keep passwords from being guessed and mailboxes from being filled.
 */
import { emailKeyOf } from '#requests'
import { ApiError, type ErrorReason } from '../errors.js'
import { type Limit, retryAfter, type Throttle } from '../tenancy/counters.js'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Attempts of one kind: so many in a window, by whom they are counted for. */
interface ThrottleRule extends Limit {
  /** Name of the counter. */
  readonly name: string
  /** `details.route` of the refusal. Default: the name. */
  readonly route?: string
}

export const THROTTLES = {
  /** By e-mail and address. */
  login: { name: 'auth.login', limit: 5, windowSeconds: 15 * MINUTE },
  /** Failures by e-mail, from all addresses: limits an attacker who uses many addresses. A password reset clears it. */
  failuresByAccount: { name: 'auth.login.account', route: 'auth.login', limit: 20, windowSeconds: HOUR },
  /** Failures by address, with all e-mails: limits an attacker who tries one password with many accounts. Several people may share an address. */
  failuresByAddress: { name: 'auth.login.address', route: 'auth.login', limit: 100, windowSeconds: HOUR },
  /** By address. */
  signup: { name: 'auth.register', limit: 10, windowSeconds: HOUR },
  /** By e-mail: nobody needs more mails than that. */
  resetByEmail: { name: 'auth.reset.email', limit: 5, windowSeconds: HOUR },
  /** By address: more than one person may share it. */
  resetByAddress: { name: 'auth.reset.address', limit: 30, windowSeconds: HOUR },
  /** By organization: invitations are mail to strangers. */
  invitations: { name: 'auth.invitations', limit: 500, windowSeconds: HOUR },
  /** By organization and e-mail: none of these strangers gets many. */
  invitationsByEmail: { name: 'auth.invitations.email', limit: 10, windowSeconds: HOUR },
  /** By organization: each new user costs a hash, and all organizations wait in one line for theirs. */
  members: { name: 'auth.members', limit: 500, windowSeconds: HOUR },
} as const satisfies Record<string, ThrottleRule>

export interface ThrottleOptions {
  /** What counts as one address: a network of IPv6, for one. */
  readonly addressKey?: (address: string) => string
  readonly clock?: () => number
}

export class Throttles {
  readonly #throttle: Pick<Throttle, 'attempt' | 'release' | 'clear'>
  readonly #addressKey: (address: string) => string
  readonly #clock: () => number

  constructor(throttle: Pick<Throttle, 'attempt' | 'release' | 'clear'>, { addressKey = (address) => address, clock = Date.now }: ThrottleOptions = {}) {
    this.#throttle = throttle
    this.#addressKey = addressKey
    this.#clock = clock
  }

  /**
   * Runs a check of a password, unless too many have failed. The check counts as a failure while it runs, and the count is released unless it rejects with
   * `login_failed`: concurrent checks can't exceed the limit.
   * @throws ApiError login_throttled, account_throttled, address_throttled, and what the check throws
   */
  async password<T>(email: string, address: string, check: () => Promise<T>): Promise<T> {
    const { failuresByAddress, failuresByAccount } = THROTTLES
    await this.#take(THROTTLES.login, this.#pair(email, address), 'login_throttled')
    return this.#unlessFailed(failuresByAddress, this.#addressKey(address), 'address_throttled', () =>
      this.#unlessFailed(failuresByAccount, emailKeyOf(email), 'account_throttled', check),
    )
  }

  /** After a successful login. The account's failures stay counted: they may be an attacker's. */
  loggedIn(email: string, address: string): Promise<void> {
    return this.#throttle.clear(THROTTLES.login.name, this.#pair(email, address))
  }

  /** After a password reset: a user who was locked out by an attacker's guesses can log in again. */
  async passwordReset(email: string, address: string): Promise<void> {
    await this.loggedIn(email, address)
    await this.#throttle.clear(THROTTLES.failuresByAccount.name, emailKeyOf(email))
  }

  /** @throws ApiError signup_throttled */
  signup(address: string): Promise<void> {
    return this.#take(THROTTLES.signup, this.#addressKey(address), 'signup_throttled')
  }

  /** Whether a reset may be mailed. Nobody is told, as the answer would say whether others have asked. */
  async reset(email: string, address: string): Promise<boolean> {
    // In this order, so that one address alone can't use up what others may ask.
    const byAddress = await this.#throttle.attempt(THROTTLES.resetByAddress.name, this.#addressKey(address), THROTTLES.resetByAddress)
    return byAddress.allowed && (await this.#throttle.attempt(THROTTLES.resetByEmail.name, emailKeyOf(email), THROTTLES.resetByEmail)).allowed
  }

  /** @param inviter id of the organization, or of the platform admin who creates one @throws ApiError rate_limited */
  async invitation(inviter: string, email: string): Promise<void> {
    await this.#take(THROTTLES.invitationsByEmail, `${inviter}\n${emailKeyOf(email)}`, 'rate_limited')
    await this.#take(THROTTLES.invitations, inviter, 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  member(organizationId: string): Promise<void> {
    return this.#take(THROTTLES.members, organizationId, 'rate_limited')
  }

  /** Counts an attempt, and releases the count unless the password was wrong. */
  async #unlessFailed<T>(rule: ThrottleRule, key: string, reason: ErrorReason, attempt: () => Promise<T>): Promise<T> {
    await this.#take(rule, key, reason)
    let hasFailed = false
    try {
      return await attempt()
    } catch (error) {
      hasFailed = error instanceof ApiError && error.reason === 'login_failed'
      throw error
    } finally {
      if (!hasFailed) await this.#throttle.release(rule.name, key)
    }
  }

  async #take(rule: ThrottleRule, key: string, reason: ErrorReason): Promise<void> {
    const { allowed, resetAt } = await this.#throttle.attempt(rule.name, key, rule)
    if (allowed) return
    throw new ApiError(reason, {
      details: { route: rule.route ?? rule.name, reset_at: resetAt.toISOString() },
      headers: {
        ...retryAfter(resetAt.getTime(), this.#clock()),
        'X-RateLimit-Limit': String(rule.limit),
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': resetAt.toISOString(),
      },
    })
  }

  #pair(email: string, address: string): string {
    return `${emailKeyOf(email)}\n${this.#addressKey(address)}`
  }
}
