/** The resources of `/Schemas`, `/ResourceTypes` and `/ServiceProviderConfig` (RFC 7643, 5 to 7), from the declarations. */
import type { Attribute, ResourceType, Schema } from './attribute.js'
import { LIST_SCHEMA, PAGE_LIMIT } from './query.js'
import type { ScimObject } from './resource.js'
import { RESOURCE_TYPES, SCHEMAS } from './resource-types.js'
import { RESOURCE_TYPE_SCHEMA, SCHEMA_SCHEMA, SERVICE_PROVIDER_CONFIG_SCHEMA } from './schemas/discovery.js'

/** @param base address of SCIM without a slash at the end: `https://…/scim/v2` */
export function schemaResources(base: string): readonly ScimObject[] {
  return SCHEMAS.map((schema) => schemaResource(schema, base))
}

/** @param urn in any letter case @returns null: there is none */
export function findSchemaResource(urn: string, base: string): ScimObject | null {
  const schema = SCHEMAS.find(({ id }) => id.toLowerCase() === urn.toLowerCase())
  return schema === undefined ? null : schemaResource(schema, base)
}

export function resourceTypeResources(base: string): readonly ScimObject[] {
  return RESOURCE_TYPES.map((type) => resourceTypeResource(type, base))
}

/** @returns null: there is none */
export function findResourceTypeResource(name: string, base: string): ScimObject | null {
  const type = RESOURCE_TYPES.find((one) => one.name.toLowerCase() === name.toLowerCase())
  return type === undefined ? null : resourceTypeResource(type, base)
}

/** A list of discovery resources: all of them, because filters and pages do not apply (RFC 7644, 4). */
export function discoveryList(resources: readonly ScimObject[]) {
  return { schemas: [LIST_SCHEMA], totalResults: resources.length, itemsPerPage: resources.length, startIndex: 1, Resources: resources }
}

export function serviceProviderConfig(base: string): ScimObject {
  return {
    schemas: [SERVICE_PROVIDER_CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: PAGE_LIMIT },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        description: 'A token of the organization for provisioning, in the header Authorization.',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

function schemaResource({ id, name, description, attributes }: Schema, base: string): ScimObject {
  return {
    schemas: [SCHEMA_SCHEMA],
    id,
    name,
    description,
    attributes: attributes.map(presentAttribute),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }
}

function resourceTypeResource({ name, description, endpoint, schema, extensions }: ResourceType, base: string): ScimObject {
  return {
    schemas: [RESOURCE_TYPE_SCHEMA],
    id: name,
    name,
    description,
    endpoint,
    schema: schema.id,
    ...(extensions.length === 0 ? {} : { schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })) }),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }
}

/** Types whose values are compared with or without their letter case. */
const TEXTS: readonly string[] = ['string', 'reference', 'binary']

function presentAttribute(attribute: Attribute): ScimObject {
  const { name, type, multiValued, description, required, caseExact, mutability, returned, uniqueness, canonicalValues, referenceTypes, subAttributes } = attribute
  return {
    name,
    type,
    ...(type === 'complex' ? { subAttributes: subAttributes.map(presentAttribute) } : {}),
    multiValued,
    description,
    required,
    ...(canonicalValues === undefined ? {} : { canonicalValues }),
    ...(TEXTS.includes(type) ? { caseExact } : {}),
    mutability,
    returned,
    uniqueness,
    ...(referenceTypes === undefined ? {} : { referenceTypes }),
  }
}
