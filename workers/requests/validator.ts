/**
 * Validates values against the schemas of routes. It does not depend on HTTP, and is cheap to import, so that a worker thread can use it too. Invariants:
 *  1. a valid value is checked once, quickly; the slow analysis begins only for an invalid value
 *  2. time and memory are limited by the size of the value, however hostile: for a value of more than `NODES_LIMIT` parts only the first fault is reported
 *  3. one issue for each fault: the alternatives of a union do not each report one
 *  4. a valid value has no name that would change the type of a copy: where a schema declares its fields such names are unknown fields, and where it accepts
 *     any name they are searched for
 */
import { createRequire } from 'node:module'
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js'
import { forbiddenNames } from './forbidden-names.js'
import { FORMATS } from './formats.js'
import { type FieldIssue, ISSUES_LIMIT } from './issue.js'
import { issuesOf } from './issues-of.js'
import { type DeprecatedField, deprecatedFields, prepareSchema, takesAnyName, usesField } from './prepare.js'

/** Number of parts of a value above which only its first fault is reported: each part may be wrong in several ways, and each fault is an object. */
const NODES_LIMIT = 10_000

export interface Validator {
  /**
   * Returns the issues of a value, empty if it is valid. Adds defaults of the schema to the value.
   * @param anyName accepts `__proto__` too where the schema accepts any name: names are data there, and the code that reads them handles it
   */
  check(value: unknown, anyName?: boolean): FieldIssue[]
  /** Returns the deprecated fields that the value uses. */
  deprecated(value: unknown): DeprecatedField[]
}

const OPTIONS = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  useDefaults: true,
  formats: FORMATS,
  ownProperties: true,
  messages: false,
  addUsedSchema: false,
  // The schemas are ours, and test/api/openapi.test.ts holds them against the metaschema. Compiling it costs a start 40 ms.
  meta: false,
  validateSchema: false,
} as const

const require = createRequire(import.meta.url)
let quick: Ajv2020 | undefined
let thorough: Ajv2020 | undefined
const compiled = new WeakMap<object, Validator>()

/** Returns the validator of a schema, which is created at the first call. */
export function validatorFor(schema: object): Validator {
  let validator = compiled.get(schema)
  if (validator === undefined) {
    validator = compile(schema)
    compiled.set(schema, validator)
  }
  return validator
}

function compile(schema: object): Validator {
  const prepared = prepareSchema(schema)
  const hasFreeNames = takesAnyName(prepared)
  const deprecated = deprecatedFields(schema)
  let first: ValidateFunction | undefined
  let all: ValidateFunction | undefined
  return {
    check(value, anyName = false) {
      first ??= (quick ??= createAjv(OPTIONS)).compile(prepared)
      const forbidden = hasFreeNames && !anyName ? forbiddenNames(value) : []
      if (first(value)) return forbidden
      let errors = first.errors as ErrorObject[]
      if (!hasMoreNodes(value, NODES_LIMIT)) {
        all ??= (thorough ??= createAjv({ ...OPTIONS, allErrors: true })).compile(prepared)
        all(value)
        errors = all.errors ?? errors
      }
      const found = issuesOf(errors, prepared, value)
      // Some of them are in objects whose fields the schema declares, and are reported already.
      const issues = [...forbidden.filter(({ path }) => !found.some((other) => other.path === path)), ...found]
      return issues.length > ISSUES_LIMIT ? worst(issues) : issues
    },
    deprecated: (value) => (deprecated.length === 0 ? [] : deprecated.filter(({ path }) => usesField(value, path))),
  }
}

/** Loads the library when it is first used: a pooled thread reads only large bodies, and would start later. The server loads it at its start anyway. */
function createAjv(options: Options): Ajv2020 {
  const ajv = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  return new ajv.Ajv2020({ ...options })
}

/** Sorts unknown fields first, because the error code of the answer depends on them. */
function worst(issues: readonly FieldIssue[]): FieldIssue[] {
  return [...issues.filter(({ message }) => message === 'unknown'), ...issues.filter(({ message }) => message !== 'unknown')].slice(0, ISSUES_LIMIT)
}

function hasMoreNodes(value: unknown, limit: number): boolean {
  const waiting = [value]
  let count = 0
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    // Not `Object.values`, which would create a list of a million values before they are counted.
    for (const name in node) {
      if (++count > limit) return true
      waiting.push((node as Readonly<Record<string, unknown>>)[name])
    }
  }
  return false
}
