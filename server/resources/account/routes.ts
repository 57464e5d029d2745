/** `/auth`: bootstrap, registration, login, the own account. */
import { NO_SESSION_COOKIE } from '../../auth/cookies.js'
import { presentSession, sessionOpened } from '../../auth/records.js'
import { defineRoute, PUBLIC, type Route, USER } from '../../http/route.js'
import { AuthBootstrapRequest, AuthSessionResponse, BootstrapStatusResponse, LocaleRequest, LoggedOutResponse, LoginRequest, OkResponse } from './schema.js'
import type { AccountService } from './service.js'

const TAG = 'Account'
const SESSION_OPENED = { 200: { description: 'The session; its token is set as the cookie `service_session` as well.', schema: AuthSessionResponse } } as const
const FOUNDER = {
  organization_name: 'Example Security',
  organization_description: 'Detection content of the SOC',
  email: 'ana@example.com',
  display_name: 'Ana',
  password: 'a long passphrase',
}

export function accountRoutes(account: AccountService): readonly Route[] {
  return [
    defineRoute({
      id: 'auth.bootstrap',
      method: 'POST',
      path: '/auth/bootstrap',
      tag: TAG,
      summary: 'Create the first organization and its administrator',
      description: 'Works once, on an empty instance. The user becomes org_admin of the organization and a platform admin, and a session is opened.',
      access: PUBLIC,
      body: { as: 'json', schema: AuthBootstrapRequest },
      bodyExamples: { first: FOUNDER },
      responses: SESSION_OPENED,
      errors: ['bootstrap_done', 'overloaded'],
      handle: async (request) => sessionOpened(await account.bootstrap(request.body, request), account.sessionTtlSeconds),
    }),
    defineRoute({
      id: 'auth.get-bootstrap-status',
      method: 'GET',
      path: '/auth/bootstrap-status',
      tag: TAG,
      summary: 'Get whether bootstrap and registration are open',
      description: 'For a page that has to know which form to show.',
      access: PUBLIC,
      responses: { 200: { description: 'How one may begin.', schema: BootstrapStatusResponse } },
      handle: async () => {
        const { bootstrapAvailable, registrationEnabled } = await account.bootstrapStatus()
        return { body: { bootstrap_available: bootstrapAvailable, registration_enabled: registrationEnabled } }
      },
    }),
    defineRoute({
      id: 'auth.register-organization',
      method: 'POST',
      path: '/auth/register-organization',
      tag: TAG,
      summary: 'Register an organization',
      description:
        'Makes an organization and its org_admin, and opens a session. Only where self-signup is enabled (`NATIVE_SERVICE_SELF_SIGNUP_ENABLED`); at most 10 attempts an hour and address. A registration on an empty instance ends its bootstrap.',
      access: PUBLIC,
      rateLimit: 'auth.register',
      body: { as: 'json', schema: AuthBootstrapRequest },
      bodyExamples: { register: FOUNDER },
      responses: SESSION_OPENED,
      errors: ['signup_disabled', 'signup_throttled', 'email_taken', 'overloaded'],
      handle: async (request) => sessionOpened(await account.registerOrganization(request.body, request), account.sessionTtlSeconds),
    }),
    defineRoute({
      id: 'auth.login',
      method: 'POST',
      path: '/auth/login',
      tag: TAG,
      summary: 'Log in with e-mail and password',
      description:
        "At most 5 attempts in 15 minutes for an e-mail and address together; a success clears them. At most 20 failures an hour for an e-mail, from all addresses together, until its password is reset; and 100 an hour from an address, with all e-mails together. Without `organization_id` the session is in the organization that the user began with, or when that is suspended in the oldest other one. An `organization_id` that is not one of the user's is answered 403.",
      access: PUBLIC,
      rateLimit: 'auth.login',
      body: { as: 'json', schema: LoginRequest },
      bodyExamples: { login: { email: FOUNDER.email, password: FOUNDER.password } },
      responses: SESSION_OPENED,
      errors: ['login_failed', 'user_inactive', 'organization_suspended', 'organization_not_yours', 'login_throttled', 'account_throttled', 'address_throttled', 'overloaded'],
      handle: async (request) => sessionOpened(await account.login(request.body, request), account.sessionTtlSeconds),
    }),
    defineRoute({
      id: 'auth.get-session',
      method: 'GET',
      path: '/auth/me',
      tag: TAG,
      summary: 'Get the session and its user',
      description: '`access_token` is `cookie-session` when the request came with the cookie.',
      access: USER,
      responses: { 200: { description: 'The session.', schema: AuthSessionResponse } },
      handle: async ({ principal }) => ({ body: presentSession(await account.me(principal)) }),
    }),
    defineRoute({
      id: 'auth.update-locale',
      method: 'PATCH',
      path: '/auth/me/locale',
      tag: TAG,
      summary: 'Update the preferred language',
      description: 'It counts where a request has no `x-locale`, and for mail. Null clears it.',
      access: USER,
      body: { as: 'json', schema: LocaleRequest },
      bodyExamples: { english: { locale: 'en' }, none: { locale: null } },
      responses: { 200: { description: 'It is set.', schema: OkResponse } },
      handle: async (request) => {
        await account.setLocale(request, request.body.locale)
        return { body: { status: 'ok' } }
      },
    }),
    defineRoute({
      id: 'auth.logout',
      method: 'POST',
      path: '/auth/logout',
      tag: TAG,
      summary: 'Log out',
      description: 'The token is worth nothing from then on, and the cookie is cleared.',
      access: USER,
      evenSuspended: true,
      responses: { 200: { description: 'The session is over.', schema: LoggedOutResponse } },
      handle: async (request) => {
        await account.logout(request)
        return { body: { status: 'logged_out' }, cookies: [NO_SESSION_COOKIE] }
      },
    }),
  ]
}
