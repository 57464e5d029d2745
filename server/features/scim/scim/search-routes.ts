/** `/scim/v2/.search`: a search in all resources (RFC 7644, 3.4.2.1). It reads the candidates of every type, and selects the page in memory. */
import Type from 'typebox'
import { defineRoute, type Route, SCIM } from '../../../core/http/route.js'
import { listSchema, resourceSchema } from '../protocol/json-schema.js'
import { type Query, readQuery, readSearchRequest, SEARCH_SCHEMA, selectPage } from '../protocol/query.js'
import { GROUP_TYPE, USER_TYPE } from '../protocol/resource-types.js'
import type { ScimObject } from '../protocol/resource.js'
import { ROOT_TYPE, rootListResponse } from '../protocol/root.js'
import { USER_SCHEMA } from '../protocol/schemas/user.js'
import { CANDIDATES_LIMIT } from '../protocol/store-query.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { SCIM_ERRORS, SCIM_MEDIA_TYPE, SCIM_PATH, scimBody } from './http.js'

/** Reads complete resources of one type: all that the query matches, and perhaps others. @throws ScimError tooMany */
export type ReadCandidates = (scope: Scope, query: Query) => Promise<readonly ScimObject[]>

const Resource = Type.Unsafe<ScimObject>(Type.Union([resourceSchema(USER_TYPE, 'ScimUser'), resourceSchema(GROUP_TYPE, 'ScimGroup')]))
const EXAMPLE: ScimObject = { schemas: [USER_SCHEMA], id: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f', displayName: 'Ana Souza', meta: { resourceType: 'User' } }

export function scimSearchRoutes(types: readonly ReadCandidates[]): readonly Route[] {
  return [
    defineRoute({
      id: 'scim-resources.search',
      method: 'POST',
      path: `${SCIM_PATH}/.search`,
      tag: 'SCIM',
      summary: 'Search users and groups',
      description: `As the searches of users and of groups, in both; \`meta.resourceType\` tells them apart. More than ${CANDIDATES_LIMIT.toLocaleString('en-US')} users or groups that come into question are refused (\`tooMany\`).`,
      access: SCIM,
      errorForm: SCIM_ERRORS,
      body: scimBody('A search request: `filter`, `sortBy`, `sortOrder`, `startIndex`, `count`, `attributes`, `excludedAttributes`.'),
      bodyExamples: { byName: { schemas: [SEARCH_SCHEMA], filter: 'displayName sw "Ana"', attributes: ['displayName', 'meta.resourceType'] } },
      responses: {
        200: {
          description: 'A page of resources.',
          schema: listSchema(Resource, 'ScimResourceList'),
          mediaType: SCIM_MEDIA_TYPE,
          examples: { page: rootListResponse(readQuery(ROOT_TYPE, {}), { resources: [EXAMPLE], total: 1 }) },
        },
      },
      errors: ['scim_refused'],
      handle: async ({ scope, body }) => {
        const query = readQuery(ROOT_TYPE, readSearchRequest(body))
        const candidates = (await Promise.all(types.map((read) => read(scope, query)))).flat()
        return { body: rootListResponse(query, selectPage(query, candidates)) }
      },
    }),
  ]
}
