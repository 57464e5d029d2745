/** `/platform/organizations/{organization_id}/api-keys`. */
import Type from 'typebox'
import { noContent, permission, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { presentApiKey } from './present.js'
import { ApiKeyCreateRequest, ApiKeyListQuery, ApiKeyParams, ApiKeyRecord, ApiKeySecretRecord, KeyPolicyRecord, KeyPolicyUpdateRequest, OrganizationParams } from './schema.js'
import type { ApiKeysService, RevealedKey, ShownPolicy } from './service.js'

const defineRoute = routesOf('API keys')
const COLLECTION = '/platform/organizations/{organization_id}/api-keys'
const POLICY = '/platform/organizations/{organization_id}/key-policy'
const POLICY_ANSWER = { 200: { description: 'The policy.', schema: KeyPolicyRecord } } as const
const REVEALED = { 200: { description: 'The key, with its secret.', schema: ApiKeySecretRecord } } as const

const reveal = (revealed: RevealedKey) => ({ body: { ...presentApiKey(revealed), api_key: revealed.secret } })
const policyAnswer = ({ policy, etag }: ShownPolicy) => ({ body: policy, etag })

export function apiKeyRoutes(keys: ApiKeysService): readonly Route[] {
  return [
    defineRoute({
      id: 'api-keys.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List API keys',
      description: 'The answer contains no secrets. `owner_is_member=false` lists the keys whose owners have left the organization.',
      access: permission('api_key:manage'),
      params: OrganizationParams,
      query: ApiKeyListQuery,
      responses: { 200: { description: 'The keys.', schema: Type.Array(ApiKeyRecord) } },
      handle: async ({ scope, query }) => presentPage(await keys.list(scope, query), presentApiKey),
    }),
    defineRoute({
      id: 'api-keys.create',
      method: 'POST',
      path: COLLECTION,
      summary: 'Create an API key',
      description:
        'Only this answer contains the secret. If the caller uses an API key, the new key must not expire later than that key. An organization has at most 1,000 keys (409). Emits `api_key.created`.',
      access: permission('api_key:manage'),
      params: OrganizationParams,
      body: { as: 'json', schema: ApiKeyCreateRequest },
      bodyExamples: {
        ci: { name: 'CI', scopes: ['analysis:run', 'projects:read'], expires_at: '2030-01-01T00:00:00Z' },
        lasting: { name: 'Editor', scopes: ['projects:write'], expires_at: null },
      },
      responses: REVEALED,
      errors: ['api_key_limit', 'edit_conflict'],
      handle: async (request) => reveal(await keys.create(request.scope, request.body, request)),
    }),
    defineRoute({
      id: 'api-keys.rotate',
      method: 'POST',
      path: `${COLLECTION}/{key_id}/rotate`,
      summary: 'Rotate the secret of an API key',
      description:
        'The old secret becomes invalid at once. Name, scopes, prefix and expiry do not change, and the caller becomes the owner. An API key that expires cannot rotate a key that expires later or never (403). If two rotations run concurrently, one is answered 409.',
      access: permission('api_key:manage'),
      params: ApiKeyParams,
      responses: REVEALED,
      errors: ['resource_missing', 'key_outlives_caller', 'edit_conflict'],
      handle: async (request) => reveal(await keys.rotate(request.scope, request.params.key_id, request)),
    }),
    defineRoute({
      id: 'api-keys.delete',
      method: 'DELETE',
      path: `${COLLECTION}/{key_id}`,
      summary: 'Delete an API key',
      description: 'Revokes the key, which becomes invalid at once. Emits `api_key.revoked`.',
      access: permission('api_key:manage'),
      params: ApiKeyParams,
      responses: { 204: { description: 'The key is revoked.', schema: null } },
      errors: ['resource_missing'],
      handle: (request) => noContent(keys.revoke(request.scope, request.params.key_id, request)),
    }),
    defineRoute({
      id: 'key-policy.get',
      method: 'GET',
      path: POLICY,
      summary: 'Get the policy of API keys',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: permission('api_key:manage'),
      params: OrganizationParams,
      responses: POLICY_ANSWER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ scope }) => policyAnswer(await keys.policy(scope)),
    }),
    defineRoute({
      id: 'key-policy.update',
      method: 'PATCH',
      path: POLICY,
      summary: 'Update the policy of API keys',
      description: 'Setting `end_keys_of_former_members` revokes the existing keys of former members at once, and emits `api_key.revoked` for each.',
      access: permission('api_key:manage'),
      params: OrganizationParams,
      body: { as: 'json', schema: KeyPolicyUpdateRequest },
      bodyExamples: { end: { end_keys_of_former_members: true } },
      responses: POLICY_ANSWER,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => policyAnswer(await keys.updatePolicy(request.scope, request.body, request.ifMatch, request)),
    }),
  ]
}
