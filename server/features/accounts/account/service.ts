/** Accounts: bootstrap, registration, login, logout, and the settings of the caller's account. */
import type { Identities } from '../../../core/auth/identities.js'
import { newOrganization, type OrganizationDocument, suspended } from '../../../core/auth/organizations.js'
import { INSTANCE } from '../../../core/auth/instance.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { SecondFactorDocument, UsedCode } from '../../../core/auth/second-factors.js'
import { type NewSession, PASSWORD_ALONE, type SessionProof } from '../../../core/auth/sessions.js'
import { type IncludesSso, policyInForce, policyRefusal } from '../../../core/auth/session-reach.js'
import { type OpenedSession, type SessionView, viewSession } from '../../../core/auth/session-view.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import { type NewUser, newUserDocument, type UserDocument, USERS } from '../../../core/auth/users.js'
import type { Actor, RequestContext } from '../../../core/auth/request-context.js'
import type { Config } from '../../../core/config.js'
import { ApiError } from '../../../core/errors.js'
import type { LocalePreference } from '../../../core/i18n/locale.js'
import { newId } from '../../../core/storage/id.js'
import type { Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError, ignoreStale, StaleWriteError } from '../../../core/storage/errors.js'
import { newMembership } from '../../../core/tenancy/memberships.js'
import type { AccountNotices } from '../account-notices/service.js'
import { type AuditResource, auditContext, auditing, auditingUser, diffOf, personContext } from '../../../core/audit/service.js'
import type { AuthBootstrapRequest, LoginRequest, SecondFactorLoginRequest } from './schema.js'

export interface AccountParts {
  readonly identities: Identities
  readonly throttles: Throttles
  readonly notices: Pick<AccountNotices, 'telling'>
  readonly config: Pick<Config, 'selfSignupEnabled'>
  readonly includesSso: IncludesSso
  /** The address of the login through the identity provider of an organization; null: it has none. */
  readonly loginUrlOf: (organizationId: string) => Promise<string | null>
}

/** How a user has proved who they are, with the writes that use the code up. They belong to the commit that opens the session. */
export interface Proven {
  readonly proof: SessionProof
  readonly writes: readonly Write[]
}

/** A new user, who has set the password in the same request. */
export const NEW_USER: Proven = { proof: PASSWORD_ALONE, writes: [] }

/** Value of `access_token` for a session authenticated by the cookie. Scripts of a page must not be able to read the token. */
const COOKIE_SESSION = 'cookie-session'

export class AccountService {
  readonly #identities: Identities
  readonly #throttles: Throttles
  readonly #notices: Pick<AccountNotices, 'telling'>
  readonly #selfSignupEnabled: boolean
  readonly #includesSso: IncludesSso
  readonly #loginUrlOf: AccountParts['loginUrlOf']

  constructor({ identities, throttles, notices, config, includesSso, loginUrlOf }: AccountParts) {
    this.#identities = identities
    this.#throttles = throttles
    this.#notices = notices
    this.#selfSignupEnabled = config.selfSignupEnabled
    this.#includesSso = includesSso
    this.#loginUrlOf = loginUrlOf
  }

  get sessionTtlSeconds(): number {
    return this.#identities.sessions.ttlSeconds
  }

  async bootstrapStatus(): Promise<{ bootstrapAvailable: boolean; registrationEnabled: boolean }> {
    return { bootstrapAvailable: (await this.#identities.instance.read()) === null, registrationEnabled: this.#selfSignupEnabled }
  }

  /** Creates the first organization and its administrator, who is a platform admin. @throws ApiError bootstrap_done */
  async bootstrap(input: AuthBootstrapRequest, requestContext: RequestContext): Promise<OpenedSession> {
    const { instance } = this.#identities
    if ((await instance.read()) !== null) throw new ApiError('bootstrap_done')
    try {
      return await this.#createOrganization(input, requestContext, true, (userId, now) => [instance.bootstrapping(userId, now)])
    } catch (error) {
      if (error instanceof DuplicateKeyError && error.collection === INSTANCE.name) throw new ApiError('bootstrap_done')
      throw error
    }
  }

  /** Creates an organization and its administrator. @throws ApiError signup_disabled, signup_throttled, email_taken */
  async registerOrganization(input: AuthBootstrapRequest, requestContext: RequestContext): Promise<OpenedSession> {
    if (!this.#selfSignupEnabled) throw new ApiError('signup_disabled')
    await this.#throttles.signup(requestContext.address)
    const { users, instance } = this.#identities
    if (users.isReserved(input.email) || (await users.byEmail(input.email)) !== null) throw new ApiError('email_taken')
    const isEmpty = (await instance.read()) === null
    try {
      // One commit: a failed registration must not end the bootstrap of an empty instance.
      return await this.#createOrganization(input, requestContext, false, (_, now) => (isEmpty ? [instance.endingBootstrap(now)] : []))
    } catch (error) {
      if (!(error instanceof DuplicateKeyError && error.collection === INSTANCE.name)) throw error
      // A concurrent request ended the bootstrap, so this one must not.
      return this.#createOrganization(input, requestContext, false, () => [])
    }
  }

  /**
   * Opens a session, or a challenge if the user has a second factor.
   * @throws ApiError login_throttled, account_throttled, address_throttled, login_failed, user_inactive, organization_not_yours, organization_suspended, sso_required,
   *   second_factor_required, limit_reached
   */
  async login({ email, password, organization_id }: LoginRequest, requestContext: RequestContext): Promise<OpenedSession> {
    const user = await this.authenticateUser(email, password, requestContext)
    const { secondFactors, challenges } = this.#identities
    // Before the organization is chosen: the password alone must not tell which organizations the user reaches.
    if ((await secondFactors.enabledOf(user._id)) !== null) {
      // The count of attempts is not cleared: the login has not succeeded yet.
      const { challenge, expiresAt } = await challenges.open(user, organization_id ?? null)
      throw new ApiError('second_factor_required', { details: { challenge, expires_at: expiresAt.toISOString() } })
    }
    const organizationId = await this.#chooseOrganization(user, organization_id ?? null, PASSWORD_ALONE)
    const opened = await this.openSession(user, organizationId, requestContext, { proof: PASSWORD_ALONE, writes: [] })
    await this.#throttles.loggedIn(email, requestContext.address)
    return opened
  }

  /**
   * Ends a login that answered with a challenge.
   * @throws ApiError challenge_invalid, second_factor_wrong, login_throttled, second_factor_throttled, address_throttled, organization_not_yours, organization_suspended,
   *   sso_required
   */
  async loginWithSecondFactor({ challenge, code }: SecondFactorLoginRequest, requestContext: RequestContext): Promise<OpenedSession> {
    const { challenges, users, secondFactors } = this.#identities
    const found = await challenges.find(challenge)
    const user = found === null ? null : await users.byId(found.user_id)
    const factor = user === null ? null : await secondFactors.enabledOf(user._id)
    if (found === null || user === null || factor === null || !user.is_active || user.session_epoch !== found.epoch) throw new ApiError('challenge_invalid')
    const used = await this.#useCode(user, factor, code, requestContext, () => challenges.attempt(found))
    const proven = await this.#provenBy(user, used, requestContext)
    const organizationId = await this.#chooseOrganization(user, found.organization_id, proven.proof)
    try {
      const opened = await this.openSession(user, organizationId, requestContext, { ...proven, writes: [challenges.closing(found), ...proven.writes] })
      await this.#throttles.loggedIn(user.email, requestContext.address)
      return opened
    } catch (error) {
      // A concurrent request has used the challenge or the code.
      if (error instanceof StaleWriteError) throw new ApiError('second_factor_wrong')
      throw error
    }
  }

  /**
   * Checks the second factor of a user whose password is right, where the code belongs to the same request. Users without a second factor need no code.
   * @param code null: the request has none @throws ApiError second_factor_code_required, second_factor_wrong, login_throttled, second_factor_throttled, address_throttled
   */
  async checkSecondFactor(user: UserDocument, code: string | null, requestContext: RequestContext): Promise<Proven> {
    const factor = await this.#identities.secondFactors.enabledOf(user._id)
    if (factor === null) return { proof: PASSWORD_ALONE, writes: [] }
    if (code === null) throw new ApiError('second_factor_code_required')
    return this.#provenBy(user, await this.useCode(user, factor, code, requestContext), requestContext)
  }

  /** Checks a code. Every check of a code is throttled like a login. @throws ApiError second_factor_wrong, login_throttled, second_factor_throttled, address_throttled */
  useCode(user: Pick<UserDocument, 'email'>, factor: SecondFactorDocument, code: string, requestContext: Pick<RequestContext, 'address'>): Promise<UsedCode> {
    return this.#useCode(user, factor, code, requestContext, async () => true)
  }

  /**
   * Checks e-mail and password. Takes the same time whether or not the user exists. Every check of a password calls this method, so that all are throttled.
   * @throws ApiError login_throttled, account_throttled, address_throttled, login_failed, user_inactive, limit_reached
   */
  authenticateUser(email: string, password: string, { address }: Pick<RequestContext, 'address'>): Promise<UserDocument> {
    return this.#throttles.password(email, address, () => this.#verify(email, password, address))
  }

  /** Opens a session for a user whose credentials were checked: the password, then the second factor. @param also returns further writes for the same commit @param commit executes it */
  async openSession(
    user: UserDocument,
    organizationId: string | null,
    requestContext: RequestContext,
    { proof, writes }: Proven,
    also: (session: NewSession, now: Date) => readonly Write[] = () => [],
    commit: (writes: readonly Write[]) => Promise<unknown> = this.#identities.commitAddition,
  ): Promise<OpenedSession> {
    const { sessions, users, clock } = this.#identities
    const now = new Date(clock())
    const session = sessions.opening(user, organizationId, requestContext, now, proof)
    await commit([
      ...writes,
      ...also(session, now),
      session.write,
      ...this.#auditSession('session.created', session.sessionId, user, organizationId, requestContext, now),
      users.updating({ _id: user._id }, { set: { last_login_at: now } }),
    ])
    return this.#opened(user._id, session)
  }

  /** The current session. Returns a placeholder instead of the token if the caller is authenticated by the cookie. */
  me({ userId, via, token, expiresAt, organizationId, providerId }: UserPrincipal): Promise<SessionView> {
    return viewSession(this.#identities, userId, { accessToken: via === 'cookie' ? COOKIE_SESSION : token, expiresAt, organizationId, providerId })
  }

  async setLocale(actor: Actor<UserPrincipal>, locale: LocalePreference | null): Promise<void> {
    const { principal } = actor
    const { users, tenancy, commit, clock } = this.#identities
    const user = await users.byId(principal.userId)
    if (user === null) throw new ApiError('credential_invalid')
    if (user.locale === locale) return
    const now = new Date(clock())
    const writes = [users.updating({ _id: user._id }, { set: { locale, updated_at: now }, increment: { revision: 1 } })]
    if (principal.organizationId !== null) {
      const resource = { type: 'user', id: user._id, name: user.email }
      const diff = diffOf(user, { ...user, locale }, ['locale'])
      writes.push(auditing(tenancy.of(principal.organizationId), auditContext(actor), { action: 'user.updated', resource, diff }, now))
    }
    await commit(writes, { user: user._id })
  }

  /** Ends the session. Succeeds also if a concurrent request ended it. */
  async logout(principal: UserPrincipal, requestContext: RequestContext): Promise<void> {
    const { sessions, commit, clock } = this.#identities
    // The audit entry belongs to the session's organization, which may differ from the one that this request selects.
    const session = await sessions.byId(principal.sessionId)
    if (session === null) return
    const now = new Date(clock())
    const user = { _id: principal.userId, email: principal.email }
    await commit([sessions.closing(session._id), ...this.#auditSession('session.revoked', session._id, user, session.organization_id, requestContext, now)], {
      user: user._id,
    }).catch(ignoreStale)
  }

  async #useCode(
    user: Pick<UserDocument, 'email'>,
    factor: SecondFactorDocument,
    code: string,
    { address }: Pick<RequestContext, 'address'>,
    attempt: () => Promise<boolean>,
  ): Promise<UsedCode> {
    return this.#throttles.secondFactor(user.email, address, async () => {
      if (!(await attempt())) throw new ApiError('challenge_invalid')
      const used = this.#identities.secondFactors.using(factor, code)
      if (used === null) throw new ApiError('second_factor_wrong')
      return used
    })
  }

  async #provenBy(user: UserDocument, { write, isRecoveryCode }: UsedCode, requestContext: RequestContext): Promise<Proven> {
    const now = new Date(this.#identities.clock())
    const proof = { providerId: null, hasSecondFactor: true }
    if (!isRecoveryCode) return { proof, writes: [write] }
    const entries = await auditingUser(this.#identities, user, personContext(user, requestContext), 'user.recovery_code_used', now)
    return { proof, writes: [write, ...entries, ...(await this.#notices.telling(user, 'recovery_code_used', requestContext))] }
  }

  async #verify(email: string, password: string, address: string): Promise<UserDocument> {
    const { users, passwords } = this.#identities
    const user = await users.byEmail(email)
    const matches = await passwords.verify(user?.password_hash ?? null, password, { address })
    if (user === null || !matches) throw new ApiError('login_failed')
    // Checked after the password, so that others cannot find out which accounts are inactive.
    if (!user.is_active) throw new ApiError('user_inactive')
    await this.#renewHash(user, password, address)
    return user
  }

  /** Creates an organization and its first user in one commit. @param first returns the writes that fail if a concurrent attempt succeeded */
  async #createOrganization(
    input: AuthBootstrapRequest,
    requestContext: RequestContext,
    isPlatformAdmin: boolean,
    first: (userId: string, now: Date) => readonly Write[],
  ): Promise<OpenedSession> {
    const { users, organizations, memberships, sessions, passwords, tenancy, commitAddition, clock } = this.#identities
    const password_hash = await passwords.hash(input.password, { address: requestContext.address })
    const now = new Date(clock())
    const [organizationId, userId] = [newId(), newId()]
    const user: NewUser = {
      _id: userId,
      email: input.email,
      display_name: input.display_name.trim(),
      password_hash,
      is_platform_admin: isPlatformAdmin,
      default_organization_id: organizationId,
      last_login_at: now,
    }
    const document = newUserDocument(user, now)
    const session = sessions.opening(document, organizationId, requestContext, now, NEW_USER.proof)
    const scope = tenancy.of(organizationId)
    const context = personContext(document, requestContext)
    try {
      await organizations.withSlug(input.organization_name, async (slug) => {
        const organization = newOrganization(organizationId, slug, input.organization_name.trim(), input.organization_description?.trim() ?? '', now)
        await commitAddition([
          ...first(userId, now),
          users.adding(user, now),
          organizations.adding(organization),
          memberships.adding(newMembership(newId(), organizationId, userId, 'org_admin', now)),
          session.write,
          auditing(scope, context, { action: 'organization.created', resource: resourceOf(organization), diff: diffOf(null, organization, ['name', 'slug', 'description']) }, now),
          auditing(
            scope,
            context,
            { action: 'user.created', resource: { type: 'user', id: userId, name: document.email }, diff: diffOf(null, document, ['email', 'display_name']) },
            now,
          ),
          ...this.#auditSession('session.created', session.sessionId, document, organizationId, requestContext, now),
        ])
      })
    } catch (error) {
      if (error instanceof DuplicateKeyError && error.collection === USERS.name) throw new ApiError('email_taken')
      throw error
    }
    return this.#opened(userId, session)
  }

  async #opened(userId: string, { token, expiresAt, organizationId, providerId }: NewSession): Promise<OpenedSession> {
    return { token, view: await viewSession(this.#identities, userId, { accessToken: token, expiresAt, organizationId, providerId }) }
  }

  /** @param requested the organization that the caller named; null: none. @returns null if the user belongs to no organization */
  async #chooseOrganization(user: UserDocument, requested: string | null, proof: SessionProof): Promise<string | null> {
    const { users, organizations, memberships } = this.#identities
    const isPlatformAdmin = users.isPlatformAdmin(user)
    const own = (await memberships.ofUser(user._id)).map(({ organization_id }) => organization_id)
    if (requested !== null && !own.includes(requested) && !isPlatformAdmin) throw new ApiError('organization_not_yours')
    const preferred = user.default_organization_id
    const candidates = requested !== null ? [requested] : preferred !== null && own.includes(preferred) ? [preferred, ...own] : own
    const found = await organizations.byIds(candidates)
    if (requested !== null && !found.has(requested)) throw new ApiError('organization_not_yours')
    if (found.size === 0) return null
    const usable = candidates.filter((id) => found.get(id)?.is_active === true || (isPlatformAdmin && found.has(id)))
    if (usable.length === 0) throw suspended(found.get(candidates.find((id) => found.has(id))!)!)
    const session = { user_id: user._id, organization_id: null, provider_id: proof.providerId, has_second_factor: proof.hasSecondFactor }
    const refusalOf = async (id: string) => [id, policyRefusal(session, await policyInForce(found.get(id)!, this.#includesSso), isPlatformAdmin)] as const
    const refusals = new Map(await Promise.all(usable.map(refusalOf)))
    // A session without the second factor that an organization requires is opened: its user sets up the second factor with it.
    const chosen = usable.find((id) => refusals.get(id) === null) ?? usable.find((id) => refusals.get(id) === 'second_factor_missing')
    if (chosen === undefined) throw new ApiError('sso_required', { details: { organization_id: usable[0], login_url: await this.#loginUrlOf(usable[0]) } })
    return chosen
  }

  /** Replaces a hash with outdated parameters, which needs the password. A busy hasher must not fail the login. */
  async #renewHash({ _id, password_hash }: UserDocument, password: string, address: string): Promise<void> {
    const { users, passwords } = this.#identities
    if (password_hash === null || !passwords.isOutdated(password_hash)) return
    try {
      await users.update({ _id, password_hash }, { set: { password_hash: await passwords.hash(password, { address }) } })
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'limit_reached')) throw error
    }
  }

  #auditSession(
    action: 'session.created' | 'session.revoked',
    sessionId: string,
    user: Pick<UserDocument, '_id' | 'email'>,
    organizationId: string | null,
    requestContext: RequestContext,
    now: Date,
  ): Write[] {
    if (organizationId === null) return []
    // The id of a session is not a secret: only a signed token authenticates.
    const resource = { type: 'session', id: sessionId, name: user.email }
    return [auditing(this.#identities.tenancy.of(organizationId), personContext(user, requestContext), { action, resource }, now)]
  }
}

function resourceOf({ _id, name }: OrganizationDocument): AuditResource {
  return { type: 'organization', id: _id, name }
}
