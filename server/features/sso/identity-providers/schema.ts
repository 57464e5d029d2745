/** Requests and answers about identity providers. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE } from '../../../core/patterns.js'
import { DOMAIN_CHARACTERS } from '../../accounts/index.js'

/** Longest URL that servers commonly accept. */
const URL_CHARACTERS = 2048
/** Longer than the client ids of all providers: those of Google have 73. */
const CLIENT_ID_CHARACTERS = 255
/** Longer than the client secrets of all providers: those of Auth0 have 64. */
const SECRET_CHARACTERS = 1024
const CLAIM_CHARACTERS = 255
/** Scopes are part of an address. */
const SCOPES_LIMIT = 30
/** As many as an organization can prove. */
const DOMAINS_LIMIT = 100
const REQUIRED_CLAIMS_LIMIT = 20
const REQUIRED_VALUES_LIMIT = 100
const TENANTS_LIMIT = 100

/** A scope (RFC 6749, 3.3). */
const SCOPE = '^[!#-\\[\\]-~]+$'
/** Headers and forms are built of it: no control characters, no characters beyond ASCII. */
const ASCII = '^[ -~]*$'

export const DEFAULT_SCOPES = ['openid', 'email', 'profile'] as const
export const DEFAULT_EMAIL_CLAIM = 'email'

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const IdentityProviderParams = Type.Object({ organization_id: fields.id('The organization.'), provider_id: fields.id('The identity provider.') })

export const IdentityProviderListQuery = listQuery({ sort: ['created_at', 'name'] })
export type IdentityProviderListQuery = Static<typeof IdentityProviderListQuery>

const claimName = (example: string, description: string) => Type.String({ minLength: 1, maxLength: CLAIM_CHARACTERS, pattern: ONE_LINE, examples: [example], description })

const RequiredClaimRecord = Type.Object(
  {
    claim: claimName('hd', 'Name of the claim, at the top level of the claims.'),
    values: Type.Array(Type.String({ minLength: 1, maxLength: CLAIM_CHARACTERS, pattern: ONE_LINE, examples: ['example.com'] }), {
      minItems: 1,
      maxItems: REQUIRED_VALUES_LIMIT,
      uniqueItems: true,
      description: 'One of them must be the value of the claim, or an entry of it if the claim is a list.',
    }),
  },
  { $id: 'RequiredClaim', description: 'A value that a claim must have for a login.' },
)

const settings = {
  name: fields.name('Name of the provider, which people see when they log in.'),
  issuer: Type.String({
    minLength: 1,
    maxLength: URL_CHARACTERS,
    pattern: ASCII,
    examples: ['https://login.example.com'],
    description:
      'Issuer, exactly as the metadata of the provider has it; a trailing slash counts. `https:`, without credentials, query and fragment. For several tenants of Entra ID `https://login.microsoftonline.com/{tenantid}/v2.0`, together with `tenant_ids` and `discovery_url`.',
  }),
  client_id: Type.String({
    minLength: 1,
    maxLength: CLIENT_ID_CHARACTERS,
    pattern: ASCII,
    examples: ['detection-content'],
    description: 'Identifier of this service at the provider.',
  }),
  client_secret: nullable(
    Type.String({ minLength: 1, maxLength: SECRET_CHARACTERS, pattern: ASCII }),
    'Secret of the client. It is stored encrypted, and no answer contains it. Null: a public client, which PKCE alone protects.',
  ),
  discovery_url: nullable(
    Type.String({ minLength: 1, maxLength: URL_CHARACTERS, format: 'http-uri', examples: ['https://login.example.com/.well-known/openid-configuration'] }),
    'Address of the metadata: `https:`, without credentials and fragment. Null: `<issuer>/.well-known/openid-configuration`.',
  ),
  scopes: Type.Array(Type.String({ minLength: 1, maxLength: 128, pattern: SCOPE, examples: ['openid', 'email', 'profile'] }), {
    maxItems: SCOPES_LIMIT,
    uniqueItems: true,
    description: 'Scopes to request; `openid` always is. Default `openid`, `email` and `profile`.',
  }),
  default_role: fields.role('Role of people who join with this provider, unless a group mapping of the identity policy decides. Default `read_only`.'),
  domains: Type.Array(Type.String({ minLength: 1, maxLength: DOMAIN_CHARACTERS, pattern: ONE_LINE, examples: ['example.com'] }), {
    maxItems: DOMAINS_LIMIT,
    description: 'Domains of e-mail addresses for which `POST /sso/discovery` answers this provider. A domain is listed by one provider only.',
  }),
  trust_email: Type.Boolean({
    description:
      'Whether e-mails count as verified although the provider sends no `email_verified`. Only for a provider where users cannot set their address themselves. Default false.',
  }),
  email_claim: claimName('email', 'The claim that has the e-mail: `email`, or for example `upn` or `preferred_username`. Default `email`.'),
  groups_claim: nullable(claimName('groups', 'Name of the claim.'), 'The claim that has the groups, for the group mappings of the identity policy. Null: groups are not read.'),
  required_claims: Type.Array(RequiredClaimRecord, {
    maxItems: REQUIRED_CLAIMS_LIMIT,
    description: 'Conditions for a login, which must all hold: for Google Workspace `hd` with your domain, because anyone has an account at Google.',
  }),
  tenant_ids: Type.Array(Type.String({ format: 'uuid', examples: ['72f988bf-86f1-41af-91ab-2d7cd011db47'] }), {
    maxItems: TENANTS_LIMIT,
    uniqueItems: true,
    description: 'Entra ID: the tenants whose users may log in. Empty: tenants do not matter.',
  }),
}

const { name, issuer, client_id, ...others } = settings

export const IdentityProviderCreateRequest = Type.Object(
  { name, kind: Type.Literal('oidc', { description: 'OpenID Connect.' }), issuer, client_id, ...Type.Partial(Type.Object(others)).properties },
  { $id: 'IdentityProviderCreateRequest', description: 'An identity provider to create.' },
)
export type IdentityProviderCreateRequest = Static<typeof IdentityProviderCreateRequest>

export const IdentityProviderUpdateRequest = Type.Partial(Type.Object(settings), { $id: 'IdentityProviderUpdateRequest', description: 'The fields to update.' })
export type IdentityProviderUpdateRequest = Static<typeof IdentityProviderUpdateRequest>

const { client_secret: _, name: __, ...shown } = settings

export const IdentityProviderRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization.' }),
    name: Type.String({ examples: ['Company login'], description: 'Name of the provider, which people see when they log in.' }),
    kind: Type.Literal('oidc', { description: 'OpenID Connect.' }),
    ...shown,
    has_client_secret: Type.Boolean({ description: 'Whether a client secret is stored.' }),
    client_secret_set_at: nullable(Type.String({ format: 'date-time' }), 'When the client secret was last sent; null: there is none.'),
    redirect_uri: Type.String({
      examples: [`https://content.example.com/api/v1/sso/oidc/callback?provider_id=${EXAMPLE_ID}`],
      description: 'The redirect URI to register at the provider.',
    }),
    created_at: fields.timestamp('When it was created.'),
    updated_at: fields.timestamp('When it was last updated.'),
  },
  { $id: 'IdentityProviderRecord', description: 'An identity provider, without its secret.' },
)
export type IdentityProviderRecord = Static<typeof IdentityProviderRecord>

const FindingRecord = Type.Object(
  {
    code: Type.String({ examples: ['oidc_issuer_mismatch'], description: 'What was found; for an error the code that a login would end with.' }),
    message: Type.String({
      examples: ['The identity provider names another issuer than the one that is configured.'],
      description: 'What was found, in the language of the request.',
    }),
    hint: nullable(
      Type.String({ examples: ['Set issuer to details.found if that is your provider; every character counts, a trailing slash too.'] }),
      'What to do; null: the message says it.',
    ),
    path: nullable(Type.String({ examples: ['/issuer'] }), 'Field of the provider that probably has to change, as a JSON pointer; null: none.'),
    details: Type.Object(
      {},
      {
        additionalProperties: Type.Union([Type.String(), Type.Number()]),
        examples: [{ expected: 'https://login.example.com', found: 'https://login.example.com/' }],
        description: 'What the hint refers to: `endpoint`, `failure`, `status`, `field`, `expected`, `found`, `error` or `check`.',
      },
    ),
  },
  { $id: 'IdentityProviderFinding', description: 'What a validation of an identity provider found.' },
)

const endpoint = (example: string, description: string) => nullable(Type.String({ examples: [example] }), `${description}; null: the metadata could not be read.`)

export const IdentityProviderValidationResult = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether there are no errors.' }),
    issuer: endpoint('https://login.example.com', 'Issuer that the metadata names'),
    authorization_endpoint: endpoint('https://login.example.com/authorize', 'Where people log in'),
    token_endpoint: endpoint('https://login.example.com/token', 'Where codes are redeemed'),
    jwks_uri: endpoint('https://login.example.com/keys', 'Where the keys are'),
    warnings: Type.Array(FindingRecord, { description: 'What may be unintended.' }),
    errors: Type.Array(FindingRecord, { description: 'Why logins would fail.' }),
  },
  { $id: 'IdentityProviderValidationResult', description: 'The result of trying an identity provider.' },
)
