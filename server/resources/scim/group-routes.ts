/** `/scim/v2/Groups` (RFC 7644, 3). */
import Type from 'typebox'
import { defineRoute, type Route, SCIM } from '../../http/route.js'
import { weakEtag } from '../../scim/etag.js'
import { listSchema, resourceSchema } from '../../scim/json-schema.js'
import { PATCH_SCHEMA, readPatch } from '../../scim/patch.js'
import { type Projection, project, readProjection, wantsAttribute } from '../../scim/projection.js'
import { listResponse, type QueryParameters, readQuery, readSearchRequest, SEARCH_SCHEMA } from '../../scim/query.js'
import { GROUP_TYPE } from '../../scim/resource-types.js'
import { GROUP_SCHEMA } from '../../scim/schemas/group.js'
import type { Scope } from '../../tenancy/scope.js'
import type { ScimGroups } from './groups.js'
import { SCIM_ERRORS, SCIM_MEDIA_TYPE, SCIM_PATH, scimBody } from './http.js'
import { listQueryOf, ResourceQuery } from './query-schema.js'

const TAG = 'SCIM'
const GROUPS_PATH = `${SCIM_PATH}/Groups`
const GROUP_PATH = `${GROUPS_PATH}/{group_id}`
const ID_CHARACTERS = 64

const GroupParams = Type.Object({
  group_id: Type.String({ minLength: 1, maxLength: ID_CHARACTERS, examples: ['0193b0f0-6b1e-7c3a-9a57-2f1f5f0f7a11'], description: 'Identifier of the group.' }),
})
const GroupListQuery = listQueryOf(GROUP_TYPE, 'displayName eq "SOC Leads"')

const USER_ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'
const EXAMPLE = {
  schemas: [GROUP_SCHEMA],
  id: '0193b0f0-6b1e-7c3a-9a57-2f1f5f0f7a11',
  externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
  displayName: 'SOC Leads',
  members: [{ value: USER_ID, $ref: `https://content.example.com/api/v1${SCIM_PATH}/Users/${USER_ID}`, display: 'Ana Souza', type: 'User' }],
  meta: {
    resourceType: 'Group',
    created: '2026-11-23T10:00:00.000Z',
    lastModified: '2026-11-23T10:00:00.000Z',
    location: `https://content.example.com/api/v1${GROUPS_PATH}/0193b0f0-6b1e-7c3a-9a57-2f1f5f0f7a11`,
    version: weakEtag('1'),
  },
}
const Group = resourceSchema(GROUP_TYPE, 'ScimGroup')
const GROUP = { description: 'The group.', schema: Group, mediaType: SCIM_MEDIA_TYPE, examples: { group: EXAMPLE } } as const
const NO_BODY = { description: 'Done, without a body.', schema: null } as const
const LIST = {
  200: {
    description: 'A page of groups.',
    schema: listSchema(Group, 'ScimGroupList'),
    mediaType: SCIM_MEDIA_TYPE,
    examples: { page: listResponse(GROUP_TYPE, readQuery(GROUP_TYPE, {}), { resources: [EXAMPLE], total: 1 }) },
  },
} as const
const CHANGE_ERRORS = ['resource_missing', 'scim_refused', 'scim_group_exists', 'edit_conflict'] as const
const COMMON = { tag: TAG, access: SCIM, errorForm: SCIM_ERRORS } as const

/** A resource with the tag of its version. */
interface Versioned {
  readonly meta?: unknown
}

export function scimGroupRoutes(groups: ScimGroups): readonly Route[] {
  const list = async (scope: Scope, parameters: QueryParameters) => {
    const query = readQuery(GROUP_TYPE, parameters)
    return { body: listResponse(GROUP_TYPE, query, await groups.list(scope, query)) as never }
  }
  const shown = async (scope: Scope, groupId: string, projection: Projection) => {
    const resource = await groups.get(scope, groupId, wantsAttribute(projection, 'members'))
    return { body: project(GROUP_TYPE, resource, projection) as never, etag: tagOf(resource) }
  }
  return [
    defineRoute({
      ...COMMON,
      id: 'scim-groups.list',
      method: 'GET',
      path: GROUPS_PATH,
      summary: 'List groups',
      description:
        'Lists groups by `id`, or as `sortBy` says. Filters take all operators and grouping; `members eq "…"` is fast for groups of any size. Groups with more than 50,000 members together are refused (`tooMany`) unless `excludedAttributes` names `members`.',
      query: GroupListQuery,
      responses: LIST,
      errors: ['scim_refused'],
      handle: ({ scope, query }) => list(scope, query),
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-groups.search',
      method: 'POST',
      path: `${GROUPS_PATH}/.search`,
      summary: 'Search groups',
      description: 'As the list, with the parameters in the body (RFC 7644, 3.4.3).',
      body: scimBody('A search request: `filter`, `sortBy`, `sortOrder`, `startIndex`, `count`, `attributes`, `excludedAttributes`.'),
      bodyExamples: { byName: { schemas: [SEARCH_SCHEMA], filter: 'displayName sw "SOC"', attributes: ['displayName'] } },
      responses: LIST,
      errors: ['scim_refused'],
      handle: ({ scope, body }) => list(scope, readSearchRequest(body)),
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-groups.get',
      method: 'GET',
      path: GROUP_PATH,
      summary: 'Get a group',
      description: 'With `excludedAttributes=members` the members are not read.',
      params: GroupParams,
      query: ResourceQuery,
      responses: { 200: GROUP },
      errors: ['resource_missing', 'scim_refused'],
      etag: 'weak',
      handle: ({ scope, params, query }) => shown(scope, params.group_id, projectionOf(query)),
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-groups.create',
      method: 'POST',
      path: GROUPS_PATH,
      summary: 'Create a group',
      description:
        'Members are users by their `id`. Names are unique in the organization, in any letter case (409). Roles follow the identity policy: `group_mappings` compares its names with `displayName`, exactly.',
      query: ResourceQuery,
      body: scimBody('The group.'),
      bodyExamples: { group: { schemas: [GROUP_SCHEMA], displayName: 'SOC Leads', members: [{ value: USER_ID }] } },
      responses: { 201: GROUP },
      errors: ['scim_refused', 'scim_group_exists', 'scim_group_limit', 'edit_conflict'],
      etag: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        const resource = await groups.create(request.scope, request.body, request)
        return { status: 201, body: project(GROUP_TYPE, resource, projection) as never, etag: tagOf(resource), headers: { Location: locationOf(resource) } }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-groups.replace',
      method: 'PUT',
      path: GROUP_PATH,
      summary: 'Replace a group',
      description: 'Attributes that the body omits are removed, members included.',
      params: GroupParams,
      query: ResourceQuery,
      body: scimBody('The group.'),
      bodyExamples: { group: { schemas: [GROUP_SCHEMA], displayName: 'SOC Leads', members: [{ value: USER_ID }] } },
      responses: { 200: GROUP },
      errors: CHANGE_ERRORS,
      etag: 'weak',
      ifMatch: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        await groups.replace(request.scope, request.params.group_id, request.body, request.ifMatch, request)
        return shown(request.scope, request.params.group_id, projection)
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-groups.update',
      method: 'PATCH',
      path: GROUP_PATH,
      summary: 'Update a group',
      description:
        'Applies all operations, or none. Answers 204, or 200 with the group if the request has `attributes` or `excludedAttributes`. Adding or removing members by their identifiers takes as long for a large group as for a small one, and two requests that do so at once both take effect.',
      params: GroupParams,
      query: ResourceQuery,
      body: scimBody('The operations.'),
      bodyExamples: { member: { schemas: [PATCH_SCHEMA], Operations: [{ op: 'add', path: 'members', value: [{ value: USER_ID }] }] } },
      responses: { 200: GROUP, 204: NO_BODY },
      errors: CHANGE_ERRORS,
      etag: 'weak',
      ifMatch: 'weak',
      handle: async (request) => {
        const { scope, params, query } = request
        const projection = projectionOf(query)
        const { revision } = await groups.patch(scope, params.group_id, readPatch(request.body), request.ifMatch, request)
        const isShown = query.attributes !== undefined || query.excludedAttributes !== undefined
        return isShown ? shown(scope, params.group_id, projection) : { status: 204, etag: String(revision) }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-groups.delete',
      method: 'DELETE',
      path: GROUP_PATH,
      summary: 'Delete a group',
      description: 'Its members remain users, and lose the roles that only this group gave.',
      params: GroupParams,
      responses: { 204: NO_BODY },
      errors: ['resource_missing', 'edit_conflict'],
      ifMatch: 'weak',
      handle: async (request) => {
        await groups.delete(request.scope, request.params.group_id, request.ifMatch, request)
        return { status: 204 }
      },
    }),
  ]
}

function projectionOf({ attributes, excludedAttributes }: { readonly attributes?: string; readonly excludedAttributes?: string }): Projection {
  return readProjection(GROUP_TYPE, attributes, excludedAttributes)
}

/** The opaque part of `meta.version`. */
function tagOf({ meta }: Versioned): string {
  return /"(.*)"/.exec((meta as { readonly version: string }).version)![1]
}

function locationOf({ meta }: Versioned): string {
  return (meta as { readonly location: string }).location
}
