/** `/auth/password-reset`. */
import { defineRoute, PUBLIC, type Route } from '../../http/route.js'
import { PasswordResetConfirmation, PasswordResetRequest, PasswordResetResponse } from './schema.js'
import type { PasswordResetService } from './service.js'

const TAG = 'Account'

export function passwordResetRoutes(service: PasswordResetService): readonly Route[] {
  return [
    defineRoute({
      id: 'auth.request-password-reset',
      method: 'POST',
      path: '/auth/password-reset/request',
      tag: TAG,
      summary: 'Request a password reset',
      description: 'Always answered `ok`, also for an e-mail that nobody has, or that has asked too often (5 mails an hour).',
      access: PUBLIC,
      body: { as: 'json', schema: PasswordResetRequest },
      bodyExamples: { forgotten: { email: 'ana@example.com' } },
      responses: { 200: { description: 'Taken.', schema: PasswordResetResponse } },
      handle: async (request) => {
        await service.request(request.body.email, request)
        return { body: { status: 'ok' } }
      },
    }),
    defineRoute({
      id: 'auth.confirm-password-reset',
      method: 'POST',
      path: '/auth/password-reset/confirm',
      tag: TAG,
      summary: 'Confirm a password reset',
      description: 'A token works once. All sessions of the user end, and the count of failed logins is cleared.',
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
