/** Invitations to organizations: created by an org_admin, mailed, and accepted by a new or an existing user. */
import type { Identities } from '../../../core/auth/identities.js'
import { hashToken, invitationToken } from '../../../core/auth/one-time-tokens.js'
import { isPlatformAdmin, type Principal } from '../../../core/auth/principal.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import { type IncludesSso, policyInForce } from '../../../core/auth/session-reach.js'
import type { OpenedSession } from '../../../core/auth/session-view.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import { newUserDocument, type UserDocument, USERS } from '../../../core/auth/users.js'
import type { Actor, RequestContext } from '../../../core/auth/request-context.js'
import type { Config } from '../../../core/config.js'
import { emailKeyOf, normalizeEmail } from '#basics'
import { ApiError, required } from '../../../core/errors.js'
import { composeInvitation, mailLocale } from '../../../core/mail/compose.js'
import type { MailDelivery } from '../../../core/mail/delivery.js'
import type { Mail } from '../../../core/mail/gateway.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Locale } from '../../../core/i18n/locale.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Filter, Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { MEMBERSHIPS, type MembershipDocument, newMembership } from '../../../core/tenancy/memberships.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { isStaleWrite, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { KeyedMutex } from '../../../core/tenancy/keyed-mutex.js'
import { type AccountService, NEW_USER, type Proven } from '../account/service.js'
import { type AuditResource, auditContext, auditing, diffOf, personContext } from '../../../core/audit/service.js'
import { statusOf } from './present.js'
import type { InvitationAcceptRequest, InvitationCreateRequest, InvitationListQuery, InvitationStatus } from './schema.js'
import type { InvitationDocument, InvitationStore } from './store.js'

/** Most pending invitations of an organization. */
export const PENDING_INVITATIONS_LIMIT = 1000
/** Attempts to accept: a second one is needed if the address is registered at the same time, a third one never. */
const ATTEMPTS = 3

export interface InvitationsParts {
  readonly identities: Identities
  readonly invitations: InvitationStore
  readonly accounts: Pick<AccountService, 'authenticateUser' | 'checkSecondFactor' | 'openSession'>
  readonly quotas: Pick<Quotas, 'creating' | 'requireRoom'>
  readonly includesSso: IncludesSso
  readonly throttles: Throttles
  readonly mail: Pick<MailDelivery, 'post'>
  readonly config: Pick<Config, 'invitationTtlSeconds'>
  readonly address: Pick<PublicAddress, 'pages'>
}

/** An invitation with its token, which is empty if the reader may not see it. */
export interface ShownInvitation {
  readonly invitation: InvitationDocument
  readonly token: string
}

/** An invitation for the invited person. */
export interface Invited {
  readonly invitation: InvitationDocument
  /** Name of the organization. */
  readonly organization: string
  /** Whether a user with the address exists, who accepts with the password of the account. */
  readonly hasAccount: boolean
}

/** An invitation to be stored by the caller. */
export interface PreparedInvitation {
  readonly shown: ShownInvitation
  readonly writes: readonly Write[]
  /** Sends the mail; called after the commit. */
  readonly post: () => void
}

export class InvitationsService {
  readonly #parts: InvitationsParts
  /** Serializes acceptances of each user, so that the limit of organizations is exact. */
  readonly #mutex = new KeyedMutex()

  constructor(parts: InvitationsParts) {
    this.#parts = parts
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#parts.identities.clock()
  }

  async list(scope: Scope, query: InvitationListQuery, principal: Principal): Promise<Page<ShownInvitation>> {
    const stored = this.#parts.invitations.of(scope)
    const filter = query.status === undefined ? {} : withStatus(query.status, new Date(this.now()))
    const { items, total } = await findPage(stored, filter, findOptions(query))
    const seesTokens = principal.permissions.has('member:manage')
    const seesToken = (invitation: InvitationDocument): boolean =>
      seesTokens && statusOf(invitation, this.now()) === 'pending' && (!invitation.makes_platform_admin || isPlatformAdmin(principal))
    return { items: items.map((invitation) => ({ invitation, token: seesToken(invitation) ? this.#tokenOf(invitation) : '' })), total }
  }

  /** Stores the invitation, then mails it. @throws ApiError member_exists, invitation_limit, rate_limited */
  async create(scope: Scope, request: InvitationCreateRequest, actor: Actor): Promise<ShownInvitation> {
    const { identities, invitations, quotas, throttles } = this.#parts
    const { users, memberships } = identities
    const { email } = request
    const stored = invitations.of(scope)
    const count = () => stored.count(withStatus('pending', new Date(this.now())))
    const invited = await users.byEmail(email)
    if (invited !== null && (await memberships.of(scope.organizationId, invited._id)) !== null) throw new ApiError('member_exists')
    // Checked before the rate limit: a refused request must not use up the mails allowed to the address.
    requireRoom(await count())
    await throttles.invitation(scope.organizationId, email)
    const { shown, writes, post } = this.prepare(scope, request, actor, new Date(this.now()))
    // The invitation lets a former member in again, also through the provider: accounts of a provider have no password to accept it with.
    const again = invited === null ? [] : [identities.formerMembers.forgetting(scope.organizationId, invited._id)]
    await quotas.creating(scope, 'pending_invitations', { count, requireRoom, writes: async () => [...writes, ...again] })
    post()
    return shown
  }

  /** Prepares an invitation. The caller checks limits and memberships, and commits the writes. */
  prepare(scope: Scope, { email, role }: InvitationCreateRequest, actor: Actor, now: Date, context = auditContext(actor)): PreparedInvitation {
    const { identities, invitations, mail, config } = this.#parts
    const { users, secrets } = identities
    const id = newId()
    const token = invitationToken(secrets.invitation, id)
    const { principal, locale } = actor
    const invitation: InvitationDocument = {
      _id: id,
      organization_id: scope.organizationId,
      email: normalizeEmail(email),
      email_key: emailKeyOf(email),
      role,
      token_hash: hashToken(secrets.tokenHash, 'invitation', token),
      status: 'pending',
      makes_platform_admin: users.isReserved(email) && isPlatformAdmin(principal),
      expires_at: new Date(now.getTime() + config.invitationTtlSeconds * 1000),
      accepted_at: null,
      created_at: now,
    }
    const writes = [
      invitations.of(scope).inserting(invitation),
      auditing(scope, context, { action: 'invitation.created', resource: resourceOf(invitation), diff: diffOf(null, invitation, ['email', 'role', 'expires_at']) }, now),
    ]
    return { shown: { invitation, token }, writes, post: () => mail.post('invitation', () => this.#makeMail(invitation, token, principal, locale)) }
  }

  /** Revokes a pending or expired invitation. @throws ApiError resource_missing, invitation_used */
  async revoke(scope: Scope, invitationId: string, actor: Actor): Promise<void> {
    const { identities, invitations } = this.#parts
    const stored = invitations.of(scope)
    const invitation = required(await stored.findOne({ _id: invitationId }))
    if (invitation.status !== 'pending') throw new ApiError('invitation_used')
    const entry = { action: 'invitation.revoked', resource: resourceOf(invitation), diff: diffOf(invitation, null, ['email', 'role']) } as const
    try {
      await identities.commitAddition([stored.deleting({ _id: invitationId, status: 'pending' }), auditing(scope, auditContext(actor), entry, new Date(this.now()))])
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      throw new ApiError((await stored.findOne({ _id: invitationId })) === null ? 'resource_missing' : 'invitation_used')
    }
  }

  /** @throws ApiError resource_missing */
  async find(token: string): Promise<ShownInvitation> {
    return { invitation: (await this.#located(token)).invitation, token }
  }

  /** Returns the invitation of a token, for the page that accepts it. @throws ApiError resource_missing, invitation_used, invitation_expired, organization_suspended */
  async invited(token: string): Promise<Invited> {
    const { invitation, organization, existing } = await this.#open(token)
    return { invitation, organization: organization.name, hasAccount: existing !== null }
  }

  /**
   * Makes the invited person a member and opens a session. An existing user is authenticated by the password; otherwise an account is created with it.
   * @throws ApiError resource_missing, invitation_used, invitation_expired, organization_suspended, request_validation_failed, login_failed,
   *   second_factor_code_required, second_factor_wrong, second_factor_throttled, login_throttled, account_throttled, address_throttled, user_inactive, sso_required, member_exists, member_limit, organization_limit, plan_quota_exceeded, email_taken, edit_conflict, overloaded
   */
  async accept(token: string, input: InvitationAcceptRequest, requestContext: RequestContext): Promise<OpenedSession> {
    return retryStale(ATTEMPTS, () => this.#accept(token, input, requestContext), { isStale: hasChanged })
  }

  async #accept(token: string, input: InvitationAcceptRequest, requestContext: RequestContext): Promise<OpenedSession> {
    const { identities, accounts, throttles, includesSso } = this.#parts
    const { users, memberships } = identities
    const { scope, invitation, organization, existing } = await this.#open(token)
    // The provider makes people members: a session with a password would not reach the organization.
    const { sso_required } = await policyInForce(organization, includesSso)
    if (sso_required && (existing === null || !users.isPlatformAdmin(existing))) throw new ApiError('sso_required')
    if (existing === null) return this.#acceptAsNew(scope, invitation, input, requestContext)
    // Throttled like a login, because the password of the account could be guessed here.
    const user = await accounts.authenticateUser(existing.email, input.password, requestContext)
    const proven = await accounts.checkSecondFactor(user, input.code ?? null, requestContext)
    await throttles.loggedIn(existing.email, requestContext.address)
    if ((await memberships.of(scope.organizationId, user._id)) !== null) throw new ApiError('member_exists')
    return this.#mutex.run(user._id, async () => {
      // The user may have joined another organization while waiting for the mutex.
      const { _id, memberships_revision, default_organization_id } = (await users.byId(user._id)) ?? user
      await memberships.requireRoomFor(_id)
      return this.#join(scope, user, requestContext, proven, (now) => [
        users.updating(
          { _id, memberships_revision },
          { set: { default_organization_id: default_organization_id ?? scope.organizationId }, increment: { memberships_revision: 1 } },
        ),
        ...this.#joining(scope, invitation, 'linked', user, requestContext, now),
      ])
    })
  }

  async #acceptAsNew(scope: Scope, invitation: InvitationDocument, { display_name, password }: InvitationAcceptRequest, requestContext: RequestContext): Promise<OpenedSession> {
    const { users, passwords } = this.#parts.identities
    const { email } = invitation
    if (display_name === undefined) throw invalidRequest([issue('/display_name', 'required', { type: 'string', minLength: 1, maxLength: 120 })], requestContext.locale)
    if (users.isReserved(email) && !invitation.makes_platform_admin) throw new ApiError('email_taken')
    // Checked before the password is hashed, which is expensive.
    await this.#parts.quotas.requireRoom(scope, 'members', this.#parts.identities.memberships.room(scope.organizationId))
    const password_hash = await passwords.hash(password, { address: requestContext.address })
    const newUser = { _id: newId(), email, display_name: display_name.trim(), password_hash, default_organization_id: scope.organizationId }
    const user = newUserDocument(newUser, new Date(this.now()))
    return this.#join(scope, user, requestContext, NEW_USER, (now) => [
      users.adding(newUser, now),
      ...this.#joining(scope, invitation, 'accepted', user, requestContext, now),
      auditing(
        scope,
        personContext(user, requestContext),
        { action: 'user.created', resource: { type: 'user', id: user._id, name: user.email }, diff: diffOf(null, user, ['email', 'display_name']) },
        now,
      ),
    ])
  }

  /** Creates the membership and opens a session in one commit, if the limits allow it. */
  #join(scope: Scope, user: UserDocument, requestContext: RequestContext, proven: Proven, joining: (now: Date) => readonly Write[]): Promise<OpenedSession> {
    const { identities, accounts, quotas } = this.#parts
    const room = identities.memberships.room(scope.organizationId)
    const commit = (writes: readonly Write[]) => quotas.creating(scope, 'members', { ...room, writes: async () => writes })
    return accounts.openSession(user, scope.organizationId, requestContext, proven, (_, now) => joining(now), commit)
  }

  #joining(scope: Scope, invitation: InvitationDocument, status: 'accepted' | 'linked', user: UserDocument, requestContext: RequestContext, now: Date): Write[] {
    const { identities, invitations } = this.#parts
    const membership = newMembership(newId(), scope.organizationId, user._id, invitation.role, now)
    const context = personContext(user, requestContext)
    return [
      invitations.of(scope).updating({ _id: invitation._id, status: 'pending', expires_at: { gt: now } }, { set: { status, accepted_at: now } }),
      identities.memberships.adding(membership),
      identities.formerMembers.forgetting(scope.organizationId, user._id),
      auditing(scope, context, { action: 'invitation.accepted', resource: resourceOf(invitation), diff: diffOf(invitation, { ...invitation, status }, ['status']) }, now),
      auditing(scope, context, { action: 'member.added', resource: memberOf(membership, user), diff: diffOf(null, membership, ['user_id', 'role']) }, now),
    ]
  }

  /** Returns the invitation of a token if it can be accepted, and the existing user with its address. */
  async #open(token: string) {
    const { users, organizations } = this.#parts.identities
    const { scope, invitation } = await this.#located(token)
    if (invitation.status !== 'pending') throw new ApiError('invitation_used')
    if (statusOf(invitation, this.now()) === 'expired') throw new ApiError('invitation_expired')
    const organization = await organizations.byId(scope.organizationId)
    if (organization?.is_active !== true) throw new ApiError('organization_suspended')
    return { scope, invitation, organization, existing: await users.byEmail(invitation.email) }
  }

  async #located(token: string): Promise<{ readonly scope: Scope; readonly invitation: InvitationDocument }> {
    const { identities, invitations } = this.#parts
    for (const key of readingKeys(identities.secrets, 'tokenHash')) {
      const found = await invitations.byTokenHash(hashToken(key, 'invitation', token))
      if (found !== null) return found
    }
    throw new ApiError('resource_missing')
  }

  /** Returns the token of the invitation; empty if it was created with a secret that is no longer configured, so that the token is invalid. */
  #tokenOf({ _id, token_hash }: Pick<InvitationDocument, '_id' | 'token_hash'>): string {
    const { secrets } = this.#parts.identities
    for (const { invitation, tokenHash } of secrets.previous === null ? [secrets] : [secrets, secrets.previous]) {
      const token = invitationToken(invitation, _id)
      if (hashToken(tokenHash, 'invitation', token) === token_hash) return token
    }
    return ''
  }

  async #makeMail({ organization_id, email, role, expires_at }: InvitationDocument, token: string, inviter: Principal, locale: Locale): Promise<Mail | null> {
    const { identities, address } = this.#parts
    const { users, organizations } = identities
    const [organization, invited] = await Promise.all([organizations.byId(organization_id), users.byEmail(email)])
    if (organization === null) return null
    const name = inviter.kind === 'user' ? ((await users.byId(inviter.userId))?.display_name ?? inviter.email) : inviter.name
    return composeInvitation({
      // An existing user gets the mail at the spelling of the account, because another spelling may be another mailbox.
      to: invited?.email ?? email,
      locale: mailLocale(invited?.locale ?? null, locale),
      token,
      expiresAt: expires_at,
      baseUrl: address.pages,
      organization: organization.name,
      inviter: name,
      role,
    })
  }
}

/** @throws ApiError invitation_limit */
function requireRoom(there: number): void {
  if (there >= PENDING_INVITATIONS_LIMIT) throw new ApiError('invitation_limit', { params: { limit: PENDING_INVITATIONS_LIMIT } })
}

/** Whether a concurrent request accepted the invitation, created the user or created the membership. */
function hasChanged(error: unknown): boolean {
  return isStaleWrite(error) || (error instanceof DuplicateKeyError && (error.collection === USERS.name || error.collection === MEMBERSHIPS.name))
}

function withStatus(status: InvitationStatus, now: Date): Omit<Filter<InvitationDocument>, 'organization_id'> {
  if (status === 'pending') return { status, expires_at: { gt: now } }
  return status === 'expired' ? { status: 'pending', expires_at: { lte: now } } : { status }
}

function resourceOf({ _id, email }: InvitationDocument): AuditResource {
  return { type: 'invitation', id: _id, name: email }
}

function memberOf({ _id }: MembershipDocument, { email }: UserDocument): AuditResource {
  return { type: 'member', id: _id, name: email }
}
