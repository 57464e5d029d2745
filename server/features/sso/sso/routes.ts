/** `/sso/oidc`: logins through identity providers. */
import Type from 'typebox'
import { sessionCookie } from '../../../core/auth/cookies.js'
import { readCookie } from '../../../core/http/identity/cookies.js'
import { refusalPage } from '../../../core/http/pages/refusal-page.js'
import { HTML_TYPE } from '../../../core/http/response/send.js'
import { PUBLIC, type Route, routesOf, SESSION } from '../../../core/http/route.js'
import { CallbackQuery, LoginParams, LoginQuery, SsoLoginResponse, SsoTestReport, TestParams } from './schema.js'
import type { SsoService } from './service.js'
import { cookieName } from './states.js'
import { TEST_PAGE_POLICY, testPage } from './test-page.js'

const defineRoute = routesOf('Single sign-on')
/** Refusals that the gateway throws when it asks the provider for its addresses. */
const DISCOVERY_ERRORS = [
  'target_refused',
  'oidc_unreachable',
  'oidc_too_large',
  'oidc_answer_invalid',
  'oidc_issuer_mismatch',
  'oidc_endpoint_insecure',
  'oidc_unsupported',
] as const

export function ssoRoutes(sso: SsoService): readonly Route[] {
  return [
    defineRoute({
      id: 'sso.login',
      method: 'GET',
      path: '/sso/oidc/{provider_id}/login',
      summary: 'Begin a login through an identity provider',
      description:
        'Answers with the page of the provider at which the person logs in; where `Accept` prefers text/html, redirects the browser to it (302), and refusals are pages. A browser that a page of another site sends here gets a page with a link (403). Sets a cookie: only the browser that has it can end the login, within `NATIVE_SERVICE_SSO_STATE_TTL_SECONDS`. A `redirect_path` that could lead to another origin is 422. Limited to 600 logins in 10 minutes for each address.',
      access: PUBLIC,
      params: LoginParams,
      query: LoginQuery,
      responses: {
        200: { description: 'The login has begun.', schema: SsoLoginResponse },
        302: { description: 'The login has begun; the browser goes to the provider.', schema: null },
      },
      errors: ['sso_unconfirmed', 'resource_missing', 'sso_not_in_plan', 'rate_limited', 'credentials_unreadable', ...DISCOVERY_ERRORS],
      refusalPage,
      handle: async (request) => {
        const path = request.query.redirect_path ?? '/'
        if (request.prefersPage && request.header('sec-fetch-site') === 'cross-site') sso.requireOwnPage(request.header('referer'), request.params.provider_id, path)
        const { authorizationUrl, state, cookie } = await sso.begin(request.params.provider_id, path, request)
        request.setCookie(cookie)
        if (request.prefersPage) return { status: 302, headers: { Location: authorizationUrl } }
        return { body: { authorization_url: authorizationUrl, state } }
      },
    }),
    defineRoute({
      id: 'identity-providers.test',
      method: 'POST',
      path: '/platform/organizations/{organization_id}/identity-providers/{provider_id}/test',
      summary: 'Begin a test of an identity provider',
      description:
        'Any member may test. Answers with the page of the provider at which the member logs in, and sets the cookie that ends the test in the same browser. The callback then reports what the provider sends, and what a login would do; it opens no session and changes nothing. Counts as a login of the address.',
      access: SESSION,
      params: TestParams,
      query: LoginQuery,
      responses: { 200: { description: 'The test has begun.', schema: SsoLoginResponse } },
      errors: ['resource_missing', 'sso_not_in_plan', 'rate_limited', 'credentials_unreadable', ...DISCOVERY_ERRORS],
      handle: async (request) => {
        const { params, query, scope } = request
        const { authorizationUrl, state, cookie } = await sso.beginTest(scope, params.provider_id, query.redirect_path ?? '/', request)
        request.setCookie(cookie)
        return { body: { authorization_url: authorizationUrl, state } }
      },
    }),
    defineRoute({
      id: 'sso.accept-callback',
      method: 'GET',
      path: '/sso/oidc/callback',
      summary: 'End a login through an identity provider',
      description:
        "The redirect URI: the provider sends the browser here. The state ends with the request, with any answer. A first login links the identity to the account with its verified e-mail, or creates one; an account that is no member is linked only if the organization has proven the domain of the address. Opens a session of the provider's organization and redirects to `PUBLIC_BASE_URL` and the `redirect_path` of the login. The callback of a test (`POST {org}/identity-providers/{provider_id}/test`) answers 200 with its report instead. Reports and refusals are pages where `Accept` prefers text/html; `details.login_url` of a refusal is where the person begins again.",
      access: PUBLIC,
      query: CallbackQuery,
      responses: {
        200: {
          description: 'The report of a test.',
          schema: SsoTestReport,
          alternatives: [
            {
              mediaType: HTML_TYPE,
              schema: Type.String({ description: 'A page without scripts and external resources.' }),
              examples: { page: '<!doctype html>\n<html lang="en-US">…</html>\n' },
            },
          ],
        },
        302: { description: 'The session is open. Its token is the cookie `service_session`.', schema: null },
      },
      errors: [
        'sso_state_invalid',
        'sso_browser_other',
        'resource_missing',
        'credentials_unreadable',
        'sso_email_missing',
        'sso_email_unverified',
        'domain_unproven',
        'former_member',
        'user_inactive',
        'email_taken',
        'member_limit',
        'organization_limit',
        'plan_quota_exceeded',
        'edit_conflict',
        ...DISCOVERY_ERRORS,
        'oidc_login_refused',
        'oidc_login_canceled',
        'oidc_response_invalid',
        'oidc_client_refused',
        'oidc_code_refused',
        'oidc_exchange_refused',
        'oidc_token_invalid',
        'oidc_tenant_refused',
        'oidc_claim_refused',
        'oidc_userinfo_invalid',
      ],
      refusalPage,
      handle: async (request) => {
        const { state, provider_id: providerId } = request.query
        const name = state === undefined ? null : cookieName(state)
        if (name !== null) request.setCookie({ name, value: null })
        const cookie = name === null ? null : readCookie(request.header('cookie'), name)
        const ended = await sso.end({ providerId, state, query: request.query as Readonly<Record<string, string>>, cookie }, request)
        const { location } = ended
        if (ended.kind === 'session') return { status: 302, headers: { Location: location }, cookies: [sessionCookie(ended.token, sso.sessionTtlSeconds)] }
        if (!request.prefersPage) return { body: ended.report }
        const page = testPage(ended.report, location, request.locale)
        return { body: Buffer.from(page), mediaType: HTML_TYPE, headers: { 'Content-Security-Policy': TEST_PAGE_POLICY, 'Content-Language': request.locale } }
      },
    }),
  ]
}
