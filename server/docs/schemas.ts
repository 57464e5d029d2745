/** Presents schemas in the document: named ones once, under `components`, others inline. */
import { HTTP_URI_BEGINNING } from '#requests'
import { ANY_KEY, LISTS, SINGLE, TABLES } from '#requests'
import { PORTABLE_FORMS } from '../core/patterns.js'

type Json = Record<string, unknown>

/** Requests are closed, and fields with a default are optional; responses may get further fields. */
export type Direction = 'request' | 'response'

const NAME = /^[A-Za-z0-9._-]+$/
/** Replaces our own format with standard keywords. */
const HTTP_URI: Json = { format: 'uri', pattern: HTTP_URI_BEGINNING }

export class SchemaRegistry {
  readonly #named = new Map<string, { readonly text: string; readonly schema: Json }>()

  /** Returns the schema, or a reference to it. */
  present(schema: object, direction: Direction): Json {
    const shown = this.#show(schema as Json, direction)
    const name = (schema as Json).$id
    if (typeof name !== 'string' || !NAME.test(name)) return shown
    return { $ref: `#/components/schemas/${this.#register(name, shown, direction)}` }
  }

  /** All named schemas, by name. */
  components(): Json {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema]))
  }

  /** Registers a named schema. Request and response have different names if they differ. */
  #register(name: string, schema: Json, direction: Direction): string {
    const text = JSON.stringify(schema)
    const known = this.#named.get(name)
    if (known === undefined) this.#named.set(name, { text, schema })
    else if (known.text !== text) {
      if (name.endsWith('_in') || name.endsWith('_out')) throw new TypeError(`two schemas have the $id ${name}`)
      return this.#register(`${name}_${direction === 'request' ? 'in' : 'out'}`, schema, direction)
    }
    return name
  }

  #show(schema: Json, direction: Direction): Json {
    const shown: Json = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$id') continue
      if (TABLES.has(keyword)) shown[keyword] = Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, this.present(part as object, direction)]))
      else if (SINGLE.has(keyword) && typeof value === 'object' && value !== null) shown[keyword] = this.present(value, direction)
      else if (LISTS.has(keyword)) shown[keyword] = (value as object[]).map((part) => this.present(part, direction))
      else shown[keyword] = value
    }
    if (shown.format === 'http-uri') Object.assign(shown, HTTP_URI)
    showPortably(shown)
    const patterns = shown.patternProperties as Json | undefined
    if (patterns !== undefined && ANY_KEY in patterns && Object.keys(patterns).length === 1) {
      shown.additionalProperties = patterns[ANY_KEY]
      delete shown.patternProperties
    }
    if (direction === 'request') closeRequest(shown, schema)
    return simplified(shown)
  }
}

/** Writes a pattern in a form that other regular expression engines support. */
function showPortably(shown: Json): void {
  const portable = PORTABLE_FORMS.get(String(shown.pattern))
  if (portable === null) delete shown.pattern
  else if (portable !== undefined) shown.pattern = portable
}

function closeRequest(shown: Json, schema: Json): void {
  if (shown.type === 'object' && !('additionalProperties' in shown) && !('allOf' in shown)) shown.additionalProperties = false
  if (!Array.isArray(shown.required)) return
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Json>>
  const required = (shown.required as string[]).filter((name) => properties[name]?.default === undefined)
  if (required.length > 0) shown.required = required
  else delete shown.required
}

/** Presents a union of constants as an enumeration. */
function simplified(schema: Json): Json {
  const choices = schema.anyOf
  if (!Array.isArray(choices) || !choices.every((choice: Json) => 'const' in choice && typeof choice.const === 'string')) return schema
  const { anyOf: _, ...others } = schema
  return { type: 'string', enum: choices.map((choice: Json) => choice.const), ...others }
}
