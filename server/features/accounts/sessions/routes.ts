/** `/auth/me/sessions`. */
import Type from 'typebox'
import { NO_SESSION_COOKIE } from '../../../core/auth/cookies.js'
import { noContent, type Route, routesOf, USER } from '../../../core/http/route.js'
import { SessionListQuery, SessionParams, SessionRecord } from './schema.js'
import type { SessionsService } from './service.js'

const defineRoute = routesOf('Account')
const COLLECTION = '/auth/me/sessions'

export function sessionRoutes(sessions: SessionsService): readonly Route[] {
  return [
    defineRoute({
      id: 'sessions.list',
      method: 'GET',
      path: COLLECTION,
      summary: 'List your sessions',
      description: 'Lists the valid sessions of the caller, the newest first. A session of an identity provider lists only sessions that this provider opened.',
      access: USER,
      query: SessionListQuery,
      responses: { 200: { description: 'The sessions.', schema: Type.Array(SessionRecord) } },
      handle: async ({ principal, query }) => {
        const { items, total } = await sessions.list(principal, query)
        const body = items.map((session) => ({
          id: session._id,
          is_current: session._id === principal.sessionId,
          opened_by: (session.provider_id ?? null) === null ? ('password' as const) : ('identity_provider' as const),
          has_second_factor: session.has_second_factor === true,
          address: session.address ?? null,
          client: session.client ?? null,
          created_at: session.created_at.toISOString(),
          expires_at: session.expires_at.toISOString(),
        }))
        return { body, total }
      },
    }),
    defineRoute({
      id: 'sessions.delete',
      method: 'DELETE',
      path: `${COLLECTION}/{session_id}`,
      summary: 'End one of your sessions',
      description: 'Ends a session of the caller: its token becomes invalid, on every instance within a second. If it is the session of the request, the cookie is cleared.',
      access: USER,
      params: SessionParams,
      responses: { 204: { description: 'The session has ended.', schema: null } },
      errors: ['resource_missing'],
      handle: async (request) => {
        const { session_id } = request.params
        await sessions.end(request, session_id)
        return { status: 204, ...(session_id === request.principal.sessionId ? { cookies: [NO_SESSION_COOKIE] } : {}) }
      },
    }),
    defineRoute({
      id: 'sessions.delete-others',
      method: 'DELETE',
      path: COLLECTION,
      summary: 'End your other sessions',
      description: 'Ends all sessions of the caller except the one of the request. A session of an identity provider ends only sessions that this provider opened.',
      access: USER,
      responses: { 204: { description: 'The other sessions have ended.', schema: null } },
      errors: ['edit_conflict'],
      handle: (request) => noContent(sessions.endOthers(request)),
    }),
  ]
}
