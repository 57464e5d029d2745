/**
 * GitHub's own description of its REST API (OpenAPI 3.0), which the fake holds every request and every answer against. `github-description.json` has the
 * operations that the fake knows; `cut-github-description.ts` writes it.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Json
}
interface Content {
  readonly schema: Json
  readonly examples?: Readonly<Record<string, Json>>
}
interface Response {
  readonly content?: Readonly<Record<string, Content>>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Json[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Json>>
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Errors that GitHub answers to any call, whether or not the operation lists them. */
const ANYWHERE: ReadonlySet<number> = new Set([401, 403, 404, 422, 429, 500, 502, 503])
export const ERROR_SCHEMAS = ['basic-error', 'validation-error', 'validation-error-simple'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
const JSON_TYPE = /^application\/json\b/

/** In the sources. */
export const DESCRIPTION_FILE = fileURLToPath(new URL('../../../../test/support/git/github-description.json', import.meta.url))

let loaded: Description | undefined
function description(): Description {
  return (loaded ??= JSON.parse(readFileSync(DESCRIPTION_FILE, 'utf8')) as Description)
}

/** Follows references. */
function resolved<T>(node: unknown): T {
  let found = node as Json
  while (typeof found.$ref === 'string') {
    const parts = found.$ref.slice(2).split('/')
    found = parts.reduce<unknown>((each, part) => (each as Json)[part.replaceAll('~1', '/').replaceAll('~0', '~')], description()) as Json
  }
  return found as T
}

/** One of OpenAPI 3.0 as JSON Schema: `nullable` becomes a type, and references a part of the schema. @param isClosed whether unknown properties are refused */
function jsonSchema(root: unknown, isClosed: boolean): Json {
  const definitions: Record<string, unknown> = {}
  const convert = (node: unknown, closes: boolean): unknown => {
    if (Array.isArray(node)) return node.map((each) => convert(each, closes))
    if (typeof node !== 'object' || node === null) return node
    const { nullable, example: _, examples: __, discriminator: ___, ...rest } = node as Json
    if (typeof rest.$ref === 'string') {
      const name = rest.$ref.slice(2).replaceAll('/', '.') + (closes ? '.closed' : '')
      if (!(name in definitions)) {
        definitions[name] = true
        definitions[name] = convert(resolved(rest), closes)
      }
      return { $ref: `#/definitions/${name}` }
    }
    const converted: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(rest)) {
      // A property may have any name, `example` and `nullable` included. The parts of `allOf` know nothing of each other's properties.
      if (key === 'properties') converted[key] = Object.fromEntries(Object.entries(value as Json).map(([name, each]) => [name, convert(each, closes)]))
      else converted[key] = key === 'enum' ? value : convert(value, closes && key !== 'allOf')
    }
    if (closes && 'properties' in converted && !('additionalProperties' in converted)) converted.additionalProperties = false
    return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted
  }
  const schema = convert(root, isClosed) as Json
  return { ...schema, definitions }
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false })
const compiled = new Map<string, ValidateFunction>()
const pruner = new Ajv({ strict: false, validateFormats: false, allErrors: true, removeAdditional: true, logger: false })
const pruning = new Map<string, ValidateFunction>()

/** @returns what is wrong; null: nothing */
function wrong(name: string, schema: () => unknown, isClosed: boolean, value: unknown): string | null {
  let validate = compiled.get(name)
  if (validate === undefined) compiled.set(name, (validate = ajv.compile(jsonSchema(schema(), isClosed))))
  return validate(value) ? null : `${name}: ${ajv.errorsText(validate.errors?.slice(0, 5))}`
}

/** A request as text: the values of the path are those of the template's names. */
export interface DescribedRequest {
  /** `GET /repos/{owner}/{repo}` */
  readonly operation: string
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  /** Undefined: there is no body. */
  readonly body: unknown
}

function operationOf(name: string): Operation {
  const [method, path] = name.split(' ')
  const found = description().paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`GitHub has no ${name}`)
  return found
}

/** What GitHub's description does not know of a request. */
export function wrongInRequest({ operation: name, path, query, contentType, body }: DescribedRequest): string[] {
  const operation = operationOf(name)
  const parameters = (operation.parameters ?? []).map((parameter) => resolved<Parameter>(parameter))
  const found: (string | null)[] = []
  for (const [key, value] of Object.entries(path)) found.push(wrongParameter(name, parameters, 'path', key, value))
  for (const [key, value] of query) found.push(wrongParameter(name, parameters, 'query', key, value))
  for (const parameter of parameters) if (parameter.in === 'query' && parameter.required === true && !query.has(parameter.name)) found.push(`${name}: no ${parameter.name}`)
  const described = operation.requestBody
  if (body === undefined) found.push(described?.required === true ? `${name}: no body` : null)
  else if (described === undefined) found.push(`${name}: takes no body`)
  else {
    if (!JSON_TYPE.test(contentType ?? '')) found.push(`${name}: the body is ${contentType}`)
    found.push(wrong(`${name} (request)`, () => described.content['application/json'].schema, true, body))
  }
  return found.filter((text) => text !== null)
}

function wrongParameter(name: string, parameters: readonly Parameter[], place: string, key: string, text: string): string | null {
  const parameter = parameters.find((each) => each.in === place && each.name === key)
  if (parameter === undefined) return `${name}: unknown ${place} parameter ${key}`
  const { type, oneOf } = resolved<Json>(parameter.schema)
  const isNumber = (type === 'integer' || oneOf !== undefined) && /^-?\d+$/.test(text)
  const value = isNumber ? Number(text) : type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text
  return wrong(`${name} (${key})`, () => parameter.schema, false, value)
}

/** What GitHub's description does not know of an answer. @param body undefined: there is none */
export function wrongInAnswer(name: string, status: number, body: unknown): string[] {
  const described = operationOf(name).responses[String(status)]
  if (described === undefined) {
    if (!ANYWHERE.has(status)) return [`${name} never answers ${status}`]
    const found = wrong(`error (${status})`, () => ({ anyOf: ERROR_SCHEMAS }), false, body)
    return found === null ? [] : [`${name}: ${found}`]
  }
  const content = resolved<Response>(described).content?.['application/json']
  if (content === undefined) return body === undefined ? [] : [`${name}: ${status} has no body`]
  // Errors have a field `status`, which the description lacks in places.
  const found = wrong(`${name} (${status})`, () => content.schema, status < 400, body)
  return found === null ? [] : [found]
}

/** Returns a copy of GitHub's example of an answer, without what its own schema does not have, to be filled with what the fake stores. */
export function exampleOf<T extends object = Record<string, unknown>>(name: string, status: number): T {
  const content = resolved<Response>(operationOf(name).responses[String(status)]).content?.['application/json']
  const [example] = Object.values(content?.examples ?? {})
  if (content === undefined || example === undefined) throw new Error(`${name} has no example of ${status}`)
  const key = `${name} ${status}`
  let prune = pruning.get(key)
  if (prune === undefined) pruning.set(key, (prune = pruner.compile(jsonSchema(content.schema, true))))
  const copy = structuredClone(resolved<{ value: T }>(example).value)
  prune(copy)
  return copy
}
