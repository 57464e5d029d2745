/** JSON schemas of resources in responses, from the declarations of their attributes: for the interface document, and for tests of responses. */
import Type, { type TObject, type TSchema, type TUnsafe } from 'typebox'
import type { Attribute, AttributeType, ResourceType, Schema } from './attribute.js'
import { topAttributes } from './attribute-path.js'
import { LIST_SCHEMA } from './query.js'
import type { ScimObject } from './resource.js'
import { COMMON_ATTRIBUTES } from './schemas/common.js'

/** The schema of a resource. Only `schemas` is always returned: a request may name the attributes that it wants. @param name in the interface document */
export function resourceSchema(type: ResourceType, name: string): TUnsafe<ScimObject> {
  const extensions = type.extensions.map((extension) => [extension.id, Type.Optional(objectOf(extension.attributes, extension.description))] as const)
  return Type.Unsafe(
    Type.Object(
      { ...propertiesOf(topAttributes(type)), ...Object.fromEntries(extensions), schemas: schemasOf() },
      { $id: name, description: `${type.description}, with the attributes of the schema ${type.schema.id}.` },
    ),
  )
}

/** The schema of a resource of the discovery endpoints. @param name in the interface document */
export function discoverySchema({ id, attributes, description }: Schema, name: string): TUnsafe<ScimObject> {
  const common = COMMON_ATTRIBUTES.filter((one) => one.name === 'id' || one.name === 'meta')
  return Type.Unsafe(Type.Object({ ...propertiesOf([...common, ...attributes]), schemas: schemasOf() }, { $id: name, description: `${description} Its schema is ${id}.` }))
}

/** The schema of a list of resources (RFC 7644, 3.4.2). @param name in the interface document */
export function listSchema(resource: TUnsafe<ScimObject>, name: string) {
  return Type.Object(
    {
      schemas: Type.Array(Type.String(), { examples: [[LIST_SCHEMA]], description: 'URN of the message.' }),
      totalResults: Type.Integer({ description: 'Number of resources on all pages.' }),
      itemsPerPage: Type.Integer({ description: 'Number of resources of this page.' }),
      startIndex: Type.Integer({ description: 'Index of the first resource of this page, from 1.' }),
      Resources: Type.Array(resource, { description: 'The resources of this page.' }),
    },
    { $id: name, description: 'A page of a list (RFC 7644, 3.4.2).' },
  )
}

const schemasOf = () => Type.Array(Type.String(), { description: 'URNs of the schemas that define the attributes of the resource.' })

const SIMPLE_TYPES: Readonly<Record<Exclude<AttributeType, 'complex'>, (description: string) => TSchema>> = {
  string: (description) => Type.String({ description }),
  reference: (description) => Type.String({ description }),
  binary: (description) => Type.String({ description }),
  boolean: (description) => Type.Boolean({ description }),
  integer: (description) => Type.Integer({ description }),
  decimal: (description) => Type.Number({ description }),
  dateTime: (description) => Type.String({ format: 'date-time', description }),
}

function propertiesOf(attributes: readonly Attribute[]): Record<string, TSchema> {
  const shown = attributes.filter(({ returned, name }) => returned !== 'never' && name !== 'schemas')
  return Object.fromEntries(shown.map((attribute) => [attribute.name, Type.Optional(schemaOf(attribute))]))
}

/** The schema that describes schemas describes itself, and so has sub-attributes of sub-attributes. */
const RECURSIVE = 'subAttributes'

function schemaOf({ name, type, multiValued, description, subAttributes }: Attribute): TSchema {
  const one = type === 'complex' ? objectOf(subAttributes, description, name === RECURSIVE) : SIMPLE_TYPES[type](description)
  return multiValued ? Type.Array(one, { description }) : one
}

function objectOf(attributes: readonly Attribute[], description: string, isOpen = false): TObject {
  return Type.Object(propertiesOf(attributes), { description, ...(isOpen ? { additionalProperties: true } : {}) })
}
