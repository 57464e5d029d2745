/** `/scim/v2/ServiceProviderConfig`, `/ResourceTypes` and `/Schemas` (RFC 7644, 4), and the optional parts of SCIM that the service does not have. */
import Type from 'typebox'
import { ApiError, required } from '../../../core/errors.js'
import { defineRoute, type Route, SCIM } from '../../../core/http/route.js'
import type { PublicAddress } from '../../../core/public-address.js'
import { discoveryList, findResourceTypeResource, findSchemaResource, resourceTypeResources, schemaResources, serviceProviderConfig } from '../protocol/discovery.js'
import { discoverySchema, listSchema } from '../protocol/json-schema.js'
import { RESOURCE_TYPE, SCHEMA, SERVICE_PROVIDER_CONFIG } from '../protocol/schemas/discovery.js'
import { USER_SCHEMA } from '../protocol/schemas/user.js'
import { SCIM_ERRORS, SCIM_MEDIA_TYPE, SCIM_PATH, scimBody } from './http.js'

const TAG = 'SCIM'
const EXAMPLE_BASE = `https://content.example.com/api/v1${SCIM_PATH}`

/** Longest URN of a schema, with some room; longer names match none. */
const NAME_CHARACTERS = 200
const name = (description: string, example: string) => Type.String({ minLength: 1, maxLength: NAME_CHARACTERS, examples: [example], description })
const SchemaParams = Type.Object({ schema_id: name('URN of the schema, in any letter case.', USER_SCHEMA) })
const ResourceTypeParams = Type.Object({ resource_type: name('Name of the resource type, in any letter case.', 'User') })
const DiscoveryQuery = Type.Object(
  {
    filter: Type.Optional(
      Type.String({ minLength: 0, examples: ['name eq "User"'], description: 'Refused (403): these resources have no filters. Other parameters are ignored.' }),
    ),
  },
  { additionalProperties: true },
)

const ResourceType = discoverySchema(RESOURCE_TYPE, 'ScimResourceType')
const SchemaRecord = discoverySchema(SCHEMA, 'ScimSchema')
const CONFIG = {
  200: {
    description: 'The configuration.',
    schema: discoverySchema(SERVICE_PROVIDER_CONFIG, 'ScimServiceProviderConfig'),
    mediaType: SCIM_MEDIA_TYPE,
    examples: { config: serviceProviderConfig(EXAMPLE_BASE) },
  },
} as const
const RESOURCE_TYPES_ANSWER = {
  200: {
    description: 'The resource types.',
    schema: listSchema(ResourceType, 'ScimResourceTypeList'),
    mediaType: SCIM_MEDIA_TYPE,
    examples: { types: discoveryList(resourceTypeResources(EXAMPLE_BASE)) },
  },
} as const
const RESOURCE_TYPE_ANSWER = {
  200: { description: 'The resource type.', schema: ResourceType, mediaType: SCIM_MEDIA_TYPE, examples: { user: resourceTypeResources(EXAMPLE_BASE)[0] } },
} as const
const SCHEMAS_ANSWER = {
  200: {
    description: 'The schemas.',
    schema: listSchema(SchemaRecord, 'ScimSchemaList'),
    mediaType: SCIM_MEDIA_TYPE,
    examples: { schemas: discoveryList(schemaResources(EXAMPLE_BASE)) },
  },
} as const
const SCHEMA_ANSWER = {
  200: { description: 'The schema.', schema: SchemaRecord, mediaType: SCIM_MEDIA_TYPE, examples: { user: schemaResources(EXAMPLE_BASE)[0] } },
} as const

const COMMON = { tag: TAG, access: SCIM, errorForm: SCIM_ERRORS, errors: ['scim_filter_refused'] } as const

export function scimDiscoveryRoutes(address: Pick<PublicAddress, 'api'>): readonly Route[] {
  const base = (): string => `${address.api}${SCIM_PATH}`
  return [
    defineRoute({
      ...COMMON,
      id: 'scim-config.get',
      method: 'GET',
      path: `${SCIM_PATH}/ServiceProviderConfig`,
      summary: 'Get the service provider configuration',
      description: 'What the service supports of SCIM: PATCH, filters, sorting and entity tags; no bulk operations and no passwords.',
      query: DiscoveryQuery,
      responses: CONFIG,
      handle: async ({ query }) => {
        refuseFilter(query)
        return { body: serviceProviderConfig(base()) }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-resource-types.list',
      method: 'GET',
      path: `${SCIM_PATH}/ResourceTypes`,
      summary: 'List the resource types',
      description: 'Lists all resource types; there are no pages.',
      query: DiscoveryQuery,
      responses: RESOURCE_TYPES_ANSWER,
      handle: async ({ query }) => {
        refuseFilter(query)
        return { body: discoveryList(resourceTypeResources(base())) }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-resource-types.get',
      method: 'GET',
      path: `${SCIM_PATH}/ResourceTypes/{resource_type}`,
      summary: 'Get a resource type',
      description: 'The type `User` or `Group`.',
      params: ResourceTypeParams,
      query: DiscoveryQuery,
      responses: RESOURCE_TYPE_ANSWER,
      handle: async ({ params, query }) => {
        refuseFilter(query)
        return { body: required(findResourceTypeResource(params.resource_type, base())) }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-schemas.list',
      method: 'GET',
      path: `${SCIM_PATH}/Schemas`,
      summary: 'List the schemas',
      description: 'Lists all schemas with their attributes; there are no pages.',
      query: DiscoveryQuery,
      responses: SCHEMAS_ANSWER,
      handle: async ({ query }) => {
        refuseFilter(query)
        return { body: discoveryList(schemaResources(base())) }
      },
    }),
    defineRoute({
      ...COMMON,
      id: 'scim-schemas.get',
      method: 'GET',
      path: `${SCIM_PATH}/Schemas/{schema_id}`,
      summary: 'Get a schema',
      description: 'A schema with its attributes.',
      params: SchemaParams,
      query: DiscoveryQuery,
      responses: SCHEMA_ANSWER,
      handle: async ({ params, query }) => {
        refuseFilter(query)
        return { body: required(findSchemaResource(params.schema_id, base())) }
      },
    }),
    ...ME_METHODS.map(({ method, id }) => unsupported(method, `scim-me.${id}`, '/Me', 'A token for provisioning is no user, so there is no own resource.')),
    unsupported('POST', 'scim-bulk.create', '/Bulk', 'There are no bulk operations: send a request for each resource.'),
  ]
}

const ME_METHODS = [
  { method: 'GET', id: 'get' },
  { method: 'POST', id: 'create' },
  { method: 'PUT', id: 'replace' },
  { method: 'PATCH', id: 'update' },
  { method: 'DELETE', id: 'delete' },
] as const

const ANY_QUERY = Type.Object({}, { additionalProperties: true })

/** An operation that RFC 7644 lets a service answer with 501. */
function unsupported(method: Route['method'], id: string, path: string, description: string): Route {
  const takesBody = method !== 'GET' && method !== 'DELETE'
  return defineRoute({
    id,
    method,
    path: `${SCIM_PATH}${path}`,
    tag: TAG,
    summary: `${method} ${path} is not supported`,
    description: `Always answered 501. ${description}`,
    access: SCIM,
    errorForm: SCIM_ERRORS,
    query: ANY_QUERY,
    ...(takesBody ? { body: scimBody('Ignored.'), bodyExamples: { ignored: { schemas: [USER_SCHEMA] } } } : {}),
    responses: {},
    errors: ['scim_unsupported'],
    handle: async () => {
      throw new ApiError('scim_unsupported')
    },
  })
}

/** @throws ApiError scim_filter_refused */
function refuseFilter({ filter }: { readonly filter?: string }): void {
  if (filter !== undefined) throw new ApiError('scim_filter_refused')
}
