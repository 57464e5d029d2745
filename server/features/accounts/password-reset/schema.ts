/** Requests and answers of password resets. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'

export const PasswordResetRequest = Type.Object(
  { email: fields.email('E-mail address of the user who forgot the password.') },
  { $id: 'PasswordResetRequest', description: 'The user who requests a password reset.' },
)

export const PasswordResetConfirmation = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 256, description: 'Token from the mail.' }),
    new_password: fields.newPassword('The new password.'),
  },
  { $id: 'PasswordResetConfirmation', description: 'A token and the new password.' },
)
export type PasswordResetConfirmation = Static<typeof PasswordResetConfirmation>

export const PasswordResetResponse = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { $id: 'PasswordResetResponse', description: 'The request is accepted.' },
)
