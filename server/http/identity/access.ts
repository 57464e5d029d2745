/**
 * Who calls, for which organization, and whether they may: the order in which a route's `access` is held. Of several credentials the first of
 * `X-API-Key`, `Authorization`, cookie is the caller's; when it is wrong the next is not tried, so that a wrong key never passes by a cookie.
 */
import { KEY_PREFIX } from '../../auth/api-keys.js'
import { SESSION_COOKIE } from '../../auth/cookies.js'
import type { Authenticate, Credential } from '../../auth/credentials.js'
import type { Permission } from '../../tenancy/permissions.js'
import type { Principal } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import { readCookie } from './cookies.js'
import type { Exchange, Middleware } from '../exchange.js'
import type { Access, Route } from '../route.js'

/** No key or token of ours is longer. What is longer is not hashed, and not looked for. */
const CREDENTIAL_LIMIT = 4096
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i
const API_KEY = /^[A-Za-z0-9_]+$/
const COOKIE_TOKEN = /^[A-Za-z0-9._-]+$/
const ORGANIZATION_LIMIT = 128

/** Sets the exchange's caller. */
export function authenticate(route: Route, check: Authenticate): Middleware {
  const { access } = route
  const hasOrganization = route.path.includes('{organization_id}')
  return async ({ state }, next) => {
    const credential = readCredential(state)
    if (credential === null) throw new ApiError('credential_missing')
    if (credential.kind === 'api_key' && !takesKeys(access)) throw new ApiError('session_required')
    const path = hasOrganization ? (state.params as { readonly organization_id: string }).organization_id : null
    const header = state.header('x-org-id') ?? null
    if (header !== null && (header === '' || header.length > ORGANIZATION_LIMIT)) throw new ApiError('organization_not_yours')
    state.caller = await check(credential, { path, header, evenSuspended: route.evenSuspended === true })
    return next()
  }
}

/** What a user's role in a project allows; null: the user has none there, or there is no such project in that organization. */
export type ProjectPermissions = (organizationId: string, projectId: string, userId: string) => Promise<ReadonlySet<Permission> | null>

/** Refuses who may not. */
export function authorize({ access }: Route, projectPermissions: ProjectPermissions): Middleware {
  const widens = access.kind === 'permission' && access.inProject === true ? access.permission : null
  return ({ state }, next) => {
    const caller = state.caller as Principal
    if (widens !== null && caller.kind === 'user' && caller.organizationId !== null && !caller.permissions.has(widens)) {
      // Asked only where the organization's role is not enough: most requests pay nothing for it.
      const { project_id } = state.params as { readonly project_id: string }
      return projectPermissions(caller.organizationId, project_id, caller.userId).then((given) => {
        if (given?.has(widens) !== true) requireAccess(access, caller)
        return next()
      })
    }
    requireAccess(access, caller)
    return next()
  }
}

function requireAccess(access: Access, caller: Principal): void {
  // The credential's own kind was looked at already; this is what it turned out to be.
  if (!takesKeys(access) && caller.kind !== 'user') throw new ApiError('session_required')
  switch (access.kind) {
    case 'platform_admin':
      if (caller.kind !== 'user' || !caller.isPlatformAdmin) throw new ApiError('platform_admin_required')
      return
    case 'session':
      if (caller.organizationId === null) throw new ApiError('organization_missing')
      return
    case 'permission':
      if (caller.organizationId === null) throw new ApiError('organization_missing')
      if (!caller.permissions.has(access.permission)) throw new ApiError('permission_missing', { params: { permission: access.permission } })
      return
    default:
      return
  }
}

function takesKeys({ kind }: Access): boolean {
  return kind === 'permission' || kind === 'credential' || kind === 'public'
}

/** What the request shows of who it is; null: nothing. @throws ApiError credential_invalid for what can be no credential */
export function readCredential(request: Pick<Exchange, 'header'>): Credential | null {
  const key = request.header('x-api-key')
  if (key !== undefined) {
    if (key.length > CREDENTIAL_LIMIT || !API_KEY.test(key)) throw new ApiError('credential_invalid')
    return { kind: 'api_key', key }
  }
  const authorization = request.header('authorization')
  if (authorization !== undefined) {
    const token = authorization.length > CREDENTIAL_LIMIT ? undefined : BEARER.exec(authorization)?.[1]
    if (token === undefined) throw new ApiError('credential_invalid')
    return token.startsWith(KEY_PREFIX) ? { kind: 'api_key', key: token } : { kind: 'token', token, via: 'bearer' }
  }
  const cookie = readCookie(request.header('cookie'), SESSION_COOKIE)
  if (cookie === null) return null
  if (cookie.length > CREDENTIAL_LIMIT || !COOKIE_TOKEN.test(cookie)) throw new ApiError('credential_invalid')
  return { kind: 'token', token: cookie, via: 'cookie' }
}
