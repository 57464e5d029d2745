/** `/platform/organizations/{organization_id}/identity-providers`. */
import Type from 'typebox'
import { etagOf } from '../../../core/etag.js'
import { noContent, permission, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { presentProvider } from './present.js'
import {
  IdentityProviderCreateRequest,
  IdentityProviderListQuery,
  IdentityProviderParams,
  IdentityProviderRecord,
  IdentityProviderUpdateRequest,
  IdentityProviderValidationResult,
  OrganizationParams,
} from './schema.js'
import { type ProviderFindingEntry, type ProviderValidationParts, validateProvider } from './validate.js'
import { IDENTITY_PROVIDERS_LIMIT, type IdentityProviderDocument, type IdentityProvidersService } from './service.js'

const defineRoute = routesOf('Identity providers')
const COLLECTION = '/platform/organizations/{organization_id}/identity-providers'
const ITEM = `${COLLECTION}/{provider_id}`
const ACCESS = permission('identity_provider:manage')
const PROVIDER = { 200: { description: 'The identity provider.', schema: IdentityProviderRecord } } as const

const DOMAINS =
  'A domain of public mailboxes cannot be listed (400), nor one that another provider lists or that another organization has proven (409); a domain that the organization has proven is taken from a provider of another organization.'

const presentFinding = ({ details, ...finding }: ProviderFindingEntry) => ({ ...finding, details: { ...details } as Record<string, string | number> })

/** Longer than the calls of a validation: the metadata, and then the others at once. */
const VALIDATION_TIMEOUT_MS = 60_000

export function identityProviderRoutes(providers: IdentityProvidersService, validation: Omit<ProviderValidationParts, 'providers'>): readonly Route[] {
  const present = (provider: IdentityProviderDocument) => presentProvider(provider, providers.redirectUri(provider._id))
  const answer = (provider: IdentityProviderDocument) => ({ body: present(provider), etag: etagOf(provider) })
  return [
    defineRoute({
      id: 'identity-providers.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List identity providers',
      description: 'The answer contains no secrets.',
      access: SESSION,
      params: OrganizationParams,
      query: IdentityProviderListQuery,
      responses: { 200: { description: 'The identity providers.', schema: Type.Array(IdentityProviderRecord) } },
      handle: async ({ scope, query }) => presentPage(await providers.list(scope, query), present),
    }),
    defineRoute({
      id: 'identity-providers.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create an identity provider',
      description: `Members log in with it at once; register the answer's \`redirect_uri\` at the provider first, and check the settings with \`POST …/validate\`. The client secret is stored encrypted, and no answer contains it. An address that is not public is refused (400). ${DOMAINS} An organization has at most ${IDENTITY_PROVIDERS_LIMIT} identity providers (409).`,
      access: ACCESS,
      params: OrganizationParams,
      body: { as: 'json', schema: IdentityProviderCreateRequest },
      bodyExamples: {
        company: {
          name: 'Company login',
          kind: 'oidc',
          issuer: 'https://login.example.com/realms/staff',
          client_id: 'detection-content',
          client_secret: 'a-secret-of-the-provider',
          default_role: 'engineer',
          domains: ['example.com'],
          groups_claim: 'groups',
        },
        google: {
          name: 'Google Workspace',
          kind: 'oidc',
          issuer: 'https://accounts.google.com',
          client_id: '1234567890-abc.apps.googleusercontent.com',
          client_secret: 'a-secret-of-the-provider',
          domains: ['example.com'],
          required_claims: [{ claim: 'hd', values: ['example.com'] }],
        },
        entra: {
          name: 'Entra ID, two tenants',
          kind: 'oidc',
          issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
          discovery_url: 'https://login.microsoftonline.com/organizations/v2.0/.well-known/openid-configuration',
          client_id: '6731de76-14a6-49ae-97bc-6eba6914391e',
          client_secret: 'a-secret-of-the-provider',
          tenant_ids: ['72f988bf-86f1-41af-91ab-2d7cd011db47', '9122040d-6c67-4c5b-b112-36a304b66dad'],
          trust_email: true,
          email_claim: 'upn',
        },
      },
      responses: PROVIDER,
      errors: ['sso_not_in_plan', 'target_refused', 'domain_shared', 'domain_taken', 'domain_listed', 'identity_provider_limit', 'edit_conflict'],
      handle: async (request) => ({ body: present(await providers.create(request.scope, request.body, request)) }),
    }),
    defineRoute({
      id: 'identity-providers.get',
      method: 'GET',
      path: ITEM,
      summary: 'Get an identity provider',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: SESSION,
      params: IdentityProviderParams,
      responses: PROVIDER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope, params }) => answer(await providers.get(scope, params.provider_id)),
    }),
    defineRoute({
      id: 'identity-providers.update',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update an identity provider',
      description: `Updates the fields that are sent. A new \`issuer\` or \`discovery_url\` needs the client secret in the same request (422), so that a stored one is not sent to another server. A new issuer is another provider: the sessions of the old one end, and accounts that were linked to it are not linked to the new one. ${DOMAINS}`,
      access: ACCESS,
      params: IdentityProviderParams,
      body: { as: 'json', schema: IdentityProviderUpdateRequest },
      bodyExamples: {
        secret: { client_secret: 'the-new-secret-of-the-provider' },
        groups: { groups_claim: 'groups', scopes: ['openid', 'email', 'profile', 'groups'] },
      },
      responses: PROVIDER,
      errors: ['resource_missing', 'target_refused', 'domain_shared', 'domain_taken', 'domain_listed', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await providers.update(request.scope, request.params.provider_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'identity-providers.delete',
      method: 'DELETE',
      path: ITEM,
      summary: 'Delete an identity provider',
      description:
        'Ends the sessions that it opened, within a second. The last provider of an organization whose identity policy requires one remains (409). Users remain members.',
      access: ACCESS,
      params: IdentityProviderParams,
      responses: { 204: { description: 'The identity provider is deleted.', schema: null } },
      errors: ['resource_missing', 'identity_provider_required', 'edit_conflict'],
      handle: (request) => noContent(providers.delete(request.scope, request.params.provider_id, request)),
    }),
    defineRoute({
      id: 'identity-providers.validate',
      method: 'POST',
      path: `${ITEM}/validate`,
      summary: 'Validate an identity provider',
      description:
        'Asks the provider, without logging anybody in: its metadata, its keys, the authorization endpoint without a page, and the token endpoint with a code that does not exist, which shows whether it accepts client id and secret. What is wrong is a finding of the answer, with the field to change. Limited to 60 validations an hour for each organization.',
      access: SESSION,
      load: 'provider',
      timeoutMs: VALIDATION_TIMEOUT_MS,
      params: IdentityProviderParams,
      responses: { 200: { description: 'The findings.', schema: IdentityProviderValidationResult } },
      errors: ['resource_missing', 'rate_limited'],
      handle: async ({ scope, params, locale }) => {
        const { valid, metadata, warnings, errors } = await validateProvider({ ...validation, providers }, scope, params.provider_id, locale)
        return {
          body: {
            valid,
            issuer: metadata?.issuer ?? null,
            authorization_endpoint: metadata?.authorizationEndpoint ?? null,
            token_endpoint: metadata?.tokenEndpoint ?? null,
            jwks_uri: metadata?.jwksUri ?? null,
            warnings: warnings.map(presentFinding),
            errors: errors.map(presentFinding),
          },
        }
      },
    }),
  ]
}
