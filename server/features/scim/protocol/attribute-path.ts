/**
 * Names of attributes in filters, paths and parameters (RFC 7644, 3.10): `userName`, `name.familyName`, with the URN of the schema in front or not, in any
 * letter case. A name without a URN that only an extension declares is that of the extension: Entra ID sends `manager`. A name that no schema declares is null.
 */
import type { Attribute, ResourceType } from './attribute.js'
import { isObject, type ScimObject, type ScimValue } from './resource.js'
import { COMMON_ATTRIBUTES } from './schemas/common.js'

export interface AttributePath {
  /** URN of the extension that declares the attribute; null: the core schema, or an attribute of every resource. */
  readonly extension: string | null
  readonly attribute: Attribute
  readonly sub: Attribute | null
}

/** Attributes by name in lower case. */
type Names = ReadonlyMap<string, Attribute>

const namesOf = new WeakMap<readonly Attribute[], Names>()

/** Finds a declared attribute by its name in any letter case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | null {
  let names = namesOf.get(attributes)
  if (names === undefined) namesOf.set(attributes, (names = new Map(attributes.map((one) => [one.name.toLowerCase(), one]))))
  return names.get(name.toLowerCase()) ?? null
}

const coreAttributes = new WeakMap<ResourceType, readonly Attribute[]>()

/** The attributes that stand at the top of a resource, in the order of responses. */
export function topAttributes(type: ResourceType): readonly Attribute[] {
  let found = coreAttributes.get(type)
  if (found === undefined) {
    const meta = COMMON_ATTRIBUTES.filter(({ name }) => name === 'meta')
    found = [...COMMON_ATTRIBUTES.filter((one) => !meta.includes(one)), ...type.schema.attributes, ...meta]
    coreAttributes.set(type, found)
  }
  return found
}

/** The extension that a text names by its URN, in any letter case; null: none. */
export function findExtension(type: ResourceType, urn: string): ResourceType['extensions'][number] | null {
  return type.extensions.find(({ id }) => id.toLowerCase() === urn.toLowerCase()) ?? null
}

/** Resolves a name; null: no schema of the type declares it. */
export function resolvePath(type: ResourceType, text: string): AttributePath | null {
  const lower = text.toLowerCase()
  for (const schema of [type.schema, ...type.extensions]) {
    const prefix = `${schema.id.toLowerCase()}:`
    if (!lower.startsWith(prefix)) continue
    const isCore = schema === type.schema
    return resolveIn(isCore ? topAttributes(type) : schema.attributes, isCore ? null : schema.id, text.slice(prefix.length))
  }
  const own = resolveIn(topAttributes(type), null, text)
  if (own !== null) return own
  for (const { id, attributes } of type.extensions) {
    const further = resolveIn(attributes, id, text)
    if (further !== null) return further
  }
  return null
}

/** Resolves the name of a sub-attribute, as in `emails[type eq "work"]`. */
export function resolveSub(parent: AttributePath, name: string): AttributePath | null {
  const sub = parent.sub === null ? findAttribute(parent.attribute.subAttributes, name) : null
  return sub === null ? null : { ...parent, sub }
}

function resolveIn(attributes: readonly Attribute[], extension: string | null, text: string): AttributePath | null {
  const [name, subName, ...rest] = text.split('.')
  const attribute = findAttribute(attributes, name)
  if (attribute === null || rest.length > 0) return null
  const path = { extension, attribute, sub: null }
  return subName === undefined ? path : resolveSub(path, subName)
}

/** The declaration of the values that a path leads to. */
export function leafOf({ attribute, sub }: AttributePath): Attribute {
  return sub ?? attribute
}

/** A path as text, with the URN of an extension in front. */
export function pathText({ extension, attribute, sub }: AttributePath): string {
  return `${extension === null ? '' : `${extension}:`}${attribute.name}${sub === null ? '' : `.${sub.name}`}`
}

/** The value of an attribute in a resource, without regard to the sub-attribute. */
export function attributeValue(resource: ScimObject, { extension, attribute }: AttributePath): ScimValue | undefined {
  const holder = extension === null ? resource : resource[extension]
  return isObject(holder) ? (holder as ScimObject)[attribute.name] : undefined
}
