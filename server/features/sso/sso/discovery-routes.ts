/** `/sso/discovery`. */
import { THROTTLES } from '../../../core/auth/throttles.js'
import { defineRoute, PUBLIC, type Route } from '../../../core/http/route.js'
import { type DiscoveryParts, discoverProvider } from './discovery.js'
import { SsoDiscoveryRequest, SsoDiscoveryResponse } from './discovery-schema.js'

export function discoveryRoutes(parts: DiscoveryParts): readonly Route[] {
  return [
    defineRoute({
      id: 'sso.discover',
      method: 'POST',
      path: '/sso/discovery',
      tag: 'Single sign-on',
      summary: 'Find the identity provider for an e-mail address',
      description: `For a login page that asks for the e-mail address first. The provider is the one that lists the domain of the address in \`domains\`; a subdomain is another domain. If two organizations claim a domain, the one that has proven it counts. The answer is the same whether or not an account exists. Limited to ${THROTTLES.discoveryByAddress.limit} requests an hour for each address (429).`,
      access: PUBLIC,
      body: { as: 'json', schema: SsoDiscoveryRequest },
      bodyExamples: { person: { email: 'ana@example.com' } },
      responses: { 200: { description: 'The provider, or null in every field.', schema: SsoDiscoveryResponse } },
      errors: ['rate_limited'],
      handle: async (request) => ({ body: await discoverProvider(parts, request.body.email, request) }),
    }),
  ]
}
