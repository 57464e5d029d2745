/** Builds an example of a schema from the examples of its fields; a field without one gets the simplest valid value. */

type Schema = Readonly<Record<string, unknown>>

/** Value of a text without an example; a test finds where it is used. */
export const PLACEHOLDER = 'text'
const MOMENT = '2026-01-31T12:00:00.000Z'
const SAMPLES: Readonly<Record<string, unknown>> = {
  'date-time': MOMENT,
  date: MOMENT.slice(0, 10),
  email: 'ana@example.com',
  uuid: 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f',
  uri: 'https://content.example.com',
  'http-uri': 'https://content.example.com',
}

/** An example value of the schema. It includes optional fields, so that readers see all of them. */
export function exampleOfSchema(schema: Schema): unknown {
  const { examples, const: constant, enum: choices, anyOf, type, format } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (constant !== undefined) return constant
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(choices)) return choices[0]
  if (Array.isArray(anyOf)) return exampleOfSchema((anyOf as Schema[]).find((branch) => branch.type !== 'null') ?? (anyOf as Schema[])[0])
  if (type === 'object') return exampleOfObject(schema)
  if (type === 'array') return [exampleOfSchema(schema.items as Schema)]
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  return typeof format === 'string' ? (SAMPLES[format] ?? PLACEHOLDER) : PLACEHOLDER
}

function exampleOfObject({ properties = {} }: Schema): Schema {
  return Object.fromEntries(Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, field]) => [name, exampleOfSchema(field)]))
}
