/** `/scim/v2/Users` (RFC 7644, 3). */
import Type from 'typebox'
import { defineRoute, type Route, SCIM } from '../../http/route.js'
import { weakEtag } from '../../scim/etag.js'
import { listSchema, resourceSchema } from '../../scim/json-schema.js'
import { PATCH_SCHEMA, readPatch } from '../../scim/patch.js'
import { type Projection, project, readProjection, wantsAttribute } from '../../scim/projection.js'
import { listResponse, type QueryParameters, readQuery, readSearchRequest, SEARCH_SCHEMA } from '../../scim/query.js'
import { USER_TYPE } from '../../scim/resource-types.js'
import type { ScimObject } from '../../scim/resource.js'
import { USER_SCHEMA } from '../../scim/schemas/user.js'
import type { Scope } from '../../tenancy/scope.js'
import { SCIM_ERRORS, SCIM_MEDIA_TYPE, SCIM_PATH, scimBody } from './http.js'
import { listQueryOf, ResourceQuery } from './query-schema.js'
import type { ScimUsers } from './users.js'

const TAG = 'SCIM'
const USERS_PATH = `${SCIM_PATH}/Users`
const USER_PATH = `${USERS_PATH}/{scim_user_id}`
const ID_CHARACTERS = 64
const USER_ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'

const UserParams = Type.Object({
  scim_user_id: Type.String({ minLength: 1, maxLength: ID_CHARACTERS, examples: [USER_ID], description: 'Identifier of the user, as in the members.' }),
})
const UserListQuery = listQueryOf(USER_TYPE, 'userName eq "ana@example.com"')

const BODY = {
  schemas: [USER_SCHEMA],
  userName: 'ana@example.com',
  externalId: '00ujl29u0le5T6Aj10h7',
  name: { familyName: 'Souza', givenName: 'Ana' },
  displayName: 'Ana Souza',
  emails: [{ value: 'ana@example.com', type: 'work', primary: true }],
  active: true,
}
const EXAMPLE: ScimObject = {
  ...BODY,
  id: USER_ID,
  meta: {
    resourceType: 'User',
    created: '2026-11-23T10:00:00.000Z',
    lastModified: '2026-11-23T10:00:00.000Z',
    location: `https://content.example.com/api/v1${USERS_PATH}/${USER_ID}`,
    version: weakEtag('1'),
  },
}
const User = resourceSchema(USER_TYPE, 'ScimUser')
const USER = { description: 'The user.', schema: User, mediaType: SCIM_MEDIA_TYPE, examples: { user: EXAMPLE } } as const
const LIST = {
  200: {
    description: 'A page of users.',
    schema: listSchema(User, 'ScimUserList'),
    mediaType: SCIM_MEDIA_TYPE,
    examples: { page: listResponse(USER_TYPE, readQuery(USER_TYPE, {}), { resources: [EXAMPLE], total: 1 }) },
  },
} as const
const ADMISSION_ERRORS = ['scim_refused', 'scim_user_exists', 'domain_unproven', 'email_taken', 'user_inactive', 'member_limit', 'organization_limit', 'edit_conflict'] as const
const CHANGE_ERRORS = [...ADMISSION_ERRORS, 'resource_missing', 'account_email_refused', 'last_admin', 'policy_locks_out'] as const
const COMMON = { tag: TAG, access: SCIM, errorForm: SCIM_ERRORS } as const

export function scimUserRoutes(users: ScimUsers): readonly Route[] {
  const list = async (scope: Scope, parameters: QueryParameters) => {
    const query = readQuery(USER_TYPE, parameters)
    return { body: listResponse(USER_TYPE, query, await users.list(scope, query)) }
  }
  const shown = async (scope: Scope, userId: string, projection: Projection) => {
    const resource = await users.get(scope, userId, wantsAttribute(projection, 'groups'))
    return { body: project(USER_TYPE, resource, projection), etag: tagOf(resource) }
  }
  return [
    defineRoute({
      ...COMMON,
      id: 'scim-users.list',
      method: 'GET',
      path: USERS_PATH,
      summary: 'List users',
      description:
        'Lists users by `id`, or as `sortBy` says. Members of the organization who were not provisioned are users as well, with their e-mail as `userName`, so that a client finds and adopts them. Filters take all operators and grouping; those by `userName`, `externalId`, `emails.value` and `id` are fast for any number of users.',
      query: UserListQuery,
      responses: LIST,
      errors: ['scim_refused'],
      handle: ({ scope, query }) => list(scope, query),
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-users.search',
      method: 'POST',
      path: `${USERS_PATH}/.search`,
      summary: 'Search users',
      description: 'As the list, with the parameters in the body (RFC 7644, 3.4.3).',
      body: scimBody('A search request: `filter`, `sortBy`, `sortOrder`, `startIndex`, `count`, `attributes`, `excludedAttributes`.'),
      bodyExamples: { byName: { schemas: [SEARCH_SCHEMA], filter: 'userName sw "ana"', attributes: ['userName', 'active'] } },
      responses: LIST,
      errors: ['scim_refused'],
      handle: ({ scope, body }) => list(scope, readSearchRequest(body)),
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-users.create',
      method: 'POST',
      path: USERS_PATH,
      summary: 'Create a user',
      description:
        "Admits the person as a member, with the token's `default_role`. The account is that of the primary e-mail, else of the first e-mail, else of `userName`; without one it is created. An account that exists elsewhere joins only if the organization has proven the domain of its e-mail (403). Without `active` the user is active. A `userName`, or an account, that is provisioned already is answered 409 (`uniqueness`).",
      query: ResourceQuery,
      body: scimBody('The user.'),
      bodyExamples: { user: BODY },
      responses: { 201: USER },
      errors: [...ADMISSION_ERRORS, 'scim_user_limit', 'rate_limited'],
      etag: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        const resource = await users.create(request.scope, request.body, request)
        return { status: 201, body: project(USER_TYPE, resource, projection), etag: tagOf(resource), headers: { Location: String((resource.meta as ScimObject).location) } }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-users.get',
      method: 'GET',
      path: USER_PATH,
      summary: 'Get a user',
      description: 'A user, active or not.',
      params: UserParams,
      query: ResourceQuery,
      responses: { 200: USER },
      errors: ['resource_missing', 'scim_refused'],
      etag: 'weak',
      handle: ({ scope, params, query }) => shown(scope, params.scim_user_id, projectionOf(query)),
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-users.replace',
      method: 'PUT',
      path: USER_PATH,
      summary: 'Replace a user',
      description:
        'Attributes that the body omits are removed; `active` remains as it is. `active` false removes the person from the organization: the sessions end, and the administrators are told of their API keys; true admits the person again with the default role. The last org_admin cannot be deactivated (409). The e-mail and the name of the account follow if the account belongs to this organization alone, the e-mail only within proven domains (403 otherwise).',
      params: UserParams,
      query: ResourceQuery,
      body: scimBody('The user.'),
      bodyExamples: { user: BODY },
      responses: { 200: USER },
      errors: CHANGE_ERRORS,
      etag: 'weak',
      ifMatch: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        await users.replace(request.scope, request.params.scim_user_id, request.body, request.ifMatch, request)
        return shown(request.scope, request.params.scim_user_id, projection)
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-users.update',
      method: 'PATCH',
      path: USER_PATH,
      summary: 'Update a user',
      description: 'Applies all operations, or none. `active` and the e-mail have the effects of PUT. Two requests that change different attributes at once both take effect.',
      params: UserParams,
      query: ResourceQuery,
      body: scimBody('The operations.'),
      bodyExamples: { deactivate: { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', path: 'active', value: false }] } },
      responses: { 200: USER },
      errors: CHANGE_ERRORS,
      etag: 'weak',
      ifMatch: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        await users.patch(request.scope, request.params.scim_user_id, readPatch(request.body), request.ifMatch, request)
        return shown(request.scope, request.params.scim_user_id, projection)
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-users.delete',
      method: 'DELETE',
      path: USER_PATH,
      summary: 'Delete a user',
      description: 'Removes the person from the organization, as `active` false does, and from its groups. The account remains. The last org_admin cannot be deleted (409).',
      params: UserParams,
      responses: { 204: { description: 'The user is deleted.', schema: null } },
      errors: ['resource_missing', 'last_admin', 'policy_locks_out', 'edit_conflict'],
      ifMatch: 'weak',
      handle: async (request) => {
        await users.delete(request.scope, request.params.scim_user_id, request.ifMatch, request)
        return { status: 204 }
      },
    }),
  ]
}

function projectionOf({ attributes, excludedAttributes }: { readonly attributes?: string; readonly excludedAttributes?: string }): Projection {
  return readProjection(USER_TYPE, attributes, excludedAttributes)
}

/** The opaque part of `meta.version`. */
function tagOf({ meta }: ScimObject): string {
  return /"(.*)"/.exec(String((meta as ScimObject).version))![1]
}
