/** `/platform/admin/users` and `/platform/admin/organizations`. */
import Type from 'typebox'
import { presentOrganization, presentUser } from '../../auth/records.js'
import { etagOf } from '../../etag.js'
import { defineRoute, PLATFORM_ADMIN, type Route } from '../../http/route.js'
import {
  OrganizationCreateRequest,
  OrganizationListQuery,
  OrganizationParams,
  OrganizationRecord,
  OrganizationUpdateRequest,
  UserListQuery,
  UserParams,
  UserRecord,
  UserUpdateRequest,
} from './schema.js'
import type { PlatformAdminService, ShownOrganization, ShownUser } from './service.js'

const TAG = 'Platform administration'
const USERS = '/platform/admin/users'
const ORGANIZATIONS = '/platform/admin/organizations'
const USER_ANSWER = { 200: { description: 'The user.', schema: UserRecord } } as const
const ORGANIZATION_ANSWER = { 200: { description: 'The organization.', schema: OrganizationRecord } } as const

const userBody = ({ user, isPlatformAdmin }: ShownUser) => presentUser(user, isPlatformAdmin)
const userAnswer = (shown: ShownUser) => ({ body: userBody(shown), etag: etagOf(shown.user) })
const organizationBody = ({ organization, role }: ShownOrganization) => presentOrganization(organization, role)
const organizationAnswer = (shown: ShownOrganization) => ({ body: organizationBody(shown), etag: etagOf(shown.organization) })

export function platformAdminRoutes(admin: PlatformAdminService): readonly Route[] {
  return [
    defineRoute({
      id: 'platform-admin.list-users',
      method: 'GET',
      path: USERS,
      tag: TAG,
      summary: 'List all users',
      description: 'Lists the users of all organizations.',
      access: PLATFORM_ADMIN,
      query: UserListQuery,
      responses: { 200: { description: 'The users.', schema: Type.Array(UserRecord) } },
      handle: async ({ query }) => {
        const { items, total } = await admin.listUsers(query)
        return { body: items.map(userBody), total }
      },
    }),
    defineRoute({
      id: 'platform-admin.get-user',
      method: 'GET',
      path: `${USERS}/{user_id}`,
      tag: TAG,
      summary: 'Get a user',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: PLATFORM_ADMIN,
      params: UserParams,
      responses: USER_ANSWER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ params }) => userAnswer(await admin.getUser(params.user_id)),
    }),
    defineRoute({
      id: 'platform-admin.update-user',
      method: 'PATCH',
      path: `${USERS}/{user_id}`,
      tag: TAG,
      summary: 'Update a user',
      description:
        'Deactivates or reactivates a user. Deactivation ends all sessions of the user; reactivation does not restore them. The last platform admin cannot be deactivated (409).',
      access: PLATFORM_ADMIN,
      params: UserParams,
      body: { as: 'json', schema: UserUpdateRequest },
      bodyExamples: { deactivate: { is_active: false } },
      responses: USER_ANSWER,
      errors: ['resource_missing', 'last_platform_admin', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => userAnswer(await admin.updateUser(request.params.user_id, request.body, request.ifMatch, request)),
    }),
    defineRoute({
      id: 'platform-admin.delete-second-factor',
      method: 'DELETE',
      path: `${USERS}/{user_id}/second-factor`,
      tag: TAG,
      summary: "Remove a user's second factor",
      description: 'For a user who has lost the authenticator and the recovery codes. Ends all sessions of the user, who then logs in with the password alone.',
      access: PLATFORM_ADMIN,
      params: UserParams,
      responses: { 204: { description: 'The user has no second factor.', schema: null } },
      errors: ['resource_missing', 'edit_conflict'],
      handle: async (request) => {
        await admin.removeSecondFactor(request.params.user_id, request)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'platform-admin.list-organizations',
      method: 'GET',
      path: ORGANIZATIONS,
      tag: TAG,
      summary: 'List all organizations',
      description: "`role` is the caller's role in the organization; null: the caller is not a member.",
      access: PLATFORM_ADMIN,
      query: OrganizationListQuery,
      responses: { 200: { description: 'The organizations.', schema: Type.Array(OrganizationRecord) } },
      handle: async ({ query, principal }) => {
        const { items, total } = await admin.listOrganizations(query, principal)
        return { body: items.map(organizationBody), total }
      },
    }),
    defineRoute({
      id: 'platform-admin.create-organization',
      method: 'POST',
      path: ORGANIZATIONS,
      tag: TAG,
      summary: 'Create an organization',
      description:
        'Creates an organization without members, and an invitation of its first org_admin, which is mailed. The invitation is listed with those of the organization, where more can be created. A platform admin can create at most 500 organizations an hour, 10 of them for the same e-mail (429).',
      access: PLATFORM_ADMIN,
      body: { as: 'json', schema: OrganizationCreateRequest },
      bodyExamples: { tenant: { name: 'Example SOC', description: 'Detection content of the SOC', admin_email: 'ana@example.com' } },
      responses: ORGANIZATION_ANSWER,
      errors: ['rate_limited'],
      etag: true,
      handle: async (request) => organizationAnswer(await admin.createOrganization(request.body, request)),
    }),
    defineRoute({
      id: 'platform-admin.get-organization',
      method: 'GET',
      path: `${ORGANIZATIONS}/{organization_id}`,
      tag: TAG,
      summary: 'Get an organization',
      description: "The answer's `ETag` can be sent as `If-Match` with an update.",
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      responses: ORGANIZATION_ANSWER,
      errors: ['resource_missing'],
      etag: true,
      handle: async ({ params, principal }) => organizationAnswer(await admin.getOrganization(params.organization_id, principal)),
    }),
    defineRoute({
      id: 'platform-admin.update-organization',
      method: 'PATCH',
      path: `${ORGANIZATIONS}/{organization_id}`,
      tag: TAG,
      summary: 'Update an organization',
      description: 'Suspends an organization, or ends its suspension. Sessions and API keys of a suspended organization are answered 403, except for platform admins.',
      access: PLATFORM_ADMIN,
      params: OrganizationParams,
      body: { as: 'json', schema: OrganizationUpdateRequest },
      bodyExamples: { suspend: { is_active: false } },
      responses: ORGANIZATION_ANSWER,
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: true,
      etag: true,
      handle: async (request) => organizationAnswer(await admin.updateOrganization(request.params.organization_id, request.body, request.ifMatch, request)),
    }),
  ]
}
