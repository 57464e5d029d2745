/**
 * Queries of all resources (RFC 7644, 3.4.2.1): filters and orders may name the attributes of every type. An attribute that a resource's type lacks has no value
 * there. An attribute that two types declare has the same declaration in both.
 */
import type { ResourceType, Schema } from './attribute.js'
import { project } from './projection.js'
import { LIST_SCHEMA, type Query, type ResourcePage } from './query.js'
import { GROUP_TYPE, RESOURCE_TYPES, USER_TYPE } from './resource-types.js'
import type { ScimObject } from './resource.js'

const ROOT_SCHEMA: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0',
  name: 'Resources',
  description: 'All resources',
  attributes: [...new Map([USER_TYPE, GROUP_TYPE].flatMap(({ schema }) => schema.attributes.map((one) => [one.name, one] as const))).values()],
}

/** Stands for all resource types in a query. It is no type of a resource, and is not listed. */
export const ROOT_TYPE: ResourceType = {
  name: 'Resource',
  description: 'All resources',
  endpoint: '/',
  schema: ROOT_SCHEMA,
  extensions: USER_TYPE.extensions,
  maxCharacters: 0,
}

/** The body of a response with a page of resources of several types. */
export function rootListResponse({ startIndex, projection }: Pick<Query, 'startIndex' | 'projection'>, { resources, total }: ResourcePage) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    itemsPerPage: resources.length,
    startIndex,
    Resources: resources.map((resource) => project(typeOf(resource), resource, projection)),
  }
}

function typeOf({ meta }: ScimObject): ResourceType {
  const { resourceType } = meta as ScimObject
  return RESOURCE_TYPES.find(({ name }) => name === resourceType) ?? ROOT_TYPE
}
