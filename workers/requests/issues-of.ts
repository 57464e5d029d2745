/** Turns the errors of Ajv into issues: one for each fault, with our own messages. */
import type { ErrorObject } from 'ajv'
import { type FieldIssue, issue, pointer, type Words } from './issue.js'
import type { JsonSchema } from './prepare.js'

type Alternatives = readonly JsonSchema[]

/** @param schema as prepared by `prepareSchema` */
export function issuesOf(errors: readonly ErrorObject[], schema: JsonSchema, value: unknown): FieldIssue[] {
  const issues: FieldIssue[] = []
  const seen = new Set<string>()
  for (const error of withoutBranches(errors, schema, value)) {
    const found = 'expected' in error ? error : issueOf(error)
    if (found === null) continue
    const key = `${found.message} ${found.path}`
    if (!seen.has(key)) issues.push(found)
    seen.add(key)
  }
  return issues
}

/**
 * Replaces the errors of a union by one issue, or by those of the alternative that was probably intended. Ajv writes the errors of the alternatives before that
 * of the union, so inner unions are handled before outer ones.
 */
function withoutBranches(errors: readonly ErrorObject[], schema: JsonSchema, value: unknown): (ErrorObject | FieldIssue)[] {
  interface Entry {
    readonly schemaPath: string
    readonly instancePath: string
    readonly error: ErrorObject | FieldIssue
  }
  let entries: Entry[] = []
  for (const error of errors) {
    const { schemaPath, instancePath, keyword } = error
    if (keyword !== 'anyOf' && keyword !== 'oneOf') {
      entries.push({ schemaPath, instancePath, error })
      continue
    }
    const isBranch = (entry: Entry): boolean => entry.schemaPath.startsWith(`${schemaPath}/`) && isBelow(entry.instancePath, instancePath)
    const branches = entries.filter(isBranch)
    entries = entries.filter((entry) => !isBranch(entry))
    const alternatives = at<Alternatives>(schema, schemaPath)
    const meant = alternatives === null ? null : meantAlternative(alternatives, at<unknown>(value, `#${instancePath}`))
    const own = meant === null ? [] : branches.filter((entry) => entry.schemaPath.startsWith(`${schemaPath}/${meant}/`))
    if (own.length > 0) entries.push(...own.map((entry) => ({ ...entry, schemaPath })))
    else entries.push({ schemaPath, instancePath, error: unionIssue(instancePath, alternatives ?? []) })
  }
  return entries.map(({ error }) => error)
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`)
}

/** Returns the value at a path `#/a/b`; null: there is none. */
function at<T>(root: unknown, path: string): T | null {
  let node = root
  for (const step of path.split('/').slice(1)) {
    const name = decodeStep(step)
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return null
    node = (node as Record<string, unknown>)[name]
  }
  return node as T
}

function decodeStep(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~')
  // Ajv percent-encodes names in schema paths only.
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}

/** Returns the only alternative of the value's own type; of several objects, the one whose constants agree. */
function meantAlternative(alternatives: Alternatives, value: unknown): number | null {
  if (!Array.isArray(alternatives)) return null
  const fitting = alternatives.map((alternative, index) => ({ alternative, index })).filter(({ alternative }) => isOfType(value, alternative))
  const agreeing = fitting.length > 1 ? fitting.filter(({ alternative }) => constantsAgree(alternative, value)) : fitting
  return agreeing.length === 1 ? agreeing[0].index : null
}

function isOfType(value: unknown, schema: JsonSchema): boolean {
  // A single alternative that accepts one value is listed with the others instead.
  if ('const' in schema) return false
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  if (Array.isArray(schema.enum)) return schema.enum.some((choice) => typeof choice === own)
  return types.includes(own) || (own === 'number' && types.includes('integer'))
}

function constantsAgree(schema: JsonSchema, value: unknown): boolean {
  const constants = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).filter(([, field]) => 'const' in field)
  return constants.length > 0 && constants.every(([name, field]) => (value as Record<string, unknown>)[name] === field.const)
}

function unionIssue(path: string, alternatives: Alternatives): FieldIssue {
  const choices = alternatives.map((alternative) =>
    'const' in alternative ? [alternative.const] : Array.isArray(alternative.enum) ? alternative.enum : alternative.type === 'null' ? [null] : null,
  )
  if (choices.length > 0 && choices.every((choice) => choice !== null)) return issue(path, 'choice', choices.flat())
  const types = [...new Set(alternatives.flatMap((alternative) => (alternative.type === undefined ? [] : ([alternative.type].flat() as string[]))))]
  return types.length > 0 ? issue(path, 'type', types.join(' | '), { type: types.join(' | ') }) : issue(path, 'invalid', null)
}

function issueOf({ keyword, instancePath, params, propertyName }: ErrorObject): FieldIssue | null {
  const path = propertyName === undefined ? instancePath : pointer(instancePath, propertyName)
  switch (keyword) {
    case 'required':
      return issue(pointer(path, String(params.missingProperty)), 'required', { words: 'value' } satisfies Words)
    case 'additionalProperties':
      return issue(pointer(path, String(params.additionalProperty)), 'unknown', null)
    case 'unevaluatedProperties':
      return issue(pointer(path, String(params.unevaluatedProperty)), 'unknown', null)
    case 'type': {
      const type = Array.isArray(params.type) ? params.type.join(' | ') : String(params.type)
      return issue(path, 'type', type, { type })
    }
    case 'enum':
      return issue(path, 'choice', params.allowedValues)
    case 'const':
      return issue(path, 'choice', [params.allowedValue])
    case 'format':
      return issue(path, 'format', { format: params.format }, { format: String(params.format) })
    case 'pattern':
      return issue(path, 'pattern', { pattern: params.pattern })
    case 'minLength':
      return limited(path, 'too_short', 'min_length', params.limit)
    case 'maxLength':
      return limited(path, 'too_long', 'max_length', params.limit)
    case 'minimum':
      return limited(path, 'too_small', 'minimum', params.limit)
    case 'maximum':
      return limited(path, 'too_large', 'maximum', params.limit)
    case 'exclusiveMinimum':
      return limited(path, 'too_small', 'exclusive_minimum', params.limit)
    case 'exclusiveMaximum':
      return limited(path, 'too_large', 'exclusive_maximum', params.limit)
    case 'minItems':
      return limited(path, 'too_few', 'min_items', params.limit)
    case 'maxItems':
      return limited(path, 'too_many', 'max_items', params.limit)
    case 'minProperties':
      return limited(path, 'too_few', 'min_properties', params.limit)
    case 'maxProperties':
      return limited(path, 'too_many', 'max_properties', params.limit)
    case 'uniqueItems':
      return issue(path, 'duplicate', { words: 'distinct_entries' } satisfies Words)
    // They accompany an error that says more.
    case 'if':
    case 'propertyNames':
      return null
    default:
      return issue(path, 'invalid', null)
  }
}

function limited(path: string, message: FieldIssue['message'], name: string, limit: unknown): FieldIssue {
  return issue(path, message, { [name]: limit }, { limit: Number(limit) })
}
