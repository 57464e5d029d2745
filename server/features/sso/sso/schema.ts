/** Requests and answers of logins through identity providers. */
import Type from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'
import { REDIRECT_PATH_CHARACTERS } from '../../../core/redirect-path.js'

export const LoginParams = Type.Object({ provider_id: fields.id('The identity provider.') })

export const TestParams = Type.Object({ organization_id: fields.id('The organization.'), provider_id: fields.id('The identity provider.') })

export const LoginQuery = Type.Object({
  redirect_path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: REDIRECT_PATH_CHARACTERS,
      examples: ['/projects'],
      description: 'Where the browser goes after the login: an absolute path at `PUBLIC_BASE_URL`. Default: `/`.',
    }),
  ),
})

export const SsoLoginResponse = Type.Object(
  {
    authorization_url: Type.String({
      examples: ['https://login.example.com/authorize?client_id=detection-content&state=Zm9v'],
      description: 'The page of the provider at which the person logs in.',
    }),
    state: Type.String({ examples: ['Zm9vYmFyYmF6'], description: 'Identifies this login. It is part of the address, and valid once, in the browser that got the cookie.' }),
  },
  { $id: 'SsoLoginResponse', description: 'A login that begins.' },
)

/** Providers append parameters of their own, so that others are taken. */
export const CallbackQuery = Type.Object(
  {
    provider_id: Type.Optional(Type.String({ maxLength: 128, examples: [EXAMPLE_ID], description: 'The identity provider, as in the redirect URI.' })),
    state: Type.Optional(Type.String({ maxLength: 512, examples: ['Zm9vYmFyYmF6'], description: 'The state of the login.' })),
    code: Type.Optional(Type.String({ examples: ['SplxlOBeZQQYbYS6WxSbIA'], description: 'The authorization code.' })),
    error: Type.Optional(Type.String({ examples: ['access_denied'], description: 'Why the provider ended the login without a code (RFC 6749, 4.1.2.1).' })),
  },
  { additionalProperties: true },
)

const text = (example: string, description?: string) => Type.String({ examples: [example], ...(description === undefined ? {} : { description }) })

export const SsoTestReport = Type.Object(
  {
    provider_id: Type.String({ examples: [EXAMPLE_ID], description: 'The identity provider.' }),
    provider_name: Type.String({ examples: ['Company login'], description: 'Its name.' }),
    issuer: Type.String({ examples: ['https://login.example.com/realms/staff'], description: 'Issuer of the token.' }),
    subject: Type.String({ examples: ['248289761001'], description: 'Identifier of the person at the provider.' }),
    email: nullable(text('ana@example.com'), 'E-mail address; null: the provider gives none under `email_claim`.'),
    email_verified: nullable(Type.Boolean(), 'Whether the provider has verified it; null: it does not say.'),
    name: nullable(text('Ana'), 'Name; null: the provider gives none.'),
    claims: Type.Array(text('email'), { description: 'Names of all claims of the token and of userinfo.' }),
    groups: nullable(Type.Array(text('soc-leads')), 'Groups; null: they cannot be read.'),
    groups_status: Type.Enum(['read', 'not_requested', 'overage', 'malformed'], {
      description:
        '`read`: they were read. `not_requested`: the provider has no `groups_claim`. `overage`: there are too many for a token. `malformed`: the claim is neither a text nor a list of texts. With the last three, roles stay as they are.',
    }),
    outcome: Type.Enum(['linked', 'member', 'joined', 'created', 'refused'], {
      description:
        'What a login would do. `linked`: the account is linked already. `member`: the account is a member and is linked. `joined`: the account becomes a member. `created`: an account is created. `refused`: see `refusal`.',
    }),
    account: nullable(text('ana@example.com'), 'E-mail of the existing account; null: there is none, or the login is refused.'),
    role: nullable(fields.role('Role.'), 'Role in the organization after the login; null: the login is refused.'),
    project_roles: Type.Array(Type.Object({ project_id: text(EXAMPLE_ID, 'The project.'), role: fields.role('Role in the project.') }), {
      description: 'Roles in projects that groups assign.',
    }),
    refusal: nullable(
      Type.Object({
        code: text('forbidden', 'Code of the refusal.'),
        message: text('The identity provider has not verified your e-mail address.', 'What is wrong.'),
        hint: text('Verify the address.', 'What to do.'),
      }),
      'Why a login would be refused; null: it would not.',
    ),
  },
  { $id: 'SsoTestReport', description: 'What a provider sends, and what a login would do.' },
)
