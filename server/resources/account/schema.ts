/** Requests and answers of `/auth`: bootstrap, registration, login, the own account. */
import Type, { type Static } from 'typebox'
import { AuthSessionResponse, fields } from '../../auth/records.js'
import { PASSWORD_MAX_CHARACTERS } from '../../auth/password.js'
import { LOCALE_PREFERENCES } from '../../i18n/locale.js'
import { nullable } from '../../nullable.js'

export { AuthSessionResponse }

export const AuthBootstrapRequest = Type.Object(
  {
    organization_name: fields.name('Name of the organization that is made.'),
    organization_description: Type.Optional(fields.text(2000, 'What the organization is for. Default: empty.')),
    email: fields.email("The first user's e-mail address; compared without case."),
    display_name: fields.name("The first user's name."),
    password: fields.newPassword("The first user's password."),
  },
  { $id: 'AuthBootstrapRequest', description: 'An organization, and the user who becomes its org_admin.' },
)
export type AuthBootstrapRequest = Static<typeof AuthBootstrapRequest>

export const BootstrapStatusResponse = Type.Object(
  {
    bootstrap_available: Type.Boolean({ description: 'The instance is empty: the first administrator may be made.' }),
    registration_enabled: Type.Boolean({ description: 'Anyone may register an organization.' }),
  },
  { $id: 'BootstrapStatusResponse', description: 'How one may begin.' },
)

export const LoginRequest = Type.Object(
  {
    email: fields.email('E-mail address; compared without case.'),
    password: Type.String({ minLength: 1, maxLength: PASSWORD_MAX_CHARACTERS, description: 'Password.' }),
    organization_id: Type.Optional(fields.id('The organization to work in, for users of several. Default: the one that the user began with, else the oldest membership.')),
  },
  { $id: 'LoginRequest', description: 'Who logs in.' },
)
export type LoginRequest = Static<typeof LoginRequest>

export const LocaleRequest = Type.Object(
  {
    locale: nullable(Type.Enum([...LOCALE_PREFERENCES]), 'Language of messages; `en` is en-US. Null: as the requests say.'),
  },
  { $id: 'LocaleRequest', description: 'The language that the user prefers.' },
)
export type LocaleRequest = Static<typeof LocaleRequest>

export const OkResponse = Type.Object({ status: Type.Literal('ok', { description: 'Always `ok`.' }) }, { $id: 'OkResponse', description: 'It is done.' })
export const LoggedOutResponse = Type.Object(
  { status: Type.Literal('logged_out', { description: 'Always `logged_out`.' }) },
  { $id: 'LoggedOutResponse', description: 'The session is over.' },
)
