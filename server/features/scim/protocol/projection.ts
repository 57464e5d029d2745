/** Which attributes a response contains: `attributes`, `excludedAttributes`, and `returned` of each attribute (RFC 7644, 3.9). */
import type { Attribute, ResourceType } from './attribute.js'
import { findExtension, resolvePath, topAttributes } from './attribute-path.js'
import { ScimError } from './errors.js'
import { isObject, type ScimObject, type ScimValue } from './resource.js'

/** Names in one of the two parameters. Further names are ignored: no schema has that many attributes. */
const NAMES_LIMIT = 200

/** Attributes by the key of `keyOf`: all of it, or the sub-attributes that are named. */
type Named = ReadonlyMap<string, ReadonlySet<string> | 'all'>

export interface Projection {
  /** Null: the attributes that are returned by default, without those of `excluded`. */
  readonly requested: Named | null
  readonly excluded: Named
}

/**
 * Reads the two parameters: names separated by commas, or a list of names. Unknown names are ignored.
 * @throws ScimError invalidValue when both are sent
 */
export function readProjection(type: ResourceType, attributes: string | readonly string[] | undefined, excludedAttributes: string | readonly string[] | undefined): Projection {
  const [requested, excluded] = [namesIn(attributes), namesIn(excludedAttributes)]
  if (requested.length > 0 && excluded.length > 0) throw new ScimError('parameters_exclusive', {})
  return { requested: requested.length === 0 ? null : named(type, requested), excluded: named(type, excluded) }
}

/** Whether a response may contain an attribute of the core schema, or a part of it: otherwise its values need not be read. */
export function wantsAttribute({ requested, excluded }: Projection, name: string): boolean {
  const key = keyOfName(null, name)
  return requested === null ? excluded.get(key) !== 'all' : requested.has(key)
}

/** The part of a resource that a response contains, in the order of the schemas. */
export function project(type: ResourceType, resource: ScimObject, projection: Projection): ScimObject {
  const shown: Record<string, ScimValue | undefined> = select(topAttributes(type), resource, null, projection)
  for (const { id, attributes } of type.extensions) {
    const own = resource[id]
    if (!isObject(own)) continue
    const part = select(attributes, own as ScimObject, id, projection)
    if (Object.keys(part).length > 0) shown[id] = part
  }
  return shown
}

function namesIn(parameter: string | readonly string[] | undefined): string[] {
  const names = parameter === undefined ? [] : typeof parameter === 'string' ? parameter.split(',', NAMES_LIMIT) : parameter.slice(0, NAMES_LIMIT)
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

const keyOfName = (extension: string | null, name: string): string => `${extension ?? ''}:${name}`
const keyOf = (extension: string | null, { name }: Attribute): string => keyOfName(extension, name)

function named(type: ResourceType, names: readonly string[]): Named {
  const found = new Map<string, Set<string> | 'all'>()
  for (const name of names) {
    const extension = findExtension(type, name)
    if (extension !== null) {
      for (const attribute of extension.attributes) found.set(keyOf(extension.id, attribute), 'all')
      continue
    }
    const path = resolvePath(type, name)
    if (path === null) continue
    const key = keyOf(path.extension, path.attribute)
    const subs = found.get(key)
    if (path.sub === null) found.set(key, 'all')
    else if (subs !== 'all') found.set(key, new Set([...(subs ?? []), path.sub.name]))
  }
  return found
}

function select(attributes: readonly Attribute[], values: ScimObject, extension: string | null, { requested, excluded }: Projection): Record<string, ScimValue> {
  const shown: Record<string, ScimValue> = {}
  for (const attribute of attributes) {
    const value = values[attribute.name]
    const key = keyOf(extension, attribute)
    const wanted = requested?.get(key)
    if (value === undefined || !isShown(attribute, requested === null ? null : wanted !== undefined, excluded.get(key) === 'all')) continue
    const subs = wanted === 'all' || wanted === undefined ? null : wanted
    const left = excluded.get(key)
    const part = withSubs(attribute, value, (sub) => isShown(sub, subs === null ? null : subs.has(sub.name), left !== undefined && left !== 'all' && left.has(sub.name)))
    if (part !== undefined) shown[attribute.name] = part
  }
  return shown
}

/** @param isRequested null: the request names no attributes */
function isShown({ returned }: Attribute, isRequested: boolean | null, isExcluded: boolean): boolean {
  if (returned === 'always' || returned === 'never') return returned === 'always'
  return isRequested ?? (returned === 'default' && !isExcluded)
}

function withSubs(attribute: Attribute, value: ScimValue, shows: (sub: Attribute) => boolean): ScimValue | undefined {
  if (attribute.type !== 'complex') return value
  const subs = attribute.subAttributes.filter(shows).map(({ name }) => name)
  const part = (one: ScimValue): ScimObject => Object.fromEntries(subs.flatMap((name) => ((one as ScimObject)[name] === undefined ? [] : [[name, (one as ScimObject)[name]]])))
  if (!Array.isArray(value)) return nonEmpty(part(value))
  const parts = value.map(part).filter((one) => nonEmpty(one) !== undefined)
  return parts.length === 0 ? undefined : parts
}

const nonEmpty = (object: ScimObject): ScimObject | undefined => (Object.keys(object).length === 0 ? undefined : object)
