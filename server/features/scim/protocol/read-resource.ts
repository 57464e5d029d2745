/** Reads the bodies of POST and PUT (RFC 7644, 3.3 and 3.5.1). */
import { isDeepStrictEqual } from 'node:util'
import type { Attribute, ResourceType } from './attribute.js'
import { findAttribute, findExtension, topAttributes } from './attribute-path.js'
import { ScimError } from './errors.js'
import { characters, readValue } from './read-value.js'
import { isObject, type ScimObject, type ScimValue } from './resource.js'

/** A resource after a change. */
export interface ChangedResource {
  readonly resource: ScimObject
  /** False: the request changed nothing, and `meta.lastModified` and the version stay (RFC 7644, 3.5.2.1). */
  readonly isChanged: boolean
}

/** Reads a new resource, without read-only attributes: `id` and `meta` are the service's. @throws ScimError invalidSyntax, invalidValue */
export function readResource(type: ResourceType, body: unknown): ScimObject {
  if (!isObject(body)) throw new ScimError('body_wrong', {})
  requireSchema(body, type.schema.id)
  const resource: Record<string, ScimValue | undefined> = {}
  const extensions = new Map<string, Record<string, ScimValue | undefined>>()
  for (const [key, value] of Object.entries(body)) {
    const extension = findExtension(type, key)
    if (extension === null) {
      readInto(resource, topAttributes(type), key, value, '')
      continue
    }
    if (value === null) continue
    if (!isObject(value)) throw new ScimError('value_wrong', { attribute: extension.id, type: 'complex' })
    const read = extensions.get(extension.id) ?? {}
    extensions.set(extension.id, read)
    for (const [name, one] of Object.entries(value)) readInto(read, extension.attributes, name, one, `${extension.id}:`)
  }
  return checkedResource(type, { ...resource, ...Object.fromEntries(extensions) })
}

/**
 * Reads the resource that replaces another. Read-only attributes keep their values; attributes that the body omits are unassigned.
 * @throws ScimError invalidSyntax, invalidValue, mutability
 */
export function replaceResource(type: ResourceType, current: ScimObject, body: unknown): ChangedResource {
  const read = readResource(type, body)
  const kept = Object.fromEntries(
    topAttributes(type)
      .filter(({ mutability }) => mutability === 'readOnly')
      .map(({ name }) => [name, current[name]]),
  )
  for (const attribute of topAttributes(type)) requireUnchanged(attribute, current[attribute.name], read[attribute.name], attribute.name)
  return changedResource(type, current, { ...read, ...kept })
}

/** Compares a resource with its former state. */
export function changedResource(type: ResourceType, before: ScimObject, after: ScimObject): ChangedResource {
  const resource = checkedResource(type, after)
  return { resource, isChanged: !isDeepStrictEqual(checkedForm(type, before), resource) }
}

/**
 * Checks required attributes and the size, and writes `schemas` as the resource has extensions.
 * @throws ScimError invalidValue
 */
export function checkedResource(type: ResourceType, resource: ScimObject): ScimObject {
  const missing = type.schema.attributes.find(({ name, required }) => required && resource[name] === undefined)
  if (missing !== undefined) throw new ScimError('value_missing', { attribute: missing.name })
  const checked = checkedForm(type, resource)
  if (characters(checked) > type.maxCharacters) throw new ScimError('resource_too_large', { limit: type.maxCharacters })
  return checked
}

/** @throws ScimError invalidSyntax */
export function requireSchema(body: Readonly<Record<string, unknown>>, urn: string): void {
  const schemas = Object.entries(body).find(([key]) => key.toLowerCase() === 'schemas')?.[1]
  const has = Array.isArray(schemas) && schemas.some((one) => typeof one === 'string' && one.toLowerCase() === urn.toLowerCase())
  if (!has) throw new ScimError('schema_missing', { schema: urn })
}

/** An immutable attribute keeps its first value. @throws ScimError mutability */
export function requireUnchanged(attribute: Attribute, before: ScimValue | undefined, after: ScimValue | undefined, name: string): void {
  if (attribute.mutability === 'immutable' && before !== undefined && !isDeepStrictEqual(before, after)) throw new ScimError('attribute_immutable', { attribute: name })
}

/** Names in the order of the schemas, without unassigned attributes, with `schemas`. */
function checkedForm(type: ResourceType, resource: ScimObject): ScimObject {
  const form: Record<string, ScimValue> = {}
  const extensions = type.extensions.filter(({ id }) => Object.values((resource[id] ?? {}) as ScimObject).some((value) => value !== undefined))
  form.schemas = [type.schema.id, ...extensions.map(({ id }) => id)]
  for (const { name } of topAttributes(type)) {
    const value = resource[name]
    if (name !== 'schemas' && value !== undefined) form[name] = value
  }
  for (const { id, attributes } of extensions) {
    const own = resource[id] as ScimObject
    form[id] = Object.fromEntries(attributes.flatMap(({ name }) => (own[name] === undefined ? [] : [[name, own[name]]])))
  }
  return form
}

function readInto(into: Record<string, ScimValue | undefined>, attributes: readonly Attribute[], key: string, value: unknown, prefix: string): void {
  const attribute = findAttribute(attributes, key)
  if (attribute !== null && attribute.mutability !== 'readOnly') into[attribute.name] = readValue(attribute, value, `${prefix}${attribute.name}`)
}
