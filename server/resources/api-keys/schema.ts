/** Requests and answers about API keys. */
import Type, { type Static } from 'typebox'
import { KEY_SCOPES, type KeyScope } from '../../auth/permissions.js'
import { fields } from '../../auth/records.js'
import { listQuery } from '../../http/list-query.js'
import { nullable } from '../../nullable.js'

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const ApiKeyParams = Type.Object({ organization_id: fields.id('The organization.'), key_id: fields.id('The API key.') })

export const ApiKeyListQuery = listQuery({ sort: ['created_at', 'updated_at', 'expires_at', 'last_used_at', 'name'] })
export type ApiKeyListQuery = Static<typeof ApiKeyListQuery>

const scope = Type.Enum([...KEY_SCOPES] as [KeyScope, ...KeyScope[]])

export const ApiKeyCreateRequest = Type.Object(
  {
    name: fields.name('What the key is for.'),
    scopes: Type.Array(scope, { minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true, description: 'What the key may do. A write scope includes `projects:read`.' }),
    expires_at: Type.Optional(nullable(Type.String({ format: 'date-time' }), 'From when on the key is answered 401. Null, or left out: it does not expire.')),
  },
  { $id: 'ApiKeyCreateRequest', description: 'A key that is to be made.' },
)
export type ApiKeyCreateRequest = Static<typeof ApiKeyCreateRequest>

const record = {
  id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'Identifier.' }),
  organization_id: Type.String({ examples: ['b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'], description: 'The organization that the key is bound to.' }),
  name: Type.String({ examples: ['log pipeline'], description: 'What it is for.' }),
  prefix: Type.String({ examples: ['svk_k3J9xQ2m'], description: 'How the key begins; enough to recognize it, too little to use it.' }),
  scopes: Type.Array(scope, { description: 'What it may do.' }),
  expires_at: nullable(Type.String({ format: 'date-time' }), 'From when on it is answered 401; null: never.'),
  last_used_at: nullable(Type.String({ format: 'date-time' }), 'When it was last used, to about a minute; null: never.'),
  created_at: fields.timestamp('When it was made.'),
  updated_at: fields.timestamp('When it was made, or last got a new secret.'),
}

export const ApiKeyRecord = Type.Object(record, { $id: 'ApiKeyRecord', description: 'An API key, without its secret.' })

export const ApiKeySecretRecord = Type.Object(
  { ...record, api_key: Type.String({ examples: ['svk_k3J9xQ2m…'], description: 'The key itself. It is shown here, and never again.' }) },
  { $id: 'ApiKeySecretRecord', description: 'An API key, with its secret.' },
)
