/** Requests and answers about tokens for provisioning. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const ScimTokenParams = Type.Object({ organization_id: fields.id('The organization.'), scim_token_id: fields.id('The token.') })

export const ScimTokenListQuery = listQuery({ sort: ['created_at', 'name'] })
export type ScimTokenListQuery = Static<typeof ScimTokenListQuery>

export const ScimTokenCreateRequest = Type.Object(
  {
    name: fields.name('Which identity provider uses the token.'),
    expires_at: Type.Optional(
      nullable(
        Type.String({ format: 'date-time' }),
        'Time in the future at which the token expires. Null or absent: it does not expire. If the caller uses an API key that expires, the token must not expire later.',
      ),
    ),
    default_role: Type.Optional(fields.role('Role of the members whom the token admits, unless a mapping of their groups names another. Default: read_only.')),
  },
  { $id: 'ScimTokenCreateRequest', description: 'A token for provisioning to create.' },
)
export type ScimTokenCreateRequest = Static<typeof ScimTokenCreateRequest>

const record = {
  id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
  organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization that the token provisions.' }),
  name: Type.String({ examples: ['Okta'], description: 'Which identity provider uses the token.' }),
  prefix: Type.String({ examples: ['scim_k3J9xQ2m'], description: 'First characters of the token, by which people recognize it.' }),
  default_role: fields.role('Role of the members whom the token admits.'),
  base_url: Type.String({ examples: ['https://content.example.com/api/v1/scim/v2'], description: 'Address to enter at the identity provider, with the token.' }),
  expires_at: nullable(Type.String({ format: 'date-time' }), 'When the token expires; null: never.'),
  last_used_at: nullable(Type.String({ format: 'date-time' }), 'When the token was last used, accurate to about a minute; null: never.'),
  created_at: fields.timestamp('When it was created.'),
  updated_at: fields.timestamp('When it was created.'),
}

export const ScimTokenRecord = Type.Object(record, { $id: 'ScimTokenRecord', description: 'A token for provisioning, without its secret.' })
export type ScimTokenRecord = Static<typeof ScimTokenRecord>

export const ScimTokenSecretRecord = Type.Object(
  { ...record, token: Type.String({ examples: ['scim_k3J9xQ2m…'], description: 'The token with its secret. No other answer contains it.' }) },
  { $id: 'ScimTokenSecretRecord', description: 'A token for provisioning, with its secret.' },
)
