/**
 * The domains that identity providers list, for discovery (CONTRACT.md#identity-providers). Invariants:
 *  1. a domain is listed by one provider at most, over all organizations: its entry has the domain as its id
 *  2. an organization that has proven a domain takes it from an organization that has not; before it does, the other one's listing answers nobody
 *  3. a provider's `domains` and its entries change in one commit
 */
import { ApiError } from '../../../core/errors.js'
import type { Write } from '../../../core/storage/contract.js'
import type { Scope, Tenancy } from '../../../core/tenancy/scope.js'
import { auditing, diffOf } from '../../../core/audit/service.js'
import { type DomainsService, domainOfEmail, isSharedDomain } from '../../accounts/index.js'
import { resourceOf } from './present.js'
import { IDENTITY_PROVIDER_DOMAINS, IDENTITY_PROVIDERS, type IdentityProviderDocument } from './store.js'

/** A provider with the scope of its organization. */
export interface Located {
  readonly scope: Scope
  readonly provider: IdentityProviderDocument
}

export interface ListedDomainsParts {
  readonly tenancy: Tenancy
  readonly domains: Pick<DomainsService, 'provenBy'>
}

export class ListedDomains {
  readonly #parts: ListedDomainsParts

  constructor(parts: ListedDomainsParts) {
    this.#parts = parts
  }

  /** The provider that lists the domain of an e-mail address; null: none, or one of an organization that lost the domain to another. */
  async providerFor(email: string): Promise<Located | null> {
    const domain = domainOfEmail(email)
    const located = domain === null ? null : await this.#listing(domain)
    if (domain === null || located === null) return null
    const proven = await this.#parts.domains.provenBy(domain)
    return proven === null || proven === located.scope.organizationId ? located : null
  }

  /**
   * The writes by which a provider lists other domains than before. They fail with a DuplicateKeyError or a StaleWriteError if the domains of others change
   * meanwhile. @param after in the form of `domainOf` @throws ApiError domain_shared, domain_taken, domain_listed
   */
  async replacing(scope: Scope, providerId: string, before: readonly string[], after: readonly string[], now: Date): Promise<Write[]> {
    const entries = scope.collection(IDENTITY_PROVIDER_DOMAINS)
    const removed = before.filter((domain) => !after.includes(domain)).map((domain) => entries.deleting({ _id: domain, provider_id: providerId }))
    const added = after.filter((domain) => !before.includes(domain))
    const losses = new Map<string, { readonly located: Located; readonly lost: string[] }>()
    for (const domain of added) {
      const loser = await this.#requireFree(scope, domain)
      if (loser === null) continue
      const loss = losses.get(loser.provider._id)
      if (loss === undefined) losses.set(loser.provider._id, { located: loser, lost: [domain] })
      else loss.lost.push(domain)
    }
    const displacing = [...losses.values()].flatMap(({ located, lost }) => this.#displacing(located, lost, now))
    return [...removed, ...displacing, ...added.map((domain) => entries.inserting({ _id: domain, provider_id: providerId }))]
  }

  /** @returns the provider that loses the domain; null: none lists it @throws ApiError domain_shared, domain_taken, domain_listed */
  async #requireFree({ organizationId }: Scope, domain: string): Promise<Located | null> {
    if (isSharedDomain(domain)) throw new ApiError('domain_shared', { params: { domain } })
    const proven = await this.#parts.domains.provenBy(domain)
    if (proven !== null && proven !== organizationId) throw new ApiError('domain_taken')
    const located = await this.#listing(domain)
    if (located !== null && (proven === null || located.scope.organizationId === organizationId)) throw new ApiError('domain_listed', { params: { domain } })
    return located
  }

  async #listing(domain: string): Promise<Located | null> {
    const found = await this.#parts.tenancy.locate(IDENTITY_PROVIDER_DOMAINS, '_id', domain)
    if (found === null) return null
    const provider = await found.scope.collection(IDENTITY_PROVIDERS).findOne({ _id: found.document.provider_id })
    return provider === null ? null : { scope: found.scope, provider }
  }

  #displacing({ scope, provider }: Located, lost: readonly string[], now: Date): Write[] {
    const domains = provider.domains.filter((domain) => !lost.includes(domain))
    const diff = diffOf(provider, { ...provider, domains }, ['domains'])
    const context = { actor: { kind: 'system', name: 'identity-providers' }, requestId: null, address: null } as const
    return [
      ...lost.map((domain) => scope.collection(IDENTITY_PROVIDER_DOMAINS).deleting({ _id: domain })),
      scope.collection(IDENTITY_PROVIDERS).updating({ _id: provider._id, revision: provider.revision }, { set: { domains, updated_at: now }, increment: { revision: 1 } }),
      auditing(scope, context, { action: 'identity_provider.domain_displaced', resource: resourceOf(provider), diff }, now),
    ]
  }
}
