/** `/platform/organizations/{organization_id}/scim-tokens`. */
import Type from 'typebox'
import { noContent, permission, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import type { PublicAddress } from '../../../core/public-address.js'
import { presentScimToken } from './present.js'
import { OrganizationParams, ScimTokenCreateRequest, ScimTokenListQuery, ScimTokenParams, ScimTokenRecord, ScimTokenSecretRecord } from './schema.js'
import type { ScimTokensService } from './service.js'

const defineRoute = routesOf('Provisioning tokens')
const COLLECTION = '/platform/organizations/{organization_id}/scim-tokens'
const ACCESS = permission('identity_provider:manage')

/** @param scimPath path of SCIM below the address of the interface */
export function scimTokenRoutes(tokens: ScimTokensService, address: Pick<PublicAddress, 'api'>, scimPath: string): readonly Route[] {
  const baseUrl = (): string => `${address.api}${scimPath}`
  return [
    defineRoute({
      id: 'scim-tokens.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List tokens for provisioning',
      description: 'The answer contains no secrets.',
      access: ACCESS,
      params: OrganizationParams,
      query: ScimTokenListQuery,
      responses: { 200: { description: 'The tokens.', schema: Type.Array(ScimTokenRecord) } },
      handle: async ({ scope, query }) => presentPage(await tokens.list(scope, query), (token) => presentScimToken(token, baseUrl())),
    }),
    defineRoute({
      id: 'scim-tokens.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create a token for provisioning',
      description:
        'Only this answer contains the secret. With `base_url` and the token, an identity provider provisions the users and groups of the organization (SCIM 2.0); the token is valid for nothing else. An organization has at most 20 tokens (409).',
      access: ACCESS,
      params: OrganizationParams,
      body: { as: 'json', schema: ScimTokenCreateRequest },
      bodyExamples: { okta: { name: 'Okta', default_role: 'engineer' }, expiring: { name: 'Entra ID', expires_at: '2030-01-01T00:00:00Z' } },
      responses: { 200: { description: 'The token, with its secret.', schema: ScimTokenSecretRecord } },
      errors: ['scim_token_limit', 'edit_conflict'],
      handle: async (request) => {
        const { token, secret } = await tokens.create(request.scope, request.body, request)
        return { body: { ...presentScimToken(token, baseUrl()), token: secret } }
      },
    }),
    defineRoute({
      id: 'scim-tokens.delete',
      method: 'DELETE',
      path: `${COLLECTION}/{scim_token_id}`,
      summary: 'Delete a token for provisioning',
      description: 'Revokes the token, which becomes invalid at once. Users and groups that were provisioned with it remain.',
      access: ACCESS,
      params: ScimTokenParams,
      responses: { 204: { description: 'The token is revoked.', schema: null } },
      errors: ['resource_missing'],
      handle: (request) => noContent(tokens.revoke(request.scope, request.params.scim_token_id, request)),
    }),
  ]
}
