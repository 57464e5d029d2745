/** Reads query strings. A parameter occurs at most once and is never empty; numbers and booleans have one spelling. */
import type { TSchema } from 'typebox'
import { type FieldIssue, issue } from '../validation/issue.js'
import type { DeprecatedField, JsonSchema } from '#requests'
import { validatorFor } from '#requests'

export interface ReadQuery {
  readonly value: Readonly<Record<string, unknown>>
  readonly issues: readonly FieldIssue[]
  readonly deprecated: readonly DeprecatedField[]
}

/** An empty query of a route without parameters, which need not be read. */
export const EMPTY_QUERY: ReadQuery = { value: {}, issues: [], deprecated: [] }
const NO_QUERY = { type: 'object', properties: {}, additionalProperties: false } as const
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Creates the reader for the query of a route. */
export function queryReader(declared: TSchema | undefined): (text: string) => ReadQuery {
  const schema: object = declared ?? NO_QUERY
  const properties = ((schema as JsonSchema).properties ?? {}) as Readonly<Record<string, JsonSchema>>
  return (text) => {
    const validator = validatorFor(schema)
    const value: Record<string, unknown> = Object.create(null)
    const issues: FieldIssue[] = []
    if (!isDecodable(text)) issues.push(issue('query', 'invalid', null))
    for (const [name, raw] of new URLSearchParams(text)) {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (name in value) issues.push(issue(`query/${name}`, 'repeated', null))
      else if (raw === '' && field !== undefined && field.minLength !== 0) issues.push(issue(`query/${name}`, 'too_short', { min_length: 1 }, { limit: 1 }))
      value[name] = field === undefined ? raw : coerce(raw, field)
    }
    const own = new Set(issues.map(({ path }) => path))
    for (const found of validator.check(value)) {
      const path = `query${found.path}`
      if (!own.has(path)) issues.push({ ...found, path })
    }
    return { value, issues, deprecated: validator.deprecated(value) }
  }
}

/** `URLSearchParams` accepts malformed percent encoding silently, so it is checked here. */
function isDecodable(text: string): boolean {
  try {
    if (text.includes('%')) decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Converts a text to the type of the schema. Other texts are returned unchanged, and the schema refuses them. */
function coerce(text: string, schema: JsonSchema): unknown {
  switch (schema.type) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text
    case 'number':
      return NUMBER.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    default:
      return text
  }
}
