/** The routes of one resource type of SCIM (RFC 7644, 3): list, search, create, get, replace, update, delete. Users and groups differ in what they describe here. */
import Type from 'typebox'
import { ApiError, type ErrorReason } from '../../../core/errors.js'
import type { IfMatch } from '../../../core/etag.js'
import type { Actor } from '../../../core/auth/request-context.js'
import type { ScimPrincipal } from '../../../core/auth/principal.js'
import { isKnown } from '../../../core/http/request/etag.js'
import { defineRoute, type Route, SCIM } from '../../../core/http/route.js'
import type { ResourceType } from '../protocol/attribute.js'
import { listSchema, resourceSchema } from '../protocol/json-schema.js'
import { PATCH_SCHEMA, type PatchOperation, readPatch } from '../protocol/patch.js'
import { type Projection, project, readProjection, wantsAttribute } from '../protocol/projection.js'
import { listResponse, type Query, type QueryParameters, readQuery, readSearchRequest, type ResourcePage, SEARCH_SCHEMA } from '../protocol/query.js'
import type { ScimObject } from '../protocol/resource.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { SCIM_ERRORS, SCIM_MEDIA_TYPE, SCIM_PATH, scimBody } from './http.js'
import { listQueryOf, ResourceQuery } from './query-schema.js'

type ScimActor = Actor<ScimPrincipal>

/** The stored resources of one type. */
export interface ScimResources {
  list(scope: Scope, query: Query): Promise<ResourcePage>
  /** @param isWhole false: without the attribute that other documents hold (`derived`) */
  get(scope: Scope, id: string, isWhole: boolean): Promise<ScimObject>
  create(scope: Scope, body: unknown, actor: ScimActor): Promise<ScimObject>
  replace(scope: Scope, id: string, body: unknown, ifMatch: IfMatch, actor: ScimActor): Promise<unknown>
  /** @returns the tag of the new version: the response has no body unless the request names attributes. Null: the response has the resource */
  patch(scope: Scope, id: string, operations: readonly PatchOperation[], ifMatch: IfMatch, actor: ScimActor): Promise<string | null>
  delete(scope: Scope, id: string, ifMatch: IfMatch, actor: ScimActor): Promise<void>
}

/** A request as the interface document describes it. */
interface Described {
  readonly description: string
  readonly errors: readonly ErrorReason[]
}

/** What one resource type has of its own. */
export interface ResourceRoutes {
  readonly type: ResourceType
  readonly resources: ScimResources
  /** Prefix of the operation ids. */
  readonly ids: string
  /** The noun in texts. */
  readonly noun: string
  /** Name of the schema in the interface document. */
  readonly schemaName: string
  /** The parameter of the path that names a resource. */
  readonly parameter: { readonly name: string; readonly description: string }
  /** Name of the attribute that other documents hold, which is read only where a response shows it. */
  readonly derived: string
  readonly example: ScimObject & { readonly id: string }
  /** Example of a body of POST and PUT. */
  readonly body: ScimObject
  readonly list: { readonly description: string; readonly filter: string }
  /** Example of a search. */
  readonly search: { readonly filter: string; readonly attributes: readonly string[] }
  readonly create: Described
  readonly get: Pick<Described, 'description'>
  readonly replace: Described
  /** `example`: operations by a name. `hasNoBody`: the response may be 204. */
  readonly update: Described & { readonly example: Readonly<Record<string, ScimObject>>; readonly hasNoBody: boolean }
  readonly delete: Described & { readonly done: string }
}

/** Characters of an identifier in a path. Those of the service are shorter. */
const ID_CHARACTERS = 64
const COMMON = { tag: 'SCIM', access: SCIM, errorForm: SCIM_ERRORS } as const

export function resourceRoutes(described: ResourceRoutes): readonly Route[] {
  const { type, resources, ids, noun, schemaName, parameter, derived, example } = described
  const all = `${SCIM_PATH}${type.endpoint}`
  const one = { path: `${all}/{${parameter.name}}`, params: Type.Object({ [parameter.name]: idOf(parameter.description, example.id) }) }
  const Resource = resourceSchema(type, schemaName)
  const SHOWN = { description: `The ${noun}.`, schema: Resource, mediaType: SCIM_MEDIA_TYPE, examples: { [noun]: example } }
  const PAGE = {
    200: {
      description: `A page of ${noun}s.`,
      schema: listSchema(Resource, `${schemaName}List`),
      mediaType: SCIM_MEDIA_TYPE,
      examples: { page: listResponse(type, readQuery(type, {}), { resources: [example], total: 1 }) },
    },
  }
  const sent = { query: ResourceQuery, body: scimBody(`The ${noun}.`), bodyExamples: { [noun]: described.body } }
  const list = async (scope: Scope, parameters: QueryParameters) => {
    const query = readQuery(type, parameters)
    return { body: listResponse(type, query, await resources.list(scope, query)) }
  }
  const shown = async (scope: Scope, id: string, projection: Projection) => {
    const resource = await resources.get(scope, id, wantsAttribute(projection, derived))
    return { body: project(type, resource, projection), etag: tagOf(resource) }
  }
  const requireUnknown = async (request: ChangeRequest): Promise<void> => {
    const known = request.header('if-none-match')
    // The check may precede the change: a version that is past never returns.
    if (known !== undefined && isKnown(known, tagOf(await resources.get(request.scope, idIn(request.params), false)))) throw new ApiError('precondition_failed')
  }
  const projectionOf = ({ attributes, excludedAttributes }: ProjectionParameters): Projection => readProjection(type, attributes, excludedAttributes)
  const idIn = (params: Readonly<Record<string, string>>): string => params[parameter.name]
  return [
    defineRoute({
      ...COMMON,
      id: `${ids}.list`,
      method: 'GET',
      path: all,
      summary: `List ${noun}s`,
      description: described.list.description,
      query: listQueryOf(type, described.list.filter),
      responses: PAGE,
      errors: ['scim_refused'],
      handle: ({ scope, query }) => list(scope, query),
    }),
    defineRoute({
      ...COMMON,
      id: `${ids}.search`,
      method: 'POST',
      path: `${all}/.search`,
      summary: `Search ${noun}s`,
      description: 'As the list, with the parameters in the body (RFC 7644, 3.4.3).',
      body: scimBody('A search request: `filter`, `sortBy`, `sortOrder`, `startIndex`, `count`, `attributes`, `excludedAttributes`.'),
      bodyExamples: { byName: { schemas: [SEARCH_SCHEMA], ...described.search } },
      responses: PAGE,
      errors: ['scim_refused'],
      handle: ({ scope, body }) => list(scope, readSearchRequest(body)),
    }),
    defineRoute({
      ...COMMON,
      ...sent,
      id: `${ids}.create`,
      method: 'POST',
      path: all,
      summary: `Create a ${noun}`,
      description: described.create.description,
      responses: { 201: SHOWN },
      errors: described.create.errors,
      etag: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        const resource = await resources.create(request.scope, request.body, request)
        return { status: 201, body: project(type, resource, projection), etag: tagOf(resource), headers: { Location: String(metaOf(resource).location) } }
      },
    }),
    defineRoute({
      ...COMMON,
      ...one,
      id: `${ids}.get`,
      method: 'GET',
      summary: `Get a ${noun}`,
      description: described.get.description,
      query: ResourceQuery,
      responses: { 200: SHOWN },
      errors: ['resource_missing', 'scim_refused'],
      etag: 'weak',
      handle: ({ scope, params, query }) => shown(scope, idIn(params), projectionOf(query)),
    }),
    defineRoute({
      ...COMMON,
      ...one,
      ...sent,
      id: `${ids}.replace`,
      method: 'PUT',
      summary: `Replace a ${noun}`,
      description: described.replace.description,
      responses: { 200: SHOWN },
      errors: described.replace.errors,
      etag: 'weak',
      ifMatch: 'weak',
      handle: async (request) => {
        const projection = projectionOf(request.query)
        const id = idIn(request.params)
        await requireUnknown(request)
        await resources.replace(request.scope, id, request.body, request.ifMatch, request)
        return shown(request.scope, id, projection)
      },
    }),
    defineRoute({
      ...COMMON,
      ...one,
      id: `${ids}.update`,
      method: 'PATCH',
      summary: `Update a ${noun}`,
      description: described.update.description,
      query: ResourceQuery,
      body: scimBody('The operations.'),
      bodyExamples: Object.fromEntries(Object.entries(described.update.example).map(([name, operation]) => [name, { schemas: [PATCH_SCHEMA], Operations: [operation] }])),
      responses: described.update.hasNoBody ? { 200: SHOWN, 204: { description: 'Done, without a body.', schema: null } } : { 200: SHOWN },
      errors: described.update.errors,
      etag: 'weak',
      ifMatch: 'weak',
      handle: async (request) => {
        const { scope, query } = request
        const projection = projectionOf(query)
        const id = idIn(request.params)
        await requireUnknown(request)
        const etag = await resources.patch(scope, id, readPatch(request.body), request.ifMatch, request)
        const isShown = etag === null || query.attributes !== undefined || query.excludedAttributes !== undefined
        return isShown ? shown(scope, id, projection) : { status: 204, etag }
      },
    }),
    defineRoute({
      ...COMMON,
      ...one,
      id: `${ids}.delete`,
      method: 'DELETE',
      summary: `Delete a ${noun}`,
      description: described.delete.description,
      responses: { 204: { description: described.delete.done, schema: null } },
      errors: described.delete.errors,
      ifMatch: 'weak',
      handle: async (request) => {
        await requireUnknown(request)
        await resources.delete(request.scope, idIn(request.params), request.ifMatch, request)
        return { status: 204 }
      },
    }),
  ]
}

/** What the check of `If-None-Match` needs of a request. */
interface ChangeRequest {
  readonly scope: Scope
  readonly params: Readonly<Record<string, string>>
  header(name: string): string | undefined
}

interface ProjectionParameters {
  readonly attributes?: string
  readonly excludedAttributes?: string
}

const idOf = (description: string, example: string) => Type.String({ minLength: 1, maxLength: ID_CHARACTERS, examples: [example], description })

const metaOf = ({ meta }: ScimObject): ScimObject => meta as ScimObject

/** The opaque part of `meta.version`. */
function tagOf(resource: ScimObject): string {
  return /"(.*)"/.exec(String(metaOf(resource).version))![1]
}
