/**
 * Identity providers of organizations: created, changed, deleted, and found for logins (CONTRACT.md#identity-providers). Invariants:
 *  1. a stored client secret is sent to no other server than the one it was stored for: a new address needs the secret again
 *  2. the sessions of a provider end with it, and with a change of its issuer, which makes it another provider
 *  3. an organization that requires a provider has one: deleting the last one conflicts with a change of the identity policy
 */
import type { Identities } from '../../../core/auth/identities.js'
import { DEFAULT_IDENTITY_POLICY } from '../../../core/auth/organizations.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import { ApiError, required } from '../../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../../core/etag.js'
import type { EgressGuard } from '../../../core/egress/egress-guard.js'
import { TargetRefusedError } from '../../../core/egress/egress-guard.js'
import type { OidcConnection } from '../oidc/gateway.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Locale } from '../../../core/i18n/locale.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Fields, Write } from '../../../core/storage/contract.js'
import { DuplicateKeyError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { isStaleWrite, retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { DomainsService } from '../../accounts/index.js'
import { claimIssues, readDomains, settingsIssues, TENANT_PLACEHOLDER } from './check.js'
import { connectionOf, sealSecret } from './connection.js'
import { ListedDomains, type Located } from './listed-domains.js'
import { resourceOf } from './present.js'
import { DEFAULT_EMAIL_CLAIM, DEFAULT_SCOPES, type IdentityProviderCreateRequest, type IdentityProviderListQuery, type IdentityProviderUpdateRequest } from './schema.js'
import { IDENTITY_PROVIDER_DOMAINS, IDENTITY_PROVIDERS, type IdentityProviderDocument } from './store.js'

export type { IdentityProviderDocument, Located }

/** Most providers of an organization. Companies have a few: one for each directory that they run or bought. */
export const IDENTITY_PROVIDERS_LIMIT = 20
/** Attempts of a change that conflicts with concurrent changes of members or domains. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20

/** A provider, found by its id alone. */
export interface LoginProvider extends Located {
  readonly connection: OidcConnection
}

export interface IdentityProvidersParts {
  readonly identities: Pick<Identities, 'tenancy' | 'secrets' | 'organizations' | 'sessions' | 'commit' | 'clock'>
  readonly domains: Pick<DomainsService, 'provenBy'>
  readonly guard: Pick<EgressGuard, 'check'>
  readonly quotas: Pick<Quotas, 'creating' | 'requireFeature' | 'includes'>
  readonly address: PublicAddress
  readonly allowPrivateTargets: boolean
  /** The write that removes the links of a provider that is deleted. */
  readonly unlinking: (scope: Scope, providerId: string) => Write
}

export class IdentityProvidersService {
  readonly #parts: IdentityProvidersParts
  readonly #listed: ListedDomains

  constructor(parts: IdentityProvidersParts) {
    this.#parts = parts
    this.#listed = new ListedDomains({ tenancy: parts.identities.tenancy, domains: parts.domains })
  }

  list(scope: Scope, query: IdentityProviderListQuery): Promise<Page<IdentityProviderDocument>> {
    return findPage(scope.collection(IDENTITY_PROVIDERS), {}, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, providerId: string): Promise<IdentityProviderDocument> {
    return required(await scope.collection(IDENTITY_PROVIDERS).findOne({ _id: providerId }))
  }

  /**
   * The provider of a login, whose route names no organization. This is the only way from a provider to its organization. Null: there is none, or the
   * organization is suspended. @throws ApiError credentials_unreadable
   */
  async byId(providerId: string): Promise<LoginProvider | null> {
    const found = await this.#parts.identities.tenancy.locate(IDENTITY_PROVIDERS, '_id', providerId)
    if (found === null || !(await this.#isActive(found.scope))) return null
    const { scope, document: provider } = found
    return { scope, provider, connection: this.connection(provider) }
  }

  /** The provider for people with an e-mail address; null: none lists its domain, or nobody can log in through it (suspended organization, plan without single sign-on). */
  async forDomain(email: string): Promise<Located | null> {
    const located = await this.#listed.providerFor(email)
    const isUsable = located !== null && (await this.#isActive(located.scope)) && (await this.#parts.quotas.includes(located.scope, 'sso'))
    return isUsable ? located : null
  }

  /** Whether the organization has a provider. */
  async hasAny(scope: Scope): Promise<boolean> {
    return (await scope.collection(IDENTITY_PROVIDERS).findOne({})) !== null
  }

  /** @throws ApiError credentials_unreadable */
  connection(provider: IdentityProviderDocument): OidcConnection {
    return connectionOf(readingKeys(this.#parts.identities.secrets, 'identityProvider'), provider)
  }

  /** The redirect URI of a provider's logins, which its administrator registers at the provider. */
  redirectUri(providerId: string): string {
    return `${this.#parts.address.api}/sso/oidc/callback?provider_id=${encodeURIComponent(providerId)}`
  }

  /** @throws ApiError sso_not_in_plan, request_validation_failed, target_refused, domain_shared, domain_taken, domain_listed, identity_provider_limit, edit_conflict */
  async create(scope: Scope, request: IdentityProviderCreateRequest, actor: Actor): Promise<IdentityProviderDocument> {
    const { identities, quotas } = this.#parts
    await quotas.requireFeature(scope, 'sso')
    const { domains, issues } = readDomains(request.domains ?? [])
    const now = new Date(identities.clock())
    const place = { _id: newId(), organization_id: scope.organizationId }
    const provider: IdentityProviderDocument = {
      ...place,
      name: request.name.trim(),
      kind: request.kind,
      issuer: request.issuer,
      client_id: request.client_id,
      ...this.#secret(request.client_secret ?? null, place, now),
      discovery_url: request.discovery_url ?? null,
      scopes: request.scopes ?? DEFAULT_SCOPES,
      default_role: request.default_role ?? 'read_only',
      domains,
      trust_email: request.trust_email ?? false,
      email_claim: request.email_claim ?? DEFAULT_EMAIL_CLAIM,
      groups_claim: request.groups_claim ?? null,
      required_claims: request.required_claims ?? [],
      tenant_ids: tenantsOf(request.tenant_ids ?? []),
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    await this.#check(provider, issues, actor.locale)
    const entry = { action: 'identity_provider.created', resource: resourceOf(provider), diff: diffOf(null, provider, AUDITED) } as const
    const providers = scope.collection(IDENTITY_PROVIDERS)
    await this.#retry(() =>
      quotas.creating(scope, 'identity_providers', {
        count: () => providers.count({}),
        requireRoom,
        writes: async () => [
          providers.inserting(provider),
          ...(await this.#listed.replacing(scope, provider._id, [], domains, now)),
          auditing(scope, auditContext(actor), entry, now),
        ],
      }),
    )
    return provider
  }

  /**
   * Updates the fields that are sent. @param ifMatch ETags of which one must match; null: no condition
   * @throws ApiError resource_missing, precondition_failed, request_validation_failed, target_refused, domain_shared, domain_taken, domain_listed, edit_conflict
   */
  async update(scope: Scope, providerId: string, request: IdentityProviderUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<IdentityProviderDocument> {
    const { identities } = this.#parts
    return this.#retry(async () => {
      const before = await this.get(scope, providerId)
      requireMatch(etagOf(before), ifMatch)
      const now = new Date(identities.clock())
      const { client_secret, domains: sent, name = before.name, tenant_ids, ...fields } = request
      const { domains, issues } = sent === undefined ? { domains: before.domains, issues: [] } : readDomains(sent)
      const change: Fields<IdentityProviderDocument> = {
        ...fields,
        name: name.trim(),
        domains,
        ...(tenant_ids === undefined ? {} : { tenant_ids: tenantsOf(tenant_ids) }),
        ...(client_secret === undefined ? {} : this.#secret(client_secret, before, now)),
      }
      const after: IdentityProviderDocument = { ...before, ...change }
      await this.#check(after, [...issues, ...secretIssues(before, after, client_secret)], actor.locale)
      const diff = diffOf(before, after, AUDITED)
      if (Object.keys(diff).length === 0) return before
      const isOther = after.issuer !== before.issuer
      const writes = [
        scope.collection(IDENTITY_PROVIDERS).updating({ _id: providerId, revision: before.revision }, { set: { ...change, updated_at: now }, increment: { revision: 1 } }),
        ...(await this.#listed.replacing(scope, providerId, before.domains, domains, now)),
        auditing(scope, auditContext(actor), { action: 'identity_provider.updated', resource: resourceOf(after), diff }, now),
      ]
      if (isOther) {
        await identities.commit([...writes, identities.sessions.closingAllOfProvider(providerId)], { organization: scope.organizationId })
        await identities.sessions.closeAllOfProvider(providerId)
      } else await scope.commit(writes)
      return { ...after, updated_at: now, revision: before.revision + 1 }
    })
  }

  /** Deletes a provider with the links to its identities, and ends the sessions that it opened. @throws ApiError resource_missing, identity_provider_required, edit_conflict */
  async delete(scope: Scope, providerId: string, actor: Actor): Promise<void> {
    const { identities, unlinking } = this.#parts
    const { organizations, sessions, commit, clock } = identities
    await this.#retry(async () => {
      const [organization, provider] = await Promise.all([organizations.byId(scope.organizationId), this.get(scope, providerId)])
      if (organization === null) throw new ApiError('resource_missing')
      const providers = scope.collection(IDENTITY_PROVIDERS)
      const { sso_required } = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
      if (sso_required && (await providers.count({})) === 1) throw new ApiError('identity_provider_required')
      const now = new Date(clock())
      const ended = { sessions: { before: await sessions.countOf(providerId, now), after: 0 } }
      const diff = { ...diffOf(provider, null, AUDITED), ...(ended.sessions.before === 0 ? {} : ended) }
      const { _id, members_revision } = organization
      await commit(
        [
          // Conflicts with changes of the policy, and with the deletion of another provider.
          organizations.updating({ _id, members_revision }, { increment: { members_revision: 1 } }),
          providers.deleting({ _id: providerId, revision: provider.revision }),
          scope.collection(IDENTITY_PROVIDER_DOMAINS).deletingMany({ provider_id: providerId }),
          sessions.closingAllOfProvider(providerId),
          unlinking(scope, providerId),
          auditing(scope, auditContext(actor), { action: 'identity_provider.deleted', resource: resourceOf(provider), diff }, now),
        ],
        { organization: scope.organizationId },
      )
    })
    await sessions.closeAllOfProvider(providerId)
  }

  async #isActive({ organizationId }: Scope): Promise<boolean> {
    return (await this.#parts.identities.organizations.byId(organizationId))?.is_active === true
  }

  #retry<R>(work: () => Promise<R>): Promise<R> {
    return retryStale(ATTEMPTS, work, { pauseMs: PAUSE_MS, isStale: hasChanged })
  }

  #secret(secret: string | null, place: Pick<IdentityProviderDocument, '_id' | 'organization_id'>, now: Date) {
    const key = this.#parts.identities.secrets.identityProvider
    return secret === null ? { client_secret: null, client_secret_set_at: null } : { client_secret: sealSecret(key, secret, place), client_secret_set_at: now }
  }

  /** @throws ApiError request_validation_failed, target_refused */
  async #check(provider: IdentityProviderDocument, issues: readonly FieldIssue[], locale: Locale): Promise<void> {
    const { guard, allowPrivateTargets } = this.#parts
    const all = [...settingsIssues(provider, allowPrivateTargets), ...claimIssues(provider.required_claims), ...issues]
    if (all.length > 0) throw invalidRequest(all, locale)
    const { issuer, discovery_url } = provider
    try {
      if (!issuer.includes(TENANT_PLACEHOLDER)) await guard.check(new URL(issuer))
      if (discovery_url !== null) await guard.check(new URL(discovery_url))
    } catch (error) {
      if (error instanceof TargetRefusedError) throw new ApiError('target_refused')
      throw error
    }
  }
}

const AUDITED = [
  'name',
  'issuer',
  'client_id',
  'client_secret_set_at',
  'discovery_url',
  'scopes',
  'default_role',
  'domains',
  'trust_email',
  'email_claim',
  'groups_claim',
  'required_claims',
  'tenant_ids',
] as const

/** @param sent the client secret of the request; undefined: none was sent */
function secretIssues(before: IdentityProviderDocument, after: IdentityProviderDocument, sent: string | null | undefined): FieldIssue[] {
  const isMoved = after.issuer !== before.issuer || after.discovery_url !== before.discovery_url
  return isMoved && before.client_secret !== null && sent === undefined ? [issue('/client_secret', 'required', { words: 'new_client_secret' })] : []
}

/** In one form each: tokens have them in lower case. */
function tenantsOf(sent: readonly string[]): string[] {
  return [...new Set(sent.map((id) => id.toLowerCase()))]
}

/** Whether documents changed while the writes were composed. */
function hasChanged(error: unknown): boolean {
  return isStaleWrite(error) || (error instanceof DuplicateKeyError && error.collection === IDENTITY_PROVIDER_DOMAINS.name)
}

/** @throws ApiError identity_provider_limit */
function requireRoom(there: number): void {
  if (there >= IDENTITY_PROVIDERS_LIMIT) throw new ApiError('identity_provider_limit', { params: { limit: IDENTITY_PROVIDERS_LIMIT } })
}
