/** Sign-in to a service under test through an OpenID provider, as a browser does it. */
import assert from 'node:assert/strict'
import { SESSION_COOKIE } from '../../../server/core/auth/cookies.js'
import type { Actor } from '../actors.js'
import type { Refusal } from '../client.js'
import type { OpenidAccount, OpenidProvider, RegisteredClient } from './provider.js'
import type { Page, UserAgent } from './user-agent.js'

/** The providers of tests are on this machine. */
export const PRIVATE_TARGETS = { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' }

/** A provider as an organization has stored it. */
export interface LinkedProvider {
  readonly id: string
  readonly openid: OpenidProvider
  readonly registered: RegisteredClient
  /** Path of the provider's record in the service. */
  readonly path: string
}

export interface ProviderRecord {
  readonly id: string
  readonly name: string
  readonly issuer: string
}

export const providersOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/identity-providers`

export function callbackOf(origin: string, providerId: string): string {
  return `${origin}/api/v1/sso/oidc/callback?provider_id=${providerId}`
}

/** Stores a provider in the admin's organization, and its callback at the provider. @param origins of further instances */
export async function linkProvider(admin: Actor, openid: OpenidProvider, fields: object = {}, origins: readonly string[] = []): Promise<LinkedProvider> {
  const registered = await openid.register()
  const { clientId: client_id, clientSecret: client_secret } = registered
  const { status, body, text } = await admin.client.post<ProviderRecord>(providersOf(admin), {
    name: openid.name,
    kind: 'oidc',
    issuer: openid.issuer,
    client_id,
    client_secret,
    scopes: ['email', 'profile', 'groups'],
    default_role: 'engineer',
    ...fields,
  })
  assert.equal(status, 200, text)
  const path = `${providersOf(admin)}/${body.id}`
  await registered.redirectTo(...[admin.client.origin, ...origins].map((origin) => callbackOf(origin, body.id)))
  if (registered.clientSecret !== client_secret) {
    const patched = await admin.client.patch(path, { client_secret: registered.clientSecret })
    assert.equal(patched.status, 200, patched.text)
  }
  return { id: body.id, openid, registered, path }
}

export interface BegunSignIn {
  readonly authorizationUrl: URL
  readonly state: string
}

export function loginPath({ id }: Pick<LinkedProvider, 'id'>, redirectPath?: string): string {
  return `/api/v1/sso/oidc/${id}/login${redirectPath === undefined ? '' : `?redirect_path=${encodeURIComponent(redirectPath)}`}`
}

export const JSON_ANSWER = { Accept: 'application/json', 'x-locale': 'en-US' }

export async function beginSignIn(agent: UserAgent, origin: string, provider: Pick<LinkedProvider, 'id'>, redirectPath?: string): Promise<BegunSignIn> {
  const page = await agent.request(`${origin}${loginPath(provider, redirectPath)}`, { headers: JSON_ANSWER })
  assert.equal(page.status, 200, page.text)
  const { authorization_url, state } = JSON.parse(page.text) as { authorization_url: string; state: string }
  return { authorizationUrl: new URL(authorization_url), state }
}

/** Begins, and signs in at the provider. @returns the address of the callback, which was not requested yet */
export async function signInAtProvider(agent: UserAgent, origin: string, provider: LinkedProvider, account: OpenidAccount, redirectPath?: string): Promise<URL> {
  const { authorizationUrl } = await beginSignIn(agent, origin, provider, redirectPath)
  return provider.openid.signIn(agent, authorizationUrl, account)
}

/** Requests the callback, as the redirect of the provider does. @param headers default: those of a program, so that a refusal is JSON */
export function requestCallback(agent: UserAgent, provider: LinkedProvider, callback: URL, headers: Readonly<Record<string, string>> = JSON_ANSWER): Promise<Page> {
  return agent.request(callback, { from: new URL(provider.openid.issuer), headers })
}

/** The whole sign-in. @returns the answer of the callback */
export async function signIn(agent: UserAgent, origin: string, provider: LinkedProvider, account: OpenidAccount, redirectPath?: string): Promise<Page> {
  return requestCallback(agent, provider, await signInAtProvider(agent, origin, provider, account, redirectPath))
}

/** Asserts that a sign-in has ended with a session. @returns the token of the session */
export function signedIn(agent: UserAgent, page: Page): string {
  assert.equal(page.status, 302, page.text)
  return agent.cookie(page.url, SESSION_COOKIE) ?? assert.fail('no session cookie')
}

/** Asserts that a sign-in was refused without a session. */
export function notSignedIn(agent: UserAgent, page: Page, status: number): Refusal {
  assert.equal(page.status, status, page.text)
  assert.equal(page.redirect, null)
  assert.equal(agent.cookie(page.url, SESSION_COOKIE), undefined)
  assert.ok(!page.headers.getSetCookie().some((line) => line.startsWith(`${SESSION_COOKIE}=`) && !line.startsWith(`${SESSION_COOKIE}=;`)))
  return JSON.parse(page.text) as Refusal
}
