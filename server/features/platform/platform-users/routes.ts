/** `/platform/admin/users`. */
import Type from 'typebox'
import { noContent, PLATFORM_ADMIN, type Route, routesOf } from '../../../core/http/route.js'
import { presentPage } from '../../../core/tenancy/page.js'
import { presentPlatformUser, presentUserDetail, tagOf } from './present.js'
import { PlatformUserDetailRecord, PlatformUserRecord, UserListQuery, UserParams, UserUpdateRequest } from './schema.js'
import type { PlatformUsersService, UserDetail } from './service.js'

const defineRoute = routesOf('Platform administration')
const COLLECTION = '/platform/admin/users'
const ITEM = `${COLLECTION}/{user_id}`
const ANSWER = { 200: { description: 'The user.', schema: PlatformUserDetailRecord } } as const

const answer = (detail: UserDetail) => ({ body: presentUserDetail(detail), etag: tagOf(detail) })

export function platformUserRoutes(users: PlatformUsersService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-admin.list-users',
      method: 'GET',
      path: COLLECTION,
      summary: 'List all users',
      description: 'Lists the users of all organizations. `sort=last_login_at&order=asc` lists those first who never logged in, or longest ago.',
      access: PLATFORM_ADMIN,
      query: UserListQuery,
      responses: { 200: { description: 'The users.', schema: Type.Array(PlatformUserRecord) } },
      handle: async ({ query }) => presentPage(await users.list(query), presentPlatformUser),
    }),
    defineRoute({
      id: 'platform-admin.get-user',
      method: 'GET',
      path: ITEM,
      summary: 'Get a user',
      description: "Answers the user with organizations and roles. The answer's `ETag` can be sent as `If-Match` with an update.",
      access: PLATFORM_ADMIN,
      params: UserParams,
      responses: ANSWER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ params }) => answer(await users.get(params.user_id)),
    }),
    defineRoute({
      id: 'platform-admin.update-user',
      method: 'PATCH',
      path: ITEM,
      summary: 'Update a user',
      description:
        'Deactivates or reactivates a user. Deactivation ends all sessions of the user; reactivation does not restore them. API keys that the user created belong to the organization, and remain valid. The last platform admin cannot be deactivated (409).',
      access: PLATFORM_ADMIN,
      params: UserParams,
      body: { as: 'json', schema: UserUpdateRequest },
      bodyExamples: { deactivate: { is_active: false } },
      responses: ANSWER,
      errors: ['resource_missing', 'last_platform_admin', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => answer(await users.update(request.params.user_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'platform-admin.delete-sessions',
      method: 'POST',
      path: `${ITEM}/sign-out`,
      summary: 'Sign a user out everywhere',
      description: 'Ends all sessions of the user, and logins that wait for a second factor: at every instance within a second. The user can log in again.',
      access: PLATFORM_ADMIN,
      params: UserParams,
      responses: { 204: { description: 'The user has no session.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: (request) => noContent(users.signOut(request.params.user_id, request)),
    }),
    defineRoute({
      id: 'platform-admin.delete-second-factor',
      method: 'DELETE',
      path: `${ITEM}/second-factor`,
      summary: "Remove a user's second factor",
      description:
        'For a user who has lost the authenticator and the recovery codes. Ends all sessions of the user, who then logs in with the password alone. The own one is answered 403: its removal needs a code, or another platform admin.',
      access: PLATFORM_ADMIN,
      params: UserParams,
      responses: { 204: { description: 'The user has no second factor.', schema: null } },
      errors: ['own_second_factor', 'resource_missing', 'edit_conflict'],
      handle: (request) => noContent(users.removeSecondFactor(request.params.user_id, request)),
    }),
  ]
}
