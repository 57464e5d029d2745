/** `/auth/me/password` and `/auth/me/second-factor`. */
import { noContent, type Route, routesOf, USER } from '../../../core/http/route.js'
import { PasswordChangeRequest, PasswordChangeResponse, RecoveryCodes, SecondFactorCodeRequest, SecondFactorRecord, SecondFactorSetup, SecondFactorSetupRequest } from './schema.js'
import type { CredentialsService } from './service.js'

const defineRoute = routesOf('Account')
const SECOND_FACTOR = '/auth/me/second-factor'
const CODE = { code: { code: '123456' } }
const PASSWORD_ERRORS = ['password_session_required', 'password_wrong', 'login_throttled', 'account_throttled', 'address_throttled', 'edit_conflict', 'overloaded'] as const
const CODE_ERRORS = ['password_session_required', 'code_wrong', 'second_factor_absent', 'login_throttled', 'second_factor_throttled', 'address_throttled', 'edit_conflict'] as const
const CODES = { 200: { description: 'The recovery codes.', schema: RecoveryCodes } } as const

export function credentialRoutes(credentials: CredentialsService): readonly Route[] {
  return [
    defineRoute({
      id: 'auth.update-password',
      method: 'POST',
      path: '/auth/me/password',
      summary: 'Update the password',
      description:
        'Needs the current password; attempts count as logins. Ends all other sessions of the user, and invalidates mailed tokens of password resets. Sessions of an identity provider are answered 403.',
      access: USER,
      body: { as: 'json', schema: PasswordChangeRequest },
      bodyExamples: { change: { current_password: 'a long passphrase', new_password: 'another long passphrase' } },
      responses: { 200: { description: 'The password is stored.', schema: PasswordChangeResponse } },
      errors: PASSWORD_ERRORS,
      handle: async (request) => {
        await credentials.changePassword(request, request.body)
        return { body: { status: 'ok' } }
      },
    }),
    defineRoute({
      id: 'second-factor.get',
      method: 'GET',
      path: SECOND_FACTOR,
      summary: 'Get the second factor',
      description: 'Whether logins with the password need a code, and how many recovery codes are left.',
      access: USER,
      responses: { 200: { description: 'The second factor.', schema: SecondFactorRecord } },
      handle: async ({ principal }) => {
        const { enabledAt, recoveryCodesLeft } = await credentials.secondFactor(principal)
        return { body: { enabled: enabledAt !== null, enabled_at: enabledAt?.toISOString() ?? null, recovery_codes_left: recoveryCodesLeft } }
      },
    }),
    defineRoute({
      id: 'second-factor.create',
      method: 'POST',
      path: SECOND_FACTOR,
      summary: 'Create a second factor',
      description:
        'Creates a secret for an authenticator (TOTP: SHA-1, 6 digits, 30 seconds). Logins need a code once the secret is confirmed, within 15 minutes. Another call replaces a secret that was not confirmed. Needs the password; attempts count as logins. Sessions of an identity provider are answered 403.',
      access: USER,
      body: { as: 'json', schema: SecondFactorSetupRequest },
      bodyExamples: { begin: { password: 'a long passphrase' } },
      responses: { 200: { description: 'The secret.', schema: SecondFactorSetup } },
      errors: [...PASSWORD_ERRORS, 'second_factor_enabled'],
      handle: async (request) => {
        const { secret, uri } = await credentials.begin(request, request.body.password)
        return { body: { secret, otpauth_uri: uri } }
      },
    }),
    defineRoute({
      id: 'second-factor.confirm',
      method: 'POST',
      path: `${SECOND_FACTOR}/confirm`,
      summary: 'Confirm a second factor',
      description:
        'Enables the second factor with a code of the authenticator, and ends all other sessions of the user. This session counts as one with a second factor. Answers 10 recovery codes, which are shown once.',
      access: USER,
      body: { as: 'json', schema: SecondFactorCodeRequest },
      bodyExamples: CODE,
      responses: CODES,
      errors: CODE_ERRORS,
      handle: async (request) => ({ body: { recovery_codes: [...(await credentials.confirm(request, request.body.code))] } }),
    }),
    defineRoute({
      id: 'second-factor.rotate-recovery-codes',
      method: 'POST',
      path: `${SECOND_FACTOR}/recovery-codes`,
      summary: 'Replace the recovery codes',
      description: 'Answers 10 new recovery codes, which are shown once; earlier ones become invalid. Needs a code.',
      access: USER,
      body: { as: 'json', schema: SecondFactorCodeRequest },
      bodyExamples: CODE,
      responses: CODES,
      errors: CODE_ERRORS,
      handle: async (request) => ({ body: { recovery_codes: [...(await credentials.renewRecoveryCodes(request, request.body.code))] } }),
    }),
    defineRoute({
      id: 'second-factor.delete',
      // Not DELETE: the code belongs in a body, and a DELETE has none.
      method: 'POST',
      path: `${SECOND_FACTOR}/remove`,
      summary: 'Remove the second factor',
      description: 'Needs a code. Ends all other sessions of the user; this session no longer counts as one with a second factor.',
      access: USER,
      body: { as: 'json', schema: SecondFactorCodeRequest },
      bodyExamples: CODE,
      responses: { 204: { description: 'The account has no second factor.', schema: null } },
      errors: CODE_ERRORS,
      handle: (request) => noContent(credentials.remove(request, request.body.code)),
    }),
  ]
}
