/** Maximum length of a valid JSON text for a schema: a longer body is invalid and is refused unread. */
import { FORMAT_CHARACTERS } from '#requests'
import { type JsonSchema, prepareSchema } from '#requests'

/** A character above U+FFFF, as two escapes `\\uXXXX`. */
const CHARACTER_BYTES = 12
/** A number. More digits are possible, but have no use. */
const NUMBER_BYTES = 32
const QUOTES = 2
/** A colon and a comma. */
const SEPARATORS = 2

/** The maximum bytes by schema. Services of one process share the schemas. */
const known = new WeakMap<object, number>()

/** Maximum bytes, without white space between the parts. Infinity: the schema sets no limit. @param schema does not change any more */
export function longestJson(schema: object): number {
  let bytes = known.get(schema)
  if (bytes === undefined) known.set(schema, (bytes = longestOf(prepareSchema(schema))))
  return bytes
}

function longestOf(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return Number.POSITIVE_INFINITY
  const { enum: choices, const: constant, anyOf, oneOf, allOf, type } = schema as JsonSchema
  if (Array.isArray(choices)) return Math.max(...choices.map(longestValue))
  if (constant !== undefined) return longestValue(constant)
  for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) return Math.max(...branches.map(longestOf))
  if (Array.isArray(allOf)) return allOf.map(longestOf).reduce((sum, bytes) => sum + bytes, 0)
  if (Array.isArray(type)) return Math.max(...type.map((one) => longestOf({ ...schema, type: one })))
  switch (type) {
    case 'object':
      return longestObject(schema as JsonSchema)
    case 'array':
      return longestArray(schema as JsonSchema)
    case 'string':
      return longestString(schema as JsonSchema)
    case 'number':
    case 'integer':
      return NUMBER_BYTES
    case 'boolean':
    case 'null':
      return 'false'.length
    default:
      return Number.POSITIVE_INFINITY
  }
}

function longestObject({ properties = {}, additionalProperties, patternProperties, maxProperties, propertyNames }: JsonSchema): number {
  let bytes = QUOTES
  for (const [name, field] of Object.entries(properties as JsonSchema)) bytes += longestValue(name) + SEPARATORS + longestOf(field)
  if (additionalProperties === false && patternProperties === undefined) return bytes
  if (typeof maxProperties !== 'number' || patternProperties !== undefined) return Number.POSITIVE_INFINITY
  return bytes + maxProperties * (longestString((propertyNames ?? {}) as JsonSchema) + SEPARATORS + longestOf(additionalProperties))
}

function longestArray({ items, maxItems }: JsonSchema): number {
  return typeof maxItems === 'number' ? QUOTES + maxItems * (longestOf(items) + 1) : Number.POSITIVE_INFINITY
}

function longestString({ maxLength, format }: JsonSchema): number {
  const characters = Math.min(typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY, FORMAT_CHARACTERS[String(format)] ?? Number.POSITIVE_INFINITY)
  return QUOTES + characters * CHARACTER_BYTES
}

/** Maximum bytes of a known value, with all of its characters escaped. */
function longestValue(value: unknown): number {
  return JSON.stringify(value).length * CHARACTER_BYTES
}
