/** Requests and answers of `/auth`: bootstrap, registration, login, the caller's account. */
import Type, { type Static } from 'typebox'
import { AuthSessionResponse, fields } from '../../../core/auth/records.js'
import { PASSWORD_MAX_CHARACTERS } from '../../../core/auth/password.js'
import { CODE_CHARACTERS } from '../../../core/auth/second-factors.js'
import { LOCALE_PREFERENCES } from '../../../core/i18n/locale.js'
import { nullable } from '../../../core/nullable.js'

export { AuthSessionResponse }

export const AuthBootstrapRequest = Type.Object(
  {
    organization_name: fields.name('Name of the new organization.'),
    organization_description: Type.Optional(fields.text(2000, 'Description of the organization. Default: empty.')),
    email: fields.email("The first user's e-mail address. Case does not matter."),
    display_name: fields.name("The first user's name."),
    password: fields.newPassword("The first user's password."),
  },
  { $id: 'AuthBootstrapRequest', description: 'A new organization and the user who becomes its org_admin.' },
)
export type AuthBootstrapRequest = Static<typeof AuthBootstrapRequest>

export const BootstrapStatusResponse = Type.Object(
  {
    bootstrap_available: Type.Boolean({ description: 'The instance is empty, so `POST /auth/bootstrap` is available.' }),
    registration_enabled: Type.Boolean({ description: 'Self-signup is enabled, so `POST /auth/register-organization` is available.' }),
  },
  { $id: 'BootstrapStatusResponse', description: 'Which ways to create an organization are available.' },
)

export const LoginRequest = Type.Object(
  {
    email: fields.email('E-mail address. Case does not matter.'),
    password: Type.String({ minLength: 1, maxLength: PASSWORD_MAX_CHARACTERS, description: 'Password.' }),
    organization_id: Type.Optional(fields.id('The organization of the session. Default: the default organization of the user, else that of the oldest membership.')),
  },
  { $id: 'LoginRequest', description: 'Credentials of a user.' },
)
export type LoginRequest = Static<typeof LoginRequest>

export const SecondFactorLoginRequest = Type.Object(
  {
    challenge: Type.String({ minLength: 1, maxLength: 256, examples: ['kQ8s1VnJ0…'], description: '`details.challenge` of the login.' }),
    code: Type.String({ minLength: 1, maxLength: CODE_CHARACTERS, examples: ['123456'], description: 'Code of the authenticator, or a recovery code.' }),
  },
  { $id: 'SecondFactorLoginRequest', description: 'The second step of a login.' },
)
export type SecondFactorLoginRequest = Static<typeof SecondFactorLoginRequest>

export const LocaleRequest = Type.Object(
  {
    locale: nullable(Type.Enum([...LOCALE_PREFERENCES]), 'Language of messages; `en` means en-US. Null: no preference, so `Accept-Language` decides.'),
  },
  { $id: 'LocaleRequest', description: "The user's preferred language." },
)
export type LocaleRequest = Static<typeof LocaleRequest>

export const OkResponse = Type.Object({ status: Type.Literal('ok', { description: 'Always `ok`.' }) }, { $id: 'OkResponse', description: 'The request succeeded.' })
export const LoggedOutResponse = Type.Object(
  { status: Type.Literal('logged_out', { description: 'Always `logged_out`.' }) },
  { $id: 'LoggedOutResponse', description: 'The session has ended.' },
)
