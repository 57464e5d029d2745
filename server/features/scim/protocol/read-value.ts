/**
 * Reads values of requests by the declarations of their attributes: canonical names, types, limits. Values that a client may not send are left out: unknown
 * names, as clients send attributes of schemas that a service does not have, and read-only sub-attributes. Null, empty texts, lists and objects are unassigned.
 */
import { SOME_LINES } from '../../../core/patterns.js'
import type { Attribute, AttributeType } from './attribute.js'
import { findAttribute } from './attribute-path.js'
import { ScimError } from './errors.js'
import { typedValue } from './filter/values.js'
import { isObject, type ScimObject, type ScimValue } from './resource.js'
import { parseBoolean, parseDateTime } from './simple-values.js'

/** Maximum length of one text: addresses are the longest texts of directories, and certificates the longest values. */
const CHARACTERS: Readonly<Partial<Record<AttributeType, number>>> = { string: 1024, reference: 2048, binary: 8192 }
const TEXT = new RegExp(SOME_LINES, 'u')
const BASE64 = /^[A-Za-z0-9+/\-_\s]*={0,2}\s*$/

/** Reads the value of an attribute. @param name for errors, with the URN of an extension @returns undefined: unassigned @throws ScimError invalidValue */
export function readValue(attribute: Attribute, value: unknown, name: string): ScimValue | undefined {
  if (!attribute.multiValued) return readOne(attribute, value, name)
  const values = Array.isArray(value) ? value : [value]
  if (values.length > attribute.maxValues) throw new ScimError('values_too_many', { attribute: name, limit: attribute.maxValues })
  const read = values.map((one) => readOne(attribute, one, name)).filter((one) => one !== undefined)
  requireOnePrimary(read, name)
  return read.length === 0 ? undefined : mergeValues(attribute, [], read)
}

/** Reads one value of a multi-valued attribute, or the value of another. */
export function readOne(attribute: Attribute, value: unknown, name: string): ScimValue | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (attribute.type === 'complex') return readComplex(attribute, value, name)
  const read = readSimple(attribute.type, value)
  if (read === undefined) throw new ScimError('value_wrong', { attribute: name, type: attribute.type })
  const limit = CHARACTERS[attribute.type]
  if (typeof read === 'string' && limit !== undefined && read.length > limit) throw new ScimError('value_too_long', { attribute: name, limit })
  return read
}

/** Sub-attributes of a complex value; undefined: the client unassigns it. @throws ScimError */
export function readSubValues(attribute: Attribute, value: unknown, name: string): ReadonlyMap<string, ScimValue | undefined> {
  // Entra ID sends the identifier alone for `manager`.
  const object = isObject(value) ? value : findAttribute(attribute.subAttributes, 'value') !== null && typeof value === 'string' ? { value } : null
  if (object === null) throw new ScimError('value_wrong', { attribute: name, type: 'complex' })
  const read = new Map<string, ScimValue | undefined>()
  for (const [key, given] of Object.entries(object)) {
    const sub = findAttribute(attribute.subAttributes, key)
    if (sub !== null && sub.mutability !== 'readOnly') read.set(sub.name, readValue(sub, given, `${name}.${sub.name}`))
  }
  return read
}

/** A complex value from sub-attributes; undefined: none is assigned. @throws ScimError invalidValue when a required one is missing */
export function complexValue(attribute: Attribute, entries: Iterable<readonly [string, ScimValue | undefined]>, name: string): ScimObject | undefined {
  const assigned = [...entries].filter(([, value]) => value !== undefined)
  if (assigned.length === 0) return undefined
  const value: ScimObject = Object.fromEntries(assigned)
  const missing = attribute.subAttributes.find((sub) => sub.required && value[sub.name] === undefined)
  if (missing !== undefined) throw new ScimError('value_missing', { attribute: `${name}.${missing.name}` })
  return value
}

/**
 * Adds values to those of a multi-valued attribute. A value that is there already is not added again (RFC 7644, 3.5.2.1): the same simple value, or a complex
 * one with the same `value` and `type`, which takes the other sub-attributes of the new one.
 */
export function mergeValues(attribute: Attribute, values: readonly ScimValue[], added: readonly ScimValue[]): readonly ScimValue[] {
  const merged = new Map<string, ScimValue>()
  for (const value of [...values, ...added]) {
    const key = keyOf(attribute, value)
    const known = merged.get(key)
    merged.set(key, isObject(known) && isObject(value) ? { ...(known as ScimObject), ...(value as ScimObject) } : (known ?? value))
  }
  return [...merged.values()]
}

/** Identifies a value among those of its attribute. */
export function keyOf(attribute: Attribute, value: ScimValue): string {
  if (attribute.type !== 'complex') return String(typedValue(attribute, value))
  const object = value as ScimObject
  const sub = findAttribute(attribute.subAttributes, 'value')
  if (sub === null || object.value === undefined) return JSON.stringify(attribute.subAttributes.map(({ name }) => object[name] ?? null))
  const type = sub.mutability === 'immutable' ? '' : String(object.type ?? '').toLowerCase()
  return `${type} ${typedValue(sub, object.value)}`
}

/** @throws ScimError invalidValue */
export function requireOnePrimary(values: readonly ScimValue[], name: string): void {
  if (values.filter(isPrimary).length > 1) throw new ScimError('values_primary', { attribute: name })
}

export function isPrimary(value: ScimValue): boolean {
  return isObject(value) && (value as ScimObject).primary === true
}

/** Number of characters of all texts. */
export function characters(value: ScimValue | undefined): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.reduce((sum: number, one: ScimValue) => sum + characters(one), 0)
  return isObject(value) ? Object.values(value as ScimObject).reduce<number>((sum, one) => sum + characters(one), 0) : 0
}

function readComplex(attribute: Attribute, value: unknown, name: string): ScimObject | undefined {
  return complexValue(attribute, readSubValues(attribute, value, name), name)
}

function readSimple(type: AttributeType, value: unknown): ScimValue | undefined {
  switch (type) {
    case 'boolean':
      return parseBoolean(value)
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined
    case 'decimal':
      return typeof value === 'number' ? value : undefined
    case 'dateTime':
      return parseDateTime(value) === undefined ? undefined : (value as string)
    case 'binary':
      return typeof value === 'string' && BASE64.test(value) ? value : undefined
    default:
      return typeof value === 'string' && TEXT.test(value) ? value : undefined
  }
}
