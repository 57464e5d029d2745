/**
 * Checks who the caller is, for which organization, and whether the route's `access` permits the request. If a request has several credentials, only the first
 * of `X-API-Key`, `Authorization`, cookie is checked, so a valid cookie never replaces a wrong key.
 */
import { KEY_PREFIX, SCIM_TOKEN_PREFIX } from '../../auth/api-keys.js'
import { SESSION_COOKIE } from '../../auth/cookies.js'
import type { Authenticate, Credential } from '../../auth/credentials.js'
import type { Permission } from '../../tenancy/permissions.js'
import { type Caller, isVisitor } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import { readCookie } from './cookies.js'
import type { CheckSender } from './csrf.js'
import { type RecordVisit, visits } from './visits.js'
import type { RequestState, Middleware } from '../request-state.js'
import type { Access, Route } from '../route.js'

/** Longer than every valid key or token. Longer values are refused before they are hashed and looked up. */
const CREDENTIAL_LIMIT = 4096
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i
const API_KEY = /^[A-Za-z0-9_]+$/
const COOKIE_TOKEN = /^[A-Za-z0-9._-]+$/
const ORGANIZATION_LIMIT = 128

/** Sets the caller of the request. A program has no cookie that another site could use, so only the sender of a user's request is checked. */
export function authenticate(route: Route, check: Authenticate, checkSender: CheckSender): Middleware {
  const { access } = route
  const hasOrganization = route.path.includes('{organization_id}')
  return async (ctx, next) => {
    const { state } = ctx
    const credential = readCredential(state)
    if (credential === null) throw new ApiError('credential_missing')
    requireKind(access, credential.kind)
    const path = hasOrganization ? (state.params as { readonly organization_id: string }).organization_id : null
    const header = state.header('x-org-id') ?? null
    if (header !== null && (header === '' || header.length > ORGANIZATION_LIMIT)) throw new ApiError('organization_not_yours')
    const caller = await check(credential, { path, header, evenSuspended: route.evenSuspended === true, isAccount: access.kind === 'user' })
    state.caller = caller
    if (caller.kind === 'user') checkSender(ctx)
    return next()
  }
}

/** Sets the caller if the request has a valid session, in any organization. A request without one is not refused. */
export function authenticateOptionally(check: Authenticate, checkSender: CheckSender): Middleware {
  return async (ctx, next) => {
    const { state } = ctx
    try {
      const credential = readCredential(state)
      if (credential?.kind === 'token') state.caller = await check(credential, { path: null, header: null, evenSuspended: true, isAccount: true })
    } catch (error) {
      // A failure of the service is answered as one: the caller must not believe that there is no session.
      if (!(error instanceof ApiError) || error.status >= 500) throw error
    }
    checkSender(ctx)
    return next()
  }
}

/** The permissions of a user's role in a project; null: the user has no role there, or the organization has no such project. */
export type ProjectPermissions = (organizationId: string, projectId: string, userId: string) => Promise<ReadonlySet<Permission> | null>

/** Refuses callers without the permission that the route requires, and records visits. */
export function authorize(route: Route, projectPermissions: ProjectPermissions, recordVisit: RecordVisit | undefined): Middleware {
  const { access } = route
  const record = visits(route, recordVisit)
  const widens = access.kind === 'permission' && access.inProject === true ? access.permission : null
  const admit = (state: RequestState, caller: Caller, next: () => Promise<unknown>): Promise<unknown> => {
    const recorded = record !== null && isVisitor(caller) ? record(caller, state) : undefined
    return recorded === undefined ? next() : recorded.then(next)
  }
  return ({ state }, next) => {
    const caller = state.caller as Caller
    if (widens !== null && caller.kind === 'user' && caller.organizationId !== null && !caller.permissions.has(widens)) {
      // Looked up only if the role in the organization is not enough, so most requests need no query.
      const { project_id } = state.params as { readonly project_id: string }
      return projectPermissions(caller.organizationId, project_id, caller.userId).then((granted) => {
        if (granted?.has(widens) !== true) requireAccess(access, caller)
        return admit(state, caller, next)
      })
    }
    requireAccess(access, caller)
    return admit(state, caller, next)
  }
}

function requireAccess(access: Access, caller: Caller): void {
  // The kind of the credential was checked before; this checks the kind of its principal.
  requireKind(access, caller.kind === 'user' ? 'token' : caller.kind)
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

/** @throws ApiError session_required; scim_token_required where nothing else is accepted, and credential_invalid for a token of SCIM anywhere else */
function requireKind({ kind }: Access, credential: Credential['kind']): void {
  if (kind === 'scim' && credential !== 'scim_token') throw new ApiError('scim_token_required')
  if (kind !== 'scim' && credential === 'scim_token') throw new ApiError('credential_invalid')
  const takesKeys = kind === 'permission' || kind === 'credential' || kind === 'public'
  if (credential === 'api_key' && !takesKeys) throw new ApiError('session_required')
}

/** The credential in the request's headers; null: none. @throws ApiError credential_invalid for a value that cannot be a credential */
export function readCredential(request: Pick<RequestState, 'header'>): Credential | null {
  const key = request.header('x-api-key')
  if (key !== undefined) {
    if (key.length > CREDENTIAL_LIMIT || !API_KEY.test(key)) throw new ApiError('credential_invalid')
    return { kind: 'api_key', key }
  }
  const authorization = request.header('authorization')
  if (authorization !== undefined) {
    const token = authorization.length > CREDENTIAL_LIMIT ? undefined : BEARER.exec(authorization)?.[1]
    if (token === undefined) throw new ApiError('credential_invalid')
    if (token.startsWith(SCIM_TOKEN_PREFIX)) return { kind: 'scim_token', token }
    return token.startsWith(KEY_PREFIX) ? { kind: 'api_key', key: token } : { kind: 'token', token, via: 'bearer' }
  }
  const cookie = readCookie(request.header('cookie'), SESSION_COOKIE)
  if (cookie === null) return null
  if (cookie.length > CREDENTIAL_LIMIT || !COOKIE_TOKEN.test(cookie)) throw new ApiError('credential_invalid')
  return { kind: 'token', token: cookie, via: 'cookie' }
}
