/** Requests and answers about the password and the second factor of the caller. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { PASSWORD_MAX_CHARACTERS } from '../../../core/auth/password.js'
import { CODE_CHARACTERS } from '../../../core/auth/second-factors.js'
import { nullable } from '../../../core/nullable.js'

const password = (description: string) => Type.String({ minLength: 1, maxLength: PASSWORD_MAX_CHARACTERS, description })

export const PasswordChangeRequest = Type.Object(
  { current_password: password('The password of the account.'), new_password: fields.newPassword('The new password.') },
  { $id: 'PasswordChangeRequest', description: 'A new password.' },
)
export type PasswordChangeRequest = Static<typeof PasswordChangeRequest>

export const PasswordChangeResponse = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { $id: 'PasswordChangeResponse', description: 'The new password is stored.' },
)

export const SecondFactorRecord = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Logins with the password need a code.' }),
    enabled_at: nullable(fields.timestamp('When it was enabled.'), 'When it was enabled; null: it is not.'),
    recovery_codes_left: Type.Integer({ minimum: 0, examples: [10], description: 'Recovery codes that were not used yet.' }),
  },
  { $id: 'SecondFactorRecord', description: 'The second factor of a user.' },
)

export const SecondFactorSetupRequest = Type.Object(
  { password: password('The password of the account.') },
  { $id: 'SecondFactorSetupRequest', description: 'A second factor to set up.' },
)

export const SecondFactorSetup = Type.Object(
  {
    secret: Type.String({ examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'], description: 'The secret in base32, to type into an authenticator.' }),
    otpauth_uri: Type.String({
      examples: ['otpauth://totp/Detection%20Content:ana%40example.com?issuer=Detection%20Content&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30'],
      description: 'The same as a URI, which authenticators read as a QR code.',
    }),
  },
  { $id: 'SecondFactorSetup', description: 'A secret for an authenticator. It is in no later answer.' },
)

export const SecondFactorCodeRequest = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: CODE_CHARACTERS,
      examples: ['123456'],
      description: 'Code of the authenticator. Except for a confirmation, a recovery code is valid too.',
    }),
  },
  { $id: 'SecondFactorCodeRequest', description: 'A code of the second factor.' },
)

export const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String({ examples: ['MFRG-GZDF-MZTW-Q2LK'], description: 'A code that is valid once.' }), { description: 'All valid recovery codes.' }) },
  { $id: 'RecoveryCodes', description: 'Codes for a lost device. They are in no later answer.' },
)
