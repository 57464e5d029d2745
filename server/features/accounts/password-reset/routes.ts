/** `/auth/password-reset`. */
import { PUBLIC, type Route, routesOf } from '../../../core/http/route.js'
import { PasswordResetConfirmation, PasswordResetRequest, PasswordResetResponse } from './schema.js'
import type { PasswordResetService } from './service.js'

const defineRoute = routesOf('Account')

export function passwordResetRoutes(service: PasswordResetService): readonly Route[] {
  return [
    defineRoute({
      id: 'auth.request-password-reset',
      method: 'POST',
      path: '/auth/password-reset/request',
      summary: 'Request a password reset',
      description:
        'Mails a token to the user. The answer is always `ok`, also for an unknown e-mail or after 5 mails in an hour, so that it does not reveal whether an account exists.',
      access: PUBLIC,
      body: { as: 'json', schema: PasswordResetRequest },
      bodyExamples: { forgotten: { email: 'ana@example.com' } },
      responses: { 200: { description: 'The request is accepted.', schema: PasswordResetResponse } },
      handle: async (request) => {
        await service.request(request.body.email, request)
        return { body: { status: 'ok' } }
      },
    }),
    defineRoute({
      id: 'auth.confirm-password-reset',
      method: 'POST',
      path: '/auth/password-reset/confirm',
      summary: 'Confirm a password reset',
      description: 'A token can be used once. All sessions of the user end, and the counter of failed logins is cleared.',
      access: PUBLIC,
      body: { as: 'json', schema: PasswordResetConfirmation },
      bodyExamples: { confirm: { token: 'the-token-of-the-mail', new_password: 'another long passphrase' } },
      responses: { 200: { description: 'The password is set.', schema: PasswordResetResponse } },
      errors: ['reset_token_invalid', 'overloaded'],
      handle: async (request) => {
        await service.confirm(request.body, request)
        return { body: { status: 'ok' } }
      },
    }),
  ]
}
