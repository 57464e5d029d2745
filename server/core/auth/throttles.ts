/**
 * Limits how often a sensitive operation may be attempted. Every attempt counts, whether or not it succeeds, unless a rule counts failures only. These limits
 * apply even when rate limits are switched off: they protect passwords from guessing, mailboxes from flooding, and the store from forges that flood.
 */
import { emailKeyOf } from '#basics'
import { ApiError, type ErrorReason } from '../errors.js'
import { type Limit, retryAfter, type Throttle } from '../tenancy/counters.js'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Default of `AI_RATE_LIMIT_PER_MINUTE`. */
const ASSISTANT_PER_MINUTE = 20

/** Attempts of one kind: a maximum per window and key. */
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
  /** Wrong codes of second factors by account, from all addresses. Neither a reset nor a login clears it: who guesses codes may have the password and the mailbox. */
  secondFactorFailures: { name: 'auth.second-factor', route: 'auth.login', limit: 10, windowSeconds: HOUR },
  /** By address. */
  signup: { name: 'auth.register', limit: 10, windowSeconds: HOUR },
  /** By e-mail: limits the mails to one recipient. */
  resetByEmail: { name: 'auth.reset.email', limit: 5, windowSeconds: HOUR },
  /** By address, which several people may share. */
  resetByAddress: { name: 'auth.reset.address', limit: 30, windowSeconds: HOUR },
  /** By organization: invitations are mails to people who did not ask for them. */
  invitations: { name: 'auth.invitations', limit: 500, windowSeconds: HOUR },
  /** By organization and e-mail: limits the invitations to one recipient. */
  invitationsByEmail: { name: 'auth.invitations.email', limit: 10, windowSeconds: HOUR },
  /** By organization: each new user costs a password hash, and all organizations share one queue for hashing. */
  members: { name: 'auth.members', limit: 500, windowSeconds: HOUR },
  /** By address: lookups of identity providers by domain. A company whose people share an address logs in some times a minute. */
  discoveryByAddress: { name: 'sso.discovery', limit: 300, windowSeconds: HOUR },
  /** By organization: accounts that its identity provider creates. Ten thousand members are created in one run, and perhaps once more after a mistake. */
  provisioned: { name: 'scim.users', limit: 20_000, windowSeconds: HOUR },
  /** By organization: lookups of TXT records of names that it chooses, at the name servers of the host. Each verification needs one or two. */
  domainLookups: { name: 'domains.lookup', limit: 60, windowSeconds: HOUR },
  /** By organization: validations of identity providers, which every member may ask for. Each sends the provider four requests, one of them with the client secret. */
  providerValidations: { name: 'identity-providers.validate', limit: 60, windowSeconds: HOUR },
  /** By address, which an office of some hundred people may share. Each login that begins is stored, and may need an answer of the provider. */
  ssoLogins: { name: 'sso.login', limit: 600, windowSeconds: 10 * MINUTE },
  /** By Git binding: deliveries of its webhook with the right signature. Each is parsed; some are stored for a week, and cause a call of the forge. Teams push some times a minute. */
  gitDeliveries: { name: 'git-webhooks.accept', limit: 300, windowSeconds: MINUTE },
  /** By payment gateway: events with the right signature. At a renewal of thousands of subscriptions, each has three; the gateway sends again what is refused. */
  billingEvents: { name: 'billing.accept-event', limit: 3_000, windowSeconds: MINUTE },
  /** By user: requests to the assistant. Its number is a setting. */
  assistant: { name: 'ai', limit: ASSISTANT_PER_MINUTE, windowSeconds: MINUTE },
} as const satisfies Record<string, ThrottleRule>

/** The refusals of a wrong password or code. */
const FAILURES: ReadonlySet<ErrorReason> = new Set(['login_failed', 'second_factor_wrong'])

export interface ThrottleOptions {
  /** The key by which an address is counted: an IPv6 network counts as one address. */
  readonly addressKey?: (address: string) => string
  readonly clock?: () => number
  /** `AI_RATE_LIMIT_PER_MINUTE`. */
  readonly assistantPerMinute?: number
}

export class Throttles {
  /** Requests of a user to the assistant in a minute. */
  readonly assistantPerMinute: number
  readonly #throttle: Pick<Throttle, 'attempt' | 'release' | 'clear'>
  readonly #addressKey: (address: string) => string
  readonly #clock: () => number

  constructor(
    throttle: Pick<Throttle, 'attempt' | 'release' | 'clear'>,
    { addressKey = (address) => address, clock = Date.now, assistantPerMinute = ASSISTANT_PER_MINUTE }: ThrottleOptions = {},
  ) {
    this.assistantPerMinute = assistantPerMinute
    this.#throttle = throttle
    this.#addressKey = addressKey
    this.#clock = clock
  }

  /**
   * Runs a check of a password, unless too many have failed. The check counts as a failure while it runs, and the count is released unless it rejects with
   * one of `FAILURES`: concurrent checks can't exceed the limit.
   * @throws ApiError login_throttled, account_throttled, address_throttled, and what the check throws
   */
  async password<T>(email: string, address: string, check: () => Promise<T>): Promise<T> {
    const { failuresByAddress, failuresByAccount } = THROTTLES
    await this.#take(THROTTLES.login, this.#pair(email, address), 'login_throttled')
    return this.#unlessFailed(failuresByAddress, this.#addressKey(address), 'address_throttled', () =>
      this.#unlessFailed(failuresByAccount, emailKeyOf(email), 'account_throttled', check),
    )
  }

  /**
   * Runs a check of a second factor, in the way of `password`. It counts as an attempt to log in.
   * @throws ApiError login_throttled, second_factor_throttled, address_throttled, and what the check throws
   */
  async secondFactor<T>(email: string, address: string, check: () => Promise<T>): Promise<T> {
    const { failuresByAddress, secondFactorFailures } = THROTTLES
    await this.#take(THROTTLES.login, this.#pair(email, address), 'login_throttled')
    return this.#unlessFailed(failuresByAddress, this.#addressKey(address), 'address_throttled', () =>
      this.#unlessFailed(secondFactorFailures, emailKeyOf(email), 'second_factor_throttled', check),
    )
  }

  /** Called after a successful login. Failures of the account stay counted, because an attacker may have caused them. */
  loggedIn(email: string, address: string): Promise<void> {
    return this.#throttle.clear(THROTTLES.login.name, this.#pair(email, address))
  }

  /** Called after a password reset: a user who was locked out by an attacker's guesses can log in again. */
  async passwordReset(email: string, address: string): Promise<void> {
    await this.loggedIn(email, address)
    await this.#throttle.clear(THROTTLES.failuresByAccount.name, emailKeyOf(email))
  }

  /** @throws ApiError signup_throttled */
  signup(address: string): Promise<void> {
    return this.#take(THROTTLES.signup, this.#addressKey(address), 'signup_throttled')
  }

  /** Whether a reset may be mailed. The result is not revealed, because it would show whether others have requested one. */
  async reset(email: string, address: string): Promise<boolean> {
    // By address first, so that one address cannot use up the attempts of an e-mail.
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

  /** @throws ApiError rate_limited */
  discovery(address: string): Promise<void> {
    return this.#take(THROTTLES.discoveryByAddress, this.#addressKey(address), 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  provisioned(organizationId: string): Promise<void> {
    return this.#take(THROTTLES.provisioned, organizationId, 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  domainLookup(organizationId: string): Promise<void> {
    return this.#take(THROTTLES.domainLookups, organizationId, 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  providerValidation(organizationId: string): Promise<void> {
    return this.#take(THROTTLES.providerValidations, organizationId, 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  ssoLogin(address: string): Promise<void> {
    return this.#take(THROTTLES.ssoLogins, this.#addressKey(address), 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  gitDelivery(bindingId: string): Promise<void> {
    return this.#take(THROTTLES.gitDeliveries, bindingId, 'rate_limited')
  }

  /** @throws ApiError rate_limited */
  billingEvent(gateway: string): Promise<void> {
    return this.#take(THROTTLES.billingEvents, gateway, 'rate_limited')
  }

  /** @returns the headers of the answer @throws ApiError rate_limited */
  assistant(userId: string): Promise<Readonly<Record<string, string>>> {
    return this.#attempt({ ...THROTTLES.assistant, limit: this.assistantPerMinute }, userId, 'rate_limited')
  }

  /** Counts an attempt, and releases the count unless the password or the code was wrong. */
  async #unlessFailed<T>(rule: ThrottleRule, key: string, reason: ErrorReason, attempt: () => Promise<T>): Promise<T> {
    await this.#take(rule, key, reason)
    let hasFailed = false
    try {
      return await attempt()
    } catch (error) {
      hasFailed = error instanceof ApiError && FAILURES.has(error.reason)
      throw error
    } finally {
      if (!hasFailed) await this.#throttle.release(rule.name, key)
    }
  }

  async #take(rule: ThrottleRule, key: string, reason: ErrorReason): Promise<void> {
    await this.#attempt(rule, key, reason)
  }

  /** @returns the headers with the number of remaining attempts */
  async #attempt(rule: ThrottleRule, key: string, reason: ErrorReason): Promise<Readonly<Record<string, string>>> {
    const { allowed, remaining, resetAt } = await this.#throttle.attempt(rule.name, key, rule)
    const reset = resetAt.toISOString()
    const headers = { 'X-RateLimit-Limit': String(rule.limit), 'X-RateLimit-Remaining': String(remaining), 'X-RateLimit-Reset': reset }
    if (allowed) return headers
    throw new ApiError(reason, { details: { route: rule.route ?? rule.name, reset_at: reset }, headers: { ...retryAfter(resetAt.getTime(), this.#clock()), ...headers } })
  }

  #pair(email: string, address: string): string {
    return `${emailKeyOf(email)}\n${this.#addressKey(address)}`
  }
}
