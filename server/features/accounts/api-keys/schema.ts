/** Requests and answers about API keys. */
import Type, { type Static } from 'typebox'
import { KEY_SCOPES, type KeyScope } from '../../../core/tenancy/permissions.js'
import { fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const ApiKeyParams = Type.Object({ organization_id: fields.id('The organization.'), key_id: fields.id('The API key.') })

export const ApiKeyListQuery = listQuery({
  sort: ['created_at', 'updated_at', 'expires_at', 'last_used_at', 'name'],
  filters: {
    owner_is_member: Type.Optional(Type.Boolean({ description: 'True: only keys whose owner is a member of the organization. False: only keys whose owner is not.' })),
  },
})
export type ApiKeyListQuery = Static<typeof ApiKeyListQuery>

const scope = Type.Enum([...KEY_SCOPES] as [KeyScope, ...KeyScope[]])

export const ApiKeyCreateRequest = Type.Object(
  {
    name: fields.name('What the key is for.'),
    scopes: Type.Array(scope, { minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true, description: 'What the key may do. A write scope includes `projects:read`.' }),
    expires_at: Type.Optional(
      nullable(
        Type.String({ format: 'date-time' }),
        'Time in the future at which the key expires; requests with it are answered 401 from then on. Null or absent: it does not expire. If the caller uses an API key that expires, the value must not be null or later than the expiry of that key.',
      ),
    ),
  },
  { $id: 'ApiKeyCreateRequest', description: 'An API key to create.' },
)
export type ApiKeyCreateRequest = Static<typeof ApiKeyCreateRequest>

const record = {
  id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'Identifier.' }),
  organization_id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'The organization that the key is bound to.' }),
  name: Type.String({ examples: ['log pipeline'], description: 'What the key is for.' }),
  prefix: Type.String({ examples: ['svk_k3J9xQ2m'], description: 'First characters of the key, by which people recognize it.' }),
  scopes: Type.Array(scope, { description: 'What the key may do.' }),
  owner: nullable(
    Type.Object({
      user_id: Type.String({ examples: ['5c1c5f0e-7c1f-4f4d-8d0e-3b1f0f6f2a11'], description: 'The user.' }),
      email: Type.String({ examples: ['ana@example.com'], description: "The user's e-mail address." }),
      display_name: Type.String({ examples: ['Ana'], description: "The user's name." }),
      is_member: Type.Boolean({ description: 'Whether the user is a member of the organization. Platform admins may own keys without being members.' }),
    }),
    'The user who created or last rotated the key. A key that was created with another key has the same owner. Null: not known.',
  ),
  expires_at: nullable(Type.String({ format: 'date-time' }), 'When the key expires; null: never.'),
  last_used_at: nullable(Type.String({ format: 'date-time' }), 'When the key was last used, accurate to about a minute; null: never.'),
  created_at: fields.timestamp('When it was created.'),
  updated_at: fields.timestamp('When the key was created or last rotated.'),
}

export const ApiKeyRecord = Type.Object(record, { $id: 'ApiKeyRecord', description: 'An API key, without its secret.' })

export const ApiKeySecretRecord = Type.Object(
  { ...record, api_key: Type.String({ examples: ['svk_k3J9xQ2m…'], description: 'The key with its secret. No other answer contains it.' }) },
  { $id: 'ApiKeySecretRecord', description: 'An API key, with its secret.' },
)

export const KeyPolicyRecord = Type.Object(
  {
    end_keys_of_former_members: Type.Boolean({
      description: 'Removing a member revokes the keys that the member owns. Keys of platform admins are not revoked.',
    }),
  },
  { $id: 'KeyPolicyRecord', description: 'API key policy of an organization.' },
)

export const KeyPolicyUpdateRequest = Type.Object(
  {
    end_keys_of_former_members: Type.Optional(Type.Boolean({ description: 'Removing a member revokes the keys that the member owns. Default of a new organization: false.' })),
  },
  { $id: 'KeyPolicyUpdateRequest', description: 'The fields to update.' },
)
export type KeyPolicyUpdateRequest = Static<typeof KeyPolicyUpdateRequest>
