/** `/platform/organizations/{organization_id}/domains`. */
import Type from 'typebox'
import { noContent, permission, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { presentDomain } from './present.js'
import { DomainCreateRequest, DomainListQuery, DomainParams, DomainRecord, OrganizationParams } from './schema.js'
import type { DomainsService } from './service.js'

const defineRoute = routesOf('Domains')
const COLLECTION = '/platform/organizations/{organization_id}/domains'
const ITEM = `${COLLECTION}/{domain_id}`
const ACCESS = permission('identity_provider:manage')
const DOMAIN = { 200: { description: 'The domain.', schema: DomainRecord } } as const
/** Longer than two lookups of a TXT record. */
const LOOKUPS_TIMEOUT_MS = 30_000

export function domainRoutes(domains: DomainsService): readonly Route[] {
  return [
    defineRoute({
      id: 'domains.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List domains',
      description: 'Lists the domains that the organization claims, proven or not.',
      access: ACCESS,
      params: OrganizationParams,
      query: DomainListQuery,
      responses: { 200: { description: 'The domains.', schema: Type.Array(DomainRecord) } },
      handle: async ({ scope, query }) => presentPage(await domains.list(scope, query), presentDomain),
    }),
    defineRoute({
      id: 'domains.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a domain',
      description:
        'Claims a domain. The answer has the TXT record to set; `POST …/verify` then proves the claim. A domain of public mailboxes, for example `gmail.com`, cannot be claimed (400), nor one that another organization has proven (409). An organization has at most 100 domains (409).',
      access: ACCESS,
      params: OrganizationParams,
      body: { as: 'json', schema: DomainCreateRequest },
      bodyExamples: { company: { domain: 'example.com' } },
      responses: DOMAIN,
      errors: ['domain_shared', 'domain_exists', 'domain_taken', 'domain_limit', 'edit_conflict', 'rate_limited', 'dns_unavailable'],
      timeoutMs: LOOKUPS_TIMEOUT_MS,
      handle: async (request) => ({ body: presentDomain(await domains.create(request.scope, request.body, request)) }),
    }),
    defineRoute({
      id: 'domains.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get a domain',
      description: 'The answer has the TXT record that proves the claim.',
      access: ACCESS,
      params: DomainParams,
      responses: DOMAIN,
      errors: ['resource_missing'],
      handle: async ({ scope, params }) => ({ body: presentDomain(await domains.get(scope, params.domain_id)) }),
    }),
    defineRoute({
      id: 'domains.verify',
      method: 'POST',
      path: `${ITEM}/verify`,
      summary: 'Verify a domain',
      description:
        'Looks up the TXT record. Without it the answer is 409, and `details.found` has the texts that were found. If another organization has proven the domain, the answer is 409 while its record exists; without that record, the domain moves to the caller. Limited to 60 lookups an hour for each organization.',
      access: ACCESS,
      params: DomainParams,
      responses: DOMAIN,
      errors: ['resource_missing', 'domain_record_missing', 'domain_taken', 'edit_conflict', 'rate_limited', 'dns_unavailable'],
      timeoutMs: LOOKUPS_TIMEOUT_MS,
      handle: async (request) => ({ body: presentDomain(await domains.verify(request.scope, request.params.domain_id, request)) }),
    }),
    defineRoute({
      id: 'domains.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete a domain',
      description: 'Withdraws the claim and its proof. Accounts that were linked remain linked.',
      access: ACCESS,
      params: DomainParams,
      responses: { 204: { description: 'The domain is deleted.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: (request) => noContent(domains.delete(request.scope, request.params.domain_id, request)),
    }),
  ]
}
