/** `/auth`: bootstrap, registration, login, the caller's account. */
import { NO_SESSION_COOKIE } from '../../../core/auth/cookies.js'
import { presentSession, sessionOpened } from '../../../core/auth/records.js'
import { defineRoute, OPTIONAL_SESSION, PUBLIC, type Route, USER } from '../../../core/http/route.js'
import type { PublicAddress } from '../../../core/public-address.js'
import {
  AuthBootstrapRequest,
  AuthSessionResponse,
  BootstrapStatusResponse,
  LocaleRequest,
  LoggedOutResponse,
  LoginRequest,
  OkResponse,
  SecondFactorLoginRequest,
} from './schema.js'
import type { AccountService } from './service.js'

const TAG = 'Account'
const SESSION_OPENED = { 200: { description: 'The session. Its token is also set as the cookie `service_session`.', schema: AuthSessionResponse } } as const
const FOUNDER = {
  organization_name: 'Example Security',
  organization_description: 'Detection content of the SOC',
  email: 'ana@example.com',
  display_name: 'Ana',
  password: 'a long passphrase',
}

export function accountRoutes(account: AccountService, address: Pick<PublicAddress, 'pages'>): readonly Route[] {
  return [
    defineRoute({
      id: 'auth.bootstrap',
      method: 'POST',
      path: '/auth/bootstrap',
      tag: TAG,
      summary: 'Create the first organization and its administrator',
      description: 'Works once, on an empty instance. Creates the organization and a user, who is its org_admin and a platform admin, and opens a session.',
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
      description: 'A login page uses it to choose the form to show.',
      access: PUBLIC,
      responses: { 200: { description: 'Which ways to create an organization are available.', schema: BootstrapStatusResponse } },
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
        'Creates an organization and its org_admin, and opens a session. Available only if self-signup is enabled (`NATIVE_SERVICE_SELF_SIGNUP_ENABLED`). Limited to 10 attempts an hour for each address. After a registration on an empty instance, bootstrap is no longer available.',
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
        "Limited to 5 attempts in 15 minutes for each pair of e-mail and address; a successful login clears this counter. Limited to 20 failures an hour for each e-mail from all addresses, until its password is reset, and to 100 failures an hour for each address. Without `organization_id` the session uses the user's default organization, or the oldest other organization if that one is suspended or requires sign-in through its identity provider. If all of them require it, the answer is 403, `details.organization_id` names one of them, and `details.login_url` is the address of the login through its provider. An `organization_id` that the user does not belong to is answered 403. If the account has a second factor, the answer is 401 `second_factor_required`, with `details.challenge` for `POST /auth/login/second-factor`.",
      access: PUBLIC,
      rateLimit: 'auth.login',
      body: { as: 'json', schema: LoginRequest },
      bodyExamples: { login: { email: FOUNDER.email, password: FOUNDER.password } },
      responses: SESSION_OPENED,
      errors: [
        'login_failed',
        'second_factor_required',
        'user_inactive',
        'organization_suspended',
        'sso_required',
        'organization_not_yours',
        'login_throttled',
        'account_throttled',
        'address_throttled',
        'overloaded',
      ],
      handle: async (request) => sessionOpened(await account.login(request.body, request), account.sessionTtlSeconds),
    }),
    defineRoute({
      id: 'auth.login-with-second-factor',
      method: 'POST',
      path: '/auth/login/second-factor',
      tag: TAG,
      summary: 'Log in with the second factor',
      description:
        'Ends a login that answered 401 `second_factor_required`, with a code of the authenticator or a recovery code. A code counts once. A challenge opens one session, is valid for 5 minutes and for 5 codes, and ends with a change of the password or of the second factor. Each code also counts as an attempt to log in; wrong codes are limited to 10 an hour for each account from all addresses, and count as failures of the address.',
      access: PUBLIC,
      rateLimit: 'auth.login',
      body: { as: 'json', schema: SecondFactorLoginRequest },
      bodyExamples: { code: { challenge: 'the-challenge-of-the-login', code: '123456' } },
      responses: SESSION_OPENED,
      errors: [
        'challenge_invalid',
        'second_factor_wrong',
        'organization_suspended',
        'sso_required',
        'organization_not_yours',
        'login_throttled',
        'second_factor_throttled',
        'address_throttled',
        'overloaded',
      ],
      handle: async (request) => sessionOpened(await account.loginWithSecondFactor(request.body, request), account.sessionTtlSeconds),
    }),
    defineRoute({
      id: 'auth.get-session',
      method: 'GET',
      path: '/auth/me',
      tag: TAG,
      summary: 'Get the session and its user',
      description: '`access_token` is `cookie-session` if the request was authenticated by the cookie.',
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
      description: 'The language of mail, and of answers to requests without `x-locale`. Null clears the preference.',
      access: USER,
      body: { as: 'json', schema: LocaleRequest },
      bodyExamples: { english: { locale: 'en' }, none: { locale: null } },
      responses: { 200: { description: 'The preference is stored.', schema: OkResponse } },
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
      description: 'Ends the session: its token becomes invalid, and the cookie is cleared.',
      access: USER,
      evenSuspended: true,
      responses: { 200: { description: 'The session has ended.', schema: LoggedOutResponse } },
      handle: async (request) => {
        await account.logout(request.principal, request)
        return { body: { status: 'logged_out' }, cookies: [NO_SESSION_COOKIE] }
      },
    }),
    defineRoute({
      id: 'sso.logout',
      method: 'POST',
      path: '/sso/logout',
      tag: 'Single sign-on',
      summary: 'Log out of this service, and go to its home page',
      description:
        'For a form of a page: ends the session of the request, if there is one, clears the cookie, and redirects to `NATIVE_SERVICE_PUBLIC_BASE_URL`. The session at the identity provider goes on. Works for every session, also of a password. Refused if the page of another site sent the form.',
      access: OPTIONAL_SESSION,
      responses: { 302: { description: 'The session has ended, or there was none. `Location` is the home page.', schema: null } },
      handle: async (request) => {
        const { principal } = request
        if (principal !== null) await account.logout(principal, request)
        return { status: 302, headers: { Location: address.pages }, cookies: [NO_SESSION_COOKIE] }
      },
    }),
  ]
}
