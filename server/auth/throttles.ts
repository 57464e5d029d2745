/**
 * How often something may be tried. Every attempt counts, whether or not it succeeds. These stay on when rate limits are switched off: they keep
 * passwords from being guessed and mailboxes from being filled.
 */
import { emailKeyOf } from '../email-address.js'
import { ApiError, type ErrorReason } from '../errors.js'
import { type Limit, retryAfter, type Throttle } from '../tenancy/counters.js'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Attempts of one kind: so many in a window, by whom they are counted for. */
interface ThrottleRule extends Limit {
  readonly name: string
}

export const THROTTLES = {
  /** By e-mail and address. */
  login: { name: 'auth.login', limit: 5, windowSeconds: 15 * MINUTE },
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
  readonly #throttle: Pick<Throttle, 'attempt' | 'clear'>
  readonly #addressKey: (address: string) => string
  readonly #clock: () => number

  constructor(throttle: Pick<Throttle, 'attempt' | 'clear'>, { addressKey = (address) => address, clock = Date.now }: ThrottleOptions = {}) {
    this.#throttle = throttle
    this.#addressKey = addressKey
    this.#clock = clock
  }

  /** @throws ApiError login_throttled */
  login(email: string, address: string): Promise<void> {
    return this.#take(THROTTLES.login, this.#pair(email, address), 'login_throttled')
  }

  /** Someone has shown that they are who they say. */
  loggedIn(email: string, address: string): Promise<void> {
    return this.#throttle.clear(THROTTLES.login.name, this.#pair(email, address))
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

  /** @throws ApiError rate_limited */
  async invitation(organizationId: string, email: string): Promise<void> {
    await this.#take(THROTTLES.invitationsByEmail, `${organizationId}\n${emailKeyOf(email)}`, 'rate_limited')
    await this.#take(THROTTLES.invitations, organizationId, 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  member(organizationId: string): Promise<void> {
    return this.#take(THROTTLES.members, organizationId, 'rate_limited')
  }

  async #take(rule: ThrottleRule, key: string, reason: ErrorReason): Promise<void> {
    const { allowed, resetAt } = await this.#throttle.attempt(rule.name, key, rule)
    if (allowed) return
    throw new ApiError(reason, {
      details: { route: rule.name, reset_at: resetAt.toISOString() },
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
