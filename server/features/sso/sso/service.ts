/**
 * Logins through identity providers: begun, and ended by the callback in the order of the contract (CONTRACT.md#single-sign-on). Invariants:
 *  1. nothing is asked of a provider before the state and the browser are known to be right, and each state is used up by its first callback
 *  2. a session of a provider reaches the provider's organization alone (`auth/session-reach.ts`), and none is left of a provider that is deleted meanwhile
 *  3. a test opens no session and changes nothing, and ends only in the browser of the member who began it
 */
import type { Static } from 'typebox'
import type { CookieChange } from '../../../core/auth/cookies.js'
import type { Identities } from '../../../core/auth/identities.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Actor, RequestContext } from '../../../core/auth/request-context.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import type { UserDocument } from '../../../core/auth/users.js'
import { ApiError, required } from '../../../core/errors.js'
import type { OidcGateway, ProvenIdentity } from '../oidc/gateway.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Log } from '../../../core/observability/log.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Write } from '../../../core/storage/contract.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditing, personContext } from '../../../core/audit/service.js'
import type { DomainsService } from '../../accounts/index.js'
import type { IdentityProvidersService, LoginProvider } from '../identity-providers/service.js'
import type { LoginMembers } from './login-members.js'
import { SsoAdmission } from './admission.js'
import { sentGroups } from './groups.js'
import { isRedirectPath, redirectUrl } from '../../../core/redirect-path.js'
import type { SsoTestReport } from './schema.js'
import type { ClaimedLogin, SsoStates } from './states.js'
import { LINKED_IDENTITIES } from './store.js'
import { testReport } from './test-report.js'

/** Name of the service in audit entries of logins whose user is not known. */
const AUDIT_NAME = 'single sign-on'

export interface SsoParts {
  readonly identities: Identities
  readonly members: LoginMembers
  readonly domains: Pick<DomainsService, 'hasProven'>
  readonly providers: Pick<IdentityProvidersService, 'byId' | 'get' | 'list' | 'connection' | 'redirectUri'>
  readonly gateway: OidcGateway
  readonly states: SsoStates
  readonly throttles: Pick<Throttles, 'ssoLogin'>
  readonly quotas: Pick<Quotas, 'requireFeature'>
  readonly address: Pick<PublicAddress, 'api' | 'pages'>
  readonly log: Pick<Log, 'warn'>
}

/** A login that begins in the browser that gets the cookie. */
export interface BegunSso {
  readonly authorizationUrl: string
  readonly state: string
  readonly cookie: CookieChange
}

/** A callback, as the provider sent the browser here. */
export interface SsoCallback {
  readonly providerId: string | undefined
  readonly state: string | undefined
  /** Every parameter. */
  readonly query: Readonly<Record<string, string>>
  /** The value of the cookie that belongs to the state. */
  readonly cookie: string | null
}

/** What a callback leads to: a session, or the report of a test. */
export type EndedSso =
  | { readonly kind: 'session'; readonly token: string; readonly location: string }
  | { readonly kind: 'test'; readonly report: Static<typeof SsoTestReport>; readonly location: string }

export class SsoService {
  readonly #parts: SsoParts
  readonly #admission: SsoAdmission

  constructor(parts: SsoParts) {
    this.#parts = parts
    this.#admission = new SsoAdmission(parts)
  }

  get sessionTtlSeconds(): number {
    return this.#parts.identities.sessions.ttlSeconds
  }

  /** The address at which a browser begins a login. */
  loginUrl(providerId: string): string {
    return `${this.#parts.address.api}/sso/oidc/${encodeURIComponent(providerId)}/login`
  }

  /** The address of the login of an organization's oldest provider; null: it has none. */
  async loginUrlOf(organizationId: string): Promise<string | null> {
    const { providers, identities } = this.#parts
    const { items } = await providers.list(identities.tenancy.of(organizationId), { limit: 1, offset: 0, sort: 'created_at', order: 'asc' })
    return items.length === 0 ? null : this.loginUrl(items[0]._id)
  }

  /**
   * Checks that a page of `PUBLIC_BASE_URL` sent a browser to a login from another site. The provider of another organization signs in whom it likes without a
   * question, so a link elsewhere could exchange a person's session unnoticed. @param referer the page; undefined: unknown @throws ApiError sso_unconfirmed
   */
  requireOwnPage(referer: string | undefined, providerId: string, redirectPath: string): void {
    const origin = referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : null
    if (origin === new URL(this.#parts.address.pages).origin) return
    throw new ApiError('sso_unconfirmed', { details: { login_url: `${this.loginUrl(providerId)}?${new URLSearchParams({ redirect_path: redirectPath })}` } })
  }

  /** Begins a login. @throws ApiError request_validation_failed, resource_missing, sso_not_in_plan, rate_limited, and those of the gateway */
  async begin(providerId: string, redirectPath: string, requestContext: RequestContext): Promise<BegunSso> {
    requirePath(redirectPath, requestContext)
    await this.#parts.throttles.ssoLogin(requestContext.address)
    const found = required(await this.#parts.providers.byId(providerId))
    return this.#begin(found, redirectPath, null)
  }

  /** The write that removes the links of a provider that is deleted. */
  unlinking(scope: Scope, providerId: string): Write {
    return scope.collection(LINKED_IDENTITIES).deletingMany({ provider_id: providerId })
  }

  /** Begins a test of a provider. @throws ApiError as `begin` */
  async beginTest(scope: Scope, providerId: string, redirectPath: string, actor: Actor<UserPrincipal>): Promise<BegunSso> {
    const { providers, throttles } = this.#parts
    requirePath(redirectPath, actor)
    await throttles.ssoLogin(actor.address)
    const provider = await providers.get(scope, providerId)
    return this.#begin({ scope, provider, connection: providers.connection(provider) }, redirectPath, actor.principal.userId)
  }

  /**
   * Ends a login: opens a session of the provider. Ends a test: reports.
   * @throws ApiError sso_state_invalid, sso_browser_other, resource_missing, those of the gateway, and those of `SsoAdmission.admit`
   */
  async end(callback: SsoCallback, requestContext: RequestContext): Promise<EndedSso> {
    const { states, providers, address } = this.#parts
    const claimed = callback.state === undefined ? null : await states.claim(callback.state)
    if (claimed === null || claimed.provider_id !== callback.providerId) throw new ApiError('sso_state_invalid')
    if (!claimed.isBegunBy(callback.cookie)) throw new ApiError('sso_browser_other')
    const found = required(await providers.byId(claimed.provider_id))
    const location = redirectUrl(address.pages, claimed.redirect_path)
    if (claimed.tester_id !== null) return { kind: 'test', report: await this.#report(found, claimed, claimed.tester_id, callback, requestContext), location }
    let identity: ProvenIdentity | null = null
    try {
      identity = await this.#exchange(found, claimed, callback)
      const user = await this.#admission.admit(found, identity, requestContext)
      await this.#applyGroups(found, identity, user, requestContext)
      return { kind: 'session', token: await this.#openSession(found, user, requestContext), location }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await this.#auditRefusal(found, error, identity, requestContext)
      const { reason, params, details, headers, cause } = error
      throw new ApiError(reason, { params, headers, cause, details: { ...details, login_url: this.loginUrl(found.provider._id) } })
    }
  }

  /** @throws ApiError sso_state_invalid if the member who began is none any more, and those of the gateway */
  async #report(found: LoginProvider, claimed: ClaimedLogin, testerId: string, callback: SsoCallback, requestContext: RequestContext) {
    const { identities, members } = this.#parts
    const { memberships, users } = identities
    const [membership, tester] = await Promise.all([memberships.of(found.scope.organizationId, testerId), users.byId(testerId)])
    const isAllowed = tester?.is_active === true && (membership !== null || users.isPlatformAdmin(tester))
    if (!isAllowed) throw new ApiError('sso_state_invalid')
    const identity = await this.#exchange(found, claimed, callback)
    return testReport({ memberships, members, admission: this.#admission }, found, identity, requestContext)
  }

  async #auditRefusal({ scope, provider }: LoginProvider, { reason }: ApiError, identity: ProvenIdentity | null, { requestId, address }: RequestContext): Promise<void> {
    const diff = { reason: { before: null, after: reason }, ...(identity === null ? {} : { email: { before: null, after: identity.email } }) }
    const resource = { type: 'identity_provider', id: provider._id, name: provider.name }
    const context = { actor: { kind: 'system', name: AUDIT_NAME }, requestId, address } as const
    await scope.commit([auditing(scope, context, { action: 'session.refused', resource, diff }, new Date(this.#parts.identities.clock()))])
  }

  async #begin({ scope, provider, connection }: LoginProvider, redirect_path: string, tester_id: string | null): Promise<BegunSso> {
    const { gateway, providers, quotas, states } = this.#parts
    await quotas.requireFeature(scope, 'sso')
    const { prepared, state, cookie } = await states.begin({ provider_id: provider._id, tester_id, redirect_path }, (secrets) =>
      gateway.authorizationUrl(connection, { redirectUri: providers.redirectUri(provider._id), ...secrets }),
    )
    return { authorizationUrl: prepared.href, state, cookie }
  }

  #exchange({ provider, connection }: LoginProvider, { secrets }: ClaimedLogin, { query }: SsoCallback): Promise<ProvenIdentity> {
    const redirectUri = this.#parts.providers.redirectUri(provider._id)
    const callbackUrl = new URL(redirectUri)
    callbackUrl.search = new URLSearchParams(query).toString()
    return this.#parts.gateway.exchange(connection, { callbackUrl, redirectUri, ...secrets })
  }

  async #applyGroups({ scope, provider }: LoginProvider, identity: ProvenIdentity, user: UserDocument, requestContext: RequestContext): Promise<void> {
    const { members, log } = this.#parts
    const sent = sentGroups(provider.groups_claim, identity)
    if (sent.kind === 'read') return members.applyGroups(scope, user._id, sent.groups, provider.default_role, personContext(user, requestContext))
    if (sent.kind === 'not_requested') return
    const fields = { organization: scope.organizationId, provider: provider._id, reason: sent.kind }
    log.warn(fields, 'the groups of a user cannot be read, so that the roles stay as they are')
  }

  /** @returns the token of the session */
  async #openSession({ scope, provider }: LoginProvider, user: UserDocument, requestContext: RequestContext): Promise<string> {
    const { identities, providers } = this.#parts
    const { sessions, clock, commitAddition } = identities
    const now = new Date(clock())
    const session = sessions.opening(user, scope.organizationId, requestContext, now, { providerId: provider._id, hasSecondFactor: false })
    const entry = {
      action: 'session.created',
      resource: { type: 'session', id: session.sessionId, name: user.email },
      diff: { identity_provider: { before: null, after: provider.name } },
    } as const
    await commitAddition([session.write, auditing(scope, personContext(user, requestContext), entry, now)])
    // A provider that was deleted, or became another one, has ended its sessions before this one was stored.
    const after = await providers.byId(provider._id)
    if (after?.provider.issuer !== provider.issuer) {
      await scope.commit([sessions.closing(session.sessionId)])
      throw new ApiError('resource_missing')
    }
    return session.token
  }
}

/** @throws ApiError request_validation_failed */
function requirePath(path: string, { locale }: Pick<RequestContext, 'locale'>): void {
  if (!isRedirectPath(path)) throw invalidRequest([issue('query/redirect_path', 'invalid', { type: 'string', format: { words: 'own_path' } })], locale)
}
