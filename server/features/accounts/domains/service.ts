/**
 * Domains of an organization: claimed, proven by a TXT record, and withdrawn (CONTRACT.md#domains). Invariants:
 *  1. a domain is proven by one organization at most, also if requests run at once
 *  2. a proof ends in two ways: its claim is deleted, or another organization proves the domain while the record of the first one is gone
 *  3. a lookup without an answer changes nothing: a name server that fails takes no proof away
 */
import { randomBytes } from 'node:crypto'
import type { Identities } from '../../../core/auth/identities.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import { ApiError, required } from '../../../core/errors.js'
import { DnsError, type ReadTxt } from '../dns/txt.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import { DuplicateKeyError, StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { domainOf, domainOfEmail, isSharedDomain } from './name.js'
import { recordText } from './present.js'
import type { DomainCreateRequest, DomainListQuery } from './schema.js'
import { DOMAIN_PROOFS, type DomainDocument, DOMAINS } from './store.js'

export { DOMAIN_CHARACTERS, domainOf, domainOfEmail, isSharedDomain } from './name.js'

/** Most domains of an organization. Large companies have some dozens for mail. */
export const DOMAINS_LIMIT = 100
/** 144 random bits: nobody sets the record of another claim by chance. */
const TOKEN_BYTES = 18
/** Texts of a refused verification, so that people see what the name servers answer. */
const SHOWN_TEXTS = 10
const SHOWN_CHARACTERS = 255

/** A claim with the scope of its organization. */
interface Holder {
  readonly scope: Scope
  readonly document: DomainDocument
}

export interface DomainsParts {
  readonly identities: Pick<Identities, 'tenancy' | 'clock'>
  readonly quotas: Pick<Quotas, 'creating'>
  readonly throttles: Pick<Throttles, 'domainLookup'>
  readonly readTxt: ReadTxt
}

export class DomainsService {
  readonly #parts: DomainsParts

  constructor(parts: DomainsParts) {
    this.#parts = parts
  }

  list(scope: Scope, query: DomainListQuery): Promise<Page<DomainDocument>> {
    return findPage(scope.collection(DOMAINS), {}, findOptions(query))
  }

  /** @throws ApiError resource_missing */
  async get(scope: Scope, domainId: string): Promise<DomainDocument> {
    return required(await scope.collection(DOMAINS).findOne({ _id: domainId }))
  }

  /** Whether the organization has proven the domain of an e-mail address. A subdomain is another domain. */
  async hasProven(scope: Scope, email: string): Promise<boolean> {
    const domain = domainOfEmail(email)
    return domain !== null && (await scope.collection(DOMAIN_PROOFS).findOne({ _id: domain })) !== null
  }

  /** The organization that has proven a domain; null: none. @param domain in any spelling */
  async provenBy(domain: string): Promise<string | null> {
    const name = domainOf(domain)
    return name === null ? null : ((await this.#parts.identities.tenancy.locate(DOMAIN_PROOFS, 'domain', name))?.scope.organizationId ?? null)
  }

  /** Claims a domain, which proves nothing yet. @throws ApiError request_validation_failed, domain_shared, domain_exists, domain_taken, domain_limit, rate_limited, dns_unavailable */
  async create(scope: Scope, request: DomainCreateRequest, actor: Actor): Promise<DomainDocument> {
    const { identities, quotas } = this.#parts
    const domain = domainOf(request.domain)
    if (domain === null) throw invalidRequest([issue('/domain', 'invalid', { type: 'string', format: 'hostname' })], actor.locale)
    if (isSharedDomain(domain)) throw new ApiError('domain_shared', { params: { domain } })
    const claims = scope.collection(DOMAINS)
    if ((await claims.findOne({ domain })) !== null) throw new ApiError('domain_exists')
    await this.#requireFree(scope, domain)
    const now = new Date(identities.clock())
    const _id = newId()
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const claim: DomainDocument = {
      _id,
      organization_id: scope.organizationId,
      domain,
      token,
      verified_at: null,
      created_at: now,
      updated_at: now,
      revision: 1,
    }
    const entry = { action: 'domain.created', resource: resourceOf(claim), diff: diffOf(null, claim, ['domain']) } as const
    try {
      await quotas.creating(scope, 'domains', {
        count: () => claims.count({}),
        requireRoom,
        writes: async () => [claims.inserting(claim), auditing(scope, auditContext(actor), entry, now)],
      })
    } catch (error) {
      if (error instanceof DuplicateKeyError && error.collection === DOMAINS.name) throw new ApiError('domain_exists')
      throw error
    }
    return claim
  }

  /** Proves a claim by its TXT record. @throws ApiError resource_missing, domain_record_missing, domain_taken, edit_conflict, rate_limited, dns_unavailable */
  async verify(scope: Scope, domainId: string, actor: Actor): Promise<DomainDocument> {
    const { identities } = this.#parts
    const claim = await this.get(scope, domainId)
    if (claim.verified_at !== null) return claim
    await this.#requireRecord(scope, claim)
    const displaced = await this.#requireFree(scope, claim.domain)
    const now = new Date(identities.clock())
    const verified: DomainDocument = { ...claim, verified_at: now, updated_at: now, revision: claim.revision + 1 }
    try {
      await scope.commit([
        ...(displaced === null ? [] : this.#displacing(displaced, now)),
        scope.collection(DOMAIN_PROOFS).inserting({ _id: claim.domain, domain: claim.domain, claim_id: claim._id }),
        scope.collection(DOMAINS).updating({ _id: claim._id, revision: claim.revision }, { set: { verified_at: now, updated_at: now }, increment: { revision: 1 } }),
        auditing(scope, auditContext(actor), { action: 'domain.verified', resource: resourceOf(claim), diff: diffOf(claim, verified, ['verified_at']) }, now),
      ])
    } catch (error) {
      if (error instanceof DuplicateKeyError && error.collection === DOMAIN_PROOFS.name) throw new ApiError('domain_taken')
      if (error instanceof StaleWriteError) throw new ApiError('edit_conflict')
      throw error
    }
    return verified
  }

  /** Withdraws a claim, and its proof. @throws ApiError resource_missing, edit_conflict */
  async delete(scope: Scope, domainId: string, actor: Actor): Promise<void> {
    const claim = await this.get(scope, domainId)
    const entry = { action: 'domain.deleted', resource: resourceOf(claim), diff: diffOf(claim, null, ['domain', 'verified_at']) } as const
    try {
      await scope.commit([
        scope.collection(DOMAINS).deleting({ _id: domainId, revision: claim.revision }),
        ...(claim.verified_at === null ? [] : [scope.collection(DOMAIN_PROOFS).deleting({ _id: claim.domain })]),
        auditing(scope, auditContext(actor), entry, new Date(this.#parts.identities.clock())),
      ])
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error
      await this.get(scope, domainId)
      throw new ApiError('edit_conflict')
    }
  }

  /**
   * Checks that no other organization holds the domain. A proof whose record is gone does not count: the domain may have another owner now.
   * @returns the claim that loses its proof if the domain is proven again; null: there is none @throws ApiError domain_taken, rate_limited, dns_unavailable
   */
  async #requireFree(scope: Scope, domain: string): Promise<Holder | null> {
    const holder = await this.#holder(domain)
    if (holder === null || holder.scope.organizationId === scope.organizationId) return null
    if ((await this.#texts(scope, domain)).includes(recordText(holder.document))) throw new ApiError('domain_taken')
    return holder
  }

  async #requireRecord(scope: Scope, claim: DomainDocument): Promise<void> {
    const texts = await this.#texts(scope, claim.domain)
    const expected = recordText(claim)
    if (texts.includes(expected)) return
    const found = texts.slice(0, SHOWN_TEXTS).map((text) => text.slice(0, SHOWN_CHARACTERS))
    throw new ApiError('domain_record_missing', { params: { domain: claim.domain }, details: { name: claim.domain, expected, found } })
  }

  /** @throws ApiError rate_limited, dns_unavailable */
  async #texts({ organizationId }: Scope, domain: string): Promise<readonly string[]> {
    await this.#parts.throttles.domainLookup(organizationId)
    try {
      return await this.#parts.readTxt(domain)
    } catch (error) {
      if (error instanceof DnsError) throw new ApiError('dns_unavailable', { cause: error })
      throw error
    }
  }

  #displacing({ scope, document }: Holder, now: Date) {
    const after = { ...document, verified_at: null }
    const context = { actor: { kind: 'system', name: 'domains' }, requestId: null, address: null } as const
    return [
      scope.collection(DOMAIN_PROOFS).deleting({ _id: document.domain }),
      scope.collection(DOMAINS).updating({ _id: document._id, revision: document.revision }, { set: { verified_at: null, updated_at: now }, increment: { revision: 1 } }),
      auditing(scope, context, { action: 'domain.displaced', resource: resourceOf(document), diff: diffOf(document, after, ['verified_at']) }, now),
    ]
  }

  /** The proven claim of a domain; null: there is none. */
  async #holder(domain: string): Promise<Holder | null> {
    const found = await this.#parts.identities.tenancy.locate(DOMAIN_PROOFS, 'domain', domain)
    if (found === null) return null
    const document = await found.scope.collection(DOMAINS).findOne({ _id: found.document.claim_id })
    return document === null ? null : { scope: found.scope, document }
  }
}

/** @throws ApiError domain_limit */
function requireRoom(there: number): void {
  if (there >= DOMAINS_LIMIT) throw new ApiError('domain_limit', { params: { limit: DOMAINS_LIMIT } })
}

function resourceOf({ _id, domain }: DomainDocument): AuditResource {
  return { type: 'domain', id: _id, name: domain }
}
