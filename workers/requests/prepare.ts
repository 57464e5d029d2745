/**
 * Turns a schema as written into the schema that is enforced. Invariants:
 *  1. every object is closed unless it says otherwise: an undeclared field is refused, at any depth
 *  2. the schema is safe for hostile values: arrays of unique entries are bounded and contain scalars (comparing other values takes quadratic time)
 *  3. keywords for human readers are removed, and so is `$id`, because one schema may be used in many places
 */

export type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords without effect on validity. `deprecated` and `x-replaced-by` are read from the schema as written. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$id',
  'title',
  'description',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'x-replaced-by',
  'contentMediaType',
  'contentEncoding',
  '$comment',
])
/** Keywords whose value is a table of schemas. */
export const TABLES: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
/** Keywords whose value is a schema. */
export const SINGLE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'propertyNames',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  'if',
  'then',
  'else',
])
/** Keywords whose value is a list of schemas. */
export const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
/** The pattern that TypeBox writes for "any key". It would not match keys with line breaks, which would then stay unchecked. */
export const ANY_KEY = '^.*$'
const UNIQUE_LIMIT = 10_000

/** @throws TypeError for a schema that cannot be enforced safely */
export function prepareSchema(schema: unknown): JsonSchema {
  return prepare(schema, true, '#') as JsonSchema
}

function prepare(schema: unknown, isClosing: boolean, at: string): unknown {
  if (!isSchema(schema)) return schema
  const isIntersection = Array.isArray(schema.allOf)
  const prepared: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    // A schema with its own `$defs` uses `$id` as an address.
    if (ANNOTATIONS.has(keyword) && !(keyword === '$id' && '$defs' in schema)) continue
    if (TABLES.has(keyword)) prepared[keyword] = Object.fromEntries(Object.entries(value as JsonSchema).map(([name, part]) => [name, prepare(part, true, `${at}/${name}`)]))
    else if (SINGLE.has(keyword)) prepared[keyword] = prepare(value, keyword !== 'not' && keyword !== 'if', `${at}/${keyword}`)
    else if (LISTS.has(keyword)) prepared[keyword] = (value as unknown[]).map((part, index) => prepare(part, isClosing && keyword !== 'allOf', `${at}/${index}`))
    else prepared[keyword] = value
  }
  openKeys(prepared)
  if (isClosing && isObjectSchema(prepared) && !('additionalProperties' in prepared) && !('unevaluatedProperties' in prepared)) {
    // The parts of an intersection know only their own fields; the whole knows all fields.
    prepared[isIntersection ? 'unevaluatedProperties' : 'additionalProperties'] = false
  }
  if (isIntersection && isClosing && !('unevaluatedProperties' in prepared) && (prepared.allOf as JsonSchema[]).some(isObjectSchema)) prepared.unevaluatedProperties = false
  if (prepared.uniqueItems === true) checkUnique(prepared, at)
  return prepared
}

function openKeys(schema: Record<string, unknown>): void {
  const patterns = schema.patternProperties
  if (!isSchema(patterns) || !(ANY_KEY in patterns)) return
  const { [ANY_KEY]: open, ...others } = patterns
  schema.additionalProperties = open
  if (Object.keys(others).length > 0) schema.patternProperties = others
  else delete schema.patternProperties
}

function isObjectSchema(schema: JsonSchema): boolean {
  return schema.type === 'object' || 'properties' in schema
}

function checkUnique(schema: JsonSchema, at: string): void {
  const items = schema.items
  const isScalar = isSchema(items) && (Array.isArray(items.enum) || 'const' in items || (typeof items.type === 'string' && !['object', 'array'].includes(items.type)))
  if (!isScalar || typeof schema.maxItems !== 'number' || schema.maxItems > UNIQUE_LIMIT) {
    throw new TypeError(`${at}: uniqueItems needs scalar items and maxItems of at most ${UNIQUE_LIMIT}`)
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A deprecated field of requests. */
export interface DeprecatedField {
  /** Names from the root; `*` is each entry of an array. */
  readonly path: readonly string[]
  readonly replacedBy: string | null
}

/** Returns the fields of a schema that are `deprecated`. */
export function deprecatedFields(schema: unknown, path: readonly string[] = []): DeprecatedField[] {
  if (!isSchema(schema)) return []
  const found: DeprecatedField[] = []
  for (const [name, field] of Object.entries((schema.properties ?? {}) as JsonSchema)) {
    if (isSchema(field) && field.deprecated === true) found.push({ path: [...path, name], replacedBy: typeof field['x-replaced-by'] === 'string' ? field['x-replaced-by'] : null })
    found.push(...deprecatedFields(field, [...path, name]))
  }
  for (const list of [schema.anyOf, schema.oneOf, schema.allOf]) if (Array.isArray(list)) found.push(...list.flatMap((part) => deprecatedFields(part, path)))
  if (schema.items !== undefined) found.push(...deprecatedFields(schema.items, [...path, '*']))
  return found
}

/** Whether a value uses a deprecated field. */
export function usesField(value: unknown, path: readonly string[]): boolean {
  if (path.length === 0) return true
  if (typeof value !== 'object' || value === null) return false
  const [name, ...rest] = path
  if (name === '*') return Array.isArray(value) && value.some((entry) => usesField(entry, rest))
  return Object.hasOwn(value, name) && usesField((value as JsonSchema)[name], rest)
}

/** Whether a schema accepts values of any form. */
function isOpenSchema(schema: unknown): boolean {
  if (schema === true) return true
  if (!isSchema(schema)) return false
  const hasForm = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'not'].some((keyword) => keyword in schema)
  if (!hasForm || '$ref' in schema || (schema.type === 'array' && !('items' in schema) && !('prefixItems' in schema))) return true
  if (schema.type === 'object' && schema.additionalProperties === true) return true
  return Object.entries(schema).some(([keyword, value]) => {
    if (TABLES.has(keyword)) return Object.values(value as JsonSchema).some(isOpenSchema)
    if (keyword === 'items' || keyword === 'additionalProperties') return isOpenSchema(value)
    return LISTS.has(keyword) && (value as unknown[]).some(isOpenSchema)
  })
}

/** Whether a schema accepts names that it does not declare, at any depth. @param schema as prepared by `prepareSchema` */
export function takesAnyName(schema: unknown): boolean {
  if (isOpenSchema(schema)) return true
  if (!isSchema(schema)) return false
  if ('patternProperties' in schema || isSchema(schema.additionalProperties) || isSchema(schema.unevaluatedProperties)) return true
  return Object.entries(schema).some(([keyword, value]) => {
    if (TABLES.has(keyword)) return Object.values(value as JsonSchema).some(takesAnyName)
    if (LISTS.has(keyword)) return (value as unknown[]).some(takesAnyName)
    return keyword === 'items' && takesAnyName(value)
  })
}
